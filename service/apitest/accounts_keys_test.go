package apitest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"filings/index"
	"filings/service"
	"filings/service/access"
	"filings/service/servicetest"
)

func TestK1_Header(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(nil))
	key := s.Keys[access.Free]
	for _, tt := range []struct {
		name    string
		headers []string
		status  int
		text    string
	}{
		{"the key", []string{"X-API-Key", key}, 200, ""},
		{"another case", []string{"x-api-key", key}, 200, ""},
		{"nothing", nil, 401, "X-API-Key"},
		{"empty", []string{"X-API-Key", ""}, 401, "X-API-Key"},
		{"twice", []string{"X-API-Key", key, "X-API-Key", key}, 401, "only once"},
		{"joined", []string{"X-API-Key", key + ", " + key}, 401, "not valid"},
		{"shorter", []string{"X-API-Key", key[:len(key)-1]}, 401, "not valid"},
		{"capitals", []string{"X-API-Key", strings.ToUpper(key)}, 401, "not valid"},
		{"in the query", nil, 401, "X-API-Key"},
	} {
		t.Run("K1 "+tt.name, func(t *testing.T) {
			t.Parallel()
			a := send(t, s.App, http.MethodGet, "/v1/me?X-API-Key="+key, tt.headers...)
			if a.status != tt.status || !strings.Contains(a.body, tt.text) {
				t.Fatalf("%d %s, want %d and %q", a.status, a.body, tt.status, tt.text)
			}
			if tt.status == http.StatusUnauthorized {
				checkFlat(t, a, "invalid_api_key")
			}
		})
	}
}

func TestX59_Bearer(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(nil))
	key, other := s.Keys[access.Pro], s.Keys[access.Free]
	const different = "must hold the same key"
	for _, tt := range []struct {
		name    string
		headers []string
		status  int
		text    string
	}{
		{"the key", []string{"Authorization", "Bearer " + key}, 200, ""},
		{"another case", []string{"authorization", "bEARER " + key}, 200, ""},
		{"more spaces", []string{"Authorization", "Bearer   " + key + " "}, 200, ""},
		{"both", []string{"X-API-Key", key, "Authorization", "Bearer " + key}, 200, ""},
		{"an empty X-API-Key", []string{"X-API-Key", "", "Authorization", "Bearer " + key}, 200, ""},
		{"a proxy's own", []string{"X-API-Key", key, "Authorization", "Basic dXNlcjpwYXNz"}, 200, ""},
		{"without a value", []string{"X-API-Key", key, "Authorization", "Bearer"}, 200, ""},
		{"both, another key", []string{"X-API-Key", key, "Authorization", "Bearer " + other}, 401, different},
		{"both, nonsense", []string{"X-API-Key", key, "Authorization", "Bearer nonsense"}, 401, different},
		{"both, nonsense first", []string{"X-API-Key", "nonsense", "Authorization", "Bearer " + key}, 401, different},
		{"twice", []string{"Authorization", "Bearer " + key, "Authorization", "Bearer " + key}, 401, "only once"},
		{"twice, with a key", []string{"X-API-Key", key, "Authorization", "Basic x", "Authorization", "Bearer " + key}, 401, "only once"},
		{"two keys", []string{"Authorization", "Bearer " + key + " " + key}, 401, "not valid"},
		{"nonsense", []string{"Authorization", "Bearer nonsense"}, 401, "not valid"},
		{"alone", []string{"Authorization", "Bearer"}, 401, "must be Bearer"},
		{"the key alone", []string{"Authorization", key}, 401, "must be Bearer"},
		{"another scheme", []string{"Authorization", "Basic " + key}, 401, "must be Bearer"},
		{"a longer scheme", []string{"Authorization", "Bearers " + key}, 401, "must be Bearer"},
	} {
		t.Run("X59 "+tt.name, func(t *testing.T) {
			t.Parallel()
			a := send(t, s.App, http.MethodGet, "/v1/me", tt.headers...)
			if a.status != tt.status || !strings.Contains(a.body, tt.text) {
				t.Fatalf("%d %s, want %d and %q", a.status, a.body, tt.status, tt.text)
			}
			if tt.status == http.StatusOK && !strings.Contains(a.body, "user-pro") {
				t.Errorf("%s", a.body)
			}
			if tt.status == http.StatusUnauthorized {
				checkFlat(t, a, "invalid_api_key")
			}
			if !strings.Contains(a.header.Get("Vary"), "Authorization") {
				t.Errorf("Vary %q", a.header.Get("Vary"))
			}
		})
	}
	bearer := []string{"Authorization", "Bearer " + key}
	for path := range paths {
		byKey, borne := s.get(t, access.Pro, path), send(t, s.App, http.MethodGet, path, bearer...)
		if byKey.status != borne.status || byKey.header.Get("ETag") != borne.header.Get("ETag") {
			t.Errorf("%s: %d %s with the key, %d %s borne", path, byKey.status, byKey.body, borne.status, borne.body)
		}
	}
	var made struct{ Data struct{ Token string } }
	a := send(t, s.App, http.MethodGet, "/v1/tokens?origin="+pageOrigin, bearer...)
	if err := json.Unmarshal([]byte(a.body), &made); err != nil {
		t.Fatalf("%v: %s", err, a.body)
	}
	for _, tt := range []struct {
		path, bearer string
		status       int
	}{
		{"/v1/filings", made.Data.Token, 200},
		{"/v1/me", made.Data.Token, 403},
		{"/v1/filings?token=" + made.Data.Token, made.Data.Token, 401},
		{"/v1/filings?token=" + made.Data.Token, key, 401},
	} {
		s.clock.Advance(time.Second)
		a := send(t, s.App, http.MethodGet, tt.path, "Origin", pageOrigin, "Authorization", "Bearer "+tt.bearer)
		if a.status != tt.status {
			t.Errorf("%.20s: %d %s, want %d", tt.path, a.status, a.body, tt.status)
		}
	}
}

