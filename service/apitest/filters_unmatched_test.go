package apitest

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"filings/index"
	"filings/index/embedded"
	"filings/index/indextest"
	"filings/service"
	"filings/service/access"
	"filings/service/servicetest"
	"filings/service/tokens"
)

// TestX63_Refused: a token, and an export that leaves filings out, name values that some filing has.
func TestX63_Refused(t *testing.T) {
	t.Parallel()
	eachEngine(t, handmade, func(t *testing.T, s *site) {
		const exports, made = "/v1/filings/export?", "/v1/tokens?origin=" + pageOrigin + "&"
		for _, tt := range []struct{ path, query, message string }{
			{made, "exclude_counties=Bib,+GA", `exclude_counties must be what some filing has, not "Bib, GA"; the nearest are Bibb, GA; A/B, FL; Orange, CA`},
			{made, "exclude_counties=Orange;Aleutian+West", `exclude_counties must be what some filing has, not "Aleutian West"; the nearest are Aleutians West, AK`},
			{made, "exclude_filing_types=Judgment,Tax+Leins", `exclude_filing_types must be what some filing has, not "Tax Leins"; the nearest are Tax Lien; Judgment; HOA`},
			{made, "exclude_filing_types=%00", `exclude_filing_types must be what some filing has, not "\x00"`},
			{made, "exclude_holders=County+One", `exclude_holders must be what some filing has, not "County One"; the nearest are County "One" & <Sons>`},
			{made, "county=Lee,+FL", `county must be what some filing has, not "Lee, FL"; the nearest are A/B, FL`},
			{made, "filing_type=Lien", `filing_type must be what some filing has, not "Lien"; the nearest are`},
			{made, "lien_types=Tax++Lien", `lien_types must be what some filing has, not "Tax  Lien"; the nearest are Tax Lien`},
			{made, "holder=Nobody", `holder must be what some filing has, not "Nobody"; the nearest are County "One" & <Sons>`},
			{made, "city=Makon", `city must be what some filing has, not "Makon"; the nearest are Macon`},
			{exports, "exclude_counties=Bib,+GA", `exclude_counties must be what some filing has, not "Bib, GA"; the nearest are Bibb, GA`},
			{exports, "exclude_filing_types=HAO", `exclude_filing_types must be what some filing has, not "HAO"; the nearest are HOA`},
			{exports, "exclude_holders=x&format=csv", `exclude_holders must be what some filing has, not "x"`},
		} {
			message := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(tt.message)
			if a := s.get(t, access.Enterprise, tt.path+tt.query); a.status != http.StatusBadRequest || !strings.Contains(a.body, message) {
				t.Errorf("%s: %d %s\nwant %s", tt.query, a.status, a.body, message)
			}
		}
		for _, query := range []string{
			exports + "county=Nowhere&filing_type=x&holder=x&city=x", // which hide nothing
			exports + "exclude_counties=orange;bibb+county+ga&exclude_filing_types=TAX+LIEN&exclude_categories=multi_family",
			made + "exclude_counties=orange;bibb+county+ga&exclude_filing_types=TAX+LIEN&exclude_categories=multi_family",
			made + "county=orange+fl&city=macon&filing_types=hoa,judgment&holder=county+%22ONE%22+%26+%3Csons%3E&owner=nobody&property_type=x",
		} {
			if a := s.get(t, access.Enterprise, query); a.status != http.StatusOK {
				t.Errorf("%s: %d %s", query, a.status, a.body)
			}
		}
		s.clock.Advance(time.Minute)
		if a := s.do(t, http.MethodHead, access.Enterprise, exports+"exclude_counties=Bib"); a.status != http.StatusBadRequest {
			t.Errorf("HEAD: %d %v", a.status, a.header)
		}
	})
	plain := newSite(t, oracle(ofCounties(t, "Lee, FL")))
	if a := plain.get(t, access.Pro, "/v1/filings/export?exclude_categories=land"); a.status != http.StatusBadRequest || !strings.Contains(a.body, `filing has, not \"land\""`) {
		t.Errorf("without categories: %d %s", a.status, a.body)
	}
	none := newSite(t, oracle(nil))
	if a := none.get(t, access.Pro, "/v1/tokens?origin="+pageOrigin+"&exclude_counties=Lee"); a.status != http.StatusBadRequest || !strings.Contains(a.body, `not \"Lee\""`) {
		t.Errorf("without filings: %d %s", a.status, a.body)
	}
}

