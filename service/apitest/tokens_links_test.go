package apitest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"filings/index"
	"filings/service/access"
	"filings/service/servicetest"
	"filings/service/tokens"
)

// link makes the token of a link with the key of a tier.
func (s *site) link(t testing.TB, tier access.Tier, query string) string {
	t.Helper()
	a := s.get(t, tier, "/v1/tokens?"+query)
	var made struct{ Data struct{ Token string } }
	if err := json.Unmarshal([]byte(a.body), &made); err != nil || a.status != http.StatusOK {
		t.Fatalf("%s: %d %s", query, a.status, a.body)
	}
	return made.Data.Token
}

// follow requests target with the token of a link, as a program does that has an address alone.
func (s *site) follow(t testing.TB, token, target string, headers ...string) response {
	t.Helper()
	s.clock.Advance(time.Second)
	return s.get(t, "", withQuery(target, "token="+token), headers...)
}

// TestX57_Make: a link has endpoints, and may have export and changes and 400 days; a page has origins, and may not.
func TestX57_Make(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)))
	a := s.get(t, access.Pro, "/v1/tokens?endpoints=export,changes,list&county=Orange,+FL&fields=owner"+
		"&expires_in=34560000&label=Acme,+%C3%A9t%C3%A9")
	var body struct{ Data struct{ Token string } }
	if err := json.Unmarshal([]byte(a.body), &body); err != nil || a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	const data = `,"expiresAt":"2027-04-19T12:00:00Z","origins":[],"endpoints":["export","changes","list"],` +
		`"filter":"county=Orange%2C+FL","label":"Acme, été"}`
	if !strings.Contains(a.body, data) || a.header.Get("Cache-Control") != "no-store" {
		t.Errorf("%s %v", a.body, a.header)
	}
	got, ok := servicetest.TokenSecrets().Verify(body.Data.Token)
	want := tokens.Payload{Key: access.HashKey(s.Keys[access.Pro]), Expires: now.Add(400 * 24 * time.Hour).Unix(),
		Endpoints: []string{"export", "changes", "list"},
		Filter:    "county=Orange%2C+FL", Fields: "id,owner", Burst: 5, Label: "Acme, été"}
	if diff := cmp.Diff(want, got); diff != "" || !ok {
		t.Error(diff)
	}
	for query, message := range map[string]string{
		"": "origin must be given: the origins of the pages that use the token; or " +
			"omit it and send endpoints, for a link",
		"county=Lee":               "origin must be given",
		"origin=&endpoints=export": "origin must not be empty",
		"endpoints=":               "endpoints must not be empty",
		"endpoints=export,stats": "endpoints must be a list of list, search, one, clusters, groups, " +
			"owners, tiles, export, changes",
		"endpoints=export&origin=" + pageOrigin: "endpoints must not have export with origin: only a link, which has no " +
			"origin, may be for it",
		"endpoints=list,changes&origin=" + pageOrigin: "endpoints must not have changes with origin",
		"origin=" + pageOrigin + "&expires_in=86401":  "expires_in must be between 60 and 86400 with origin",
		"endpoints=export&expires_in=34560001":        "expires_in must be between 60 and 34560000",
		"endpoints=export&date_range=3":               "date_range is not supported here",
		"endpoints=export&fields=ownerEmailPrimary": "fields must not have ownerEmailPrimary with a token " +
			"of this account",
		"endpoints=export&exclude_counties=Bib,+GA": `exclude_counties must be what some filing has, not "Bib, GA"; ` +
			"the nearest are Bibb, GA",
		"endpoints=owners&min_amount=1": "endpoints must not have owners",
		"endpoints=list,changes&added_since=2026-01-01": "a token with added_since must not be for changes: " +
			"changes don't say when a filing was added",
		"endpoints=export&label=" + strings.Repeat("%C3%A9", 61): "label must be 1 to 60 characters that can be seen",
		"endpoints=export&label=a%0Ab":                           "label must be 1 to 60 characters that can be seen",
		"endpoints=export&label=":                                "label must not be empty",
	} {
		if a := s.get(t, access.Enterprise, "/v1/tokens?"+query); a.status != http.StatusBadRequest ||
			!strings.Contains(a.body, strings.ReplaceAll(message, `"`, `\"`)) {
			t.Errorf("%s: %d %s, want %s", query, a.status, a.body, message)
		}
	}
	for tier, status := range map[access.Tier]int{access.Starter: 400, access.Pro: 200} {
		a := s.get(t, tier, "/v1/tokens?endpoints=changes&min_acres=1")
		if a.status != status || status == 400 && !strings.Contains(a.body,
			"a token with min_acres must not be for changes: it filters by fields that only the pro tier and above show") {
			t.Errorf("%s: %d %s", tier, a.status, a.body)
		}
	}
}

