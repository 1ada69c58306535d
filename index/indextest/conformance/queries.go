package conformance

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"filings/index"
	"filings/index/indextest"
	"filings/index/indextest/edges"
)

// generator makes random queries for filings. The same seed and filings make the same queries.
type generator struct {
	*rand.Rand
	filings []*index.Filing
}

func newGenerator(seed uint64, filings []*index.Filing) *generator {
	return &generator{rand.New(rand.NewPCG(seed, 0)), filings}
}

// query returns a filter of up to four predicates and a sort. Most predicates hold for one same filing, so that most
// filters select something; the others are for another filing, or for none in particular.
func (g *generator) query() (index.Filter, index.Sort) {
	aimed := g.any()
	var w []index.Predicate
	for range g.IntN(5) {
		f := aimed
		if g.IntN(8) == 0 {
			f = g.any()
		}
		w = append(w, g.holding(indextest.NewEntry(f)))
	}
	s := index.Sort{Field: index.SortFields[g.IntN(len(index.SortFields))], Ascending: g.IntN(2) == 0}
	return index.Where(w...), s
}

// pages returns the first page and three others: somewhere, near the end, and past it.
func (g *generator) pages(total int) []page {
	size := func() int { return 1 + g.IntN(100) }
	return []page{
		{0, size()},
		{g.IntN(total + 1), size()},
		{max(0, total-g.IntN(50)), size()},
		{total + g.IntN(1000), size()},
	}
}

func (g *generator) any() *index.Filing { return g.filings[g.IntN(len(g.filings))] }

// holding returns a predicate that, after some tries, holds for e: e may lack most of what predicates need.
func (g *generator) holding(e *indextest.Entry) index.Predicate {
	p := g.predicate(e)
	for range 5 {
		if e.Holds(p) {
			break
		}
		p = g.predicate(e)
	}
	return p
}

// predicate returns one that holds for e, if e has the value that it needs.
func (g *generator) predicate(e *indextest.Entry) index.Predicate { return g.ofKind(g.IntN(24), e) }

// filters are the kinds of predicates that rules X54, X26 and X55 name.
var filters = map[string]int{
	"county": 0, "added": 10, "owner": 18, "state": 20, "zip": 21, "current amount": 22, "address": 23,
}

func (g *generator) ofKind(kind int, e *indextest.Entry) index.Predicate {
	switch kind {
	case 0:
		counties := []string{g.pick(e.Text(index.County), e.Derived.CountyName)}
		for range g.IntN(2) * g.IntN(50) {
			counties = append(counties, g.any().Text(index.County))
		}
		return index.InCounty(counties...)
	case 20:
		return edges.AnyOf(index.State, g.pick(e.Derived.State, "zz"), index.Derive(g.any()).State).Predicates()[0]
	case 21:
		return edges.AnyOf(index.ZIP, e.Derived.ZIP, g.pick("32801", index.Derive(g.any()).ZIP)).Predicates()[0]
	case 22:
		return g.between(e, index.CurrentAmount)
	case 23:
		texts := []string{g.address(e)}
		for range g.IntN(2) * g.IntN(100) {
			texts = append(texts, g.address(indextest.NewEntry(g.any())))
		}
		return edges.Addresses(texts...)
	case 1:
		return edges.AnyOf(index.City, e.Derived.City).Predicates()[0]
	case 2:
		return edges.AnyOf(index.FilingType, e.Text(index.FilingType), g.any().Text(index.FilingType)).Predicates()[0]
	case 3:
		return edges.AnyOf(index.Categories, append(slices.Clone(e.Categories), g.pick(index.CategoryValues...))...).Predicates()[0]
	case 4:
		fields := []index.Field{index.PropertyClassification, index.Categories}
		class := append(slices.Clone(e.Categories), e.Text(index.PropertyClassification))
		return index.AnyOf{Fields: fields, Values: []string{index.Fold(g.pick(class...))}}
	case 5:
		return edges.AnyOf(index.ForeclosureStatus, e.Text(index.ForeclosureStatus), "active", "auction").Predicates()[0]
	case 6:
		return g.between(e, index.FilingAmount)
	case 7:
		return g.between(e, index.LotSizeAcres)
	case 8:
		return g.between(e, index.EquityPercent)
	case 9:
		return g.days(e)
	case 10:
		return g.times(e)
	case 11:
		return g.present(e)
	case 12:
		return []func(*indextest.Entry) index.Predicate{g.box, g.near, g.polygon}[g.IntN(3)](e)
	case 13:
		return index.Rest{Date: e.Text(index.FilingDate), ID: e.ID - g.Int64N(2)} // with or without e
	case 14:
		return g.ids(e)
	case 15, 16:
		return g.noneOf()
	case 18:
		keys := []string{index.OwnerKeyOf(e.Text(index.Owner))}
		for range g.IntN(2) * g.IntN(100) {
			keys = append(keys, index.OwnerKeyOf(g.any().Text(index.Owner)))
		}
		return edges.AnyOf(index.OwnerKey, keys...).Predicates()[0]
	case 17:
		return edges.AnyOf(index.FilingHolder, e.Text(index.FilingHolder)).Predicates()[0]
	}
	return g.contains(e)
}

