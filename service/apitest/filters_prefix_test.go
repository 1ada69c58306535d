package apitest

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"filings/service"
	"filings/service/access"
)

// TestX65_Prefix: behind a proxy that serves the API below a path, each address in a response
// leads below that path again, to what is there.
func TestX65_Prefix(t *testing.T) {
	t.Parallel()
	const public = "https://proxy.example:444/county/filings"
	s := newSite(t, grown(fixture(t)), func(c *service.Config) { c.PublicURL = public })
	get := func(target string, headers ...string) response {
		s.clock.Advance(time.Second)
		return s.get(t, access.Pro, strings.TrimPrefix(target, public), headers...)
	}
	leads := func(from, to string) string {
		t.Helper()
		base, err := url.Parse(from)
		if err != nil {
			t.Fatal(err)
		}
		reached, err := base.Parse(to)
		if err != nil || !strings.HasPrefix(reached.String(), public+"/") {
			t.Fatalf("%s leads to %s: %v", from, to, err)
		}
		if a := get(reached.String()); a.status != http.StatusOK && a.status != http.StatusNoContent {
			t.Errorf("%s of %s: %d %s", to, from, a.status, a.body)
		}
		return reached.String()
	}
	if a := get("/"); leads(public+"/", a.header.Get("Location")) != public+"/docs" {
		t.Errorf("%v", a.header)
	}
	references := regexp.MustCompile(`<([^>]*)>; rel="(next|successor-version)"`)
	for target, want := range map[string][]string{
		"/v1/filings?limit=2":                                      {"/v1/filings?limit=2&offset=2"},
		"/v1/filings?cursor=*&limit=2":                             {"/v1/filings?cursor="},
		"/v1/filings.geojson?cursor=*&limit=2":                     {"/v1/filings.geojson?cursor="},
		"/v1/filings/search?q=a&limit=2":                           {"/v1/filings/search?q=a&limit=2&offset=2"},
		"/v1/filings/search?q=a&cursor=*&limit=2":                  {"/v1/filings/search?cursor="},
		"/v1/filings/changes?limit=1&since=20260314-000000.000000": {"/v1/filings/changes?cursor="},
		"/v1/owners?limit=1&cursor=*":                              {"/v1/owners?cursor="},
		"/v1/coverage?limit=1":                                     {"/v1/coverage?cursor="},
		"/v1/liens?limit=2":                                        {"/v1/filings", "/v1/liens?limit=2&offset=2"},
		"/v1/liens?limit=2&cursor=*":                               {"/v1/filings", "/v1/liens?cursor="},
		"/v1/liens/search?q=a&limit=100":                           {"/v1/filings/search"},
		"/v1/liens/1":                                              {"/v1/filings/1"},
	} {
		a := get(target)
		found := references.FindAllStringSubmatch(a.header.Get("Link"), -1)
		if a.status != http.StatusOK || len(found) != len(want) {
			t.Errorf("%s: %d, Link %s", target, a.status, a.header.Get("Link"))
			continue
		}
		for i, m := range found {
			from, to := public+target, m[1]
			if m[2] == "successor-version" && strings.HasSuffix(want[i], "search") {
				to += "?q=a"
			}
			if got := leads(from, to); !strings.HasPrefix(got, public+want[i]) {
				t.Errorf("%s leads to %s, not %s", target, got, want[i])
			}
		}
	}
	for _, list := range []string{"/llms.txt", "/llms-full.txt"} {
		links := regexp.MustCompile(`\]\(([^)#]+)[^)]*\)`).FindAllStringSubmatch(get(list).body, -1)
		reached := map[string]bool{}
		for _, m := range links {
			if to := m[1]; !reached[to] && !strings.HasPrefix(to, "https://") {
				reached[to] = true
				leads(public+list, to)
			}
		}
		if len(reached) < 15 {
			t.Errorf("%s has only %d links: this test does not see them", list, len(reached))
		}
	}
	tiles := regexp.MustCompile(`"tiles":\["([^"]+)"\]`).FindStringSubmatch(get("/v1/tiles.json?county=Orange,+FL").body)
	leads(public, strings.NewReplacer("{z}", "0", "{x}", "0", "{y}", "0").Replace(tiles[1]))
	for _, target := range []string{"/openapi.json", "/openapi.json?paths=/v1/me"} {
		server := regexp.MustCompile(`"servers": ?\[\s*\{\s*"url": ?"([^"]+)"`).FindStringSubmatch(get(target).body)
		if server == nil || server[1] != public {
			t.Errorf("%s: %q", target, server)
		}
	}
}
