package apitest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"filings/index"
	"filings/service/access"
	"filings/service/servicetest"
)

const (
	clustersPath = "/v1/filings/clusters?"
	world        = "&bounds_north=90&bounds_south=-90&bounds_east=180&bounds_west=-180"
	geoJSON      = "application/geo+json"
)

// dataOf returns the data of a response in the full envelope, as it is written.
func dataOf(t *testing.T, a response) string {
	t.Helper()
	d := a.document(t)
	if a.status != http.StatusOK || d.Success == nil || !*d.Success {
		t.Fatalf("%d %s", a.status, a.body)
	}
	return string(d.Data)
}

func TestClusters(t *testing.T) {
	t.Parallel()
	const (
		orlando  = `{"count":1,"sum":1000,"max":1000,"latitude":28.5,"longitude":-81.4,"bbox":[-81.4,28.5,-81.4,28.5],"id":1}`
		anaheim  = `{"count":1,"sum":-50.25,"max":-50.25,"latitude":33.8,"longitude":-117.9,"bbox":[-117.9,33.8,-117.9,33.8],"id":2}`
		east     = `{"count":2,"sum":12.34,"max":12.34,"latitude":52,"longitude":179.75,"bbox":[179.5,52,180,52]}`
		west     = `{"count":2,"sum":312.35,"max":300,"latitude":52.25,"longitude":-179.75,"bbox":[-180,52,-179.5,52.5]}`
		zed      = `{"count":1,"sum":0,"max":0,"latitude":52,"longitude":179.5,"bbox":[179.5,52,179.5,52],"id":4}`
		aleutian = "&bounds_north=53&bounds_south=51&bounds_east=-179&bounds_west=179"
	)
	tests := []struct {
		name, query string
		precision   int
		cells       []string
	}{
		{"the world", "zoom=0" + world, 2, []string{
			`{"count":3,"sum":262.1,"max":300,"latitude":46.1,"longitude":-159.133333,"bbox":[-180,33.8,-117.9,52.5]}`, orlando, east}},
		{"nearer", "zoom=1" + world, 3, []string{west, east, anaheim, orlando}},
		{"no more tiles than a response has room for", "zoom=22&county=Orange" + world, 5, []string{anaheim, orlando}},
		{"across the antimeridian", "zoom=1" + aleutian, 3, []string{west, east}},
		{"P15 edges are inside", "zoom=22&bounds_north=28.5&bounds_south=28.5&bounds_east=-81.4&bounds_west=-81.4", 24, []string{orlando}},
		{"nothing there", "zoom=5&bounds_north=10&bounds_south=0&bounds_east=10&bounds_west=0", 7, nil},
		{"P8 filtered", "zoom=4&filing_types=Judgment&date_start=2025-01-01" + aleutian, 6, []string{zed}},
		{"P6 P11 filtered", "zoom=3&county=orange&property_type=COMMERCIAL" + world, 5, []string{anaheim}},
		{"P4 repeated lists", "zoom=3&county=orange&categories=land&categories=commercial" + world, 5, []string{anaheim}},
		{"P16 a term", "zoom=3&q=+OAK+" + world, 5, []string{orlando}},
		{"P20 legacy names", "zoom=3&lien_type=tax+lien&has_data=1&county=Orange" + world, 5, []string{orlando}},
	}
	onOracle(t, handmade, func(t *testing.T, s *site) {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				t.Parallel()
				rows := "/v1/filings?"
				if strings.Contains(tt.query, "q=") {
					rows = "/v1/filings/search?"
				}
				total := s.get(t, access.Pro, rows+tt.query).document(t).Pagination.Total
				want := fmt.Sprintf(`{"cells":[%s],"total":%d,"precision":%d}`, strings.Join(tt.cells, ","), total, tt.precision)
				for _, tier := range access.Tiers {
					if diff := cmp.Diff(want, dataOf(t, s.get(t, tier, clustersPath+tt.query))); diff != "" {
						t.Errorf("%s: (-want +got)\n%s", tier, diff)
					}
				}
			})
		}
	})
}

