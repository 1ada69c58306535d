package apitest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"filings/index"
	"filings/service/access"
	"filings/service/servicetest"
)

const groupsPath = "/v1/filings/groups?"

func TestX12_Groups(t *testing.T) {
	t.Parallel()
	group := func(keys string, filings, count int, sum, avg, least, most string) string {
		return fmt.Sprintf(`{%s,"filings":%d,"filingAmount":{"count":%d,"sum":%s,"avg":%s,"min":%s,"max":%s}}`, keys, filings, count, sum, avg, least, most)
	}
	tests := []struct {
		name, query string
		groups      []string
	}{
		{"by county", "by=county", []string{
			group(`"county":"Aleutians West, AK"`, 4, 4, "324.69", "81.17", "0", "300"),
			group(`"county":"Orange, FL"`, 2, 2, "2000", "1000", "1000", "1000"),
			group(`"county":"A/B, FL"`, 1, 0, "0", "0", "0", "0"),
			group(`"county":"Bibb, GA"`, 1, 1, "2500.5", "2500.5", "2500.5", "2500.5"),
			group(`"county":"Orange, CA"`, 1, 1, "-50.25", "-50.25", "-50.25", "-50.25")}},
		{"by type, in any case, none last", "by=filing_type", []string{
			group(`"filing_type":"Judgment"`, 3, 3, "24.69", "8.23", "0", "12.35"),
			group(`"filing_type":"Tax Lien"`, 3, 3, "3800.5", "1266.83", "300", "2500.5"),
			group(`"filing_type":"HOA"`, 1, 1, "1000", "1000", "1000", "1000"),
			group(`"filing_type":"Municipal Lien"`, 1, 1, "-50.25", "-50.25", "-50.25", "-50.25"),
			group(`"filing_type":null`, 1, 0, "0", "0", "0", "0")}},
		{"by owner", "by=owner&county=orange,+ca", []string{
			group(`"owner":"ESTATE OF A. PINE"`, 1, 1, "-50.25", "-50.25", "-50.25", "-50.25")}},
		{"as most of the selected are written", "by=filing_type&county=Bibb", []string{
			group(`"filing_type":"tax lien"`, 1, 1, "2500.5", "2500.5", "2500.5", "2500.5")}},
		{"keys in the order of by", "by=month,state&q=zed", []string{
			group(`"month":"2025-12","state":"AK"`, 1, 1, "0", "0", "0", "0"),
			group(`"month":"2026-01","state":"AK"`, 1, 1, "300", "300", "300", "300")}},
		{"and the other way round, repeated", "by=state&by=month&q=zed", []string{
			group(`"state":"AK","month":"2025-12"`, 1, 1, "0", "0", "0", "0"),
			group(`"state":"AK","month":"2026-01"`, 1, 1, "300", "300", "300", "300")}},
		{"both categories of a filing", "by=category&state=&county=aleutians+west", []string{
			group(`"category":"land"`, 2, 2, "300", "150", "0", "300"),
			group(`"category":null`, 2, 2, "24.69", "12.35", "12.34", "12.35"),
			group(`"category":"multi_family"`, 1, 1, "300", "300", "300", "300")}},
		{"cities, loaded or of the address", "by=city&filing_types=tax+lien,hoa", []string{
			group(`"city":"Macon"`, 1, 1, "2500.5", "2500.5", "2500.5", "2500.5"),
			group(`"city":"Orlando"`, 1, 1, "1000", "1000", "1000", "1000"),
			group(`"city":"Winter Park"`, 1, 1, "1000", "1000", "1000", "1000"),
			group(`"city":null`, 1, 1, "300", "300", "300", "300")}},
		{"holders and classes", "by=holder,property_classification&county=orange,+fl", []string{
			group(`"holder":"County \"One\" & <Sons>","property_classification":"residential"`, 1, 1, "1000", "1000", "1000", "1000"),
			group(`"holder":null,"property_classification":null`, 1, 1, "1000", "1000", "1000", "1000")}},
		{"years", "by=year&max_amount=100", []string{
			group(`"year":"2024"`, 2, 2, "24.69", "12.35", "12.34", "12.35"),
			group(`"year":"2025"`, 1, 1, "0", "0", "0", "0"),
			group(`"year":"2026"`, 1, 1, "-50.25", "-50.25", "-50.25", "-50.25")}},
		{"days", "by=day&q=zed", []string{
			group(`"day":"2025-12-31"`, 1, 1, "0", "0", "0", "0"),
			group(`"day":"2026-01-01"`, 1, 1, "300", "300", "300", "300")}},
		{"P20 legacy names", "by=state&lien_type=tax+lien&has_data=1", []string{
			group(`"state":"AK"`, 1, 1, "300", "300", "300", "300"), group(`"state":"FL"`, 1, 1, "1000", "1000", "1000", "1000")}},
		{"none", "by=county&county=nowhere", nil},
	}
	onOracle(t, handmade, func(t *testing.T, s *site) {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				t.Parallel()
				for _, tier := range access.Tiers {
					a := s.get(t, tier, groupsPath+tt.query)
					if diff := cmp.Diff("["+strings.Join(tt.groups, ",\n")+"]", strings.ReplaceAll(dataOf(t, a), "},{", "},\n{")); diff != "" {
						t.Errorf("%s: (-want +got)\n%s", tier, diff)
					}
				}
			})
		}
	})
}