// address names the address of e in one of the ways that people do, with a part that it has not now and then.
func (g *generator) address(e *indextest.Entry) string {
	text := e.Text(index.PropertyAddress)
	if before, _, cut := strings.Cut(text, ","); cut && g.IntN(2) == 0 {
		text = before
	}
	text += g.pick("", "", "", " Unit 4")
	text += g.pick("", ", "+e.Derived.WrittenCity+", "+e.Derived.State+" ", ", "+e.Derived.State+" ", ", Sample, FL ")
	text += g.pick("", e.Derived.ZIP, "32801")
	return g.pick(text, strings.ToUpper(text), strings.ReplaceAll(text, " St", " Street"))
}

// ids are e's and those of up to a hundred others, and some that are no filing's.
func (g *generator) ids(e *indextest.Entry) index.Predicate {
	ids := []int64{e.ID}
	for range g.IntN(index.MaxIDs) {
		id := g.any().ID
		if g.IntN(8) == 0 {
			id += g.Int64N(5) << g.IntN(40)
		}
		ids = append(ids, max(1, id))
	}
	g.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	return index.IDs{IDs: ids}
}

// noneOf excludes values of up to three filings.
func (g *generator) noneOf() index.Predicate {
	fields := []index.Field{index.FilingType, index.FilingHolder, index.Categories, index.County, index.CountyName, index.State}
	field, folded := fields[g.IntN(len(fields))], []string(nil)
	for range 1 + g.IntN(3) {
		f := g.any()
		var values []string
		switch field {
		case index.Categories:
			values = f.Categories
		case index.CountyName:
			values = []string{index.Derive(f).CountyName}
		case index.State:
			values = []string{index.Derive(f).State}
		default:
			values = []string{f.Text(field)}
		}
		for _, v := range values {
			folded = append(folded, index.Fold(v))
		}
	}
	return index.Not{Predicate: index.AnyOf{Fields: []index.Field{field}, Values: folded}}
}

func (g *generator) pick(from ...string) string { return from[g.IntN(len(from))] }

// between puts e's number at an end of the range, or inside.
func (g *generator) between(e *indextest.Entry, field index.Field) index.Predicate {
	v, _ := e.Value(field)
	width := math.Abs(v) * g.Float64()
	switch g.IntN(5) {
	case 0:
		return index.Range{Field: field, Min: edges.At(v)}
	case 1:
		return index.Range{Field: field, Max: edges.At(v)}
	case 2:
		return index.Range{Field: field, Min: edges.At(v), Max: edges.At(v)}
	case 3:
		return index.Range{Field: field, Min: edges.At(math.Nextafter(v, -math.MaxFloat64)), Max: edges.At(v + width)}
	}
	return index.Range{Field: field, Min: edges.At(v - width), Max: edges.At(math.Nextafter(v, math.MaxFloat64))}
}

func (g *generator) days(e *indextest.Entry) index.Predicate {
	date := e.Text(index.FilingDate)
	if date == "" {
		date = "2024-01-01"
	}
	other := edges.Day(date).AddDate(0, 0, g.IntN(400)).Format(time.DateOnly)
	if other > "2999-12-31" {
		other = date
	}
	switch g.IntN(5) {
	case 0:
		return index.Days{First: date}
	case 1:
		return index.Days{Last: date}
	case 2:
		return index.Days{First: date, Last: date}
	case 3:
		return index.Days{First: date[:8] + "01", Last: other} // from the first of the month
	}
	return index.Days{First: date, Last: other}
}

