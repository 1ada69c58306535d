package apitest

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"filings/index"
	"filings/service"
	"filings/service/access"
	"filings/service/params"
	"filings/service/servicetest"
	"filings/service/tokens"
)

// pageOrigin is the origin of the pages that the tokens of these tests are for.
const pageOrigin = "https://maps.example.com"

// token makes a token with the key of a tier. query are its parameters but the origin.
func (s *site) token(t testing.TB, tier access.Tier, query string) string {
	t.Helper()
	a := s.get(t, tier, "/v1/tokens?origin="+pageOrigin+"&"+query)
	var made struct{ Data struct{ Token string } }
	if err := json.Unmarshal([]byte(a.body), &made); err != nil || a.status != http.StatusOK {
		t.Fatalf("%s: %d %s", query, a.status, a.body)
	}
	return made.Data.Token
}

// visit requests target with a token, as a page does, so long after the last time that the visitor's burst is there again.
func (s *site) visit(t testing.TB, token, target string, headers ...string) response {
	t.Helper()
	s.clock.Advance(time.Second)
	return s.do(t, http.MethodGet, "", withQuery(target, "token="+token), append(headers, "Origin", pageOrigin)...)
}

func TestX32_Make(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)))
	a := s.get(t, access.Pro, "/v1/tokens?origin="+pageOrigin+",http://LOCALHOST:3000&county=Orange,+FL&min_amount=5&fields=owner,county&expires_in=60&visitor_burst=7")
	var made struct {
		Success bool
		Data    struct {
			Token, Filter      string
			ExpiresAt          time.Time
			Origins, Endpoints []string
		}
	}
	if err := json.Unmarshal([]byte(a.body), &made); err != nil || a.status != http.StatusOK || !made.Success {
		t.Fatalf("%d %s", a.status, a.body)
	}
	want := tokens.Payload{
		Key: access.HashKey(s.Keys[access.Pro]), Expires: now.Add(time.Minute).Unix(), Origins: []string{pageOrigin, "http://localhost:3000"},
		Endpoints: []string{"list", "search", "one", "clusters", "groups", "tiles"}, Filter: "county=Orange%2C+FL&min_amount=5", Fields: "id,county,owner", Burst: 7,
	}
	got, ok := servicetest.TokenSecrets().Verify(made.Data.Token)
	if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) || !ok {
		t.Errorf("%+v, want %+v", got, want)
	}
	if d := made.Data; !d.ExpiresAt.Equal(now.Add(time.Minute)) || !slices.Equal(d.Origins, want.Origins) || !slices.Equal(d.Endpoints, want.Endpoints) || d.Filter != want.Filter {
		t.Errorf("%+v", d)
	}
	if a.header.Get("Cache-Control") != "no-store" || a.header.Get("X-RateLimit-Remaining") != "99999" {
		t.Errorf("%v", a.header)
	}
	for query, message := range map[string]string{
		"":                          "origin must be given",
		"origin=":                   "origin must not be empty: omit it, or send a list of 1 to 10 origins",
		"origin=maps.example.com":   `not "maps.example.com"`,
		"origin=https://a.example/": `not "https://a.example/"`,
		"origin=" + strings.Repeat("https://a.example,", 2):           "each once",
		"origin=" + pageOrigin + "&countys=Lee":                       "unknown parameter countys; did you mean county?",
		"origin=" + pageOrigin + "&county=":                           "county must not be empty",
		"origin=" + pageOrigin + "&filing_types=,":                    "filing_types must",
		"origin=" + pageOrigin + "&bounds_north=1":                    "bounds_south, bounds_east, bounds_west must be given",
		"origin=" + pageOrigin + "&q=maple":                           "unknown parameter q",
		"origin=" + pageOrigin + "&date_range=3":                      "date_range is not supported here",
		"origin=" + pageOrigin + "&generation=x":                      "unknown parameter generation",
		"origin=" + pageOrigin + "&expires_in=59":                     "expires_in must be between 60 and 34560000",
		"origin=" + pageOrigin + "&expires_in=86401":                  "expires_in must be between 60 and 86400",
		"origin=" + pageOrigin + "&visitor_burst=26":                  "visitor_burst must be between 1 and 25",
		"origin=" + pageOrigin + "&endpoints=stats":                   "endpoints must be a list of list, search, one, clusters, groups, owners, tiles",
		"origin=" + pageOrigin + "&endpoints=owners&min_amount=1":     "endpoints must not have owners",
		"origin=" + pageOrigin + "&fields=ownerEmailPrimary":          "fields must not have ownerEmailPrimary with a token of this account",
		"origin=" + pageOrigin + "&owner=" + strings.Repeat("a", 600): "token must have filters of at most 512 bytes together, not",
		"origin=" + strings.Repeat("https://"+strings.Repeat("a", 60)+".example:1", 1) + func() (more string) {
			for i := range 9 {
				more += fmt.Sprintf(",https://%s.example:%d", strings.Repeat("b", 80), i+1)
			}
			return more
		}(): "the token would have more than 1200 bytes",
	} {
		if a := s.get(t, access.Enterprise, "/v1/tokens?"+query); a.status != http.StatusBadRequest || !strings.Contains(a.body, strings.ReplaceAll(message, `"`, `\"`)) {
			t.Errorf("%s: %d %s, want %s", query, a.status, a.body, message)
		}
	}
	if a := s.get(t, access.Pro, "/v1/tokens?origin="+pageOrigin+"&endpoints=tiles,list,tiles&endpoints=list"); !strings.Contains(a.body, `"endpoints":["tiles","list"]`) {
		t.Errorf("endpoints given twice: %d %s", a.status, a.body)
	}
	if a := s.get(t, access.Free, "/v1/tokens?origin="+pageOrigin); a.status != http.StatusForbidden {
		t.Errorf("a free account: %d %s", a.status, a.body)
	}
	off := newSite(t, oracle(nil), func(c *service.Config) { c.TokenSecrets = nil })
	if a := off.get(t, access.Pro, "/v1/tokens?origin="+pageOrigin); a.status != http.StatusNotFound {
		t.Errorf("without secrets: %d %s", a.status, a.body)
	}
	if a := off.visit(t, made.Data.Token, "/v1/filings"); a.status != http.StatusUnauthorized {
		t.Errorf("without secrets: %d %s", a.status, a.body)
	}
}

