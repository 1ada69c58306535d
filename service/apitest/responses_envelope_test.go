package apitest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"filings/index"
	"filings/service/access"
	"filings/service/servicetest"
)

// paths is one request that succeeds for each endpoint but changes, which need a past, with the keys of its response in order.
var paths = map[string][]string{
	"/v1/filings":            {"data", "pagination", "meta"},
	"/v1/filings/search?q=a": {"success", "data", "pagination", "meta"},
	"/v1/filings/1":          {"success", "data", "meta"},
	"/v1/filings/clusters?zoom=2&bounds_north=90&bounds_south=-90&bounds_east=180&bounds_west=-180": {"success", "data", "meta"},
	"/v1/filings/groups?by=county":    {"success", "data", "meta"},
	"/v1/stats":                       {"data"},
	"/v1/stats/counties":              {"data"},
	"/v1/counties":                    {"data"},
	"/v1/counties/Orange/months":      {"data"},
	"/v1/counties/Orange/date-ranges": {"data"},
	"/v1/coverage":                    {"data"},
	"/v1/generations":                 {"data"},
	"/v1/me":                          {"success", "data", "meta"},
	"/v1/me/usage":                    {"success", "data", "meta"},
}

func TestE1_Shapes(t *testing.T) {
	t.Parallel()
	onOracle(t, handmade, func(t *testing.T, s *site) {
		for path, want := range paths {
			a := s.get(t, access.Pro, path)
			if a.status != http.StatusOK {
				t.Fatalf("%s: %d %s", path, a.status, a.body)
			}
			if diff := cmp.Diff(want, keysOf(t, a.body)); diff != "" {
				t.Errorf("%s: keys (-want +got)\n%s", path, diff)
			}
			if got := a.header.Get("Content-Type"); got != "application/json" {
				t.Errorf("%s: Content-Type %q", path, got)
			}
			d := a.document(t)
			if d.Success != nil && !*d.Success {
				t.Errorf("%s: success is false", path)
			}
			if d.Meta != nil && (d.Meta.Tier != "pro" || d.Meta.Remaining == nil || d.Meta.RequestID != a.header.Get("X-Request-ID") ||
				fmt.Sprint(*d.Meta.Remaining) != a.header.Get("X-RateLimit-Remaining")) {
				t.Errorf("%s: meta %+v beside %v", path, d.Meta, a.header)
			}
		}
	})
}

// keysOf returns the keys of a JSON object in the order in which they are written.
func keysOf(t testing.TB, object string) (keys []string) {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(object))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		t.Fatalf("no object: %s", object)
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			t.Fatalf("%v: %s", err, object)
		}
		keys = append(keys, key.(string))
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			t.Fatalf("%v: %s", err, object)
		}
	}
	return keys
}

// An error names the invalid parameter as the request has it, and none if no parameter is at fault.
func TestE2_Parameter(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)))
	for target, want := range map[string]string{
		"/v1/filings?limit=0":                        "limit",
		"/v1/filings?lien_type=a&filing_type=b":      "lien_type",
		"/v1/filings?min_amount=x":                   "min_amount",
		"/v1/filings?min_amount=2&max_amount=1":      "min_amount",
		"/v1/filings?fields=ownr":                    "fields",
		"/v1/filings?near=1,2":                       "near",
		"/v1/filings?polygon=1,2":                    "polygon",
		"/v1/filings?cursor=x":                       "cursor",
		"/v1/filings?cursor=*&offset=1":              "offset",
		"/v1/filings?generation=x":                   "generation",
		"/v1/filings/search":                         "q",
		"/v1/filings/clusters?zoom=3&bounds_north=1": "bounds_south",
		"/v1/filings/groups":                         "by",
		"/v1/filings/x":                              "id",
		"/v1/filings/changes?since=x":                "since",
		"/v1/filings/export?after=1":                 "after",
		"/v1/filings?x=%zz":                          "x",
		"/openapi.json?paths=nothing":                "paths",
		"/v1/filings?%zz=x":                          "",
		"/v1/filings?limits=0":                       "",
		"/v1/nothing":                                "",
		"/v1/filings/77":                             "",
		"/v1/filings?a=1&b=%FF":                      "b",
	} {
		a := s.get(t, access.Pro, target)
		if got := a.document(t).Error; got == nil && want != "" || got != nil && got.Parameter != want {
			t.Errorf("%s: %d %s, want %q", target, a.status, a.body, want)
		}
	}
	name := strings.Repeat("n", 70)
	a := s.get(t, access.Pro, "/v1/filings?"+name+"=1", "Prefer", "handling=strict")
	if got := a.document(t).Error; got == nil || got.Parameter != name[:60]+"…" {
		t.Errorf("an unknown one: %s", a.body)
	}
}