// TestX12_Envelope: the envelope of search, and as there is one page, no pagination.
func TestX12_Envelope(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)))
	d := s.get(t, access.Pro, groupsPath+"by=county").document(t)
	if d.Success == nil || !*d.Success || d.Pagination != nil || d.Meta == nil || d.Meta.Tier != "pro" || d.Meta.Remaining == nil {
		t.Errorf("%+v", d)
	}
	empty := newSite(t, servicetest.Still{Reader: index.Empty{}})
	if a := empty.get(t, access.Pro, groupsPath+"by=county"); dataOf(t, a) != "[]" {
		t.Errorf("before the first load: %s", a.body)
	}
}

// TestX12_Invalid: each message names the parameter and what would be right.
func TestX12_Invalid(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)))
	const form = "one or two of state, county, city, filing_type, day, month, year, property_classification, " +
		"category, holder, owner, address, each once"
	for query, want := range map[string]string{
		"":                                    "by must be given: " + form,
		"by=":                                 "by must be " + form,
		"by=%20,":                             `by must be ` + form + `, not ","`,
		"by=contry":                           "by must be " + form + `, not "contry"; did you mean county?`,
		"by=month,Filing_Type":                "by must be " + form + `, not "month,Filing_Type"; did you mean filing_type?`,
		"by=x":                                "by must be " + form + `, not "x"`,
		"by=county,county":                    "by must be " + form + `, not "county,county"`,
		"by=county&by=county":                 "by must be " + form + `, not "county,county"`,
		"by=county,month,state":               "by must be " + form + `, not "county,month,state"`,
		"by=county&q=":                        "q must be 1 to 200 characters",
		"by=county&q=%20":                     "q must be 1 to 200 characters",
		"by=county&limit=0":                   "limit must be between 1 and 10000",
		"by=county&limit=x":                   "limit must be between 1 and 10000",
		"by=county&sort_by=amount":            `sort_by must be one of filings, sum, key (in any case), not "amount"`,
		"by=county&min_amount=x":              `min_amount must be a plain decimal number such as 1000, not "x"`,
		"by=county&min_amount=2&max_amount=1": "min_amount must not be above max_amount",
	} {
		a := s.get(t, access.Free, groupsPath+query)
		d := a.document(t)
		if a.status != http.StatusBadRequest || d.Error == nil || d.Error.Code != "invalid_parameter" || d.Error.Message != want {
			t.Errorf("%q: %d %s, want %q", query, a.status, a.body, want)
		}
	}
	wantInvalid(t, s.get(t, access.Free, groupsPath+"by=county&offset=1&zoom=3"), "unknown parameter offset; this endpoint has") // rule X64
	if a := s.get(t, access.Free, "/v1/liens/groups?by=county"); a.status != http.StatusBadRequest {
		t.Errorf("the legacy path has no groups: %d %s", a.status, a.body)
	}
}