func TestClusters_GeoJSON(t *testing.T) {
	t.Parallel()
	onOracle(t, handmade, func(t *testing.T, s *site) {
		const target = clustersPath + "zoom=1&bounds_north=53&bounds_south=51&bounds_east=180&bounds_west=-180"
		a := s.get(t, access.Free, target, "Accept", geoJSON)
		want := `{"type":"FeatureCollection","features":[` +
			`{"type":"Feature","bbox":[-180,52,-179.5,52.5],"geometry":{"type":"Point","coordinates":[-179.75,52.25]},"properties":{"count":2,"sum":312.35,"max":300}},` +
			`{"type":"Feature","bbox":[179.5,52,180,52],"geometry":{"type":"Point","coordinates":[179.75,52]},"properties":{"count":2,"sum":12.34,"max":12.34}}]}`
		if diff := cmp.Diff(want, a.body); a.status != http.StatusOK || diff != "" {
			t.Errorf("%d (-want +got)\n%s", a.status, diff)
		}
		if got := a.header.Get("Content-Type"); got != geoJSON {
			t.Errorf("Content-Type %q", got)
		}
		one := s.get(t, access.Free, target+"&filing_type=Tax+Lien", "Accept", geoJSON)
		if !strings.Contains(one.body, `"properties":{"count":1,"sum":300,"max":300,"id":5}`) {
			t.Errorf("a cell of one: %s", one.body)
		}
		none := s.get(t, access.Free, target+"&city=Nowhere", "Accept", geoJSON)
		if none.body != `{"type":"FeatureCollection","features":[]}` {
			t.Errorf("no cells: %s", none.body)
		}
	})
}

func TestClusters_Negotiation(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)))
	const target = clustersPath + "zoom=2" + world
	for accept, geo := range map[string]bool{
		"": false, "*/*": false, "application/json": false, "text/html": false, "application/*": false,
		geoJSON: true, "APPLICATION/GEO+JSON": true, geoJSON + ";q=0": false, geoJSON + ";q=x": false,
		geoJSON + ", */*": true, "*/*, " + geoJSON: true, geoJSON + ", application/json": false,
		geoJSON + ", application/json;q=0.9": true, geoJSON + ";q=0.9,application/json": false,
		geoJSON + ";q=0.5, */*;q=0.8": false, "application/json;q=0.1, */*;q=0.2": true, "application/json;q=0, */*": true,
		"application/json, text/plain, */*": false, geoJSON + `;charset="utf-8"; Q=0.3, application/json;q=0.2`: true,
		"text/html, application/*;q=0.5": false, ",;": false,
	} {
		t.Run(accept, func(t *testing.T) {
			t.Parallel()
			a := s.get(t, access.Free, target, "Accept", accept)
			if got := a.header.Get("Content-Type") == geoJSON; got != geo || a.status != http.StatusOK {
				t.Errorf("%d %s", a.status, a.header.Get("Content-Type"))
			}
			if got := a.header.Get("Vary"); !strings.HasSuffix(got, ", Accept") {
				t.Errorf("Vary %q", got)
			}
		})
	}
	if a := s.get(t, access.Free, target, "Accept", "text/html", "Accept", geoJSON); a.header.Get("Content-Type") != geoJSON {
		t.Errorf("the second line is not read: %v", a.header)
	}
}

// Each form has a tag of its own, which does not move with what makes no difference.
func TestClusters_T3_Tags(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)))
	const target = clustersPath + "zoom=8" + world
	plain, geo := s.get(t, access.Pro, target).header.Get("ETag"), s.get(t, access.Pro, target, "Accept", geoJSON).header.Get("ETag")
	if plain == "" || geo == "" || plain == geo {
		t.Errorf("tags %s and %s", plain, geo)
	}
	for _, tt := range []struct {
		tag, accept string
		status      int
	}{{plain, "", 304}, {geo, geoJSON, 304}, {plain, geoJSON, 200}, {geo, "", 200}} {
		before := s.get(t, access.Pro, "/v1/me").header.Get("X-RateLimit-Remaining")
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			a := s.do(t, method, access.Pro, target, "Accept", tt.accept, "If-None-Match", tt.tag)
			if a.status != tt.status || !strings.HasSuffix(a.header.Get("Vary"), ", Accept") {
				t.Errorf("%s %q with %s: %d %v", method, tt.accept, tt.tag, a.status, a.header)
			}
			after, price := a.header.Get("X-RateLimit-Remaining"), 1
			if tt.status == http.StatusNotModified { // nothing is computed for it
				price = 0
			}
			if fmt.Sprint(atoi(t, before)-price) != after {
				t.Errorf("%s with %s: %s requests were left, then %s", method, tt.tag, before, after)
			}
			before = after
		}
	}
	for query, same := range map[string]bool{
		"zoom=9" + world: true, "zoom=08&county=" + world: true, "limit=3&zoom=8" + world: true, "zoom=2" + world: false,
		"zoom=8&county=a" + world: false, "zoom=8&q=a" + world: false, "zoom=8&bounds_north=89&bounds_south=-90&bounds_east=180&bounds_west=-180": false,
	} {
		if got := s.get(t, access.Pro, clustersPath+query).header.Get("ETag"); (got == plain) != same {
			t.Errorf("%s: tag %s, beside %s", query, got, plain)
		}
	}
}

