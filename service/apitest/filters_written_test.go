package apitest

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"filings/index"
	"filings/service"
	"filings/service/access"
)

// separated are filings whose values have what separates the items of lists.
func separated(t testing.TB) []*index.Filing {
	t.Helper()
	filings := ofCounties(t, "Lee, FL", "Lee, FL", "Lee, FL", "Lee, FL")
	for i, set := range []struct{ kind, holder string }{
		{"Judgment, Civil", "Smith; Sons LLC"}, {"Judgment", "Smith"}, {"Civil", "Sons LLC"}, {"Tax Lien", "Clerk"},
	} {
		filings[i].SetText(index.FilingType, set.kind)
		filings[i].SetText(index.FilingHolder, set.holder)
	}
	return filings
}

// TestX64_Uncut: a list that is, as a whole, a value of the generation is that value. So is each of repeated parameters.
func TestX64_Uncut(t *testing.T) {
	t.Parallel()
	eachEngine(t, separators, func(t *testing.T, s *site) {
		for query, want := range map[string][]int64{
			"filing_types=Judgment,+Civil":                             {1},
			"filing_types=judgment,+CIVIL":                             {1},
			"filing_types=Judgment,Civil":                              {2, 3},
			"filing_types=Civil,Judgment":                              {2, 3},
			"filing_types=Judgment,+Civil&filing_types=Judgment":       {1, 2},
			"filing_types[]=Judgment,+Civil&filing_types[]=Tax+Lien":   {1, 4},
			"filing_type=Judgment&filing_types=Judgment,+Civil":        {1, 2},
			"lien_types=Judgment,+Civil":                               {1},
			"exclude_filing_types=Judgment,+Civil":                     {2, 3, 4},
			"exclude_filing_types=Judgment,Tax+Lien":                   {1, 3},
			"exclude_holders=Smith;+Sons+LLC":                          {2, 3, 4},
			"exclude_holders=Smith;Sons+LLC":                           {1, 4},
			"exclude_holders=Smith;+Sons+LLC&exclude_holders=Clerk":    {2, 3},
			"exclude_holders%5B0%5D=Smith;+Sons+LLC;Clerk":             {1}, // as a whole it is none
			"filing_types=Judgment,+Civil&exclude_holders=Smith":       {1},
			"filing_types=Judgment,+Civil,&exclude_filing_types=Other": {2, 3},
		} {
			got := s.get(t, access.Pro, "/v1/filings?"+query)
			ids := got.ids(t)
			if slices.Sort(ids); !slices.Equal(ids, want) {
				t.Errorf("%s: %v, want %v", query, ids, want)
			}
			crawled := s.get(t, access.Pro, "/v1/filings?limit=1&cursor=*&"+query)
			var all []int64
			for all = crawled.ids(t); strings.Contains(crawled.body, `"has_more":true`); all = append(all, crawled.ids(t)...) {
				var page struct {
					Pagination struct {
						Next string `json:"next_cursor"`
					}
				}
				if err := json.Unmarshal([]byte(crawled.body), &page); err != nil {
					t.Fatal(err)
				}
				crawled = s.get(t, access.Pro, "/v1/filings?cursor="+page.Pagination.Next)
				s.clock.Advance(time.Second)
			}
			if slices.Sort(all); !slices.Equal(all, want) {
				t.Errorf("%s by cursor: %v, want %v", query, all, want)
			}
			s.clock.Advance(time.Second)
		}
		cut, whole := s.get(t, access.Pro, "/v1/filings?filing_types=Judgment,Civil"), s.get(t, access.Pro, "/v1/filings?filing_types=Judgment,+Civil")
		if cut.header.Get("ETag") == whole.header.Get("ETag") {
			t.Error("two answers have one tag")
		}
		if again := s.get(t, access.Pro, "/v1/filings?filing_types=Judgment,+Civil", "If-None-Match", whole.header.Get("ETag")); again.status != http.StatusNotModified {
			t.Errorf("%d", again.status)
		}
		s.clock.Advance(time.Minute)
		for query, lines := range map[string]int{"exclude_holders=Smith;+Sons+LLC": 3, "filing_types=Judgment,+Civil&exclude_filing_types=Tax+Lien": 1} {
			if a := s.get(t, access.Pro, "/v1/filings/export?"+query); a.status != http.StatusOK || strings.Count(a.body, "\n") != lines {
				t.Errorf("export of %s: %d %s", query, a.status, a.body)
			}
			s.clock.Advance(time.Minute)
		}
		token := s.token(t, access.Pro, "exclude_filing_types=Judgment,+Civil&exclude_filing_types=Tax+Lien")
		if got := s.visit(t, token, "/v1/filings").ids(t); len(got) != 2 || slices.Contains(got, 1) || slices.Contains(got, 4) {
			t.Errorf("with a token: %v", got)
		}
		if a := s.get(t, access.Pro, "/v1/filings?filing_types=Judgment,+Civil&filing_types=Judgement,+Civil"); !strings.Contains(a.body, `"unmatched":[{"parameter":"filing_types","value":"Judgement","nearest":["Judgment",`) ||
			strings.Contains(a.body, `"value":"Civil"`) {
			t.Errorf("%s", a.body)
		}
	})
}