func TestE2_Errors(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)))
	tests := []struct {
		name, method, path, key string
		status                  int
		code                    string
		envelope                bool
	}{
		{"E3 invalid_parameter", "GET", "/v1/filings?limit=0", s.Keys[access.Free], 400, "invalid_parameter", true},
		{"E3 no filing", "GET", "/v1/filings/77", s.Keys[access.Free], 404, "not_found", true},
		{"E3 no county", "GET", "/v1/counties/Nowhere/months", s.Keys[access.Free], 404, "not_found", true},
		{"E3 no path", "GET", "/v1/nothing", s.Keys[access.Free], 404, "not_found", true},
		{"E3 no method", "POST", "/v1/filings", s.Keys[access.Free], 405, "method_not_allowed", true},
		{"E3 no key", "GET", "/v1/filings", "", 401, "invalid_api_key", false},
		{"E3 wrong key", "GET", "/v1/filings", "ak_live_00000000000000000000000000000000", 401, "invalid_api_key", false},
		{"E3 no form of a key", "GET", "/v1/filings", "x", 401, "invalid_api_key", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := send(t, s.App, tt.method, tt.path, "X-API-Key", tt.key)
			if a.status != tt.status || a.header.Get("Content-Type") != "application/json" {
				t.Fatalf("status %d, want %d: %v %s", a.status, tt.status, a.header, a.body)
			}
			if !tt.envelope {
				checkFlat(t, a, tt.code)
				return
			}
			d := a.document(t)
			if d.Success == nil || *d.Success || d.Error == nil || d.Error.Code != tt.code || d.Error.Message == "" {
				t.Errorf("error: %s", a.body)
			}
			if d.Meta == nil || d.Meta.RequestID != a.header.Get("X-Request-ID") || d.Meta.Tier != "free" || d.Meta.Remaining == nil {
				t.Errorf("meta: %s", a.body)
			}
			if diff := cmp.Diff([]string{"success", "error", "meta"}, keysOf(t, a.body)); diff != "" {
				t.Errorf("keys (-want +got)\n%s", diff)
			}
		})
	}
}

// checkFlat expects the body of a 401 or 429: error and message, without an envelope.
func checkFlat(t *testing.T, a response, code string) {
	t.Helper()
	var flat map[string]string
	if err := json.Unmarshal([]byte(a.body), &flat); err != nil {
		t.Fatalf("%s: %v", a.body, err)
	}
	if flat["error"] != code || flat["message"] == "" || len(flat) != 2 {
		t.Errorf("body %s, want error %s and a message", a.body, code)
	}
}

func TestE4_Nulls(t *testing.T) {
	t.Parallel()
	onOracle(t, handmade, func(t *testing.T, s *site) {
		free := `{"id":6,"county":"A/B, FL","caseNumber":null,"owner":null,"propertyAddress":null,"filingType":null,` +
			`"filingAmount":null,"currentAmount":null,"filingDate":null,"filingHolder":null,"dateRange":null,` +
			`"geocodedLatitude":null,"geocodedLongitude":null,"propertyClassification":null,"categories":[]`
		pro := `,"propertyType":null,"bedrooms":null,"bathrooms":null,"squareFootage":null,"lotSizeAcres":null,` +
			`"yearBuilt":null,"estimatedValue":null,"homeEquityEstimate":null,"lastSaleDate":null,"lastSalePrice":null,` +
			`"foreclosureStatus":null,"standardizedAddress":null,"aiSummary":null`
		enterprise := `,"ownerPhonePrimary":null,"ownerPhoneSecondary":null,"ownerEmailPrimary":null,"ownerEmailSecondary":null`
		for tier, want := range map[access.Tier]string{
			access.Free: free + "}", access.Starter: free + "}", access.Pro: free + pro + "}", access.Enterprise: free + pro + enterprise + "}",
		} {
			if got := string(s.get(t, tier, "/v1/filings/6").document(t).Data); got != want {
				t.Errorf("%s:\ngot  %s\nwant %s", tier, got, want)
			}
			if got := string(s.get(t, tier, "/v1/filings?county=a/b,+fl").document(t).Data); got != "["+want+"]" {
				t.Errorf("%s, list:\ngot  %s\nwant [%s]", tier, got, want)
			}
		}
	})
}