func atoi(t *testing.T, s string) (n int) {
	t.Helper()
	if _, err := fmt.Sscan(s, &n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestClusters_InvalidParameters(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)))
	const zoom = "zoom must be between 0 and 22"
	for query, want := range map[string]string{
		"":              "zoom must be given: between 0 and 22",
		world:           "zoom must be given: between 0 and 22",
		"zoom=3":        "bounds_north, bounds_south, bounds_east, bounds_west must be given",
		"zoom=" + world: zoom, "zoom=-1" + world: zoom, "zoom=23" + world: zoom, "zoom=4.0" + world: zoom, "zoom=x" + world: zoom + `, not "x"`,
		"zoom=3&zoom=3" + world:                                             "zoom must be given only once",
		"zoom=3&bounds_south=1&bounds_east=2":                               "bounds_north, bounds_west must be given: ",
		"zoom=3&bounds_south=1&bounds_east=2&bounds_north=3&bounds_west=":   "bounds_west must be given: ",
		"zoom=3&bounds_south=x":                                             "bounds_south must be a plain decimal number between -90 and 90",
		"zoom=3&bounds_south=1&bounds_east=2&bounds_north=0&bounds_west=0":  "bounds_south must not be above bounds_north",
		"zoom=3&bounds_south=1&bounds_east=2&bounds_north=91&bounds_west=0": "bounds_north must be",
		"zoom=3&q=" + world:                                                 "q must be",
		"zoom=3&month=2026-13" + world:                                      "month must be",
		"zoom=3&lien_type=a&filing_type=b" + world:                          "lien_type must not be sent together",
	} {
		t.Run(query, func(t *testing.T) {
			t.Parallel()
			a := s.get(t, access.Pro, clustersPath+query, "Accept", geoJSON)
			d := a.document(t)
			if a.status != http.StatusBadRequest || d.Error.Code != "invalid_parameter" || !strings.HasPrefix(d.Error.Message, want) {
				t.Errorf("%d %s\nwant %s", a.status, a.body, want)
			}
		})
	}
}

// No parameter here cuts or sorts pages, and the path is neither a filing nor a legacy one.
func TestClusters_P5_UnknownNames(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)))
	a := s.get(t, access.Free, clustersPath+"zoom=1&limit=0&offset=x&sort_by=y"+world)
	if got := a.header.Get("X-Ignored-Parameters"); a.status != http.StatusOK || got != "limit, offset, sort_by" {
		t.Errorf("%d, %q", a.status, got)
	}
	a = s.get(t, access.Free, clustersPath+"zom=1"+world, "Prefer", "handling=strict")
	if a.status != http.StatusBadRequest || !strings.HasPrefix(a.document(t).Error.Message, "unknown parameter zom; did you mean zoom?") {
		t.Errorf("%d %s", a.status, a.body)
	}
	if got := s.get(t, access.Free, "/v1/filings?limit=1&zoom=1").header.Get("X-Ignored-Parameters"); got != "zoom" {
		t.Errorf("the list takes zoom: %q", got)
	}
	if a := s.get(t, access.Free, "/v1/filings/1"); a.status != http.StatusOK {
		t.Errorf("one filing: %d", a.status)
	}
	if a := s.get(t, access.Free, "/v1/liens/clusters"); a.status != http.StatusBadRequest || !strings.HasPrefix(a.document(t).Error.Message, "id must be") {
		t.Errorf("a legacy path that never was: %d %s", a.status, a.body)
	}
}

// charted is a reader with cells of a test.
type charted struct {
	index.Reader
	cells []index.Cell
}