// TestX12_TooMany: 10,000 groups are a response, one more is an error that says how many there are.
func TestX12_TooMany(t *testing.T) {
	t.Parallel()
	all := many(t, index.MaxGroups+1)
	for i, f := range all {
		f.SetText(index.FilingHolder, fmt.Sprint("Holder ", i))
	}
	all[0].SetText(index.County, "Lake, FL")
	s := newSite(t, caching{oracle(all)})
	for range 2 { // the second time from the cache
		a := s.get(t, access.Pro, groupsPath+"by=holder")
		const want = "10001 groups are more than 10000; add filters, or group by a field with fewer values, or set limit"
		if d := a.document(t); a.status != http.StatusBadRequest || d.Error == nil || d.Error.Message != want {
			t.Errorf("%d %s", a.status, a.body)
		}
		if a.header.Get("ETag") != "" {
			t.Errorf("an error has the tag %s", a.header.Get("ETag"))
		}
		if b := s.get(t, access.Pro, groupsPath+"by=holder", "If-None-Match", "*"); b.status != a.status {
			t.Errorf("with any tag: %d", b.status)
		}
	}
	var groups []struct{ Filings int }
	if err := json.Unmarshal([]byte(dataOf(t, s.get(t, access.Pro, groupsPath+"by=holder&county=orange"))), &groups); err != nil || len(groups) != index.MaxGroups {
		t.Errorf("%d groups: %v", len(groups), err)
	}
}

// TestX36_Groups: the first groups in each order, and how many there are.
func TestX36_Groups(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)))
	for query, want := range map[string]string{
		"limit=2":                               "Judgment 3, Tax Lien 3, of 5",
		"limit=2&sort_order=ASC":                "HOA 1, Municipal Lien 1, of 5",
		"limit=2&sort_by=SUM":                   "Tax Lien 3, HOA 1, of 5",
		"limit=1&sort_by=sum&sort_order=asc":    "Municipal Lien 1, of 5",
		"limit=2&sort_by=key":                   "HOA 1, Judgment 3, of 5",
		"sort_by=key&sort_order=DESC":           "Tax Lien 3, Municipal Lien 1, Judgment 3, HOA 1, null 1, of 0",
		"limit=20000&sort_by=key":               "HOA 1, Judgment 3, Municipal Lien 1, Tax Lien 3, null 1, of 5",
		"limit=1&filing_type=none":              "of 0",
		"limit=1&sort_by=filings&county=orange": "HOA 1, of 3",
	} {
		a := s.get(t, access.Free, groupsPath+"by=filing_type&"+query)
		var d struct {
			Data []struct {
				Type    *string `json:"filing_type"`
				Filings int
			}
			Meta struct{ Groups int }
		}
		if err := json.Unmarshal([]byte(a.body), &d); err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, g := range d.Data {
			if g.Type == nil {
				g.Type = new("null")
			}
			got += fmt.Sprintf("%s %d, ", *g.Type, g.Filings)
		}
		if got += fmt.Sprintf("of %d", d.Meta.Groups); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
		if has := strings.Contains(a.body, `"groups":`); has != strings.Contains(query, "limit") {
			t.Errorf("%s: %s", query, a.body)
		}
	}
}

// TestX12_ETag: the tag is that of the filter and of by, whose order is part of the response.
func TestX12_ETag(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)))
	tags := map[string]string{}
	for _, query := range []string{"by=county", "by=month", "by=county,month", "by=month,county", "by=county&q=zed", "by=county&county=orange"} {
		a := s.get(t, access.Pro, groupsPath+query)
		tag := a.header.Get("ETag")
		if tag == "" || tags[tag] != "" {
			t.Errorf("%s has the tag %q of %q", query, tag, tags[tag])
		}
		tags[tag] = query
		if again := s.get(t, access.Pro, groupsPath+query, "If-None-Match", tag); again.status != http.StatusNotModified || again.body != "" {
			t.Errorf("%s with its tag: %d %s", query, again.status, again.body)
		}
	}
	same := s.get(t, access.Pro, groupsPath+url.Values{"by": {" month ,", "county"}}.Encode()).header.Get("ETag")
	if tags[same] != "by=month,county" {
		t.Errorf("written otherwise it has the tag of %q", tags[same])
	}
}

// TestX12_Totals: groups that each filing is in once add up to the total of the list.
func TestX12_Totals(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(synthesized(3000)))
	for _, filter := range []string{"", "&county=orange", "&min_amount=1000&date_range=365", "&has_property_data=true", world} {
		total := s.get(t, access.Enterprise, "/v1/filings?limit=1"+filter).document(t).Pagination.Total
		for _, by := range []string{"state", "county,month", "year,holder", "city,filing_type"} {
			var groups []struct{ Filings int64 }
			if err := json.Unmarshal([]byte(dataOf(t, s.get(t, access.Enterprise, groupsPath+"by="+by+filter))), &groups); err != nil {
				t.Fatal(err)
			}
			sum := int64(0)
			for _, g := range groups {
				sum += g.Filings
			}
			if sum != total || total == 0 {
				t.Errorf("by %s, %s: %d, the list has %d", by, filter, sum, total)
			}
		}
	}
}