// TestX33_Scope: what a request selects is selected within the filters of its token, with its fields.
func TestX33_Scope(t *testing.T) {
	t.Parallel()
	s := newSite(t, caching{oracle(fixture(t))})
	for _, tt := range []struct {
		token, target string
		want          []int64
	}{
		{"", "/v1/filings", []int64{3, 1, 2, 5, 4, 9, 8, 7, 6}},
		{"county=Orange", "/v1/filings", []int64{1, 2, 7}},
		{"county=Orange", "/v1/filings?county=Orange,+CA", []int64{2}},
		{"county=Orange,+FL", "/v1/filings?county=Orange,+CA", []int64{}},
		{"county=orange+county+fl", "/v1/filings", []int64{1, 7}},
		{"filing_types=Tax+Lien,HOA", "/v1/filings?filing_type=Judgment", []int64{}},
		{"filing_types=Tax+Lien,HOA", "/v1/filings?filing_types=Tax+Lien,Judgment", []int64{3, 1, 5}},
		{"max_amount=100", "/v1/filings?min_amount=0&max_amount=5000", []int64{4, 9, 8}},
		{"ids=1,2,3", "/v1/filings?ids=2,3,4", []int64{3, 2}},
		{"near=28.5,-81.4&radius=5000", "/v1/filings", []int64{1}},
		{"address=12+OAK+ST;5+Elm+Ave", "/v1/filings?address=5+Elm+Ave", []int64{2}},
		{"bounds_north=60&bounds_south=0&bounds_east=-179&bounds_west=179", "/v1/filings", []int64{5, 4, 9, 8}},
		{"county=Orange", "/v1/filings/search?q=oak", []int64{1, 7}},
		{"exclude_counties=Orange,+FL", "/v1/filings/search?q=oak", []int64{3}},
		{"has_property_data=true", "/v1/liens/search?q=zed", []int64{5, 4}},
	} {
		if got := s.visit(t, s.token(t, access.Pro, tt.token), tt.target).ids(t); !slices.Equal(got, tt.want) {
			t.Errorf("%s within %s: %v, want %v", tt.target, tt.token, got, tt.want)
		}
	}
	for _, tt := range []struct {
		tier                access.Tier
		token, target, body string
		status              int
	}{
		{access.Enterprise, "", "/v1/filings/1?fields=id,aiSummary", `"aiSummary":"A`, 200},
		{access.Enterprise, "", "/v1/filings/1?fields=ownerPhonePrimary", "with a token of this account", 400},
		{access.Starter, "", "/v1/filings/1?fields=aiSummary", "with a token of this account", 400},
		{access.Pro, "fields=owner", "/v1/filings/1", `"data":{"id":1,"owner":"The Maple Family Trust"}`, 200},
		{access.Pro, "fields=owner", "/v1/filings/1?fields=id", `"data":{"id":1}`, 200},
		{access.Pro, "fields=owner", "/v1/filings/1?fields=county", "fields must be some of id,owner, which the token has", 400},
		{access.Pro, "fields=county", "/v1/filings/1?fields=ownerKey",
			"fields must be some of id,county, which the token has", 400},
		{access.Pro, "fields=county,owner,propertyAddress", "/v1/filings/1?fields=addressKey", "fields must be some of", 400},
		{access.Pro, "fields=county,addressKey", "/v1/filings/1",
			`"data":{"id":1,"county":"Orange, FL","addressKey":"12 oak st, 32801"}`, 200},
		{access.Pro, "county=Orange", "/v1/filings/3", "there is no filing with the id 3", 404},
		{access.Pro, "county=Orange", "/v1/owners?q=oak", `"total":0`, 200},
		{access.Pro, "county=Orange", "/v1/owners?county=Bibb,+GA", `"total":0`, 200},
		{access.Pro, "county=Orange,+FL", "/v1/owners?county=Orange", `"total":2`, 200},
		{access.Pro, "county=Orange&min_amount=1", "/v1/owners", "this token does not allow this endpoint", 403},
		{access.Pro, "county=Orange", "/v1/filings/search?q=mapel&typos=auto", "typos must not be given with a token that has filters", 400},
		{access.Pro, "", "/v1/filings/search?q=mapel&typos=auto", `"total":`, 200},
		{access.Pro, "county=Orange", "/v1/filings/groups?by=state", `{"state":"FL","filings":2`, 200},
		{access.Pro, "county=Orange", "/v1/filings/clusters?zoom=1" + world, `"total":2`, 200},
		{access.Pro, "fields=county", "/v1/filings/clusters?zoom=1" + world, `"sum":null,"max":null`, 200},
		{access.Pro, "fields=filingAmount", "/v1/filings/clusters?zoom=1" + world, `"sum":1`, 200},
		{access.Pro, "fields=county", "/v1/tiles.json", `"clusters","description":"More filings, by cells of 64 of the tile's 512 pixels.","fields":{"id":"Number","count":"Number"}}`, 200},
	} {
		if a := s.visit(t, s.token(t, tt.tier, tt.token), tt.target); a.status != tt.status || !strings.Contains(a.body, tt.body) {
			t.Errorf("%s within %s: %d %s, want %d %s", tt.target, tt.token, a.status, a.body, tt.status, tt.body)
		}
	}
	for fields, want := range map[string]string{"": geoJSON, "county,geocodedLatitude,geocodedLongitude": geoJSON, "county,geocodedLatitude": "application/json"} {
		a := s.visit(t, s.token(t, access.Pro, strings.TrimSuffix("fields="+fields, "fields=")), "/v1/filings", "Accept", geoJSON)
		if !strings.HasPrefix(a.header.Get("Content-Type"), want) || (want != geoJSON) == strings.Contains(a.body, "-81.4") {
			t.Errorf("%q: %s", fields, a.body)
		}
	}
}

