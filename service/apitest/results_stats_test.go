package apitest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"filings/index"
	"filings/service/access"
	"filings/service/servicetest"
)

func TestA_Figures(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, target, want string }{
		// Added within 7 days: 1 and 2 (to the microsecond), not 3, nor 7 (a microsecond ahead); within 30: 1 to 4, not 5.
		{"A1 A2 A3 A4 stats", "/v1/stats", `{"data":{"totalFilings":9,"uniqueOwners":8,"avgAmount":596.87,"minAmount":-50.25,` +
			`"maxAmount":2500.5,"totalValue":4774.94,"newThisWeek":2,"newThisMonth":4,"trustCount":2,"estateCount":1,` +
			`"combinedTrustEstate":3,"trustPercentage":22.22,"combinedPercentage":33.33}}`},
		{"A5 counties", "/v1/counties", `{"data":["A/B, FL","Aleutians West, AK","Bibb, GA","Orange, CA","Orange, FL"]}`},
		{"A6 A4 stats/counties", "/v1/stats/counties", `{"data":[` +
			`{"county":"Aleutians West","state":"AK","filingCount":4,"totalAmount":324.69,"avgAmount":81.17,"minAmount":0,"maxAmount":300},` +
			`{"county":"Orange","state":"CA","filingCount":1,"totalAmount":-50.25,"avgAmount":-50.25,"minAmount":-50.25,"maxAmount":-50.25},` +
			`{"county":"A/B","state":"FL","filingCount":1,"totalAmount":0,"avgAmount":0,"minAmount":0,"maxAmount":0},` +
			`{"county":"Orange","state":"FL","filingCount":2,"totalAmount":2000,"avgAmount":1000,"minAmount":1000,"maxAmount":1000},` +
			`{"county":"Bibb","state":"GA","filingCount":1,"totalAmount":2500.5,"avgAmount":2500.5,"minAmount":2500.5,"maxAmount":2500.5}]}`},
		{"P19 state", "/v1/stats/counties?state=ga", `{"data":[{"county":"Bibb","state":"GA","filingCount":1,` +
			`"totalAmount":2500.5,"avgAmount":2500.5,"minAmount":2500.5,"maxAmount":2500.5}]}`},
		{"P19 unknown state", "/v1/stats/counties?state=ZZ", `{"data":[]}`},
		{"P4 empty state", "/v1/stats/counties?state=&limit=1", ""},
		{"X13 coverage", "/v1/coverage", `{"data":[` +
			`{"county":"Aleutians West","state":"AK","filings":4,"withCoordinates":4,"firstFilingDate":"2024-02-29","lastFilingDate":"2026-01-01","lastAddedAt":"2026-02-13T12:00:00Z","checkedAt":null,"loadedAt":null,"sourceUpdatedAt":null,"source":null},` +
			`{"county":"Orange","state":"CA","filings":1,"withCoordinates":1,"firstFilingDate":"2026-02-28","lastFilingDate":"2026-02-28","lastAddedAt":"2026-03-08T12:00:00Z","checkedAt":null,"loadedAt":null,"sourceUpdatedAt":null,"source":null},` +
			`{"county":"A/B","state":"FL","filings":1,"withCoordinates":0,"firstFilingDate":null,"lastFilingDate":null,"lastAddedAt":"2020-01-01T00:00:00Z","checkedAt":null,"loadedAt":null,"sourceUpdatedAt":null,"source":null},` +
			`{"county":"Orange","state":"FL","filings":2,"withCoordinates":1,"firstFilingDate":"2026-03-14","lastFilingDate":"2026-03-14","lastAddedAt":"2026-03-15T12:00:00.000001Z","checkedAt":null,"loadedAt":null,"sourceUpdatedAt":null,"source":null},` +
			`{"county":"Bibb","state":"GA","filings":1,"withCoordinates":0,"firstFilingDate":"2026-03-14","lastFilingDate":"2026-03-14","lastAddedAt":"2026-03-08T11:59:59.999999Z","checkedAt":null,"loadedAt":null,"sourceUpdatedAt":null,"source":null}]}`},
		{"X13 coverage of a state", "/v1/coverage?state=ga", `{"data":[{"county":"Bibb","state":"GA","filings":1,"withCoordinates":0,` +
			`"firstFilingDate":"2026-03-14","lastFilingDate":"2026-03-14","lastAddedAt":"2026-03-08T11:59:59.999999Z","checkedAt":null,"loadedAt":null,"sourceUpdatedAt":null,"source":null}]}`},
		{"X13 coverage of an unknown state", "/v1/coverage?state=ZZ", `{"data":[]}`},
		{"months", "/v1/counties/Aleutians%20West,%20AK/months", `{"data":["2024-02","2025-12","2026-01"]}`},
		{"P6 months of every county of a name", "/v1/counties/oRANGE/months", `{"data":["2026-02","2026-03"]}`},
		{"P6 months, percent-decoded", "/v1/counties/Orange%2C%20FL/months", `{"data":["2026-03"]}`},
		{"P6 months of a county without dates", "/v1/counties/A%2FB%2C%20FL/months", `{"data":[]}`},
		{"A7 date ranges", "/v1/counties/aleutians%20west/date-ranges", `{"data":["2025-01-01 to 2025-06-30","2025-01-01 to 2025-12-31"]}`},
		{"A7 date ranges of a county without", "/v1/counties/a%2fb/date-ranges", `{"data":[]}`},
	}
	onOracle(t, handmade, func(t *testing.T, s *site) {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				t.Parallel()
				for _, tier := range access.Tiers {
					a := s.get(t, tier, tt.target)
					if a.status != http.StatusOK {
						t.Fatalf("%s: %d %s", tier, a.status, a.body)
					}
					if diff := cmp.Diff(tt.want, a.body); tt.want != "" && diff != "" {
						t.Errorf("%s: (-want +got)\n%s", tier, diff)
					}
				}
			})
		}
	})
}

