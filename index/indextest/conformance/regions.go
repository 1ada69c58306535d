package conformance

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"filings/index"
	"filings/index/indextest"
)

// RegionsVariable is the environment variable that says how many random regions are compared, of each engine and each set of filings.
const RegionsVariable = "TEST_REGIONS"

// someRegions is how many there are without it.
const someRegions = 60

// mostListed is how many filings of a region are compared by their ids.
const mostListed = 1000

// checkRegions compares what r has in random regions (rule X34), half of them circles, with a loop over the filings: how many, and which.
func checkRegions(t *testing.T, r index.Reader, g *generator) {
	regions := someRegions
	if text := os.Getenv(RegionsVariable); text != "" {
		var err error
		if regions, err = strconv.Atoi(text); err != nil {
			t.Fatalf("%s: %v", RegionsVariable, err)
		}
	}
	var placed []*index.Filing
	for _, f := range g.filings {
		if f.Has(index.Latitude) && f.Has(index.Longitude) {
			placed = append(placed, f)
		}
	}
	slices.SortFunc(placed, func(a, b *index.Filing) int {
		p, q := pointOf(a), pointOf(b)
		return cmp.Or(cmp.Compare(p.Latitude, q.Latitude), cmp.Compare(p.Longitude, q.Longitude))
	})
	some, differences := 0, 0
	for i := range regions {
		e := indextest.NewEntry(placed[g.IntN(len(placed))])
		p := g.near(e)
		if i%2 == 1 {
			p = g.polygon(e)
		}
		want := idsIn(placed, p)
		if len(want) > 0 {
			some++
		}
		w := index.Where(p)
		count, err := r.Count(t.Context(), w)
		if err != nil {
			t.Fatal(err)
		}
		page, err := r.Rows(t.Context(), index.Query{Where: w, Sort: index.DefaultSort, Limit: mostListed, IDsOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		wrong := count != int64(len(want)) || len(page.Records) != min(len(want), mostListed)
		for _, record := range page.Records {
			id, err := record.AppendFields(nil, index.Enterprise, index.SetOf())
			wrong = wrong || err != nil || !want[string(id)]
		}
		if wrong {
			t.Errorf("%v: %d filings, want %d", p, count, len(want))
			if differences++; differences == 5 {
				t.Fatal("5 differences are enough")
			}
		}
	}
	if some < regions/2 {
		t.Errorf("only %d of %d regions have a filing: they try too little", some, regions)
	}
}

// covers is indextest.Covers, with floats for points that are no nearer to the rim than a millionth of a degree: of those there are many.
func covers(p index.Polygon, at index.Point) bool {
	const near = 1e-6
	west := 0
	for i, c := range p.Corners {
		d := p.Corners[(i+1)%len(p.Corners)]
		if c.Latitude > d.Latitude {
			c, d = d, c
		}
		switch high := d.Latitude - c.Latitude; {
		case at.Latitude < c.Latitude-near || at.Latitude > d.Latitude+near:
		case high < near || at.Latitude < c.Latitude+near || at.Latitude > d.Latitude-near:
			return indextest.Covers(p, at)
		default:
			crossing := c.Longitude + (at.Latitude-c.Latitude)/high*(d.Longitude-c.Longitude)
			if math.Abs(crossing-at.Longitude) < near {
				return indextest.Covers(p, at)
			}
			if crossing < at.Longitude {
				west++
			}
		}
	}
	return west%2 == 1
}

// idsIn returns records with the ids alone of the filings in a circle or polygon. placed is in the order of places.
func idsIn(placed []*index.Filing, p index.Predicate) map[string]bool {
	south, north := 90.0, -90.0
	has := func(index.Point) bool { return false }
	switch p := p.(type) {
	case index.Circle:
		high := p.Radius / 110_000 // a degree is longer
		south, north = p.Center.Latitude-high, p.Center.Latitude+high
		has = func(at index.Point) bool { return indextest.Distance(p.Center, at) <= p.Radius }
	case index.Polygon:
		west, east := math.Inf(1), math.Inf(-1)
		for _, c := range p.Corners {
			south, north = min(south, c.Latitude), max(north, c.Latitude)
			west, east = min(west, c.Longitude), max(east, c.Longitude)
		}
		has = func(at index.Point) bool {
			return west <= at.Longitude && at.Longitude <= east && covers(p, at)
		}
	}
	from, _ := slices.BinarySearchFunc(placed, south, func(f *index.Filing, lat float64) int { return cmp.Compare(pointOf(f).Latitude, lat) })
	ids, last, inside := map[string]bool{}, index.Point{Latitude: math.NaN()}, false
	for _, f := range placed[from:] {
		at := pointOf(f)
		if at.Latitude > north {
			break
		}
		if at != last { // many filings are at one point
			last, inside = at, has(at)
		}
		if inside {
			ids[fmt.Sprintf(`{"id":%d}`, f.ID)] = true
		}
	}
	return ids
}
