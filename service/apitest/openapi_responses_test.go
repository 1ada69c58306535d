package apitest

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"filings/index"
	"filings/service/access"
	"filings/service/servicetest"
)

// operationPaths is one request that succeeds for each path of the document.
var operationPaths = map[string]string{
	"/v1/filings":                       "/v1/filings?limit=3",
	"/v1/filings/search":                "/v1/filings/search?q=o",
	"/v1/filings/clusters":              "/v1/filings/clusters?zoom=4" + world,
	"/v1/filings/groups":                "/v1/filings/groups?by=filing_type,category",
	"/v1/filings/{id}":                  "/v1/filings/1",
	"/v1/stats":                         "/v1/stats",
	"/v1/stats/counties":                "/v1/stats/counties?state=FL",
	"/v1/counties":                      "/v1/counties",
	"/v1/counties/{county}/months":      "/v1/counties/Orange/months",
	"/v1/counties/{county}/date-ranges": "/v1/counties/Orange,%20FL/date-ranges",
	"/v1/coverage":                      "/v1/coverage",
	"/v1/generations":                   "/v1/generations",
	"/v1/fields":                        "/v1/fields",
	"/v1/filings/export":                "/v1/filings/export?format=csv&county=orange",
	"/v1/filings/changes":               "/v1/filings/changes?since=20260314-000000.000000&limit=3",
	"/v1/owners":                        "/v1/owners?q=a&limit=3",
	"/v1/tiles.json":                    "/v1/tiles.json?q=o",

	"/v1/tiles/{generation}/{z}/{x}/{y}.mvt": "/v1/tiles/20260315-000000.000000/0/0/0.mvt",

	"/v1/me":           "/v1/me",
	"/v1/me/usage":     "/v1/me/usage",
	"/v1/tokens":       "/v1/tokens?origin=https://maps.example.com&county=orange",
	"/v1/liens":        "/v1/liens?lien_type=tax+lien",
	"/v1/liens/search": "/v1/liens/search?q=o",
	"/v1/liens/{id}":   "/v1/liens/6",
	"/openapi.json":    "/openapi.json",
}

// TestOpenAPI_Responses compares responses of every path, tier and status with the document.
func TestOpenAPI_Responses(t *testing.T) {
	t.Parallel()
	s := newSite(t, grown(fixture(t)))
	c := s.strict(t)
	for path := range c.doc.Paths.Map() {
		target := operationPaths[path]
		if target == "" {
			t.Errorf("%s is not in this test", path)
			continue
		}
		for _, tier := range access.Tiers {
			a := s.get(t, tier, target)
			if a.status != http.StatusOK && (tier != access.Free || a.status != http.StatusForbidden || path != "/v1/tokens") {
				t.Errorf("%s: %d %s", target, a.status, a.body)
			}
			c.check(t, path, target, a)
			if tag := a.header.Get("ETag"); tag != "" {
				again := s.get(t, tier, target, "If-None-Match", tag)
				if again.status != http.StatusNotModified {
					t.Errorf("%s with its tag: %d", target, again.status)
				}
				c.check(t, path, target, again)
			}
		}
		if path == "/openapi.json" {
			continue
		}
		for _, a := range []response{
			s.get(t, "", target),
			s.get(t, access.Pro, target, "Prefer", "handling=lenient"),
			s.get(t, access.Pro, withQuery(target, "unknown=1")),
			s.get(t, access.Pro, withQuery(target, "unknown=1"), "Prefer", "handling=strict"),
			s.get(t, access.Pro, withQuery(target, "a=%zz")),
			s.do(t, http.MethodPost, access.Pro, target),
		} {
			c.check(t, path, target, a)
		}
	}
	for path, targets := range map[string][]string{
		"/v1/coverage":                      {"/v1/coverage?generation=1", "/v1/coverage?generation=20200101-000000.000000", "/v1/coverage?generation=20260315-000000.000000"},
		"/v1/filings":                       {"/v1/filings?limit=0", "/v1/filings?offset=9", "/v1/filings?county=nowhere"},
		"/v1/filings/search":                {"/v1/filings/search", "/v1/filings/search?q=nothing+at+all"},
		"/v1/filings/clusters":              {"/v1/filings/clusters", "/v1/filings/clusters?zoom=23" + world, "/v1/filings/clusters?zoom=1&county=nowhere" + world},
		"/v1/filings/groups":                {"/v1/filings/groups", "/v1/filings/groups?by=x", "/v1/filings/groups?by=state,county", "/v1/filings/groups?by=city,month", "/v1/filings/groups?by=year,holder", "/v1/filings/groups?by=property_classification", "/v1/filings/groups?by=county&county=nowhere"},
		"/v1/filings/{id}":                  {"/v1/filings/77", "/v1/filings/x", "/v1/filings/5"},
		"/v1/counties/{county}/months":      {"/v1/counties/nowhere/months", "/v1/counties/A%2FB/months"},
		"/v1/counties/{county}/date-ranges": {"/v1/counties/nowhere/date-ranges"},
		"/v1/filings/export":                {"/v1/filings/export?format=x", "/v1/filings/export?after=1"},
		"/v1/filings/changes":               {"/v1/filings/changes", "/v1/filings/changes?since=x", "/v1/filings/changes?since=20260315-000000.000000&until=20260314-000000.000000", "/v1/filings/changes?since=20200101-000000.000000"},
		"/v1/stats/counties":                {"/v1/stats/counties?state=X", "/v1/stats/counties?state=ZZ"},
		"/v1/liens":                         {"/v1/liens?limit=0"},

		"/v1/tiles/{generation}/{z}/{x}/{y}.mvt": {
			"/v1/tiles/20260315-000000.000000/0/0/1.mvt", "/v1/tiles/20260315-000000.000000/23/0/0.mvt", "/v1/tiles/20200101-000000.000000/0/0/0.mvt",
			"/v1/tiles/20260315-000000.000000/22/0/0.mvt",
		},
		"/v1/liens/{id}": {"/v1/liens/77"},
		"/openapi.json":  {"/openapi.json?paths=/v1/me", "/openapi.json?paths=/v1/me,/nope"},
		"/v1/tokens":     {"/v1/tokens", "/v1/tokens?origin=x", "/v1/tokens?origin=https://a.example&county="},
	} {
		for _, target := range targets {
			c.check(t, path, target, s.get(t, access.Enterprise, target))
		}
	}
}

