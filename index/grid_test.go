package index_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"filings/index"
)

// tilesOf returns the numbers of spans.
func tilesOf(spans []index.Span) []int {
	all := make([]int, len(spans))
	for i, s := range spans {
		all[i] = s.Tile
	}
	return all
}

func TestGrid_Tiles(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name          string
		box           index.Box
		precision     int
		want          int // precision
		columns, rows []int
	}{
		{"the world in one", index.Box{North: 90, South: -90, East: 180, West: -180}, 0, 0, []int{0}, []int{0}},
		{"the world in four", index.Box{North: 90, South: -90, East: 180, West: -180}, 1, 1, []int{0, 1}, []int{1, 0}},
		{"a point", index.Box{North: 28.5, South: 28.5, East: -81.4, West: -81.4}, 10, 10, []int{280}, []int{427}},
		{"the finest", index.Box{North: 28.5, South: 28.5, East: -81.4, West: -81.4}, 29, 29, []int{147042977}, []int{224063614}},
		{"a box that ends at an edge has the tile behind it", index.Box{North: 1, South: 0, East: 0, West: -1}, 1, 1, []int{0, 1}, []int{1, 0}},
		{"beyond the map", index.Box{North: 90, South: 86, East: 180, West: 179}, 3, 3, []int{7}, []int{0}},
		{"the ends of the world", index.Box{North: -90, South: -90, East: -180, West: -180}, 4, 4, []int{0}, []int{15}},
		{"across the antimeridian", index.Box{North: 1, South: 1, East: -170, West: 100}, 3, 3, []int{0, 6, 7}, []int{3}},
		{"from 180 to -180", index.Box{North: 1, South: 1, East: -180, West: 180}, 3, 3, []int{0, 7}, []int{3}},
		{"all but a gap within a tile", index.Box{North: 1, South: 1, East: 10, West: 20}, 2, 2, []int{0, 1, 2, 3}, []int{1}},
		{"as large as it takes", index.Box{North: 1, South: 1, East: -170, West: 170}, 29, 14, nil, []int{8146}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := index.NewGrid(tt.box, tt.precision)
			if g.Precision != tt.want {
				t.Errorf("precision %d, want %d", g.Precision, tt.want)
			}
			if diff := cmp.Diff(tt.columns, tilesOf(g.Columns)); tt.columns != nil && diff != "" {
				t.Errorf("columns (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.rows, tilesOf(g.Rows)); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
		})
	}
}

