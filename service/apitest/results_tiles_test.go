package apitest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"filings/index"
	"filings/service/access"
	"filings/service/mvt/mvttest"
)

const forever = "private, max-age=31536000, immutable"

// tilesOf is where a client finds the tiles of what query selects.
func (s *site) tilesOf(t *testing.T, query string) func(z, x, y int) string {
	t.Helper()
	var set struct {
		TileJSON         string
		Tiles            []string
		MinZoom, MaxZoom int
		Layers           []struct{ ID string } `json:"vector_layers"`
	}
	a := s.get(t, access.Free, "/v1/tiles.json?"+query)
	if err := json.Unmarshal([]byte(a.body), &set); err != nil || a.status != http.StatusOK || set.TileJSON != "3.0.0" || set.MaxZoom != 22 || len(set.Tiles) != 1 || len(set.Layers) != 3 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	address, ok := strings.CutPrefix(set.Tiles[0], "https://example.com")
	if generation := a.header.Get("X-Generation"); !ok || !strings.HasPrefix(address, "/v1/tiles/"+generation+"/") {
		t.Fatalf("the tiles are at %s", set.Tiles[0])
	}
	return func(z, x, y int) string {
		return strings.NewReplacer("{z}", fmt.Sprint(z), "{x}", fmt.Sprint(x), "{y}", fmt.Sprint(y)).Replace(address)
	}
}

// tile returns the layer of a tile, without the cells of one that has points; an empty one where there is none.
func (s *site) tile(t *testing.T, target string) (l mvttest.Layer) {
	t.Helper()
	a := s.get(t, access.Free, target)
	switch {
	case a.header.Get("Cache-Control") != forever || a.header.Get("ETag") == "":
		t.Fatalf("%s: %d %v", target, a.status, a.header)
	case a.status == http.StatusNoContent && a.body == "" && a.header.Get("Content-Type") == "":
		return l
	case a.status != http.StatusOK || a.header.Get("Content-Type") != "application/vnd.mapbox-vector-tile":
		t.Fatalf("%s: %d %v", target, a.status, a.header)
	}
	layers := mvttest.Read(t, []byte(a.body))
	names := ""
	for _, l := range layers {
		names += l.Name + " "
	}
	if l = layers[0]; names != "clusters " && (names != "filings cells " || figuresOf(l) != figuresOf(layers[1])) {
		t.Errorf("%s: %s: %+v", target, names, layers)
	}
	return l
}

// figures are what the points or the cells of a layer have together; of amounts that are 0 or more.
type figures struct {
	count uint64
	cents int64
	most  float64
}

func (f figures) and(other figures) figures {
	return figures{f.count + other.count, f.cents + other.cents, max(f.most, other.most)}
}

func figuresOf(l mvttest.Layer) (all figures) {
	for _, p := range l.Points {
		amount, _ := p.Properties["filingAmount"].(float64)
		one := figures{1, int64(index.Cents(amount)), amount}
		if count, ok := p.Properties["count"].(uint64); ok {
			one = figures{count, int64(index.Cents(p.Properties["sum"].(float64))), p.Properties["max"].(float64)}
		}
		all = all.and(one)
	}
	return all
}

// TestX35_Tiles: the tiles of a zoom have each filing with coordinates once: as points in the tiles where at most 500 are, else in clusters.
func TestX35_Tiles(t *testing.T) {
	t.Parallel()
	filings := synthesized(3000)
	s := newSite(t, oracle(filings))
	for _, query := range []string{"", "filing_type=Tax+Lien&min_amount=1000", "q=maple"} {
		at := s.tilesOf(t, query)
		var counted struct{ Total uint64 }
		if err := json.Unmarshal([]byte(dataOf(t, s.get(t, access.Free, clustersPath+"zoom=0&"+query+world))), &counted); err != nil || counted.Total == 0 {
			t.Fatal(counted, err)
		}
		var walk func(z, x, y int) (total figures, ids []uint64)
		walk = func(z, x, y int) (total figures, ids []uint64) {
			l := s.tile(t, at(z, x, y))
			switch total = figuresOf(l); l.Name {
			case "filings":
				for _, p := range l.Points {
					ids = append(ids, p.ID)
				}
				if len(ids) > 500 {
					t.Errorf("%d points", len(ids))
				}
			case "clusters":
				for _, p := range l.Points {
					if count := p.Properties["count"].(uint64); (count == 1) != (p.ID > 0) || (count == 1) != (p.Properties["id"] == any(p.ID)) {
						t.Errorf("%+v", p)
					}
				}
				var below figures
				for i := range 4 {
					n, found := walk(z+1, 2*x+i%2, 2*y+i/2)
					below, ids = below.and(n), append(ids, found...)
				}
				if total.count <= 500 || total.cents == 0 || below != total {
					t.Errorf("%v in %d/%d/%d, %v below it", total, z, x, y, below)
				}
			}
			return total, ids
		}
		total, ids := walk(0, 0, 0)
		slices.Sort(ids)
		if distinct := uint64(len(slices.Compact(ids))); total.count != counted.Total || distinct != total.count {
			t.Errorf("%q: %d filings, %d different ones, want %d", query, total.count, distinct, counted.Total)
		}
	}
}