func TestK2_RevokedAndRotatedKeys(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(nil))
	if _, err := s.Store.Rotate(t.Context(), "user-pro", 0); err != nil {
		t.Fatal(err)
	}
	if err := s.Store.Revoke(t.Context(), "user-free"); err != nil {
		t.Fatal(err)
	}
	for _, tier := range []access.Tier{access.Pro, access.Free} {
		a := s.get(t, tier, "/v1/me")
		if a.status != http.StatusUnauthorized {
			t.Errorf("%s: %d %s", tier, a.status, a.body)
		}
		checkFlat(t, a, "invalid_api_key")
	}
}

func TestK5_Me(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(nil))
	for _, tier := range access.Tiers {
		a := s.get(t, tier, "/v1/me")
		want := fmt.Sprintf(`{"userId":"user-%s","tier":"%s"}`, tier, tier)
		if got := string(a.document(t).Data); a.status != http.StatusOK || got != want {
			t.Errorf("%d %s, want %s", a.status, a.body, want)
		}
	}
}

// TestK6_WhatCounts requests each kind of response once and looks what that cost.
func TestK6_WhatCounts(t *testing.T) {
	t.Parallel()
	broken := newFaulty(oracle(fixture(t)), nil)
	s := newSite(t, broken)
	tag := s.get(t, access.Pro, "/v1/filings").header.Get("ETag")
	for _, tt := range []struct {
		name, method, path string
		status             int
		fail               error
		cost               int64
		headers            []string
	}{
		{"200", "GET", "/v1/filings", 200, nil, 1, nil},
		{"HEAD", "HEAD", "/v1/filings", 200, nil, 1, nil},
		{"304", "GET", "/v1/filings", 304, nil, 1, []string{"If-None-Match", "*"}},
		{"304 of a tag", "GET", "/v1/filings", 304, nil, 0, []string{"If-None-Match", tag}},
		{"400", "GET", "/v1/filings?limit=0", 400, nil, 0, nil},
		{"400 after a search", "GET", "/v1/filings/export?after=77&generation=20260315-000000.000000", 400, nil, 1, nil},
		{"400 of an export", "GET", "/v1/filings/export?format=xml", 400, nil, 0, nil},
		{"404", "GET", "/v1/filings/77", 404, nil, 1, nil},
		{"404 of a path", "GET", "/v2", 404, nil, 0, nil},
		{"404 of a trailing slash", "GET", "/v1/filings/", 404, nil, 0, nil},
		{"405", "DELETE", "/v1/filings/1", 405, nil, 1, nil},
		{"500 of the engine", "GET", "/v1/filings", 500, fmt.Errorf("search: %w", index.ErrUnavailable), 0, nil},
		{"500 of ours", "GET", "/v1/filings", 500, errors.New("a bug"), 0, nil},
		{"500 of a panic", "GET", "/v1/filings", 500, errPanic, 0, nil},
		{"401", "GET", "/v1/me", 401, nil, 0, []string{"X-API-Key", "twice"}},
	} {
		t.Run("K6 "+tt.name, func(t *testing.T) {
			broken.failWith(tt.fail)
			before, err := s.Store.Show(t.Context(), "user-pro")
			if err != nil {
				t.Fatal(err)
			}
			a := s.do(t, tt.method, access.Pro, tt.path, tt.headers...)
			if a.status != tt.status {
				t.Fatalf("%d %s", a.status, a.body)
			}
			after, err := s.Store.Show(t.Context(), "user-pro")
			if err != nil {
				t.Fatal(err)
			}
			if got := after.Used - before.Used; got != tt.cost {
				t.Errorf("it cost %d, want %d", got, tt.cost)
			}
			if remaining := a.header.Get("X-RateLimit-Remaining"); tt.status != 401 && remaining != strconv.FormatInt(after.Remaining, 10) {
				t.Errorf("X-RateLimit-Remaining %s, want %d", remaining, after.Remaining)
			}
		})
	}
}

