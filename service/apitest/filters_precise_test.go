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
)

func TestX9_Fields(t *testing.T) {
	t.Parallel()
	const page = `,"pagination":{"total":9,"limit":2,"offset":0,"has_more":true}`
	onOracle(t, handmade, func(t *testing.T, s *site) {
		document := s.strict(t)
		for _, tt := range []struct {
			path, query string
			tier        access.Tier
			data        string
		}{
			{"/v1/filings", "limit=2&fields=owner,id", access.Free, `[{"id":3,"owner":"oak Holdings LLC"},{"id":1,"owner":"The Maple Family Trust"}]` + page},
			{"/v1/filings", "limit=2&fields=id", access.Free, `[{"id":3},{"id":1}]` + page},
			{"/v1/filings", "limit=2&fields=categories&fields=county", access.Pro,
				`[{"id":3,"county":"Bibb, GA","categories":[]},{"id":1,"county":"Orange, FL","categories":["residential"]}]` + page},
			{"/v1/filings", "limit=2&fields=aiSummary", access.Pro, `[{"id":3,"aiSummary":null},{"id":1,"aiSummary":"A \"summary\",\nover two lines."}]` + page},
			{"/v1/filings", "limit=2&fields=ownerEmailSecondary,categories,propertyType", access.Enterprise,
				`[{"id":3,"categories":[],"propertyType":null,"ownerEmailSecondary":null},{"id":1,"categories":["residential"],"propertyType":"SFR","ownerEmailSecondary":"oak@example.com"}]` + page},
			{"/v1/filings", "offset=20&fields=id", access.Free, `[],"pagination":{"total":9,"limit":20,"offset":20,"has_more":false}`},
			{"/v1/filings/search", "q=maple&fields=id", access.Free, `[{"id":1}],"pagination":{"total":1,`},
			{"/v1/filings/search", "q=zed&sort_by=property_owner&sort_order=ASC&fields=owner", access.Starter, `[{"id":4,"owner":"Zed Island Co"},{"id":5,"owner":"Émile Zed"}],`},
			{"/v1/filings/search", "q=zed&sort_by=property_owner&sort_order=ASC&fields=id", access.Starter, `[{"id":4},{"id":5}],`},
			{"/v1/filings/1", "fields=filingAmount,county", access.Free, `{"id":1,"county":"Orange, FL","filingAmount":1000},`},
			{"/v1/filings/1", "fields=id", access.Free, `{"id":1},`},
		} {
			target := tt.path + "?" + tt.query
			pattern := strings.Replace(tt.path, "/1", "/{id}", 1)
			for _, again := range []string{"", ", whole page cached", ", cached"} {
				got := s.get(t, tt.tier, target)
				if _, data, _ := strings.Cut(string(got.body), `"data":`); got.status != http.StatusOK || !strings.HasPrefix(data, tt.data) {
					t.Errorf("%s for %s%s: %d %s", target, tt.tier, again, got.status, got.body)
				}
				document.check(t, pattern, target, got)
				if legacy := s.get(t, tt.tier, strings.Replace(target, "filings", "liens", 1)); len(legacy.body) != len(got.body) {
					t.Errorf("%s: the legacy path answers %s", target, legacy.body)
				}
				s.get(t, tt.tier, strings.Split(target, "fields=")[0])
			}
		}
	})
}

// Requests for different fields have different tags; for the same ones, however they are written, the same.
func TestX9_Tags(t *testing.T) {
	t.Parallel()
	s := newSite(t, caching{oracle(fixture(t))})
	for _, path := range []string{"/v1/filings?limit=2&", "/v1/filings/1?", "/v1/filings/search?q=a&"} {
		seen := map[string]string{}
		for _, same := range [][]string{{"", "fields="}, {"fields=id"}, {"fields=owner", "fields=id,owner", "fields=owner&fields=owner"}, {"fields=county,owner"}} {
			tag := s.get(t, access.Pro, path+same[0]).header.Get("ETag")
			if tag == "" || seen[tag] != "" {
				t.Errorf("%s%s: the tag %q is also that of %s", path, same[0], tag, seen[tag])
			}
			seen[tag] = same[0]
			for _, query := range same {
				checkNotModified(t, s, access.Pro, path+query, tag)
			}
		}
	}
	if tag := s.get(t, access.Free, "/v1/filings?limit=2").header.Get("ETag"); s.get(t, access.Free, "/v1/filings?limit=2&fields=id", "If-None-Match", tag).status != http.StatusOK {
		t.Error("the tag of all fields is one of the ids")
	}
}