// TestX57_Rows: an export by a link has the rows of the list within its filters, with its fields
// and no contacts, from any origin or none.
func TestX57_Rows(t *testing.T) {
	t.Parallel()
	eachEngine(t, handmade, func(t *testing.T, s *site) {
		for _, tt := range []struct{ token, query, as string }{
			{"", "", ""},
			{"county=Orange", "", "county=Orange"},
			{"county=orange+county+fl", "min_amount=0", "county=Orange,+FL&min_amount=0"},
			{"min_acres=0.1&fields=owner,county", "", "min_acres=0.1&fields=owner,county"},
			{"fields=owner,county", "fields=county", "fields=county"},
			{"exclude_counties=Orange,+FL", "q=oak", "exclude_counties=Orange,+FL&q=oak"},
			{"exclude_counties=Orange,+FL", "exclude_filing_types=Judgment",
				"exclude_counties=Orange,+FL&exclude_filing_types=Judgment"},
			{"county=Orange,+FL", "county=Orange,+CA", "county=Orange,+FL&filing_type=none"},
		} {
			token, want := s.link(t, access.Enterprise, "endpoints=export&"+tt.token), s.listed(t, access.Pro, tt.as)
			for _, headers := range [][]string{
				nil, {"Origin", "https://anywhere.example"}, {"Origin", "null"}, {"Referer", "https://x.example/"},
			} {
				a := s.follow(t, token, "/v1/filings/export?"+tt.query, headers...)
				if diff := cmp.Diff(want, lines(a.body)); a.status != http.StatusOK || diff != "" {
					t.Errorf("%s, %s: %d (-want +got)\n%s", tt.token, tt.query, a.status, diff)
				}
				if h := a.header; h.Get("Cache-Control") != "private, no-store" || h.Get("Access-Control-Allow-Origin") != "*" ||
					h.Get("X-Total-Count") != fmt.Sprint(len(want)) {
					t.Errorf("%s: %v", tt.token, h)
				}
			}
		}
		token := s.link(t, access.Enterprise, "endpoints=export,list&county=Orange")
		for target, want := range map[string]struct {
			status int
			body   string
		}{
			"/v1/filings/export?format=csv&fields=id":     {200, "id\n1\n2\n7\n"},
			"/v1/filings/export?format=geojson":           {200, `"FeatureCollection"`},
			"/v1/filings/export?fields=ownerPhonePrimary": {400, "fields must not have ownerPhonePrimary with a token"},
			"/v1/filings/export?typo=1":                   {400, "unknown parameter typo"},
			"/v1/filings/export?exclude_filing_types=Judgement": {400,
				`exclude_filing_types must be what some filing has, not \"Judgement\"",`},
			"/v1/filings/export?generation=20200101-000000.000000": {410, "generation"},
			"/v1/filings":          {200, `"total":3`},
			"/v1/filings?cursor=*": {400, "cursor must not be given with a token"},
			"/v1/filings/1":        {403, "this token does not allow this endpoint; it allows: export, list"},
			"/v1/filings/changes?since=20260314-000000.000000": {403, "it allows: export, list"},
			"/v1/me":                      {403, "it allows: export, list"},
			"/v1/tokens?endpoints=export": {403, "it allows: export, list"},
		} {
			a := s.follow(t, token, target)
			if a.status != want.status || !strings.Contains(strings.ReplaceAll(a.body, "\r", ""), want.body) ||
				a.header.Get("Cache-Control") != "private, no-store" {
				t.Errorf("%s: %d %s %v", target, a.status, a.body, a.header)
			}
		}
		if tag := s.follow(t, token, "/v1/filings").header.Get("ETag"); s.follow(t, token, "/v1/filings",
			"If-None-Match", tag).header.Get("Cache-Control") != "private, no-store" {
			t.Error("a 304 may be kept")
		}
		if a := s.do(t, http.MethodHead, "", "/v1/filings/export?token="+token); a.status != http.StatusOK ||
			a.header.Get("X-Total-Count") != "3" {
			t.Errorf("HEAD: %d %v", a.status, a.header)
		}
	})
}