// TestX64_Names: how libraries write lists, and names that no endpoint takes.
func TestX64_Names(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)), func(c *service.Config) { c.MCP = true })
	want := s.get(t, access.Pro, "/v1/filings?filing_types=Tax+Lien,HOA").ids(t)
	for _, query := range []string{
		"filing_types[]=Tax+Lien&filing_types[]=HOA", "filing_types%5B%5D=Tax+Lien%2CHOA", "filing_types[0]=Tax+Lien&filing_types[1]=HOA",
		"filing_types[]=HOA&filing_types=Tax+Lien", "lien_types[17]=HOA,Tax+Lien", "filing_types[]=&filing_types[]=Tax+Lien,HOA",
	} {
		a := s.get(t, access.Pro, "/v1/filings?"+query, "Prefer", "handling=strict")
		if got := a.ids(t); !slices.Equal(got, want) || a.header.Get("X-Ignored-Parameters") != "" {
			t.Errorf("%s: %v %v", query, got, a.header)
		}
		s.clock.Advance(time.Second)
	}
	for _, name := range []string{"county[]", "min_amount[0]", "filing_types[x]", "filing_types[", "filing_types]", "filing_types[]x", "filing_types[0][1]", "[]"} {
		a := s.get(t, access.Pro, "/v1/filings?"+url.QueryEscape(name)+"=1")
		if name == "county[]" && a.header.Get("X-Ignored-Parameters") == "" {
			continue // it takes several
		}
		if a.status != http.StatusOK || !strings.Contains(a.header.Get("X-Ignored-Parameters"), url.QueryEscape(name)) {
			t.Errorf("%s: %d %q", name, a.status, a.header.Get("X-Ignored-Parameters"))
		}
		s.clock.Advance(time.Second)
	}
	generation := s.get(t, access.Pro, "/v1/filings").header.Get("X-Generation")
	for _, path := range []string{
		"/v1/filings/export?", "/v1/filings/groups?by=county&", "/v1/owners?", "/v1/tiles.json?", "/v1/tiles/" + generation + "/0/0/0.mvt?", "/v1/tokens?origin=" + pageOrigin + "&",
	} {
		for name, near := range map[string]string{"contry": "did you mean county?", "utm_source": "this endpoint has", "filingTypes": "did you mean filing_types?"} {
			if path == "/v1/owners?" && name == "filingTypes" {
				continue
			}
			if a := s.get(t, access.Pro, path+name+"=x"); a.status != http.StatusBadRequest || !strings.Contains(a.body, "unknown parameter "+name) || !strings.Contains(a.body, near) {
				t.Errorf("%s%s: %d %s", path, name, a.status, a.body)
			}
			s.clock.Advance(time.Second)
		}
	}
	for _, path := range []string{"/v1/filings?", "/v1/filings/search?q=a&", "/v1/filings/clusters?zoom=1&bounds_north=1&bounds_south=0&bounds_west=0&bounds_east=1&"} {
		if a := s.get(t, access.Pro, path+"contry=x"); a.status != http.StatusOK || a.header.Get("X-Ignored-Parameters") == "" {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
		s.clock.Advance(time.Second)
	}
	if a := s.get(t, access.Pro, "/v1/filings?north=1", "Prefer", "handling=strict"); !strings.Contains(a.body, "did you mean bounds_north?") {
		t.Errorf("%s", a.body)
	}
}

