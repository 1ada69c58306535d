package index_test

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"filings/index"
	"filings/index/indextest"
)

// TestX34_PolygonsAsGEOS: polygons have the points that GEOS has in them. The two may differ on a point of an edge alone, where GEOS compares
// floats and the rule decimals; then the oracle decides. testdata/regions.py writes the files; TEST_GEOS names another one.
func TestX34_PolygonsAsGEOS(t *testing.T) {
	t.Parallel()
	name := os.Getenv("TEST_GEOS")
	if name == "" {
		name = "testdata/regions.ndjson"
	}
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	polygons, points, inside, onEdge := 0, 0, 0, 0
	for lines.Scan() {
		var line struct {
			Corners, Points [][2]float64
			Inside          []bool
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil || len(line.Inside) != len(line.Points) {
			t.Fatalf("line %d: %v", polygons+1, err)
		}
		corners := make([]index.Point, len(line.Corners))
		for i, c := range line.Corners {
			corners[i] = index.Point{Latitude: c[0], Longitude: c[1]}
		}
		p, err := index.NewPolygon(indextest.CornersAt(corners...))
		if err != nil {
			continue // no area: GEOS has it as a line
		}
		polygons++
		for i, at := range line.Points {
			at := index.Point{Latitude: at[0], Longitude: at[1]}
			points++
			has := p.Has(at)
			if has {
				inside++
			}
			if has != line.Inside[i] {
				if onEdge++; has != indextest.Covers(p, at) || !nearEdge(p, at) {
					t.Errorf("%v has %v: %v", p, at, has)
				}
			}
		}
	}
	if err := lines.Err(); err != nil || polygons < 30 || inside < points/10 {
		t.Errorf("%d polygons, %d of %d points inside: %v", polygons, inside, points, err)
	}
	t.Logf("%d polygons, %d points tried, %d inside; GEOS differs on %d, all of them on an edge", polygons, points, inside, onEdge)
}

// nearEdge reports whether a step to a side, less than floats tell apart there, takes a point to the other side of an edge.
func nearEdge(p index.Polygon, at index.Point) bool {
	const step = 2e-13
	for _, by := range [][2]float64{{step, 0}, {-step, 0}, {0, step}, {0, -step}} {
		if p.Has(index.Point{Latitude: at.Latitude + by[0], Longitude: at.Longitude + by[1]}) != p.Has(at) {
			return true
		}
	}
	return false
}