// TestX35_Points: a point has what the filing has, nothing that another tier sees, and lies where the filing does.
func TestX35_Points(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(synthesized(300)))
	l := s.tile(t, s.tilesOf(t, "")(0, 0, 0))
	if l.Name != "filings" || len(l.Points) < 100 || l.Version != 2 || l.Extent != 4096 {
		t.Fatalf("%+v", l)
	}
	for _, p := range l.Points {
		var f map[string]any
		if err := json.Unmarshal([]byte(dataOf(t, s.get(t, access.Free, fmt.Sprint("/v1/filings/", p.ID)))), &f); err != nil {
			t.Fatal(err)
		}
		want := map[string]any{"id": p.ID}
		for _, name := range []string{"filingType", "filingAmount", "filingDate", "county"} {
			if f[name] != nil {
				want[name] = f[name]
			}
		}
		if fmt.Sprint(p.Properties) != fmt.Sprint(want) {
			t.Errorf("%v, want %v", p.Properties, want)
		}
		if lon := float64(p.X)/4096*360 - 180; lon > f[index.Longitude.String()].(float64) || lon+360./4096 <= f[index.Longitude.String()].(float64) {
			t.Errorf("%v is at %v", f[index.Longitude.String()], lon)
		}
	}
}

// TestX35_Engines: tiles have the same bytes from every engine.
func TestX35_Engines(t *testing.T) {
	t.Parallel()
	eachEngine(t, handmade, func(t *testing.T, s *site) {
		plain := newSite(t, oracle(handmade.filings(t)))
		found := 0
		for _, query := range []string{"", "county=Orange,+FL", "categories=residential,land", "bounds_north=60&bounds_south=20&bounds_east=-70&bounds_west=170"} {
			at, expected := s.tilesOf(t, query), plain.tilesOf(t, query)
			for z := range 5 {
				for i := range 1 << (2 * min(z, 3)) {
					x, y := i%(1<<z), i>>z
					want, got := plain.get(t, access.Pro, expected(z, x, y)), s.get(t, access.Pro, at(z, x, y))
					if found += len(got.body); want.status != got.status || want.body != got.body {
						t.Errorf("%s %d/%d/%d: %d %q, want %d %q", query, z, x, y, got.status, got.body, want.status, want.body)
					}
				}
			}
		}
		if found == 0 {
			t.Error("all are empty")
		}
	})
}

// TestX35_Requests: a tile is a request, is not sent twice, and wrong ones say what is wrong.
func TestX35_Requests(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)))
	world := s.tilesOf(t, "")(0, 0, 0)
	before := s.used(t, "user-pro")
	a := s.get(t, access.Pro, world)
	if n := s.used(t, "user-pro") - before; n != 1 || a.status != http.StatusOK {
		t.Errorf("%d: %d requests", a.status, n)
	}
	if b := s.get(t, access.Pro, world, "If-None-Match", a.header.Get("ETag")); b.status != http.StatusNotModified || b.body != "" || b.header.Get("Cache-Control") != forever {
		t.Errorf("%d %v", b.status, b.header)
	}
	if b := s.do(t, http.MethodHead, access.Pro, world); b.status != http.StatusOK || b.body != "" {
		t.Errorf("HEAD: %d", b.status)
	}
	for target, want := range map[string]string{
		strings.Replace(world, "/0/0/0", "/2/4/0", 1):          "x must be below 4, the number of tiles side by side at zoom 2",
		strings.Replace(world, "/0/0/0", "/2/0/9999999999", 1): "y must be below 4",
		strings.Replace(world, "/0/0/0", "/23/0/0", 1):         "z must be between 0 and 22",
		strings.Replace(world, "/0/0/0", "/a/0/0", 1):          "z must be between 0 and 22",
		world + "?date_range=30":                               "date_range is not supported here",
		"/v1/tiles.json?date_range=30":                         "date_range is not supported here",
		"/v1/tiles.json?min_amount=x":                          "min_amount must be",
		"/v1/tiles/now/0/0/0.mvt":                              "generation must be",
		"/v1/tiles/20200101-000000.000000/0/0/0.mvt":           "20200101-000000.000000",
		world + "?ids=x":                                       "ids must be",
	} {
		if a := s.get(t, access.Pro, target); a.status != http.StatusBadRequest && a.status != http.StatusGone || !strings.Contains(a.body, want) {
			t.Errorf("%s: %d %s", target, a.status, a.body)
		}
	}
	if a := s.get(t, access.Pro, strings.Replace(world, ".mvt", ".png", 1)); a.status != http.StatusNotFound {
		t.Errorf("another form: %d", a.status)
	}
}