// TestX57_Signed: a token of pages is for no export and no changes, whoever has signed it.
func TestX57_Signed(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)))
	sign := func(p tokens.Payload) string {
		p.Key, p.Expires, p.Burst = access.HashKey(s.Keys[access.Pro]), now.Add(time.Hour).Unix(), 5
		p.Endpoints = []string{"export", "changes"}
		token, err := servicetest.TokenSecrets().Sign(p)
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	for target, status := range map[string]int{
		"/v1/filings/export": 200, "/v1/filings/changes?since=20260314-000000.000000": 410,
	} {
		if a := s.visit(t, sign(tokens.Payload{Origins: []string{pageOrigin}}), target); a.status != http.StatusForbidden {
			t.Errorf("%s by a page: %d %s", target, a.status, a.body)
		}
		if a := s.follow(t, sign(tokens.Payload{}), target); a.status != status {
			t.Errorf("%s by a link: %d %s", target, a.status, a.body)
		}
	}
	// Neither looked at when it was made nor right: it shows nothing.
	a := s.follow(t, sign(tokens.Payload{Filter: "exclude_counties=Bib,+GA"}),
		"/v1/filings/export?exclude_counties=Bibb,+GA")
	if a.status != http.StatusForbidden || strings.Contains(a.body, "Bibb") {
		t.Errorf("%d %s", a.status, a.body)
	}
}

// TestX57_Changes: the filters of a link hold for changes as for the list, and what its fields
// do not show has not changed.
func TestX57_Changes(t *testing.T) {
	t.Parallel()
	s, e := evolved(t)
	second := e.contents[2]
	const data, last = `{"data":[`, `],"pagination":{"limit":100,"next_cursor":null,"has_more":false},`
	owner := `{"op":"changed","id":1,"filing":` + recordFor(second[0], index.Pro) + `}`
	short := func(op string, f *index.Filing, members string) string {
		return fmt.Sprintf(`{"op":"%s","id":%d,"filing":{"id":%[2]d,%s}}`, op, f.ID, members)
	}
	added := `{"op":"added","id":100,"filing":` + recordFor(second[2], index.Pro) + `}`
	const two = changes1 + "&until=20260302-000000.000000"
	for _, tt := range []struct{ token, target, want string }{
		{"", two, owner + `,{"op":"removed","id":3},` + added},
		{"county=Orange", two, owner},
		{"county=Bibb+GA", two, `{"op":"removed","id":3},` + added},
		{"county=Bibb+GA", two + "&ids=3", `{"op":"removed","id":3}`},
		{"owner=The+Maple+Family+Trust", two, `{"op":"removed","id":1}`},
		{"owner=new+owner", two, strings.Replace(owner, "changed", "added", 1)},
		{"exclude_counties=Bibb+GA", two, owner},
		{"fields=county", two, `{"op":"removed","id":3},` + short("added", second[2], `"county":"Bibb, GA"`)},
		{"fields=county", changes1, `{"op":"removed","id":3},` + short("added", second[2], `"county":"Bibb, GA"`)},
		{"fields=owner&county=Orange", two, short("changed", second[0], `"owner":"NEW OWNER"`)},
	} {
		token := s.link(t, access.Enterprise, "endpoints=changes&"+tt.token)
		a := s.follow(t, token, tt.target)
		if !strings.HasPrefix(a.body, data+tt.want+last) || a.header.Get("Cache-Control") != "private, no-store" {
			t.Errorf("%s, %s: %d %s\nwant %s", tt.token, tt.target, a.status, a.body, tt.want)
		}
		if again := s.follow(t, token, tt.target,
			"If-None-Match", a.header.Get("ETag")); again.status != http.StatusNotModified {
			t.Errorf("%s, %s: %d with its tag", tt.token, tt.target, again.status)
		}
	}
	token := s.link(t, access.Pro, "endpoints=changes&fields=owner")
	var ids []int64
	for target := two + "&limit=1"; ; {
		a := s.follow(t, token, target)
		var page struct {
			Data       []struct{ ID int64 }
			Pagination struct {
				NextCursor string `json:"next_cursor"`
			}
		}
		if err := json.Unmarshal([]byte(a.body), &page); err != nil || a.status != http.StatusOK ||
			strings.Contains(a.body+fmt.Sprint(a.header), "ak_pub_") {
			t.Fatalf("%d %s %v", a.status, a.body, err)
		}
		for _, change := range page.Data {
			ids = append(ids, change.ID)
		}
		if page.Pagination.NextCursor == "" {
			break
		}
		target = "/v1/filings/changes?cursor=" + page.Pagination.NextCursor
	}
	if !slices.Equal(ids, []int64{1, 3, 100}) {
		t.Errorf("%v", ids)
	}
	// An account that moves to a tier which does not show what the link filters by.
	token = s.link(t, access.Pro, "endpoints=changes,list&min_acres=0.1")
	if err := s.Store.SetTier(t.Context(), "user-pro", access.Starter); err != nil {
		t.Fatal(err)
	}
	if a := s.follow(t, token, two); a.status != http.StatusBadRequest ||
		!strings.Contains(a.body, "a token with min_acres must not be for changes") {
		t.Errorf("%d %s", a.status, a.body)
	}
	if a := s.follow(t, token, "/v1/filings"); a.status != http.StatusOK {
		t.Errorf("%d %s", a.status, a.body)
	}
}

