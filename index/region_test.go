package index_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"filings/index"
	"filings/index/indextest"
)

// TestX34_Regions: of random regions around random points, each point is in those that the oracle says, their bounds have it then, and
// boxes that the rim does not meet are inside or outside whole. Coordinates have few decimals, so that many points lie on edges.
func TestX34_Regions(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(34, 1))
	onRim := 0
	for range 400 {
		decimals := math.Pow(10, float64(r.IntN(7)))
		from := index.Point{Latitude: r.Float64()*170 - 85, Longitude: r.Float64()*360 - 180}
		if r.IntN(8) == 0 {
			from = index.Point{Latitude: 89.5, Longitude: 179.5}
		}
		size := 1 / math.Pow(10, float64(r.IntN(4)))
		point := func() index.Point {
			round := func(v float64) float64 { return math.Round(v*decimals) / decimals }
			return index.Point{
				Latitude:  max(-90, min(90, round(from.Latitude+size*r.Float64()))),
				Longitude: max(-180, min(180, round(from.Longitude+size*r.Float64()))),
			}
		}
		var corners []index.Point
		for range index.MinCorners + r.IntN(20) {
			corners = append(corners, point())
		}
		polygon, err := index.NewPolygon(indextest.CornersAt(corners...))
		circle := index.Circle{Center: point(), Radius: 1 + r.Float64()*size*index.MaxRadius}
		for range 50 {
			at := point()
			checkRegion(t, circle, at, indextest.Distance(circle.Center, at) <= circle.Radius)
			if err == nil {
				want := indextest.Covers(polygon, at)
				checkRegion(t, polygon, at, want)
				if away := (index.Point{Latitude: at.Latitude, Longitude: at.Longitude + 1e-13}); want != polygon.Has(away) {
					onRim++
				}
			}
			for _, region := range []index.Region{circle, polygon} {
				a, b := point(), point()
				box := index.Box{North: max(a.Latitude, b.Latitude), South: min(a.Latitude, b.Latitude), East: max(a.Longitude, b.Longitude), West: min(a.Longitude, b.Longitude)}
				if !region.Meets(box) && region.Has(a) != region.Has(b) {
					t.Fatalf("%v does not meet %v, but has one of its corners", region, box)
				}
			}
		}
	}
	if onRim < 100 {
		t.Errorf("only %d points lay on an edge: too few were tried", onRim)
	}
}

func checkRegion(t *testing.T, r index.Region, at index.Point, want bool) {
	t.Helper()
	if got := r.Has(at); got != want {
		t.Fatalf("%v has %v: %t, the oracle says %t", r, at, got, want)
	}
	if want && !r.Bounds().Has(at) {
		t.Fatalf("%v has %v, its bounds %v do not", r, at, r.Bounds())
	}
}

func TestX34_Polygon_Refused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		corners []float64
		want    string
	}{
		{[]float64{0, 0, 0, 1, 1, 1}, ""},
		{[]float64{0, 0, 1, 1, 0, 1, 1, 0}, ""}, // a bow, whose halves are wound against each other
		{[]float64{0, 0, 0, 179.9999, 1, 0}, ""},
		{[]float64{-45, 0, 45, 90, 89, 0}, ""},
		{[]float64{0, 0, 0, 180, 1, 0}, "must not have an edge of 180 degrees or more, as from 0,0 to 0,180"},
		{[]float64{0, -100.7, 0, 79.3, 1, 0}, "must not have an edge of 180 degrees or more, as from 0,-100.7 to 0,79.3"},
		{[]float64{90, 0, -90, 0, 0, 10}, "must not have an edge of 180 degrees or more, as from 90,0 to -90,0"},
		{[]float64{0, 170, 0, -170, 1, -175}, "must not have an edge of 180 degrees or more, as from 0,170 to 0,-170"},
		{[]float64{1, 1, 1, 1, 1, 1}, "must have an area"},
		{[]float64{0, 0, 0.1, 0.3, 0.3, 0.9}, "must have an area"}, // in decimals
		{[]float64{0, 0, 1, 1, 0, 0, 1, 5}, "must have an area"},
		{[]float64{0, 0, 2, 2, 3, 0, 2, 2}, "must have an area"},
		{[]float64{0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1}, "must have an area"}, // twice around
	} {
		var corners []index.Point
		for i := 0; i < len(tt.corners); i += 2 {
			corners = append(corners, index.Point{Latitude: tt.corners[i], Longitude: tt.corners[i+1]})
		}
		_, err := index.NewPolygon(indextest.CornersAt(corners...))
		if got := strings.TrimSpace(errorText(err)); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.corners, got, tt.want)
		}
	}
}

// TestX34_Polygon_Cost: twice the corners take twice the work to refuse, not four times.
func TestX34_Polygon_Cost(t *testing.T) {
	for name, corner := range map[string]func(i int) index.Point{
		"equal":       func(int) index.Point { return index.Point{Latitude: 28.5, Longitude: -81.4} },
		"on a line":   func(i int) index.Point { return index.Point{Latitude: float64(i%7) / 10, Longitude: float64(i%7) / 5} },
		"on meridian": func(i int) index.Point { return index.Point{Latitude: float64(i%7) / 10, Longitude: 0.1} },
		"on many": func(i int) index.Point {
			i = min(i%50, 50-i%50)
			return index.Point{Latitude: float64(i), Longitude: float64(i * i % 60)}
		},
		"nearly equal": func(i int) index.Point {
			i = min(i%50, 50-i%50)
			return index.Point{Latitude: float64(i) * 1e-15, Longitude: float64(i*i) * 1e-15}
		},
	} {
		work := func(n int) float64 {
			corners := make([]index.Point, n)
			for i := range corners {
				corners[i] = corner(i)
			}
			exact := indextest.CornersAt(corners...)
			return testing.AllocsPerRun(1, func() {
				if _, err := index.NewPolygon(exact); errorText(err) != "must have an area" {
					t.Errorf("%s: %v", name, err)
				}
			})
		}
		if one, two := work(50), work(100); two > 2.5*one {
			t.Errorf("%s: %v allocations for 50 corners, %v for 100", name, one, two)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
