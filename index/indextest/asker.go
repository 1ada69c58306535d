package indextest

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"filings/index"
)

// asker makes random questions about filings. The same seed and filings make the same questions.
type asker struct {
	*rand.Rand
	filings []*index.Filing
}

func newAsker(seed uint64, filings []*index.Filing) *asker {
	return &asker{rand.New(rand.NewPCG(seed, 0)), filings}
}

// question returns a filter of up to four predicates and a sort. Most predicates hold for one same filing, so that most
// filters select something; the others are about another filing, or about nothing in particular.
func (a *asker) question() (index.Filter, index.Sort) {
	about := a.any()
	var w []index.Predicate
	for range a.IntN(5) {
		f := about
		if a.IntN(8) == 0 {
			f = a.any()
		}
		w = append(w, a.holding(newEntry(f)))
	}
	s := index.Sort{By: index.SortFields[a.IntN(len(index.SortFields))], Ascending: a.IntN(2) == 0}
	return index.Where(w...), s
}

// pages returns the first page and three others: somewhere, near the end, and past it.
func (a *asker) pages(total int) []page {
	size := func() int { return 1 + a.IntN(100) }
	return []page{
		{0, size()},
		{a.IntN(total + 1), size()},
		{max(0, total-a.IntN(50)), size()},
		{total + a.IntN(1000), size()},
	}
}

func (a *asker) any() *index.Filing { return a.filings[a.IntN(len(a.filings))] }

// holding returns a predicate that, after some tries, holds for e: e may lack most of what predicates are about.
func (a *asker) holding(e *entry) index.Predicate {
	p := a.predicate(e)
	for range 5 {
		if e.holds(p) {
			break
		}
		p = a.predicate(e)
	}
	return p
}

// predicate returns one that holds for e, if e has the value that it is about.
func (a *asker) predicate(e *entry) index.Predicate {
	switch a.IntN(14) {
	case 0:
		return index.InCounty(a.pick(e.Text(index.County), e.derived.CountyName))
	case 1:
		return anyOf(index.City, e.derived.City).Predicates()[0]
	case 2:
		return anyOf(index.FilingType, e.Text(index.FilingType), a.any().Text(index.FilingType)).Predicates()[0]
	case 3:
		return anyOf(index.Categories, append(slices.Clone(e.Categories), a.pick(index.CategoryValues...))...).Predicates()[0]
	case 4:
		fields := []index.Field{index.PropertyClassification, index.Categories}
		class := append(slices.Clone(e.Categories), e.Text(index.PropertyClassification))
		return index.AnyOf{Fields: fields, Values: []string{index.Fold(a.pick(class...))}}
	case 5:
		return anyOf(index.ForeclosureStatus, e.Text(index.ForeclosureStatus), "active", "auction").Predicates()[0]
	case 6:
		return a.between(e, index.FilingAmount)
	case 7:
		return a.between(e, index.LotSizeAcres)
	case 8:
		return a.between(e, index.EquityPercent)
	case 9:
		return a.days(e)
	case 10:
		return a.times(e)
	case 11:
		return a.present(e)
	case 12:
		return a.box(e)
	}
	return a.contains(e)
}

func (a *asker) pick(from ...string) string { return from[a.IntN(len(from))] }

// between puts e's number at an end of the range, or inside.
func (a *asker) between(e *entry, field index.Field) index.Predicate {
	v, _ := e.value(field)
	width := math.Abs(v) * a.Float64()
	switch a.IntN(5) {
	case 0:
		return index.Between{Field: field, Min: at(v)}
	case 1:
		return index.Between{Field: field, Max: at(v)}
	case 2:
		return index.Between{Field: field, Min: at(v), Max: at(v)}
	case 3:
		return index.Between{Field: field, Min: at(math.Nextafter(v, -math.MaxFloat64)), Max: at(v + width)}
	}
	return index.Between{Field: field, Min: at(v - width), Max: at(math.Nextafter(v, math.MaxFloat64))}
}

func (a *asker) days(e *entry) index.Predicate {
	date := e.Text(index.FilingDate)
	if date == "" {
		date = "2024-01-01"
	}
	other := day(date).AddDate(0, 0, a.IntN(400)).Format(time.DateOnly)
	if other > "2999-12-31" {
		other = date
	}
	switch a.IntN(5) {
	case 0:
		return index.Days{From: date}
	case 1:
		return index.Days{To: date}
	case 2:
		return index.Days{From: date, To: date}
	case 3:
		return index.Days{From: date[:8] + "01", To: other} // from the first of the month
	}
	return index.Days{From: date, To: other}
}

func (a *asker) times(e *entry) index.Predicate {
	t := e.CreatedAt
	if t.IsZero() {
		t = day("2026-01-01")
	}
	if a.IntN(2) == 0 {
		return index.Times{From: t, To: t.Add(time.Duration(a.Int64N(int64(240 * time.Hour))))}
	}
	return index.Times{From: t.Add(-7 * 24 * time.Hour), To: t}
}

func (a *asker) present(e *entry) index.Predicate {
	fields := []index.Field{index.ForeclosureStatus, index.PropertyData, index.Trust, index.Estate}
	field := fields[a.IntN(len(fields))]
	return index.Present{Field: field, Is: e.present(field)}
}

// box puts e's point on an edge, in a corner or inside. One in six boxes crosses the antimeridian.
func (a *asker) box(e *entry) index.Predicate {
	lat, _ := e.Number(index.Latitude)
	lon, _ := e.Number(index.Longitude)
	size := math.Pow(10, a.Float64()*5-3) // 0.001 to 100 degrees
	b := index.Box{
		North: min(90, lat+size*a.Float64()), South: max(-90, lat-size*a.Float64()),
		East: min(180, lon+size*a.Float64()), West: max(-180, lon-size*a.Float64()),
	}
	edges := []*float64{&b.North, &b.South, &b.East, &b.West}
	for i, v := range []float64{lat, lat, lon, lon} {
		if a.IntN(4) == 0 {
			*edges[i] = v
		}
	}
	if a.IntN(6) == 0 {
		b.West, b.East = b.East, b.West
	}
	return b
}

// contains takes a term of 1 to 12 characters, or a whole value, out of what is searched.
func (a *asker) contains(e *entry) index.Predicate {
	text := index.SearchText(a.pick(e.Text(index.Owner), e.Text(index.PropertyAddress), e.Text(index.CaseNumber), e.Text(index.County)))
	runes := []rune(text)
	if len(runes) == 0 {
		return index.Contains{Text: a.pick("a", "st", "trust", ", fl")}
	}
	if a.IntN(8) > 0 {
		start := a.IntN(len(runes))
		runes = runes[start:min(len(runes), start+1+a.IntN(12))]
	}
	term := index.SearchText(string(runes[:min(len(runes), 200)])) // 200: the longest term of rule P16
	if a.IntN(16) == 0 {
		term += a.pick("*", "\x01", "%", "x", `"`)
	}
	if term == "" || strings.TrimSpace(term) == "" {
		term = "a"
	}
	return index.Contains{Text: term}
}