func TestX9_Refused(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)))
	for _, tt := range []struct {
		tier         access.Tier
		fields, want string
	}{
		{access.Starter, "bedrooms", "fields must not have bedrooms with a key of this tier: only the pro tier and above show it"},
		{access.Pro, "id,ownerPhonePrimary", "fields must not have ownerPhonePrimary with a key of this tier: only the enterprise tier and above show it"},
		{access.Pro, "ownr", `fields must be a list of a filing's fields, not "ownr"; did you mean owner?`},
	} {
		for _, path := range []string{"/v1/filings?", "/v1/filings/search?q=a&", "/v1/filings/1?", "/v1/liens/1?"} {
			if got := s.get(t, tt.tier, path+"fields="+tt.fields); got.status != http.StatusBadRequest || got.document(t).Error.Message != tt.want {
				t.Errorf("%s%s: %d %s", path, tt.fields, got.status, got.body)
			}
		}
	}
	for _, path := range []string{"/v1/filings/clusters?zoom=1&bounds_north=1&bounds_south=0&bounds_east=1&bounds_west=0&", "/v1/stats?"} {
		if got := s.get(t, access.Free, path+"fields=nothing").header.Get("X-Ignored-Parameters"); got != "fields" {
			t.Errorf("%s, which has no filings: %q is ignored", path, got)
		}
	}
}

func TestX10_IDs(t *testing.T) {
	t.Parallel()
	onOracle(t, handmade, func(t *testing.T, s *site) {
		for query, want := range map[string][]int64{
			"filings?ids=9,1,3,1":                                                {3, 1, 9},
			"filings?ids=9&ids=1&ids=3":                                          {3, 1, 9},
			"filings?ids=77,9223372036854775807":                                 {},
			"filings?ids=1,2,3&county=Orange":                                    {1, 2},
			"filings?ids=1,2,3,4,5&offset=1&limit=2":                             {1, 2},
			"filings?ids=1,2,3,4,5&offset=1&limit=2&fields=id":                   {1, 2},
			"filings?ids=":                                                       {3, 1, 2, 5, 4, 9, 8, 7, 6},
			"filings/search?q=zed&ids=1,5":                                       {5},
			"filings/search?q=a&ids=1,2,7&sort_by=property_owner&sort_order=ASC": {7, 2, 1},
			"liens?ids=6":                                                        {6},
		} {
			a := s.get(t, access.Free, "/v1/"+query)
			if diff := cmp.Diff(want, a.ids(t)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", query, diff)
			}
		}
		if a := s.get(t, access.Free, "/v1/filings?ids=1,2,2&limit=1"); a.document(t).Pagination.Total != 2 {
			t.Errorf("total: %s", a.body)
		}
	})
}

// allBut returns the ids of all filings of handmade, in the order of the list, without some.
func allBut(ids ...int64) []int64 {
	return slices.DeleteFunc([]int64{3, 1, 2, 5, 4, 9, 8, 7, 6}, func(id int64) bool { return slices.Contains(ids, id) })
}

func TestX11_Exclude(t *testing.T) {
	t.Parallel()
	testFilters(t, map[string][]int64{
		"exclude_filing_types=TAX lien":                                       allBut(1, 3, 5),
		"exclude_filing_types=tax lien,judgment":                              allBut(1, 3, 4, 5, 8, 9),
		"exclude_filing_types=tax lien&exclude_filing_types=judgment":         allBut(1, 3, 4, 5, 8, 9),
		"exclude_categories=land":                                             allBut(4, 5),
		"exclude_categories=residential,commercial,multi_family,land":         allBut(1, 2, 4, 5),
		"exclude_counties=orange, fl":                                         allBut(1, 7),
		"exclude_counties=Orange, FL;ALEUTIANS West, AK;A/B, FL":              {3, 2},
		"exclude_counties=Orange, FL&exclude_counties=Bibb, GA":               allBut(1, 7, 3),
		"exclude_counties=orange;Bibb":                                        allBut(1, 2, 7, 3),
		"county=Orange&exclude_counties=Orange, CA":                           {1, 7},
		"exclude_filing_types=judgment&exclude_counties=Bibb, GA&ids=1,3,4,6": {1, 6},
	})
}

func TestX26_Owner(t *testing.T) {
	t.Parallel()
	testFilters(t, map[string][]int64{
		"owner=OAK Holdings, L. L. C.":                   {3},
		"owner=zed,+emile&exclude_filing_types=judgment": {5},
	})
}

func TestX55_Address(t *testing.T) {
	t.Parallel()
	testFilters(t, map[string][]int64{
		"address=12 OAK ST": {1},
		"address=12 Oak Street, Orlando, FL 32801-0001;5 elm ave": {1, 2},
		"address=12 Oak St, Orlando, GA":                          {},
		"address=12 Oak St&county=Orange, CA":                     {},
	})
}

func TestX31_Holder(t *testing.T) {
	t.Parallel()
	testFilters(t, map[string][]int64{
		"holder=county \"ONE\" %26 <sons>":                 {1},
		"exclude_holders=nobody;COUNTY \"one\" %26 <Sons>": allBut(1),
	})
}