// TestX33_Credentials: which token is accepted, of whom, and what else is not.
func TestX33_Credentials(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)), withTools)
	token, key := s.token(t, access.Pro, "endpoints=list,tiles"), s.Keys[access.Pro]
	const list = "/v1/filings?limit=1"
	sign := func(secret string, burst int64) string {
		text, err := tokens.Secrets{secret}.Sign(tokens.Payload{Key: access.HashKey(key), Expires: now.Unix() + 60, Origins: []string{pageOrigin}, Endpoints: []string{"list"}, Burst: burst})
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	forged := sign(strings.Repeat("x", 32), 5)
	signed := func(burst int64) string { return sign(servicetest.TokenSecrets()[0], burst) } // by somebody who has the secret
	for _, tt := range []struct {
		name, target string
		headers      []string
		status       int
		body         string
	}{
		{"in the query", list + "&token=" + token, []string{"Origin", pageOrigin}, 200, `"tier":"pro"`},
		{"its name is encoded", list + "&%74oken=" + token, []string{"Origin", pageOrigin}, 200, `"tier":"pro"`},
		{"its name is encoded whole", list + "&%74%6F%6b%65%6E=" + token, []string{"Origin", pageOrigin}, 200, `"tier":"pro"`},
		{"behind blanks", list + "&token=%20+%09" + token + "%20", []string{"Origin", pageOrigin}, 200, `"tier":"pro"`},
		{"itself encoded", list + "&token=" + strings.Replace(token, "_", "%5F", 1), []string{"Origin", pageOrigin}, 200, `"tier":"pro"`},
		{"encoded, twice", list + "&token=" + token + "&toke%6e=" + token, []string{"Origin", pageOrigin}, 401, "token must be given only once"},
		{"encoded, with a key", list + "&toke%6e=" + token, []string{"Origin", pageOrigin, "X-API-Key", key}, 401, "must not be given together"},
		{"a key as a token, encoded", list + "&token=" + strings.Replace(key, "l", "%6c", 1), nil, 401, "an API key must not be in an address"},
		{"a key as a token, behind a blank", list + "&token=%20" + key, nil, 401, "an API key must not be in an address"},
		{"a key in the query, encoded", list + "&api_key=" + strings.Replace(key, "_", "%5f", 2), nil, 401, "an API key must not be in an address"},
		{"a burst of 0", list + "&token=" + signed(0), []string{"Origin", pageOrigin}, 401, "its burst must be 1 to 25"},
		{"a burst below 0", list + "&token=" + signed(-1), []string{"Origin", pageOrigin}, 401, "its burst must be 1 to 25"},
		{"the largest burst", list + "&token=" + signed(25), []string{"Origin", pageOrigin}, 200, `"tier":"pro"`},
		{"a burst above that", list + "&token=" + signed(26), []string{"Origin", pageOrigin}, 401, "its burst must be 1 to 25"},
		{"the largest number as a burst", list + "&token=" + signed(math.MaxInt64), []string{"Origin", pageOrigin}, 401, "its burst must be 1 to 25"},
		{"in the header", list, []string{"Origin", pageOrigin, "X-API-Key", token}, 200, `"id":3`},
		{"by Referer", list + "&token=" + token, []string{"Referer", pageOrigin + "/map?x=1"}, 200, `"id":3`},
		{"no origin", list + "&token=" + token, nil, 401, "for pages of other origins"},
		{"another origin", list + "&token=" + token, []string{"Origin", "https://maps.example.org", "Referer", pageOrigin + "/"}, 401, "for pages of other origins"},
		{"a longer origin", list + "&token=" + token, []string{"Referer", pageOrigin + ".evil.example/"}, 401, "for pages of other origins"},
		{"an opaque origin", list + "&token=" + token, []string{"Origin", "null"}, 401, "for pages of other origins"},
		{"another port", list + "&token=" + token, []string{"Origin", pageOrigin + ":8443"}, 401, "for pages of other origins"},
		{"of another secret", list + "&token=" + forged, []string{"Origin", pageOrigin}, 401, "its signature is wrong"},
		{"twice", list + "&token=" + token + "&token=" + token, []string{"Origin", pageOrigin}, 401, "token must be given only once"},
		{"with a key", list + "&token=" + token, []string{"Origin", pageOrigin, "X-API-Key", key}, 401, "must not be given together"},
		{"a key as a token", list + "&token=" + key, nil, 401, "an API key must not be in an address"},
		{"a key in the query", list + "&api_key=" + key, nil, 401, "an API key must not be in an address"},
		{"no token", list + "&token=x", nil, 401, "token must be a token, which begins with ak_pub_"},
		{"an empty token", list + "&token=%20", nil, 401, "an API key is needed"},
		{"an empty token beside a key", list + "&token=", []string{"X-API-Key", key}, 200, `"tier":"pro"`},
		{"another endpoint", "/v1/filings/1?token=" + token, []string{"Origin", pageOrigin}, 403, "this token does not allow this endpoint; it allows: list, tiles"},
		{"no path", "/v1/nothing?token=" + token, []string{"Origin", pageOrigin}, 404, "there is no such path"},
		{"assistants", "/mcp?token=" + token, []string{"Origin", pageOrigin}, 403, "Origin must be one"},
		{"assistants, no browser", "/mcp", []string{"X-API-Key", token}, 401, "the API key is not valid"},
	} {
		s.clock.Advance(time.Second) // the visitor has its burst again
		a := s.get(t, "", tt.target, tt.headers...)
		if a.status != tt.status || !strings.Contains(a.body, tt.body) {
			t.Errorf("%s: %d %s, want %d %s", tt.name, a.status, a.body, tt.status, tt.body)
		}
		if strings.Contains(a.body, "ak_") && tt.name != "no token" {
			t.Errorf("%s: %s", tt.name, a.body)
		}
	}
	for _, path := range []string{
		"/v1/stats", "/v1/stats/counties", "/v1/counties", "/v1/counties/Orange/months", "/v1/counties/Orange/date-ranges", "/v1/coverage", "/v1/fields",
		"/v1/generations", "/v1/me", "/v1/me/usage", "/v1/tokens?origin=" + pageOrigin, "/v1/filings/export", "/v1/filings/changes?since=20260314-000000.000000",
	} {
		if a := s.visit(t, s.token(t, access.Pro, ""), path); a.status != http.StatusForbidden {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	for _, parameter := range []string{"cursor=*", "offset=9981", "offset=9223372036854775807"} {
		if a := s.visit(t, token, "/v1/filings?"+parameter); a.status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", parameter, a.status, a.body)
		}
	}
	if a := s.visit(t, token, "/v1/filings?offset=9980"); a.status != http.StatusOK {
		t.Errorf("%d %s", a.status, a.body)
	}

	token = s.token(t, access.Pro, "endpoints=list")
	s.clock.Advance(time.Hour - 2*time.Second)
	if a := s.visit(t, token, list); a.status != http.StatusOK {
		t.Errorf("in its last second: %d %s", a.status, a.body)
	}
	if a := s.visit(t, token, list); a.status != http.StatusUnauthorized || !strings.Contains(a.body, "has expired") || a.header.Get("Access-Control-Allow-Origin") != pageOrigin {
		t.Errorf("expired: %d %s %v", a.status, a.body, a.header)
	}
	if log := s.Log.String(); strings.Contains(log, "ak_pub_") || strings.Contains(log, "ak_live_") {
		t.Error("the log has a token or a key")
	}
}

// TestX33_Ends: the next request after a key was rotated or revoked, or its account became free, is a 401.
func TestX33_Ends(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)))
	ends := map[access.Tier]func() error{
		access.Starter:    func() error { _, err := s.Store.Rotate(t.Context(), "user-starter", 0); return err },
		access.Pro:        func() error { return s.Store.Revoke(t.Context(), "user-pro") },
		access.Enterprise: func() error { return s.Store.SetTier(t.Context(), "user-enterprise", access.Free) },
	}
	for tier, end := range ends {
		token := s.token(t, tier, "")
		if a := s.visit(t, token, "/v1/filings"); a.status != http.StatusOK {
			t.Errorf("%s: %d %s", tier, a.status, a.body)
		}
		if err := end(); err != nil {
			t.Fatal(err)
		}
		a := s.visit(t, token, "/v1/filings")
		if a.status != http.StatusUnauthorized || !strings.Contains(a.body, "the key that the token was made with was revoked or replaced, or its account is of the free tier") {
			t.Errorf("%s: %d %s", tier, a.status, a.body)
		}
		if a.header.Get("Access-Control-Allow-Origin") != pageOrigin || a.header.Get("X-RateLimit-Limit") != "" {
			t.Errorf("%s: %v", tier, a.header)
		}
	}
}