func TestK6_AuthenticationComesFirst(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(nil))
	for _, target := range []string{"/v1", "/v1/nothing", "/v1/filings/", "/v1/filings/abc", "/v1/filings?limit=0", "/openapi", "//", "/v1/../v1/me", "/V1/me"} {
		for _, method := range []string{"GET", "HEAD", "POST", "OPTIONS", "BREW"} {
			if a := s.do(t, method, "", target); a.status != http.StatusUnauthorized {
				t.Errorf("%s %s: %d %s", method, target, a.status, a.body)
			}
		}
	}
	for _, target := range []string{"/v1", "/v1/", "/v1/filings/", "/v1/filings//", "/v1/filings/1/", "//v1/filings", "/v1//filings",
		"/V1/filings", "/v1/Filings", "/v1/./filings", "/v1/x/../filings", "/v1/counties/a/b/months", "/v1/counties//months", "/v1/%66ilings",
		"/v1/filings%2F1", "/v1/me/", "/v1/filings%00", "/v1/liens/"} {
		if a := s.get(t, access.Free, target); a.status != http.StatusNotFound || a.document(t).Error.Code != "not_found" {
			t.Errorf("GET %s: %d %s", target, a.status, a.body)
		}
	}
}

func TestK7_Headers(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(fixture(t)))
	midnight := time.Date(2026, 3, 16, 0, 0, 0, 0, time.UTC).Unix()
	for _, tt := range []struct {
		method, path string
		status       int
		counted      int // with those before
	}{
		{"GET", "/v1/me", 200, 1}, {"GET", "/v1/filings", 200, 2}, {"GET", "/v1/nothing", 404, 2},
		{"POST", "/v1/filings", 405, 3}, {"GET", "/v1/filings?limit=0", 400, 3}, {"HEAD", "/v1/stats", 200, 4},
	} {
		for _, tier := range []access.Tier{access.Free, access.Enterprise} {
			a := s.do(t, tt.method, tier, tt.path)
			want := map[string]string{"X-RateLimit-Limit": "100000", "X-RateLimit-Remaining": strconv.Itoa(100_000 - tt.counted),
				"X-RateLimit-Reset": strconv.FormatInt(midnight, 10), "Retry-After": ""}
			for name, value := range want {
				if got := a.header.Get(name); a.status != tt.status || got != value {
					t.Errorf("%s %s %s: %d, %s %q, want %q", tier, tt.method, tt.path, a.status, name, got, value)
				}
			}
		}
	}
	if a := s.get(t, "", "/v1/me"); a.header.Get("X-RateLimit-Limit") != "" {
		t.Error("an unknown caller gets a quota")
	}
}