// TestOpenAPI_GeoJSON: the other form of clusters and pages is in the document too.
func TestOpenAPI_GeoJSON(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)))
	for _, path := range []string{"/v1/filings/clusters", "/v1/filings", "/v1/filings/search", "/v1/liens"} {
		target := operationPaths[path]
		a := s.get(t, access.Free, target, "Accept", geoJSON)
		if a.status != http.StatusOK || !strings.HasPrefix(a.header.Get("Content-Type"), geoJSON) {
			t.Fatalf("%d %v", a.status, a.header)
		}
		s.strict(t).check(t, path, target, a)
	}
}

// TestOpenAPI_NotHTTP: what is refused before there is a request has the response for everything else.
func TestOpenAPI_NotHTTP(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(nil))
	c := s.strict(t)
	for status, request := range map[int]string{
		http.StatusRequestEntityTooLarge:       "GET /v1/filings HTTP/1.1\r\nHost: h\r\nContent-Length: 5000\r\n\r\n" + strings.Repeat("a", 5000),
		http.StatusRequestHeaderFieldsTooLarge: "GET /v1/filings HTTP/1.1\r\nHost: h\r\nX-A: " + strings.Repeat("a", 20_000) + "\r\n\r\n",
	} {
		a := talk(t, s.Service.API(), request)
		if a.status != status {
			t.Errorf("%d, want %d", a.status, status)
		}
		c.check(t, "/v1/filings", "/v1/filings", a)
	}
}

func withQuery(target, query string) string {
	if strings.Contains(target, "?") {
		return target + "&" + query
	}
	return target + "?" + query
}

// TestOpenAPI_Limits: the three kinds of 429.
func TestOpenAPI_Limits(t *testing.T) {
	t.Parallel()
	l := servicetest.Limits()
	for _, tier := range access.Tiers {
		l[tier] = access.Limit{Quota: 1, Burst: 100}
	}
	l[access.Enterprise] = access.Limit{Quota: 100, Burst: 1}
	s := newSiteWith(t, oracle(fixture(t)), l)
	c := s.strict(t)
	for _, tier := range access.Tiers {
		s.get(t, tier, "/v1/me")
		a := s.get(t, tier, "/v1/me")
		if a.status != http.StatusTooManyRequests {
			t.Errorf("%s: %d", tier, a.status)
		}
		c.check(t, "/v1/me", "/v1/me", a)
	}
}

// TestOpenAPI_Failures: responses where the engine gives none.
func TestOpenAPI_Failures(t *testing.T) {
	t.Parallel()
	for _, failure := range []error{index.ErrUnavailable, errors.New("unknown to the table of errors")} {
		s := newSite(t, dead{err: failure})
		c := s.strict(t)
		for path, target := range operationPaths {
			if strings.HasPrefix(path, "/v1/me") || path == "/v1/tokens" || path == "/openapi.json" {
				continue
			}
			a := s.get(t, access.Free, target)
			if a.status != http.StatusInternalServerError {
				t.Errorf("%s: %d", target, a.status)
			}
			c.check(t, path, target, a)
		}
	}
}

// dead is an engine without a live generation.
type dead struct {
	index.Engine
	err error
}

func (e dead) Live(context.Context) (index.Reader, error) { return nil, e.err }