// TestX33_ManyTokens: what is remembered of a token is that one's, however many there are, and is forgotten with its account's tier.
func TestX33_ManyTokens(t *testing.T) {
	t.Parallel()
	filings := fixture(t)
	s := newSite(t, oracle(filings), func(c *service.Config) { c.FiltersByTier = true })
	total := func(token string) (n int, a response) {
		a = s.visit(t, token, "/v1/filings?limit=1")
		if a.status != http.StatusOK {
			return -1, a
		}
		return int(a.document(t).Pagination.Total), a
	}
	sign := func(i int, filter string) string {
		token, err := servicetest.TokenSecrets().Sign(tokens.Payload{Key: access.HashKey(s.Keys[access.Pro]), Expires: now.Add(24*time.Hour).Unix() + int64(i),
			Origins: []string{pageOrigin}, Endpoints: []string{"list"}, Filter: filter, Burst: 25})
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	for round := range 2 {
		for i := range 2000 {
			least := float64(i%40) * 1000
			want := 0
			for _, f := range filings {
				if amount, ok := f.Number(index.FilingAmount); ok && amount >= least {
					want++
				}
			}
			if n, a := total(sign(i, fmt.Sprintf("min_amount=%v", least))); n != want {
				t.Fatalf("token %d, round %d: %d filings, want %d: %d %s", i, round, n, want, a.status, a.body)
			}
		}
	}
	token := sign(0, "min_acres=0.01")
	for _, step := range []struct {
		tier   access.Tier
		status int
	}{{access.Pro, 200}, {access.Starter, 403}, {access.Pro, 200}} {
		if err := s.Store.SetTier(t.Context(), "user-pro", step.tier); err != nil {
			t.Fatal(err)
		}
		if _, a := total(token); a.status != step.status {
			t.Errorf("%s: %d %s", step.tier, a.status, a.body)
		}
	}
}

// TestX33_Limits: a visitor is an address, of IPv6 a /64; the 429 names what was exceeded.
func TestX33_Limits(t *testing.T) {
	t.Parallel()
	limits := servicetest.Limits()
	limits[access.Pro] = access.Limit{Quota: 50, Burst: 30, Tokens: 8}
	anywhere := func(c *service.Config) {
		c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("0.0.0.0/32")} // what requests of tests come from
	}
	s := newSiteWith(t, oracle(fixture(t)), limits, anywhere)
	token := s.token(t, access.Pro, "visitor_burst=2")
	from := func(address string) response {
		t.Helper()
		return s.get(t, "", "/v1/filings?limit=1&token="+token, "X-Forwarded-For", address, "Origin", pageOrigin)
	}
	for i, tt := range []struct {
		from   string
		status int
		limits string
	}{
		{"192.0.2.1", 200, `"day";r=48;t=43200, "burst";r=28;t=1, "tokens";r=7;t=43200, "visitor";r=1;t=1`},
		{"192.0.2.1", 200, `"day";r=47;t=43200, "burst";r=27;t=1, "tokens";r=6;t=43200, "visitor";r=0;t=1`},
		{"192.0.2.1", 429, `"day";r=47;t=43200, "burst";r=27;t=1, "tokens";r=6;t=43200, "visitor";r=0;t=1`},
		{"192.0.2.2", 200, `"day";r=46;t=43200, "burst";r=26;t=1, "tokens";r=5;t=43200, "visitor";r=1;t=1`},
		{"2001:db8::1", 200, `"day";r=45;t=43200, "burst";r=25;t=1, "tokens";r=4;t=43200, "visitor";r=1;t=1`},
		{"2001:db8:0:0:ffff::2", 200, `"day";r=44;t=43200, "burst";r=24;t=1, "tokens";r=3;t=43200, "visitor";r=0;t=1`},
		{"2001:db8::3", 429, `"day";r=44;t=43200, "burst";r=24;t=1, "tokens";r=3;t=43200, "visitor";r=0;t=1`},
		{"2001:db8:0:1::3", 200, `"day";r=43;t=43200, "burst";r=23;t=1, "tokens";r=2;t=43200, "visitor";r=1;t=1`},
	} {
		a := from(tt.from)
		if a.status != tt.status || a.header.Get("RateLimit") != tt.limits ||
			a.header.Get("RateLimit-Policy") != `"day";q=50;w=86400, "burst";q=30;w=1, "tokens";q=8;w=86400, "visitor";q=2;w=1` {
			t.Errorf("%d: %d %s %s", i, a.status, a.header.Get("RateLimit"), a.header.Get("RateLimit-Policy"))
		}
		if refused := a.status == 429; refused != strings.Contains(a.body, " requests per second by one visitor") || refused && a.header.Get("Retry-After") != "1" {
			t.Errorf("%d: %s %v", i, a.body, a.header)
		}
	}
	for i := range 2 {
		if a := from(fmt.Sprint("198.51.100.", i)); a.status != http.StatusOK {
			t.Errorf("%d %s", a.status, a.body)
		}
	}
	a := from("203.0.113.1")
	if a.status != 429 || !strings.Contains(a.body, "this account's daily quota for tokens is used up") ||
		a.header.Get("Retry-After") != "43200" ||
		!strings.Contains(a.header.Get("RateLimit"), `"tokens";r=0;t=43200`) {
		t.Errorf("%d %s %v", a.status, a.body, a.header)
	}
	if a := s.get(t, access.Pro, "/v1/me"); a.status != http.StatusOK || a.header.Get("X-RateLimit-Remaining") != "40" || strings.Contains(a.header.Get("RateLimit"), "tokens") {
		t.Errorf("the key: %d %v", a.status, a.header)
	}
	s.clock.Advance(12 * time.Hour)
	if a := s.visit(t, s.token(t, access.Pro, ""), "/v1/filings"); a.status != http.StatusOK {
		t.Errorf("the next day: %d %s", a.status, a.body)
	}
}