// testFilters compares the list, search and clusters with the filings that each query selects.
func testFilters(t *testing.T, cases map[string][]int64) {
	t.Helper()
	onOracle(t, handmade, func(t *testing.T, s *site) {
		for query, want := range cases {
			query = strings.NewReplacer(" ", "+", ";", "%3B").Replace(query)
			list := s.get(t, access.Free, "/v1/filings?"+query)
			if diff := cmp.Diff(want, list.ids(t)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", query, diff)
			}
			var searched []int64
			for _, id := range s.get(t, access.Free, "/v1/filings/search?q=e&"+query).ids(t) {
				if searched = append(searched, id); !slices.Contains(want, id) {
					t.Errorf("search, %s: %d is excluded", query, id)
				}
			}
			if len(searched) == 0 && len(want) > 2 {
				t.Errorf("search, %s: nothing", query)
			}
			if strings.Contains(query, "ids=") {
				continue // which clusters do not take
			}
			var clusters struct{ Total int64 }
			boxed := s.get(t, access.Free, "/v1/filings?"+query+world).document(t).Pagination.Total
			err := json.Unmarshal([]byte(dataOf(t, s.get(t, access.Free, clustersPath+"zoom=3&"+query+world))), &clusters)
			if err != nil || clusters.Total != boxed {
				t.Errorf("%s: %v, clusters have %d filings, the list %d", query, err, clusters.Total, boxed)
			}
		}
	})
}

// TestX30_Counties: in every parameter and path that takes a county it may be written as people do.
func TestX30_Counties(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)))
	same := func(path, as string) {
		t.Helper()
		a, b := s.get(t, access.Pro, path), s.get(t, access.Pro, as)
		got, _, _ := strings.Cut(a.body, `,"meta"`)
		right, _, _ := strings.Cut(b.body, `,"meta"`)
		if a.status != http.StatusOK || b.status != http.StatusOK || got != right {
			t.Errorf("%s: %d %.200s\n%s: %d %.200s", path, a.status, a.body, as, b.status, b.body)
		}
	}
	for written, county := range map[string]string{
		"orange+county+fl": "Orange,+FL", "Orange,FL": "Orange,+FL", "aleutians+west+borough+,+ak": "Aleutians+West,+AK", "ORANGE+Parish": "Orange",
		"Orange,+TX": "Nowhere,+TX",
	} {
		for _, path := range []string{
			"/v1/filings?county=", "/v1/filings/search?q=a&county=", groupsPath + "by=county&county=", clustersPath + "zoom=3" + world + "&county=",
			"/v1/filings/export?county=", "/v1/filings?exclude_counties=", "/v1/filings/search?q=a&exclude_counties=Bibb%3B",
		} {
			same(path+written, path+county)
		}
	}
	same("/v1/counties/orange%20county%20fl/months", "/v1/counties/Orange,%20FL/months")
	same("/v1/counties/ALEUTIANS%20WEST%20AK/date-ranges", "/v1/counties/aleutians%20west,%20ak/date-ranges")
	if got := len(s.get(t, access.Free, "/v1/filings?county=orange+county+fl").ids(t)); got != 2 {
		t.Errorf("%d filings of Orange, FL", got)
	}
	if a := s.get(t, access.Free, "/v1/counties/orang%20county/months"); a.status != http.StatusNotFound || !strings.Contains(a.body, "orang county") {
		t.Errorf("%d %s", a.status, a.body)
	}
	first := s.get(t, access.Free, "/v1/filings?cursor=*&limit=1&county=aleutians+west+county")
	_, link, _ := strings.Cut(first.header.Get("Link"), "<")
	link, _, _ = strings.Cut("/v1/filings"+link, ">")
	if second := s.get(t, access.Free, link); len(second.ids(t)) != 1 || second.ids(t)[0] == first.ids(t)[0] {
		t.Errorf("the second page: %s", second.body)
	}
}

// Of the client's bad input each is named, by the parameter.
func TestX10_X11_Refused(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)))
	ids := "1" + strings.Repeat(",1", 200)
	if a := s.get(t, access.Free, "/v1/filings?ids="+ids); a.status != http.StatusOK {
		t.Errorf("one id 201 times: %d %s", a.status, a.body)
	}
	for i := range index.MaxIDs {
		ids += fmt.Sprintf(",%d", i+2)
	}
	for query, want := range map[string]string{
		"ids=1,two":                "ids must be ",
		"ids=" + ids:               "ids must be a list of at most 100 ids, which are integers from 1 to 9223372036854775807, not 101 of them",
		"exclude_counties=Orange,": `exclude_counties must be a list of counties, as in Orange, FL or Orange, separated by semicolons, not "Orange,"`,
		"exclude_categories=house": `exclude_categories must be a list of residential, commercial, multi_family, land, not "house"`,
		"exclude_counties=" + url.QueryEscape("Orange, FL, Lee, FL"): `not "Orange, FL, Lee, FL"`,
	} {
		for _, path := range []string{"/v1/filings?", "/v1/filings/search?q=a&"} {
			a := s.get(t, access.Free, path+query)
			if a.status != http.StatusBadRequest || !strings.Contains(a.document(t).Error.Message, want) {
				t.Errorf("%.60s: %d %s", query, a.status, a.body)
			}
		}
	}
}
