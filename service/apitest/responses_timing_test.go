package apitest

import (
	"net/http"
	"regexp"
	"testing"

	"filings/service"
	"filings/service/access"
)

// TestX40_ServerTiming: known callers learn how long key store and engine took, and whether the cache had it all; others do not.
func TestX40_ServerTiming(t *testing.T) {
	t.Parallel()
	s := newSite(t, caching{oracle(fixture(t))}, func(c *service.Config) { c.ServerTiming = true })
	const store, engine = `keystore;dur=\d+\.\d{3}`, `, engine;dur=\d+\.\d{3}, cache;desc=`
	first := s.get(t, access.Pro, "/v1/filings?limit=1")
	for _, tt := range []struct {
		method, target, want string
		tier                 access.Tier
		headers              []string
	}{
		{http.MethodGet, "/v1/filings?limit=2", store + engine + "miss", access.Pro, nil},
		{http.MethodGet, "/v1/filings?limit=2", store + engine + "hit", access.Free, nil},
		{http.MethodGet, "/v1/filings?limit=1", store, access.Pro, []string{"If-None-Match", first.header.Get("ETag")}},
		{http.MethodGet, "/v1/filings?limit=0", store, access.Pro, nil},
		{http.MethodGet, "/v1/filings/77", store + engine + "miss", access.Pro, nil},
		{http.MethodHead, "/v1/filings/export?county=Orange", store + engine + "miss", access.Pro, nil},
		{http.MethodGet, "/v1/me", store, access.Pro, nil},
		{http.MethodGet, "/v1/nothing", store, access.Pro, nil},
		{http.MethodGet, "/v1/me", "", "", nil},
		{http.MethodGet, "/v1/me", "", "", []string{"X-API-Key", "ak_live_00000000000000000000000000000000"}},
		{http.MethodGet, "/openapi.json", "", "", nil},
	} {
		a := s.do(t, tt.method, tt.tier, tt.target, tt.headers...)
		if got := a.header.Get("Server-Timing"); !regexp.MustCompile("^" + tt.want + "$").MatchString(got) {
			t.Errorf("%s %s as %q: %d %q, want %s", tt.method, tt.target, tt.tier, a.status, got, tt.want)
		}
	}
	if a := newSite(t, oracle(nil)).get(t, access.Pro, "/v1/me"); a.header.Values("Server-Timing") != nil {
		t.Errorf("off: %v", a.header)
	}
}