// TestX33_RefusedExports: exports and pages by cursor, whose price is not that of other requests, count 1 with a token, as anything that is
// refused: against its share and the visitor's burst too, so that visitors cannot use up the rest of the day by them.
func TestX33_RefusedExports(t *testing.T) {
	t.Parallel()
	limits := servicetest.Limits()
	limits[access.Enterprise] = access.Limit{Quota: 50, Burst: 30, Tokens: 5}
	s := newSiteWith(t, oracle(fixture(t)), limits)
	token := s.token(t, access.Enterprise, "visitor_burst=2")
	for i, tt := range []struct {
		target  string
		status  int
		counted int // with those before
	}{{"/v1/filings/export", 403, 1}, {"/v1/filings/export?ids=1&format=csv", 403, 2}, {"/v1/filings?cursor=*&limit=1000", 400, 2}, {"/v1/filings/export", 403, 3}, {"/v1/filings/export", 403, 4}} {
		want := fmt.Sprintf(`"day";r=%d;t=%d, "burst";r=29;t=1, "tokens";r=%d;t=%[2]d, "visitor";r=1;t=1`, 49-tt.counted, 43199-i, 5-tt.counted)
		a := s.visit(t, token, tt.target)
		if a.status != tt.status || a.header.Get("RateLimit") != want || !strings.Contains(a.body, `"tier":"pro"`) {
			t.Errorf("%s: %d %s, want %s\n%s", tt.target, a.status, a.header.Get("RateLimit"), want, a.body)
		}
	}
	if a := s.visit(t, token, "/v1/filings"); a.status != 200 {
		t.Errorf("the last one of the share: %d %s", a.status, a.body)
	}
	if a := s.visit(t, token, "/v1/filings/export"); a.status != 429 ||
		!strings.Contains(a.body, "daily quota for tokens") {
		t.Errorf("beyond the share: %d %s", a.status, a.body)
	}
	if a := s.get(t, access.Enterprise, "/v1/me"); a.header.Get("X-RateLimit-Remaining") != "43" {
		t.Errorf("the key: %v", a.header)
	}
}