// The edges of tiles, to the last bit: to the west and to the north they belong to a tile, to the east and south not.
func TestGrid_Edges(t *testing.T) {
	t.Parallel()
	g := index.NewGrid(index.Box{North: 90, South: -90, East: 180, West: -180}, 2)
	above := func(v float64) float64 { return math.Nextafter(v, math.Inf(1)) }
	want := []index.Span{{0, -180, -90}, {1, -90, 0}, {2, 0, 90}, {3, 90, above(180)}}
	if diff := cmp.Diff(want, g.Columns); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
	n := math.Atan(math.Sinh(math.Pi/2)) * 180 / math.Pi // 66.51
	want = []index.Span{{3, -90, above(-n)}, {2, above(-n), above(0)}, {1, above(0), above(n)}, {0, above(n), above(90)}}
	if diff := cmp.Diff(want, g.Rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// Whatever the box: its grid is as fine as it may be, has no tile twice, and has a tile for each point of the box.
func TestGrid_CoversItsBox(t *testing.T) {
	t.Parallel()
	latitude := rapid.OneOf(rapid.Float64Range(-90, 90), rapid.SampledFrom([]float64{-90, -86, 0, 5e-324, 86, 90}))
	longitude := rapid.OneOf(rapid.Float64Range(-180, 180), rapid.SampledFrom([]float64{-180, -90, -5e-324, 0, 90, 180}))
	rapid.Check(t, func(r *rapid.T) {
		b := index.Box{North: latitude.Draw(r, "north"), East: longitude.Draw(r, "east"), West: longitude.Draw(r, "west")}
		b.South = min(b.North, latitude.Draw(r, "south"))
		precision := rapid.IntRange(0, 29).Draw(r, "precision")
		g := index.NewGrid(b, precision)
		if n := len(g.Columns) * len(g.Rows); n > index.MaxCells || n <= index.MaxCells/16 && g.Precision < precision {
			r.Fatalf("%d tiles of precision %d", n, g.Precision)
		}
		for _, spans := range [][]index.Span{g.Columns, g.Rows} {
			for i, s := range spans {
				if s.Start >= s.End || i > 0 && s.Start < spans[i-1].End {
					r.Fatalf("%v", spans)
				}
			}
		}
		for _, lat := range []float64{b.North, b.South, (b.North + b.South) / 2} {
			checkFound(r, g.Rows, lat)
		}
		for _, lon := range []float64{b.East, b.West} {
			checkFound(r, g.Columns, lon)
		}
	})
}

func checkFound(r *rapid.T, spans []index.Span, v float64) {
	if s := spans[index.Find(spans, v)]; v < s.Start || v >= s.End {
		r.Fatalf("%v was found in %v, of %v", v, s, spans)
	}
}

func TestGrid_Text(t *testing.T) {
	t.Parallel()
	b := index.Box{North: 2, South: 1, East: 4, West: 3}
	g, county := index.NewGrid(b, 3), index.InCounty("Orange")
	want := `cells 3 where (county,countyName) in ("orange") and box(2,1,4,3)`
	for _, w := range []index.Filter{index.Where(county), index.Where(county, b), index.Where(b, county, county)} {
		if got := g.Text(w); got != want {
			t.Errorf("%v: %s, want %s", w, got, want)
		}
	}
	room := append(make([]index.Predicate, 0, 2), county)
	g.Where(index.Where(room...))
	if added := room[:2][1]; added != nil {
		t.Errorf("%v was written behind the caller's filter", added)
	}
}

func TestRoundDegrees(t *testing.T) {
	t.Parallel()
	for v, want := range map[float64]float64{
		0: 0, -1e-9: 0, 5e-7: 1e-6, -5e-7: -1e-6, 28.1234564: 28.123456, 28.1234565: 28.123457, -81.9999996: -82,
		math.Nextafter(28.1234565, 0): 28.123457, math.Nextafter(28.1234565, 90): 28.123457, 180: 180,
	} {
		if got := index.RoundDegrees(v); got != want || math.Signbit(got) != math.Signbit(want) {
			t.Errorf("%v: %v, want %v", v, got, want)
		}
	}
}

// TestX35_TileBox: a coordinate is in the box of just one tile of a zoom, also next to an edge, at the poles and at 180 degrees.
func TestX35_TileBox(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		precision := rapid.IntRange(0, 22).Draw(t, "precision")
		x, y := rapid.IntRange(0, 1<<precision-1).Draw(t, "x"), rapid.IntRange(0, 1<<precision-1).Draw(t, "y")
		box := index.TileBox(x, y, precision)
		near := func(name string, edges ...float64) float64 {
			at := rapid.SampledFrom(edges).Draw(t, name)
			return rapid.SampledFrom([]float64{at, math.Nextafter(at, -1000), math.Nextafter(at, 1000)}).Draw(t, name+" beside")
		}
		lat, lon := max(-90, min(90, near("lat", box.North, box.South))), max(-180, min(180, near("lon", box.East, box.West)))
		tiles := 0
		for column := max(0, x-1); column <= min(1<<precision-1, x+1); column++ {
			for row := max(0, y-1); row <= min(1<<precision-1, y+1); row++ {
				b := index.TileBox(column, row, precision)
				if b.South <= lat && lat <= b.North && b.West <= lon && lon <= b.East {
					tiles++
				}
			}
		}
		if tiles != 1 {
			t.Fatalf("%v, %v is in %d tiles", lat, lon, tiles)
		}
	})
}