func (r charted) Cells(context.Context, index.Filter, index.Grid) ([]index.Cell, error) {
	return r.cells, nil
}

// TestClusters_SixDecimals: edges of a box have six decimals, rounded outwards: filings stay inside, and so does the
// centroid. What has no more decimals stays as it is.
func TestClusters_SixDecimals(t *testing.T) {
	t.Parallel()
	cell := index.Cell{Filings: 2, Latitude: -12.345679, Longitude: 0, Box: index.Box{
		North: -12.3456781234, South: -12.3456789876, East: 0.0000001, West: -0.0000001}}
	exact := index.Cell{Filings: 2, Latitude: 28.538336, Longitude: 180, Box: index.Box{North: 28.538337, South: 28.531001, East: 180, West: 179.999999}}
	ends := index.Cell{Filings: 2, Latitude: 90, Longitude: -180, Box: index.Box{North: 90, South: 89.9999999, East: -179.9999999, West: -180}}
	nought := index.Cell{Filings: 1, Latitude: 0, Longitude: 0, Box: index.Box{North: -0.0000004, South: -0.0000004, East: 0.0000004, West: 0.0000004}, ID: 7}
	want := `{"cells":[{"count":2,"sum":0,"max":0,"latitude":-12.345679,"longitude":0,"bbox":[-0.000001,-12.345679,0.000001,-12.345678]},` +
		`{"count":2,"sum":0,"max":0,"latitude":28.538336,"longitude":180,"bbox":[179.999999,28.531001,180,28.538337]},` +
		`{"count":2,"sum":0,"max":0,"latitude":90,"longitude":-180,"bbox":[-180,89.999999,-179.999999,90]},` +
		`{"count":1,"sum":0,"max":0,"latitude":0,"longitude":0,"bbox":[0,-0.000001,0.000001,0],"id":7}],"total":7,"precision":2}`
	s := newSite(t, servicetest.Still{Reader: charted{index.Empty{}, []index.Cell{cell, exact, ends, nought}}})
	if diff := cmp.Diff(want, dataOf(t, s.get(t, access.Free, clustersPath+"zoom=0"+world))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	geo := s.get(t, access.Free, clustersPath+"zoom=0"+world, "Accept", geoJSON).body
	if !strings.Contains(geo, `"bbox":[-0.000001,-12.345679,0.000001,-12.345678]`) {
		t.Errorf("GeoJSON: %s", geo)
	}
}

// The largest response there is has less than 55 kB in both forms, when it is compressed: a map must not wait for it. The
// filings' coordinates, all over the world, have all digits that a float64 has.
func TestClusters_Size(t *testing.T) {
	t.Parallel()
	dice := rand.New(rand.NewPCG(1, 1))
	between := func(from, to float64) float64 { return from + dice.Float64()*(to-from) }
	g := index.NewGrid(index.Box{North: 90, South: -90, East: 180, West: -180}, 5)
	var cells []index.Cell
	for _, row := range g.Rows {
		for _, column := range g.Columns {
			c := index.Cell{Filings: 2 + dice.Int64N(100_000)}
			c.SumCents, c.MaxAmount = float64(dice.Int64N(1e10)), float64(dice.Int64N(1e8))/100
			latitude, longitude := between(row.Start, row.End), between(column.Start, column.End)
			c.Latitude, c.Longitude = index.RoundDegrees(latitude), index.RoundDegrees(longitude)
			c.Box = index.Box{North: between(latitude, row.End), South: between(row.Start, latitude),
				East: between(longitude, column.End), West: between(column.Start, longitude)}
			cells = append(cells, c)
		}
	}
	if len(cells) != index.MaxCells {
		t.Fatalf("%d cells, want %d", len(cells), index.MaxCells)
	}
	s := newSite(t, servicetest.Still{Reader: charted{index.Empty{}, cells}})
	for _, accept := range []string{"application/json", geoJSON} {
		a := s.get(t, access.Free, clustersPath+"zoom=22"+world, "Accept", accept, "Accept-Encoding", "gzip")
		if a.header.Get("Content-Encoding") != "gzip" || len(a.body) >= 55_000 {
			t.Errorf("%s: %d cells take %d bytes", accept, len(cells), len(a.body))
		}
		t.Logf("%s: %d cells take %d bytes", accept, len(cells), len(a.body))
	}
}