// TestX33_CORS: responses allow the page's origin and no other, whatever the operator allows, and say that they depend on it.
func TestX33_CORS(t *testing.T) {
	t.Parallel()
	for _, origins := range [][]string{nil, {"*"}, {"https://other.example"}} {
		s := newSite(t, oracle(fixture(t)), func(c *service.Config) { c.CORSOrigins = origins })
		token := s.token(t, access.Pro, "")
		for _, target := range []string{"/v1/filings", "/v1/filings/99", "/v1/stats", "/v1/filings?limit=0", "/v1/tiles.json"} {
			a := s.visit(t, token, target)
			if got := a.header.Values("Access-Control-Allow-Origin"); !slices.Equal(got, []string{pageOrigin}) {
				t.Errorf("%s: %q", target, got)
			}
			if vary := strings.Join(a.header.Values("Vary"), ", "); strings.Count(vary, "Origin") != 1 || !strings.Contains(a.header.Get("Access-Control-Expose-Headers"), "RateLimit") {
				t.Errorf("%s: %v", target, a.header)
			}
		}
	}
}

// TestX33_Tags: what is in one scope has another tag than what is in another, and a filing outside is a 404 whatever tag is sent.
func TestX33_Tags(t *testing.T) {
	t.Parallel()
	s := newSite(t, caching{oracle(fixture(t))})
	scopes := []string{"", "county=Orange,+FL", "county=Orange", "min_amount=0", "fields=id,county", "county=Orange,+FL&fields=id"}
	for target, differs := range map[string]bool{
		"/v1/filings": true, "/v1/filings/1": true, "/v1/filings/search?q=o": true, "/v1/filings/groups?by=county": true,
		"/v1/filings/clusters?zoom=1" + world: true, "/v1/tiles/20260315-000000.000000/0/0/0.mvt": true,
	} {
		tags := map[string]string{s.get(t, access.Pro, target).header.Get("ETag"): "a key"}
		for _, scope := range scopes {
			a := s.visit(t, s.token(t, access.Enterprise, scope), target)
			tag := a.header.Get("ETag")
			if other, known := tags[tag]; a.status != http.StatusOK || known == differs {
				t.Errorf("%s within %q: %d, the tag of %q", target, scope, a.status, other)
			}
			tags[tag] = scope
			if again := s.visit(t, s.token(t, access.Enterprise, scope), target, "If-None-Match", tag); again.status != http.StatusNotModified {
				t.Errorf("%s within %q: %d with its tag", target, scope, again.status)
			}
		}
	}
	token := s.token(t, access.Pro, "county=Orange,+FL")
	for _, tag := range []string{"", "*", s.get(t, access.Pro, "/v1/filings/2").header.Get("ETag")} {
		if a := s.visit(t, token, "/v1/filings/2", "If-None-Match", tag); a.status != http.StatusNotFound || a.header.Get("ETag") != "" {
			t.Errorf("%q: %d %v", tag, a.status, a.header)
		}
	}
	outside, missing := s.visit(t, token, "/v1/filings/2"), s.visit(t, token, "/v1/filings/99")
	if strings.ReplaceAll(outside.document(t).Error.Message, "2", "99") != missing.document(t).Error.Message {
		t.Errorf("%s, %s", outside.body, missing.body)
	}
}

