package apitest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"filings/service/access"
)

// TestX34_AsWritten: corners, edges, radii and amounts are compared as their decimals say, not rounded to what a float64 holds.
func TestX34_AsWritten(t *testing.T) {
	t.Parallel()
	const zeros, nines = "00000000000000000", "99999999999999999999"
	eachEngine(t, handmade, func(t *testing.T, s *site) {
		for _, tt := range []struct {
			query string
			want  []int64
		}{
			{"polygon=28.5,-82;28.5,-81;29,-81.5", []int64{1}},
			{"polygon=28.500000000000001,-82;28.500000000000001,-81;29,-81.5", []int64{}},
			{"polygon=28.5" + zeros + "1,-82;28.5" + zeros + "1,-81;29,-81.5", []int64{}},
			{"polygon=28.4" + nines + ",-82;28.4" + nines + ",-81;29,-81.5", []int64{1}},
			{"polygon=28.5,-81.4;28.6,-81.4;28.6,-81.3", []int64{1}},
			{"polygon=28.5,-81.3" + nines + ";28.6,-81.4;28.6,-81.3", []int64{}},
			{"bounds_north=29&bounds_south=28.5&bounds_east=-81&bounds_west=-82", []int64{1}},
			{"bounds_north=29&bounds_south=28.500000000000001&bounds_east=-81&bounds_west=-82", []int64{}},
			{"bounds_north=28.4" + nines + "&bounds_south=28&bounds_east=-81&bounds_west=-82", []int64{}},
			{"bounds_north=29&bounds_south=28&bounds_east=-81.4" + zeros + "1&bounds_west=-82", []int64{}},
			{"bounds_north=29&bounds_south=28&bounds_east=-81&bounds_west=-81.4" + zeros + "1", []int64{1}},
			{"bounds_north=28.5" + zeros + "2&bounds_south=28.5" + zeros + "1&bounds_east=-81&bounds_west=-82", []int64{}},
			{"bounds_north=29&bounds_south=28&bounds_east=-81.4" + zeros + "1&bounds_west=-81.4" + zeros + "2", []int64{}},
			{"bounds_north=53&bounds_south=51&bounds_east=-180&bounds_west=180", []int64{9, 8}},
			{"near=28.5,-81.4&radius=1.0" + zeros + "1", []int64{1}},
			{"min_amount=1000", []int64{3, 1, 7}},
			{"min_amount=1000" + "." + zeros + "1", []int64{3}},
			{"max_amount=-50.24" + nines, []int64{2}},
			{"max_amount=-50.25" + zeros + "1", []int64{}},
			{"max_amount=-50.25", []int64{2}},
			{"min_amount=12.34" + zeros + "1&max_amount=12.34" + zeros + "2", []int64{}},
		} {
			s.clock.Advance(time.Second)
			if got := s.get(t, access.Enterprise, "/v1/filings?"+tt.query).ids(t); !slices.Equal(got, tt.want) {
				t.Errorf("%s: %v, want %v", tt.query, got, tt.want)
			}
		}
		empty := "bounds_north=28.5" + zeros + "2&bounds_south=28.5" + zeros + "1&bounds_east=-81&bounds_west=-82&zoom=9"
		if a := s.get(t, access.Enterprise, "/v1/filings/clusters?"+empty); a.status != http.StatusOK || !strings.Contains(a.body, `"cells":[]`) {
			t.Errorf("clusters: %d %s", a.status, a.body)
		}
		for query, message := range map[string]string{
			"bounds_north=28.5" + zeros + "1&bounds_south=28.5" + zeros + "2&bounds_east=-81&bounds_west=-82": "bounds_south must not be above bounds_north",
			"bounds_north=90." + zeros + "1&bounds_south=28&bounds_east=-81&bounds_west=-82":                  "bounds_north must be",
			"near=28.5,-81.4&radius=100000." + zeros + "1":                                                    "radius must be",
			"near=28.5,-180." + zeros + "1&radius=1":                                                          "near must be",
			"min_amount=1." + zeros + "2&max_amount=1." + zeros + "1":                                         "min_amount must not be above max_amount",
			"polygon=0,0;0,180;1,1":                                                "an edge of 180 degrees or more",
			"polygon=" + strings.Repeat("28."+zeros+zeros, 3) + "1":                "polygon must be",
			"polygon=1,1;2,2;3.0,3." + zeros + zeros + zeros + zeros + zeros + "1": "polygon must be",
		} {
			if a := s.get(t, access.Enterprise, "/v1/filings?"+query); a.status != http.StatusBadRequest || !strings.Contains(a.body, message) {
				t.Errorf("%s: %d %s, want %s", query, a.status, a.body, message)
			}
		}
		if a := s.get(t, access.Enterprise, "/v1/filings?polygon=0,0;0,179."+nines+";1,1"); a.status != http.StatusOK {
			t.Errorf("%d %s", a.status, a.body)
		}
	})
}

// TestX34_ManyCornersByCursor: a polygon of as many corners as there may be goes with pages by cursor, of which changes are some.
func TestX34_ManyCornersByCursor(t *testing.T) {
	t.Parallel()
	s := newSite(t, grown(fixture(t)))
	var corners []string
	for i := range 100 {
		corners = append(corners, fmt.Sprintf("%.7f,-%.7f", 28+float64(i*7%100)/1000, 81+float64(i)/100))
	}
	polygon := "polygon=" + strings.Join(append(corners[:97], "28,-60", "60,-81", "28,-83"), ";")
	for _, target := range []string{"/v1/filings/changes?since=20260314-000000.000000&limit=1&", "/v1/filings?cursor=*&limit=1&"} {
		a := s.get(t, access.Enterprise, target+polygon)
		if a.status != http.StatusOK {
			t.Errorf("%d characters: %d %s", len(polygon), a.status, a.body)
		}
	}
}