// TestX64_PartialBounds: of a box that lacks an edge nothing is looked at, and that is said.
func TestX64_PartialBounds(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)), func(c *service.Config) { c.MCP = true })
	for _, tt := range []struct{ query, ignored, missing string }{
		{"bounds_north=29&bounds_south=28&bounds_east=-81", "bounds_north, bounds_south, bounds_east", "bounds_west must be given: a box has four bounds"},
		{"bounds_north=x", "bounds_north", "bounds_south, bounds_east, bounds_west must be given: a box has four bounds"},
		{"bounds_north=29&bounds_south=28&bounds_east=-81&bounds_west=", "bounds_north, bounds_south, bounds_east", "bounds_west must be given: a box has four bounds"},
	} {
		for _, path := range []string{"/v1/filings?", "/v1/filings/search?q=a&", "/v1/filings/export?", "/v1/filings/groups?by=county&"} {
			a := s.get(t, access.Pro, path+tt.query)
			if got := strings.ReplaceAll(a.header.Get("X-Ignored-Parameters"), `"`, ""); a.status != http.StatusOK || got != tt.ignored {
				t.Errorf("%s%s: %d %q", path, tt.query, a.status, got)
			}
			s.clock.Advance(time.Minute)
			if a := s.get(t, access.Pro, path+tt.query, "Prefer", "handling=strict"); a.status != http.StatusBadRequest || !strings.Contains(a.body, tt.missing) {
				t.Errorf("%s%s: %d %s", path, tt.query, a.status, a.body)
			} else if first, _, _ := strings.Cut(tt.missing, " must"); !strings.Contains(a.body,
				`"parameter":"`+strings.Split(first, ", ")[0]+`"`) {
				t.Errorf("%s%s: the parameter is no name of one: %s", path, tt.query, a.body)
			}
			s.clock.Advance(time.Minute)
		}
	}
	if r := s.tool(t, access.Pro, "search_filings", map[string]any{"bounds_north": 29, "bounds_south": 28, "bounds_east": -81}); !r.IsError || r.Text != "bounds_west must be given: a box has four bounds" {
		t.Errorf("%s", r.Text)
	}
	if a := s.get(t, access.Pro, "/v1/filings?bounds_north=&bounds_south="); a.header.Get("X-Ignored-Parameters") != "" {
		t.Error("empty ones are not given")
	}
}

// TestX64_NoIDs: a list of ids without any, as a program joins one, is an error where it would be no filter unseen.
func TestX64_NoIDs(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)), withTools)
	const refusal = "without one it would be no filter"
	for _, ids := range []string{"ids=", "ids=,", "ids=%20,,+", "ids[]=", "ids=&ids=,"} {
		if a := s.get(t, access.Pro, "/v1/filings?limit=1&"+ids); a.status != http.StatusOK {
			t.Errorf("%s: %d %s", ids, a.status, a.body)
		}
		a := s.get(t, access.Pro, "/v1/filings?"+ids, "Prefer", "handling=strict")
		if a.status != http.StatusBadRequest || !strings.Contains(a.body, refusal) {
			t.Errorf("%s strictly: %d %s", ids, a.status, a.body)
		}
		s.clock.Advance(time.Second)
	}
	for _, ids := range []string{`[]`, `"[]"`, `""`, `","`, `[""]`, `["",","]`} {
		for _, arguments := range []string{
			`{"ids":` + ids + `}`, `{"more":{"ids":` + ids + `}}`, `{"q":"a","ids":` + ids + `}`,
		} {
			r := s.tool(t, access.Pro, "search_filings", json.RawMessage(arguments))
			if !r.IsError || !strings.Contains(r.Text, refusal) {
				t.Errorf("%s: %.200s", arguments, r.Text)
			}
			s.clock.Advance(time.Second)
		}
	}
	for _, arguments := range []string{`{"ids":null}`, `{"filing_types":[],"county":"[]","fields":[],"more":{"zip":[]}}`} {
		if r := s.tool(t, access.Pro, "search_filings", json.RawMessage(arguments)); r.IsError {
			t.Errorf("%s: %s", arguments, r.Text)
		}
	}
}