// TestX33_Tiles: tiles.json puts the token into the addresses of the tiles, which need nothing else.
func TestX33_Tiles(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)))
	token := s.token(t, access.Pro, "county=Orange&endpoints=tiles")
	for _, query := range []string{"?", "?min_amount=5&"} {
		a := s.get(t, "", "/v1/tiles.json"+query+"token="+token, "Referer", pageOrigin+"/")
		var set struct{ Tiles []string }
		if err := json.Unmarshal([]byte(a.body), &set); err != nil || len(set.Tiles) != 1 {
			t.Fatalf("%d %s", a.status, a.body)
		}
		u, err := url.Parse(strings.NewReplacer("{z}", "0", "{x}", "0", "{y}", "0").Replace(set.Tiles[0]))
		if err != nil || u.Query().Get("token") != token || (u.Query().Get("min_amount") == "5") != (query != "?") {
			t.Fatalf("%v", set.Tiles)
		}
		if a := s.get(t, "", u.RequestURI(), "Origin", pageOrigin); a.status != http.StatusOK {
			t.Errorf("%d %s", a.status, a.body)
		}
	}
}

// TestX32_Names: what a token may be for are the names of the rows that say so.
func TestX32_Names(t *testing.T) {
	t.Parallel()
	var names, choices []string
	for _, e := range service.Endpoints() {
		if e.Token || e.Link {
			names = append(names, e.Name)
		}
	}
	for _, p := range params.New("", nil).Rows(params.Tokens) {
		if p.Name == "endpoints" {
			choices = slices.Sorted(slices.Values(p.Choices))
		}
	}
	slices.Sort(names)
	if names = slices.Compact(names); !slices.Equal(names, choices) {
		t.Errorf("rows have %q, the parameter %q", names, choices)
	}
}