func (g *generator) times(e *indextest.Entry) index.Predicate {
	t := e.CreatedAt
	if t.IsZero() {
		t = edges.Day("2026-01-01")
	}
	switch g.IntN(4) {
	case 0:
		return index.Times{First: t}
	case 1:
		return index.Times{Last: t}
	case 2:
		return index.Times{First: t, Last: t.Add(time.Duration(g.Int64N(int64(240 * time.Hour))))}
	}
	return index.Times{First: t.Add(-7 * 24 * time.Hour), Last: t}
}

func (g *generator) present(e *indextest.Entry) index.Predicate {
	fields := []index.Field{index.ForeclosureStatus, index.PropertyData, index.Trust, index.Estate}
	field := fields[g.IntN(len(fields))]
	if !e.Present(field) {
		return index.Not{Predicate: index.Present{Field: field}}
	}
	return index.Present{Field: field}
}

// box puts e's point on an edge, in a corner or inside. One in six boxes crosses the antimeridian.
func (g *generator) box(e *indextest.Entry) index.Predicate {
	lat, _ := e.Number(index.Latitude)
	lon, _ := e.Number(index.Longitude)
	size := math.Pow(10, g.Float64()*5-3) // 0.001 to 100 degrees
	b := index.Box{
		North: min(90, lat+size*g.Float64()), South: max(-90, lat-size*g.Float64()),
		East: min(180, lon+size*g.Float64()), West: max(-180, lon-size*g.Float64()),
	}
	edges := []*float64{&b.North, &b.South, &b.East, &b.West}
	for i, v := range []float64{lat, lat, lon, lon} {
		if g.IntN(4) == 0 {
			*edges[i] = v
		}
	}
	if g.IntN(6) == 0 {
		b.West, b.East = b.East, b.West
	}
	return b
}

// near puts e's point just inside a circle, just outside, or anywhere.
func (g *generator) near(e *indextest.Entry) index.Predicate {
	at := pointOf(e.Filing)
	size := math.Pow(10, g.Float64()*5-5) // 0.00001 to 1 degree
	p := index.Circle{Center: index.Point{
		Latitude: max(-90, min(90, at.Latitude+size*(g.Float64()-.5))), Longitude: max(-180, min(180, at.Longitude+size*(g.Float64()-.5))),
	}}
	away := indextest.Distance(p.Center, at)
	p.Radius = max(1, min(index.MaxRadius, away+[]float64{1e-5, -1e-5, away * g.Float64()}[g.IntN(3)]))
	return p
}

// polygon has corners around e's point, some of which are points of filings. Its edges cross one another.
func (g *generator) polygon(e *indextest.Entry) index.Predicate {
	at := pointOf(e.Filing)
	size := math.Pow(10, g.Float64()*5-4) // 0.0001 to 10 degrees
	var corners []index.Point
	for range index.MinCorners + g.IntN(10) {
		c := index.Point{
			Latitude: max(-90, min(90, at.Latitude+size*(g.Float64()-.5))), Longitude: max(-180, min(180, at.Longitude+size*(g.Float64()-.5))),
		}
		switch g.IntN(6) {
		case 0:
			c = at
		case 1:
			c.Latitude = at.Latitude
		case 2:
			c = pointOf(g.any())
		}
		corners = append(corners, c)
	}
	p, err := index.NewPolygon(indextest.CornersAt(corners...))
	if err != nil {
		return g.near(e)
	}
	return p
}

func pointOf(f *index.Filing) (p index.Point) {
	p.Latitude, _ = f.Number(index.Latitude)
	p.Longitude, _ = f.Number(index.Longitude)
	return p
}

// contains takes a term of 1 to 12 characters, or a whole value, out of what is searched.
func (g *generator) contains(e *indextest.Entry) index.Predicate {
	text := index.SearchText(g.pick(e.Text(index.Owner), e.Text(index.PropertyAddress), e.Text(index.CaseNumber), e.Text(index.County)))
	runes := []rune(text)
	if len(runes) == 0 {
		return index.Contains{Text: g.pick("a", "st", "trust", ", fl")}
	}
	if g.IntN(8) > 0 {
		start := g.IntN(len(runes))
		runes = runes[start:min(len(runes), start+1+g.IntN(12))]
	}
	term := index.SearchText(string(runes[:min(len(runes), 200)])) // 200: the longest term of rule P16
	if g.IntN(16) == 0 {
		term += g.pick("*", "\x01", "%", "x", `"`)
	}
	if term == "" || strings.TrimSpace(term) == "" {
		term = "a"
	}
	return index.Contains{Text: term}
}