// TestX65_Link: pages by offset lead to the next one, relative to where they are.
func TestX65_Link(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)))
	follow := func(t *testing.T, first string, get func(string) response) (ids []int64, links []string) {
		for target := first; target != ""; s.clock.Advance(time.Second) {
			a := get(target)
			ids = append(ids, a.ids(t)...)
			base, _ := url.Parse(target)
			target = ""
			for _, link := range a.header.Values("Link") {
				for part := range strings.SplitSeq(link, ", <") {
					if reference, ok := strings.CutSuffix(strings.TrimPrefix(part, "<"), `>; rel="next"`); ok {
						next, err := base.Parse(reference)
						if err != nil {
							t.Fatal(err)
						}
						links, target = append(links, reference), next.String()
					}
				}
			}
		}
		return ids, links
	}
	key := func(target string) response { return s.get(t, access.Pro, target) }
	all := key("/v1/filings").ids(t)
	for _, first := range []string{"/v1/filings?limit=2", "/v1/liens?limit=3&county=", "/v1/filings?offset=0&limit=2&off%73et=", "/v1/filings?limit=1&city=&x=%3Ca%3E"} {
		if strings.Contains(first, "off%73et") {
			first = "/v1/filings?off%73et=0&limit=2"
		}
		if got, links := follow(t, first, key); !slices.Equal(got, all) || len(links) == 0 {
			t.Errorf("%s: %v %q", first, got, links)
		}
	}
	if _, links := follow(t, "/v1/filings/search?q=%61&limit=1", key); len(links) == 0 || links[0] != "?q=%61&limit=1&offset=1" {
		t.Errorf("%q", links)
	}
	if a := key("/v1/filings?limit=100"); a.header.Get("Link") != "" {
		t.Errorf("the last page has %q", a.header.Get("Link"))
	}
	if a := key("/v1/owners?limit=1"); a.header.Get("Link") != `<?limit=1&offset=1>; rel="next"` {
		t.Errorf("owners: %q", a.header.Get("Link"))
	}
	token := s.token(t, access.Pro, "")
	if a := s.visit(t, token, "/v1/filings?limit=1"); a.header.Get("Link") != `<?limit=1&offset=1>; rel="next"` {
		t.Errorf("with a token: %q", a.header.Get("Link"))
	}
}

// TestX67_GeoJSON: programs that send no Accept choose GeoJSON by the address, older ones by its older name.
func TestX67_GeoJSON(t *testing.T) {
	t.Parallel()
	eachEngine(t, handmade, func(t *testing.T, s *site) {
		for plain, address := range map[string]string{"/v1/filings?limit=3": "/v1/filings.geojson?limit=3", "/v1/filings/search?q=o": "/v1/filings/search.geojson?q=o"} {
			want := s.get(t, access.Pro, plain, "Accept", "application/geo+json")
			for _, got := range []response{s.get(t, access.Pro, address), s.get(t, access.Pro, address, "Accept", "text/html"), s.get(t, access.Pro, plain, "Accept", "application/vnd.geo+json")} {
				if got.status != http.StatusOK || got.header.Get("Content-Type") != "application/geo+json" || rawMember(t, got.body, "features") != rawMember(t, want.body, "features") ||
					got.header.Get("ETag") != want.header.Get("ETag") {
					t.Errorf("%s: %d %v %s", address, got.status, got.header, got.body)
				}
				s.clock.Advance(time.Second)
			}
		}
		a := s.get(t, access.Pro, "/v1/filings.geojson?limit=1&cursor=*")
		if !strings.HasPrefix(a.header.Get("Link"), "<?cursor=") {
			t.Errorf("%v", a.header)
		}
		for _, path := range []string{"/v1/filings/clusters.geojson", "/v1/filings/1.geojson", "/v1/owners.geojson"} {
			if a := s.get(t, access.Pro, path); a.status == http.StatusOK {
				t.Errorf("%s: %s", path, a.body)
			}
		}
		s.clock.Advance(time.Minute)
		for _, query := range []string{"", "&fields=id,owner", "&county=nowhere"} {
			list := s.get(t, access.Pro, "/v1/filings?limit=100"+query, "Accept", "application/geo+json")
			file := s.get(t, access.Pro, "/v1/filings/export?format=geojson"+query)
			if file.status != http.StatusOK || file.header.Get("Content-Type") != "application/geo+json" || !strings.Contains(file.header.Get("Content-Disposition"), `.geojson"`) ||
				rawMember(t, file.body, "features") != rawMember(t, list.body, "features") || !strings.HasPrefix(file.body, `{"type":"FeatureCollection","features":[`) {
				t.Errorf("%s: %d %v\n%s\nwant %s", query, file.status, file.header, file.body, list.body)
			}
			s.clock.Advance(time.Minute)
		}
		if a := s.get(t, access.Pro, "/v1/filings/export?format=geojson&after=1&generation=20260101-000000.000000"); a.status != http.StatusBadRequest || !strings.Contains(a.body, "format=geojson") {
			t.Errorf("%d %s", a.status, a.body)
		}
		hidden := s.token(t, access.Pro, "fields=id,owner")
		if a := s.visit(t, hidden, "/v1/filings.geojson"); a.status != http.StatusForbidden || strings.Contains(a.body, "coordinates\":") {
			t.Errorf("a token that hides places: %d %s", a.status, a.body)
		}
	})
}

func rawMember(t *testing.T, body, name string) string {
	t.Helper()
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(body), &members); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return string(members[name])
}