// TestX60_Unmatched: a value that no filing has is looked for, and so counts, though all that it
// is compared with is cached.
func TestX60_Unmatched(t *testing.T) {
	t.Parallel()
	s := newSite(t, caching{oracle(fixture(t))})
	for i, target := range []string{
		"/v1/tokens?origin=" + pageOrigin + "&city=Makon", "/v1/tokens?origin=" + pageOrigin + "&city=Makon",
		"/v1/filings/export?exclude_counties=Bib", "/v1/filings/export?exclude_counties=Bib",
	} {
		s.clock.Advance(time.Minute)
		if a := s.get(t, access.Pro, target); a.status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", target, a.status, a.body)
		}
		if used := s.used(t, "user-pro"); used != int64(i+1) {
			t.Errorf("%s: %d count, want %d", target, used, i+1)
		}
	}
}

// TestX63_Used: a token goes on where what it leaves out is gone since it was made. One that was signed elsewhere, and leaves out
// what no filing has, shows nothing, and does not say what it is near to.
func TestX63_Used(t *testing.T) {
	t.Parallel()
	store, err := embedded.Open(embedded.Config{Dir: t.TempDir(), Index: "filings"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	load := func(filings []*index.Filing) {
		if _, err := indextest.Load(t.Context(), store, slices.Values(filings)); err != nil {
			t.Fatal(err)
		}
	}
	load(fixture(t))
	s := newSite(t, caching{store})
	made := s.token(t, access.Pro, "exclude_counties=Bibb+GA;Orange,+FL&exclude_filing_types=Municipal+Lien")
	signed := func(filter string) string {
		token, err := servicetest.TokenSecrets().Sign(tokens.Payload{Key: access.HashKey(s.Keys[access.Pro]), Expires: now.Add(24 * time.Hour).Unix(),
			Origins: []string{pageOrigin}, Endpoints: []string{"list", "one", "groups", "tiles"}, Filter: filter, Burst: 25})
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	right, wrong := signed("exclude_counties=Bibb+GA"), signed("exclude_counties=Bib,+GA")
	if a := s.visit(t, right, "/v1/filings/3"); a.status != http.StatusNotFound {
		t.Errorf("%d %s", a.status, a.body)
	}
	for _, target := range []string{"/v1/filings", "/v1/filings/3", "/v1/filings/groups?by=county", "/v1/tiles/20260315-000000.000000/0/0/0.mvt"} {
		if target[:9] == "/v1/tiles" {
			target = strings.Replace(target, "20260315-000000.000000", s.visit(t, right, "/v1/filings").header.Get("X-Generation"), 1)
		}
		if a := s.visit(t, wrong, target); a.status != http.StatusForbidden || !strings.Contains(a.body, `\"Bib, GA\", which no filing has, must not be in exclude_counties`) || strings.Contains(a.body, "Bibb") {
			t.Errorf("%s: %d %s", target, a.status, a.body)
		}
	}
	if a := s.visit(t, signed("county=Bib,+GA"), "/v1/filings"); a.status != http.StatusOK || len(a.ids(t)) != 0 { // it shows nothing anyway
		t.Errorf("%d %s", a.status, a.body)
	}
	if got := s.visit(t, made, "/v1/filings").ids(t); !slices.Equal(got, []int64{5, 4, 9, 8, 6}) {
		t.Error(got)
	}

	without := func(filings []*index.Filing) []*index.Filing {
		return slices.DeleteFunc(filings, func(f *index.Filing) bool { return f.ID == 2 || f.ID == 3 })
	}
	load(without(fixture(t)))
	if got := s.visit(t, made, "/v1/filings").ids(t); !slices.Equal(got, []int64{5, 4, 9, 8, 6}) {
		t.Errorf("after what it leaves out is gone: %v", got)
	}
	if a := s.visit(t, right, "/v1/filings"); a.status != http.StatusForbidden {
		t.Errorf("signed elsewhere: %d %s", a.status, a.body)
	}
	load(fixture(t))
	if got := s.visit(t, made, "/v1/filings").ids(t); !slices.Equal(got, []int64{5, 4, 9, 8, 6}) {
		t.Errorf("after it came back: %v", got)
	}
}

// TestX63_Meta: wherever a response has meta, it lists the values that no filing has, and what they are near to.
func TestX63_Meta(t *testing.T) {
	t.Parallel()
	eachEngine(t, handmade, func(t *testing.T, s *site) {
		for _, tt := range []struct{ target, unmatched string }{
			{"/v1/filings?county=Bib,+GA", `[{"parameter":"county","value":"Bib, GA","nearest":["Bibb, GA","A/B, FL","Orange, CA"]}]`},
			{"/v1/filings?county=Bib+County,+Georgia", `[{"parameter":"county","value":"Bib County, Georgia","nearest":["Bibb, GA",`},
			{"/v1/filings?county=Bibb+County,+Georgia", ""},
			{"/v1/filings?filing_types=Tax+Lien,Tax+Leins&holder=", `[{"parameter":"filing_types","value":"Tax Leins","nearest":["Tax Lien",`},
			{"/v1/filings?lien_type=Lien", `[{"parameter":"lien_type","value":"Lien","nearest":[`},
			{"/v1/filings?city=Makon&exclude_counties=Bib;Bibb", `{"parameter":"city","value":"Makon","nearest":["Macon"`},
			{"/v1/filings?city=Makon&exclude_counties=Bib;Bibb", `{"parameter":"exclude_counties","value":"Bib","nearest":["Bibb, GA",`},
			{"/v1/filings?exclude_filing_types=HAO&exclude_holders=x&exclude_categories=land", `"value":"HAO","nearest":["HOA",`},
			{"/v1/filings/search?q=a&holder=Nobody", `[{"parameter":"holder","value":"Nobody","nearest":["County \"One\" & <Sons>"`},
			{"/v1/filings/groups?by=month&county=Bib&limit=3", `"groups":0,"unmatched":[{"parameter":"county","value":"Bib"`},
			{"/v1/owners?county=Bib", `[{"parameter":"county","value":"Bib"`},
			{"/v1/filings/clusters?zoom=3&bounds_north=80&bounds_south=0&bounds_west=-170&bounds_east=0&city=x", `[{"parameter":"city","value":"x"`},
			{"/v1/filings?cursor=*&city=x", `[{"parameter":"city","value":"x"`},
			{"/v1/filings?city=a&filing_types=a,b,c,d,e,f,g,h,i,j,k,l", `"value":"i"`},
			{"/v1/filings?filing_types=a,b,c,d", `"value":"c","nearest":["`},
			{"/v1/filings?filing_types=a,b,c,d", `"value":"d","nearest":[]}]`}, // to compare each would be work without end
			{"/v1/filings?county=orange&city=MACON&filing_type=tax+lien&owner=nobody&property_type=none", ""},
			{"/v1/filings?county=%00", `[{"parameter":"county","value":"\u0000","nearest":[`},
		} {
			a := s.get(t, access.Enterprise, tt.target)
			if tt.unmatched == "" {
				tt.unmatched = `"rate_limit_remaining":` // and no more
				a.body, _ = strings.CutSuffix(a.body, "}}")
				a.body = strings.TrimRight(a.body, "0123456789")
				if !strings.HasSuffix(a.body, tt.unmatched) {
					t.Errorf("%s: %s", tt.target, a.body)
				}
			}
			if a.status != http.StatusOK || !strings.Contains(a.body, tt.unmatched) || strings.Contains(a.body, `"value":"j"`) {
				t.Errorf("%s: %d %s\nwant %s", tt.target, a.status, a.body, tt.unmatched)
			}
			s.clock.Advance(time.Second)
		}
		if a := s.get(t, access.Enterprise, "/v1/filings?county=Bib", "Accept", "application/geo+json"); !strings.Contains(a.body, `"unmatched":[{"parameter":"county"`) {
			t.Errorf("GeoJSON: %s", a.body)
		}
		token := s.token(t, access.Pro, "county=Bibb+GA")
		if a := s.visit(t, token, "/v1/filings?city=Makon"); a.status != http.StatusOK || strings.Contains(a.body, "unmatched") {
			t.Errorf("a token hides what there is: %d %s", a.status, a.body)
		}
	})
}

// TestX63_Tool: a tool says in its sentence that no filing has a value.
func TestX63_Tool(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)), func(c *service.Config) { c.MCP = true })
	for _, tt := range []struct {
		arguments map[string]any
		hint      string
	}{
		{map[string]any{"county": "Bib County, Georgia"}, `county must be what some filing has, not "Bib County, Georgia"; the nearest are Bibb, GA; `},
		{map[string]any{"exclude_filing_types": []string{"Tax Leins"}}, `exclude_filing_types must be what some filing has, not "Tax Leins"; the nearest are Tax Lien; `},
		{map[string]any{"county": "Bibb County, Georgia"}, ""},
	} {
		got := s.tool(t, access.Pro, "search_filings", tt.arguments)
		if d := got.document(t); got.IsError || !strings.HasPrefix(d.Hint, tt.hint) || tt.hint == "" && d.Hint != "" {
			t.Errorf("%v: %s", tt.arguments, got.Text)
		}
	}
}
