package reader

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"filings/index"
	"filings/index/elastic/elastictest"
	"filings/index/elastic/search"
)

// Tiles are those of geotile_grid, which rounds coordinates. The filings here are further from all edges than that.
func TestCells_AreGeotiles(t *testing.T) {
	t.Parallel()
	r := testReader(t, 3, elastictest.Filings(300))
	world := index.Box{North: 90, South: -90, East: 180, West: -180}
	for _, g := range []index.Grid{index.NewGrid(world, 3), index.NewGrid(index.Box{North: 29, South: 28, East: -80.4, West: -81.6}, 12)} {
		c, err := search.Clauses(g.Where(index.Filter{}), search.Known{})
		if err != nil {
			t.Fatal(err)
		}
		var response []byte
		err = r.search(t.Context(), &response, search.Aggregate(c, search.Object{
			"tiles": search.Object{"geotile_grid": search.Object{"field": "x.point", "precision": g.Precision, "size": index.MaxCells}},
		}))
		if err != nil && strings.Contains(err.Error(), "Unknown aggregation type [geotile_grid]") {
			t.Skip("left out: this server lacks OpenSearch's module geo, which the distribution for tests of 2.19 does")
		}
		if err != nil {
			t.Fatal(err)
		}
		var a struct {
			Aggs struct {
				Tiles struct {
					Buckets []struct {
						Key   string
						Count int64 `json:"doc_count"`
					}
				}
			} `json:"aggregations"`
		}
		if err := json.Unmarshal(response, &a); err != nil {
			t.Fatal(err)
		}
		want, got := map[string]int64{}, map[string]int64{}
		for _, b := range a.Aggs.Tiles.Buckets {
			want[b.Key] = b.Count
		}
		cells, err := r.Cells(t.Context(), index.Filter{}, g)
		if err != nil {
			t.Fatal(err)
		}
		for _, cell := range cells {
			got[fmt.Sprintf("%d/%d/%d", g.Precision, cell.Column, cell.Row)] = cell.Filings
		}
		if diff := cmp.Diff(want, got); diff != "" || len(got) < 2 {
			t.Errorf("precision %d (-geotile_grid +cells):\n%s", g.Precision, diff)
		}
	}
}

// Responses that lose a filing, or do not say which one is alone in its cell, are errors.
func TestCells_IncompleteResponses(t *testing.T) {
	t.Parallel()
	const bucket = `{"aggregations":{"rows":{"buckets":[{"key":"0","columns":{"buckets":[{"key":"1","doc_count":1,` +
		`"sum":{"value":0.0},"max":{"value":null},"latitude":{"min":1.0,"max":1.0,"sum":1.0},"longitude":{"min":2.0,"max":2.0,"sum":2.0},"id":{"value":%s}}]}}]}},` +
		`"hits":{"total":{"value":%d}}}`
	const large = "9.223372036854775807E18"
	const hit = `{"hits":{"hits":[{"fields":{"id":[9223372036854775807],"geocodedLatitude":[1.0],"geocodedLongitude":[%s]}}]}}`
	for _, tt := range []struct {
		name          string
		first, second string
		id            int64 // 0 for an error
	}{
		{"all is there", fmt.Sprintf(bucket, "7.0", 1), ``, 7},
		{"a filing is in no tile", fmt.Sprintf(bucket, "7.0", 2), ``, 0},
		{"no total", `{"aggregations":{"rows":{"buckets":[]}}}`, ``, 0},
		{"the id is requested", fmt.Sprintf(bucket, large, 1), fmt.Sprintf(hit, "2.0"), 9223372036854775807},
		{"the largest id that a float64 may mean", fmt.Sprintf(bucket, "9.007199254740992E15", 1), fmt.Sprintf(hit, "2.0"), 9223372036854775807},
		{"the largest that it is sure of", fmt.Sprintf(bucket, "9.007199254740991E15", 1), ``, 1<<53 - 1},
		{"the filing is not found", fmt.Sprintf(bucket, large, 1), `{"hits":{"hits":[]}}`, 0},
		{"another one is found", fmt.Sprintf(bucket, large, 1), fmt.Sprintf(hit, "3.0"), 0},
		{"without an id", fmt.Sprintf(bucket, large, 1), `{"hits":{"hits":[{"fields":{}}]}}`, 0},
		{"a part of the response", fmt.Sprintf(bucket, large, 1), `{"timed_out":true,"hits":{"hits":[]}}`, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			responses := []string{tt.first, tt.second}
			r := readerOver(t, func(req *http.Request) (*http.Response, error) {
				response := responses[0]
				responses = responses[min(1, len(responses)-1):]
				return elastictest.Response(req, 200, []byte(response)), nil
			})
			got, err := r.Cells(t.Context(), index.Filter{}, index.NewGrid(index.Box{North: 1, South: 1, East: 2, West: 2}, 1))
			switch {
			case tt.id == 0 && err == nil:
				t.Errorf("%v was taken for the cells", got)
			case tt.id != 0 && (err != nil || len(got) != 1 || got[0].ID != tt.id):
				t.Errorf("%v, %v", got, err)
			}
		})
	}
}