func TestE5_RequestID(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(nil))
	form := regexp.MustCompile(`^req_[0-9a-f]{32}$`)
	seen := map[string]bool{}
	for _, path := range []string{"/v1/me", "/v1/me", "/nothing", "/v1/filings?limit=0"} {
		for _, tier := range []access.Tier{access.Free, ""} {
			id := s.get(t, tier, path).header.Get("X-Request-ID")
			if !form.MatchString(id) || seen[id] {
				t.Errorf("%s: request id %q", path, id)
			}
			if seen[id] = true; !strings.Contains(s.Log.String(), `"id":"`+id+`"`) {
				t.Errorf("%s: %q is not in the log", path, id)
			}
		}
	}
}

func TestE6_Pagination(t *testing.T) {
	t.Parallel()
	onOracle(t, plenty, func(t *testing.T, s *site) {
		for _, tt := range []struct {
			query string
			want  string
		}{
			{"", `{"total":45,"limit":20,"offset":0,"has_more":true}`},
			{"limit=45", `{"total":45,"limit":45,"offset":0,"has_more":false}`},
			{"limit=44", `{"total":45,"limit":44,"offset":0,"has_more":true}`},
			{"offset=40", `{"total":45,"limit":20,"offset":40,"has_more":false}`},
			{"offset=25", `{"total":45,"limit":20,"offset":25,"has_more":false}`},
			{"offset=24", `{"total":45,"limit":20,"offset":24,"has_more":true}`},
			{"offset=45", `{"total":45,"limit":20,"offset":45,"has_more":false}`},
			{"offset=9223372036854775807&limit=100", `{"total":45,"limit":100,"offset":9223372036854775807,"has_more":false}`},
			{"limit=1000", `{"total":45,"limit":100,"offset":0,"has_more":false}`},
			{"county=nowhere", `{"total":0,"limit":20,"offset":0,"has_more":false}`},
		} {
			for _, path := range []string{"/v1/filings?", "/v1/filings/search?q=o&"} {
				a := s.get(t, access.Free, path+tt.query)
				if a.status != http.StatusOK || !strings.Contains(a.body, `"pagination":`+tt.want+`,`) {
					t.Errorf("%s%s: %d %.200s\nwant %s", path, tt.query, a.status, a.body, tt.want)
				}
			}
		}
	})
}

// TestE6_Crawl reads everything page by page: every filing once, in order.
func TestE6_Crawl(t *testing.T) {
	t.Parallel()
	eachEngine(t, plenty, func(t *testing.T, s *site) {
		next := int64(45)
		for offset := 0; ; offset += 7 {
			a := s.get(t, access.Free, fmt.Sprintf("/v1/filings?limit=7&offset=%d", offset))
			for _, id := range a.ids(t) {
				if id != next {
					t.Fatalf("offset %d: id %d, want %d", offset, id, next)
				}
				next--
			}
			if !a.document(t).Pagination.HasMore {
				break
			}
		}
		if next != 0 {
			t.Errorf("filings below %d were never returned", next+1)
		}
	})
}

// counts is a Reader that counts how often its total is requested.
type counts struct {
	index.Reader
	calls *atomic.Int64
}

func (r counts) Count(ctx context.Context, w index.Filter) (int64, error) {
	r.calls.Add(1)
	return r.Reader.Count(ctx, w)
}

func (r counts) Rows(ctx context.Context, q index.Query) (index.Page, error) {
	if q.Count {
		r.calls.Add(1)
	}
	return r.Reader.Rows(ctx, q)
}

// TestTotal_CountedOnce: pages of one query share its total, whatever their order.
func TestTotal_CountedOnce(t *testing.T) {
	t.Parallel()
	live, err := oracle(fixture(t)).Live(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all := int64(len(fixture(t)))
	var calls atomic.Int64
	s := newSite(t, caching{servicetest.Still{Reader: counts{live, &calls}}})
	for _, path := range []string{"/v1/filings?limit=2", "/v1/filings?limit=2&offset=2", "/v1/filings?limit=3&offset=1"} {
		a := s.get(t, access.Pro, path)
		if p := a.document(t).Pagination; p == nil || p.Total != all || len(a.ids(t)) != int(p.Limit) {
			t.Errorf("%s: %s", path, a.body)
		}
	}
	if n := calls.Load(); n != 1 {
		t.Errorf("the total was counted %d times", n)
	}
}