// TestX57_Quota: exports and pages of changes by links cost what they cost with a key, within
// the tokens' share, all of it or nothing.
func TestX57_Quota(t *testing.T) {
	t.Parallel()
	limits := servicetest.Limits()
	limits[access.Enterprise] = access.Limit{Quota: 50, Burst: 30, Tokens: 9}
	var filings []*index.Filing
	for id := range int64(250) {
		filings = append(filings, made(t, 1+id, "2026-03-15T12:00:00Z", values{index.County: "Orange, FL"}))
	}
	s := newSiteWith(t, oracle(filings), limits)
	token := s.link(t, access.Enterprise, "endpoints=export,changes&visitor_burst=2")
	// both count 1 of the day, and none of the share
	other := s.link(t, access.Enterprise, "endpoints=list&visitor_burst=2")
	since := s.get(t, access.Enterprise, "/v1/filings?limit=1").header.Get("X-Generation")
	changes := "/v1/filings/changes?since=" + since
	used := int64(3)
	for i, tt := range []struct {
		token, method, target string
		status                int
		costs                 int64
		body                  string
	}{
		{token, "GET", "/v1/filings/export", 200, 3, `"id":250`},
		{token, "HEAD", "/v1/filings/export", 200, 1, ""},
		{token, "GET", "/v1/filings/export?nonsense=1", 400, 0, "unknown parameter"},
		{other, "GET", "/v1/filings/export", 403, 1, "it allows: list"},
		{token, "GET", changes + "&limit=1000", 429, 0,
			"this page costs 10 requests, one per 100 of its limit, rounded up, and 4 remain of the tokens' share of the " +
				"day: nothing was taken"},
		{token, "GET", changes + "&limit=200", 200, 2, `"data":[]`},
		{token, "GET", "/v1/filings/export", 429, 0,
			"this export of 250 rows costs 3 requests, one per 100 rows, rounded up, and 2 remain of the tokens' share of " +
				"the day: nothing was taken"},
		{token, "GET", "/v1/filings/export?ids=1", 200, 1, `"id":1`},
		{token, "GET", "/v1/filings/export?ids=1", 200, 1, `"id":1`},
		{token, "GET", "/v1/filings/export?ids=1", 429, 0, "this account's daily quota for tokens is used up"},
	} {
		s.clock.Advance(time.Second)
		a := s.do(t, tt.method, "", withQuery(tt.target, "token="+tt.token))
		if used += tt.costs; a.status != tt.status || !strings.Contains(a.body, tt.body) {
			t.Errorf("%d: %d %s", i, a.status, a.body)
		}
		if got := s.ended(t, "user-enterprise"); got != used {
			t.Errorf("%d: %d are used, want %d", i, got, used)
		}
		want := fmt.Sprintf(`"day";r=%d;t=%d, "burst";r=29;t=1, "tokens";r=%d;t=%[2]d, "visitor";r=1;t=1`,
			50-used, 43199-i, 9-used+3)
		if got := a.header.Get("RateLimit"); tt.status == 200 && got != want {
			t.Errorf("%d: %s, want %s", i, got, want)
		}
	}
	if a := s.get(t, access.Enterprise, "/v1/filings/export"); a.status != http.StatusOK ||
		s.ended(t, "user-enterprise") != used+3 {
		t.Errorf("the key: %d", a.status)
	}
}