func TestK7_Refusals(t *testing.T) {
	t.Parallel()
	l := servicetest.Limits()
	l[access.Free] = access.Limit{Quota: 1, Burst: 100}
	l[access.Pro] = access.Limit{Quota: 1, Burst: 100}
	l[access.Enterprise] = access.Limit{Quota: 100, Burst: 1}
	s := newSiteWith(t, oracle(nil), l)
	for _, tt := range []struct {
		name       string
		tier       access.Tier
		code       string
		retryAfter string
		remaining  string
	}{
		{"lifetime", access.Free, "lifetime_limit_exceeded", "", "0"},
		{"daily", access.Pro, "rate_limit_exceeded", "43200", "0"}, // noon to midnight
		{"burst", access.Enterprise, "rate_limit_exceeded", "1", "99"},
	} {
		t.Run("K7 "+tt.name, func(t *testing.T) {
			t.Parallel()
			if a := s.get(t, tt.tier, "/v1/me"); a.status != http.StatusOK {
				t.Fatalf("the first: %d %s", a.status, a.body)
			}
			for _, path := range []string{"/v1/me", "/v1/nothing", "/v1/filings?limit=0"} {
				a := s.get(t, tt.tier, path)
				if a.status != http.StatusTooManyRequests {
					t.Fatalf("%s: %d %s", path, a.status, a.body)
				}
				checkFlat(t, a, tt.code)
				if got := a.header.Get("Retry-After"); got != tt.retryAfter {
					t.Errorf("Retry-After %q, want %q", got, tt.retryAfter)
				}
				if got := a.header.Get("X-RateLimit-Remaining"); got != tt.remaining {
					t.Errorf("X-RateLimit-Remaining %q, want %q", got, tt.remaining)
				}
			}
		})
	}
}

// TestK7_ResetByTheStoresClock moves the clock to just before midnight: the quota resets in one second, then is whole.
func TestK7_ResetByTheStoresClock(t *testing.T) {
	t.Parallel()
	l := servicetest.Limits()
	l[access.Pro] = access.Limit{Quota: 1, Burst: 100}
	s := newSiteWith(t, oracle(nil), l)
	s.clock.Advance(12*time.Hour - 400*time.Millisecond)
	s.get(t, access.Pro, "/v1/me")
	if a := s.get(t, access.Pro, "/v1/me"); a.status != 429 || a.header.Get("Retry-After") != "1" {
		t.Errorf("before midnight: %d, Retry-After %q", a.status, a.header.Get("Retry-After"))
	}
	s.clock.Advance(400 * time.Millisecond)
	if a := s.get(t, access.Pro, "/v1/me"); a.status != 200 {
		t.Errorf("after midnight: %d %s", a.status, a.body)
	}
}

// deaf is a key store that does not respond before the context ends.
type deaf struct{ access.Store }

func (deaf) Admit(ctx context.Context, _ access.Credential, _ int64) (access.Admission, error) {
	<-ctx.Done()
	return access.Admission{}, fmt.Errorf("admit: %w", access.ErrUnavailable)
}

func TestK9_Outage(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(nil), func(c *service.Config) {
		c.Access, c.RequestTimeout = deaf{c.Access}, 50*time.Millisecond
	})
	began := time.Now()
	a := s.get(t, access.Enterprise, "/v1/me")
	if a.status != http.StatusInternalServerError || a.document(t).Error.Code != "service_unavailable" {
		t.Errorf("%d %s", a.status, a.body)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	if a.header.Get("X-RateLimit-Limit") != "" || a.document(t).Meta.Tier != "" {
		t.Errorf("the caller is not known: %v %s", a.header, a.body)
	}
}