// TestA6_CountysOwnName: without the state, a name comes before those that it begins; with it, a blank and a hyphen are
// compared with the comma.
func TestA6_CountysOwnName(t *testing.T) {
	t.Parallel()
	eachEngine(t, alike, func(t *testing.T, s *site) {
		var got struct {
			Data []struct{ County, State string }
		}
		a := s.get(t, access.Free, "/v1/stats/counties")
		if err := json.Unmarshal([]byte(a.body), &got); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, c := range got.Data {
			names = append(names, c.County+", "+c.State)
		}
		if diff := cmp.Diff([]string{"Lee, AL", "LEE, FL", "Lee, FL", "Lee (X), FL", "Lee-On-Sea, FL"}, names); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		all := s.get(t, access.Free, "/v1/counties").body
		if want := `{"data":["Lee (X), FL","Lee, AL","LEE, FL","Lee, FL","Lee-On-Sea, FL"]}`; all != want {
			t.Errorf("A5: %s, want %s", all, want)
		}
	})
}

func TestP6_UnknownCounties(t *testing.T) {
	t.Parallel()
	onOracle(t, handmade, func(t *testing.T, s *site) {
		for _, county := range []string{"Nowhere", "Orang", "Orange%252C%20FL", "Orange+FL", "%20", "FL", "Orange,GA"} {
			for _, what := range []string{"/months", "/date-ranges"} {
				if a := s.get(t, access.Free, "/v1/counties/"+county+what); a.status != http.StatusNotFound || a.document(t).Error.Code != "not_found" {
					t.Errorf("%s%s: %d %s", county, what, a.status, a.body)
				}
			}
		}
	})
}