// TestX57_Ends: a link ends with its key, and by its time.
func TestX57_Ends(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)))
	const why = "the key that the token was made with was revoked or replaced"
	for tier, end := range map[access.Tier]func() error{
		access.Starter:    func() error { _, err := s.Store.Rotate(t.Context(), "user-starter", 0); return err },
		access.Pro:        func() error { return s.Store.Revoke(t.Context(), "user-pro") },
		access.Enterprise: func() error { return s.Store.SetTier(t.Context(), "user-enterprise", access.Free) },
	} {
		token := s.link(t, tier, "endpoints=export,list&expires_in=34560000")
		if a := s.follow(t, token, "/v1/filings/export"); a.status != http.StatusOK {
			t.Errorf("%s: %d %s", tier, a.status, a.body)
		}
		if err := end(); err != nil {
			t.Fatal(err)
		}
		for _, target := range []string{"/v1/filings/export", "/v1/filings"} {
			if a := s.follow(t, token, target); a.status != http.StatusUnauthorized || !strings.Contains(a.body, why) ||
				a.header.Get("Access-Control-Allow-Origin") != "*" {
				t.Errorf("%s: %d %s", tier, a.status, a.body)
			}
		}
	}
	s = newSite(t, oracle(fixture(t)))
	token := s.link(t, access.Pro, "endpoints=export&expires_in=34560000")
	s.clock.Advance(400*24*time.Hour - 2*time.Second)
	if a := s.follow(t, token, "/v1/filings/export"); a.status != http.StatusOK {
		t.Errorf("in its last second: %d %s", a.status, a.body)
	}
	if a := s.follow(t, token, "/v1/filings/export"); a.status != http.StatusUnauthorized ||
		!strings.Contains(a.body, "has expired") {
		t.Errorf("%d %s", a.status, a.body)
	}
}

// TestX57_Label: each log record of a link's requests has its label, and none has the token.
func TestX57_Label(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)))
	token := s.link(t, access.Enterprise, "endpoints=export,list&label=Acme%22+weekly")
	want := 0
	for _, target := range []string{"/v1/filings/export", "/v1/filings", "/v1/filings?limit=0", "/v1/me", "/v1/nothing"} {
		s.follow(t, token, target)
		want++
	}
	s.ended(t, "user-enterprise")
	s.clock.Advance(time.Hour)
	s.follow(t, token, "/v1/filings") // it has expired
	want++
	s.get(t, access.Enterprise, "/v1/filings")
	servicetest.Until(t, "all are logged", func() bool {
		return strings.Count(s.Log.String(), `"label":"Acme\" weekly"`) >= want
	})
	if log := s.Log.String(); strings.Count(log, `"label"`) != want || strings.Contains(log, "ak_pub_") ||
		strings.Count(log, `"tier":"pro"`) != want-1 {
		t.Errorf("want %d labels in\n%s", want, log)
	}
}