// Before the first load everything is there, and empty.
func TestL7_BeforeTheFirstLoad(t *testing.T) {
	t.Parallel()
	s := newSite(t, servicetest.Still{Reader: index.Empty{}})
	for path, want := range map[string]string{
		"/v1/stats": `{"data":{"totalFilings":0,"uniqueOwners":0,"avgAmount":0,"minAmount":0,"maxAmount":0,"totalValue":0,` +
			`"newThisWeek":0,"newThisMonth":0,"trustCount":0,"estateCount":0,"combinedTrustEstate":0,"trustPercentage":0,"combinedPercentage":0}}`,
		"/v1/stats/counties": `{"data":[]}`,
		"/v1/counties":       `{"data":[]}`,
	} {
		if a := s.get(t, access.Free, path); a.status != http.StatusOK || a.body != want {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	for _, path := range []string{"/v1/filings", "/v1/filings/search?q=a"} {
		a := s.get(t, access.Free, path)
		if len(a.ids(t)) != 0 || a.document(t).Pagination.Total != 0 || a.header.Get("ETag") == "" {
			t.Errorf("%s: %v %s", path, a.header, a.body)
		}
	}
	for _, path := range []string{"/v1/filings/1", "/v1/counties/Orange/months"} {
		if a := s.get(t, access.Free, path); a.status != http.StatusNotFound {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
}

// coveragePage is a page of coverage.
type coveragePage struct {
	Data       []json.RawMessage
	Pagination struct {
		Limit int
		Next  *string `json:"next_cursor"`
		More  bool    `json:"has_more"`
	}
}

func (a response) coverage(t *testing.T) (p coveragePage) {
	t.Helper()
	if err := json.Unmarshal([]byte(a.body), &p); err != nil || a.status != http.StatusOK {
		t.Fatalf("%d %s: %v", a.status, a.body, err)
	}
	return p
}

// TestX13_Pages: with limit or cursor, coverage comes in pages of one generation, by state and
// county, which cost one request each and together have what is there without. A page is what a
// client may cache, and a cursor holds the state.
func TestX13_Pages(t *testing.T) {
	t.Parallel()
	var names []string
	for i := range 250 {
		names = append(names, fmt.Sprintf("County %c%c, %s", 'A'+i%26, 'a'+i/26, []string{"FL", "GA"}[i%2]))
	}
	s := newSite(t, oracle(ofCounties(t, names...)))
	for query, sizes := range map[string][]int{
		"limit=100": {100, 100, 50}, "limit=1000": {250}, "limit=9999": {250}, "limit=125&cursor=*": {125, 125},
		"cursor=*": {100, 100, 50}, "state=fl&limit=120": {120, 5}, "cursor=*&state=ZZ": {0},
	} {
		var rows []string
		var got []int
		used, tags := s.used(t, "user-pro"), map[string]bool{}
		for target := "/v1/coverage?" + query; target != ""; {
			a := s.get(t, access.Pro, target)
			d := a.coverage(t)
			if d.Pagination.More != (d.Pagination.Next != nil) {
				t.Fatalf("%s: %d %s", target, a.status, a.body)
			}
			for _, row := range d.Data {
				rows = append(rows, string(row))
			}
			got, tags[a.header.Get("ETag")] = append(got, len(d.Data)), true
			link := ""
			if target = ""; d.Pagination.More {
				query := "?cursor=" + *d.Pagination.Next
				target, link = "/v1/coverage"+query, "<"+query+`>; rel="next"`
			}
			if a.header.Get("Link") != link {
				t.Errorf("%s: Link %s", query, a.header.Get("Link"))
			}
		}
		sent, _ := url.ParseQuery(query)
		all := s.get(t, access.Pro, "/v1/coverage?state="+sent.Get("state"))
		tags[all.header.Get("ETag")] = true
		if want := "{\"data\":[" + strings.Join(rows, ",") + "]}"; all.body != want || !slices.Equal(got, sizes) {
			t.Errorf("%s: pages of %v, %.200s, want %v and %.200s", query, got, want, sizes, all.body)
		}
		if n := s.used(t, "user-pro") - used; n != int64(len(sizes)+1) || len(tags) != len(sizes)+1 {
			t.Errorf("%s: %d requests counted, %d tags", query, n, len(tags))
		}
	}
	next := *s.get(t, access.Pro, "/v1/coverage?state=FL&limit=7").coverage(t).Pagination.Next
	if d := s.get(t, access.Pro, "/v1/coverage?limit=3&state=fl&cursor="+next).coverage(t); len(d.Data) != 3 || d.Pagination.Limit != 3 {
		t.Errorf("another limit: %d", len(d.Data))
	}
	for query, want := range map[string]string{
		"state=GA&cursor=" + next: `state must be omitted, or be "FL" as on the first page`,
		"limit=0":                 "limit must be between 1 and 1000",
		"cursor=x":                "cursor must be *, or the next_cursor of a page: this one is damaged",
	} {
		wantInvalid(t, s.get(t, access.Pro, "/v1/coverage?"+query), want)
	}
	wantInvalid(t, s.get(t, access.Pro, "/v1/filings?cursor="+next),
		"this cursor belongs to the coverage, and this is the list; start here with cursor=*")
}
