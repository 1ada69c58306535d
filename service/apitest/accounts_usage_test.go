package apitest

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/dunglas/httpsfv"
	"github.com/google/go-cmp/cmp"

	"filings/index"
	"filings/service"
	"filings/service/access"
	"filings/service/servicetest"
)

// limits are small, and different for each tier.
func limits() access.Limits {
	return access.Limits{
		access.Free:       {Quota: 3, Burst: 50},
		access.Starter:    {Quota: 4, Burst: 50},
		access.Pro:        {Quota: 1000, Burst: 2},
		access.Enterprise: {Quota: 9_000_000_000_000_000_000, Burst: 1_000_000_000},
	}
}

func TestX14_Usage(t *testing.T) {
	t.Parallel()
	s := newSiteWith(t, oracle(fixture(t)), limits())
	days := func(last ...int64) string {
		text := ""
		for i := range 30 {
			n := int64(0)
			if i >= 30-len(last) {
				n = last[i-30+len(last)]
			}
			text += fmt.Sprintf(`,{"date":%q,"requests":%d}`, now.AddDate(0, 0, i-29).Format(time.DateOnly), n)
		}
		return "[" + text[1:] + "]"
	}
	for _, tt := range []struct {
		tier access.Tier
		want string // tier and windows
	}{
		{access.Free, `"tier":"free","windows":[{"name":"lifetime","limit":3,"used":2,"remaining":1,"resetsAt":null},` +
			`{"name":"burst","limit":50,"used":2,"remaining":48,"resetsAt":"2026-03-15T12:00:00.04Z"}]`},
		{access.Starter, `"tier":"starter","windows":[{"name":"day","limit":4,"used":2,"remaining":2,"resetsAt":"2026-03-16T00:00:00Z"},` +
			`{"name":"burst","limit":50,"used":2,"remaining":48,"resetsAt":"2026-03-15T12:00:00.04Z"}]`},
		{access.Pro, `"tier":"pro","windows":[{"name":"day","limit":1000,"used":2,"remaining":998,"resetsAt":"2026-03-16T00:00:00Z"},` +
			`{"name":"burst","limit":2,"used":2,"remaining":0,"resetsAt":"2026-03-15T12:00:01Z"}]`},
	} {
		s.do(t, http.MethodHead, tt.tier, "/v1/me/usage")
		a := s.get(t, tt.tier, "/v1/me/usage")
		d := a.document(t)
		if want := "{" + tt.want + `,"days":` + days(2) + "}"; a.status != http.StatusOK || string(d.Data) != want {
			t.Errorf("%s: %d\n got %s\nwant %s", tt.tier, a.status, d.Data, want)
		}
		if d.Success == nil || !*d.Success || d.Meta.Tier != string(tt.tier) || a.header.Get("ETag") != "" {
			t.Errorf("%s: %s %v", tt.tier, a.body, a.header)
		}
	}
	if a := s.get(t, "", "/v1/me/usage"); a.status != http.StatusUnauthorized {
		t.Errorf("without a key: %d", a.status)
	}
	if a := s.get(t, access.Free, "/v1/me/usage?days=5", "Prefer", "handling=strict"); a.status != http.StatusBadRequest {
		t.Errorf("with a parameter, strictly: %d %s", a.status, a.body)
	}
	if a := s.get(t, access.Free, "/v1/me/usage"); a.status != http.StatusOK {
		t.Errorf("the refusal has counted: %d", a.status)
	}
	if a := s.get(t, access.Free, "/v1/me/usage"); a.status != http.StatusTooManyRequests {
		t.Errorf("counts like any request: %d", a.status)
	}
}

// failing is a key store that admits, and cannot say what was used.
type failing struct{ access.Store }

func (failing) Usage(context.Context, string) (access.Usage, error) {
	return access.Usage{}, fmt.Errorf("read usage: %w", access.ErrUnavailable)
}

func TestX14_KeyStoreFails(t *testing.T) {
	t.Parallel()
	s := newSite(t, oracle(nil), func(c *service.Config) { c.Access = failing{c.Access} })
	a := s.get(t, access.Free, "/v1/me/usage")
	if a.status != http.StatusInternalServerError || a.document(t).Error.Code != "service_unavailable" || s.used(t, "user-free") != 0 {
		t.Errorf("%d %s, used %d", a.status, a.body, s.used(t, "user-free"))
	}
}

// items reads a list of structured fields: names, each with its parameters in order.
func items(t *testing.T, lines []string) (all []string) {
	t.Helper()
	list, err := httpsfv.UnmarshalList(lines)
	if err != nil || len(lines) != 1 {
		t.Fatalf("%q: %v", lines, err)
	}
	for _, member := range list {
		item := member.(httpsfv.Item)
		text := item.Value.(string)
		for _, name := range item.Params.Names() {
			value, _ := item.Params.Get(name)
			text += fmt.Sprintf(" %s=%d", name, value.(int64))
		}
		all = append(all, text)
	}
	return all
}

func TestX15_Fields(t *testing.T) {
	t.Parallel()
	s := newSiteWith(t, oracle(fixture(t)), limits())
	for _, tt := range []struct {
		tier             access.Tier
		method, path     string
		status           int
		policies, limits []string
	}{
		{access.Free, "GET", "/v1/me", 200, []string{"lifetime q=3", "burst q=50 w=1"}, []string{"lifetime r=2", "burst r=49 t=1"}},
		{access.Free, "GET", "/v1/nothing", 404, []string{"lifetime q=3", "burst q=50 w=1"}, []string{"lifetime r=2", "burst r=48 t=1"}},
		{access.Free, "POST", "/v1/me", 405, []string{"lifetime q=3", "burst q=50 w=1"}, []string{"lifetime r=1", "burst r=47 t=1"}},
		{access.Free, "GET", "/v1/me", 200, []string{"lifetime q=3", "burst q=50 w=1"}, []string{"lifetime r=0", "burst r=46 t=1"}},
		{access.Free, "GET", "/v1/me", 429, []string{"lifetime q=3", "burst q=50 w=1"}, []string{"lifetime r=0", "burst r=46 t=1"}},
		{access.Starter, "HEAD", "/v1/filings", 200, []string{"day q=4 w=86400", "burst q=50 w=1"}, []string{"day r=3 t=43200", "burst r=49 t=1"}},
		{access.Starter, "GET", "/v1/filings?limit=0", 400, []string{"day q=4 w=86400", "burst q=50 w=1"}, []string{"day r=3 t=43200", "burst r=48 t=1"}},
		{access.Starter, "GET", "/v1/filings", 304, []string{"day q=4 w=86400", "burst q=50 w=1"}, []string{"day r=2 t=43200", "burst r=47 t=1"}},
		{access.Starter, "GET", "/v1/stats", 200, []string{"day q=4 w=86400", "burst q=50 w=1"}, []string{"day r=1 t=43200", "burst r=46 t=1"}},
		{access.Starter, "GET", "/v1/stats", 200, []string{"day q=4 w=86400", "burst q=50 w=1"}, []string{"day r=0 t=43200", "burst r=45 t=1"}},
		{access.Starter, "GET", "/v1/stats", 429, []string{"day q=4 w=86400", "burst q=50 w=1"}, []string{"day r=0 t=43200", "burst r=45 t=1"}},
		{access.Pro, "GET", "/v1/me", 200, []string{"day q=1000 w=86400", "burst q=2 w=1"}, []string{"day r=999 t=43200", "burst r=1 t=1"}},
		{access.Pro, "GET", "/v1/me", 200, []string{"day q=1000 w=86400", "burst q=2 w=1"}, []string{"day r=998 t=43200", "burst r=0 t=1"}},
		{access.Pro, "GET", "/v1/me", 429, []string{"day q=1000 w=86400", "burst q=2 w=1"}, []string{"day r=998 t=43200", "burst r=0 t=1"}},
		{access.Enterprise, "GET", "/v1/me", 200, []string{"day q=999999999999999 w=86400", "burst q=1000000000 w=1"}, []string{"day r=999999999999999 t=43200", "burst r=999999999 t=1"}},
	} {
		a := s.do(t, tt.method, tt.tier, tt.path, "If-None-Match", "*")
		what := fmt.Sprintf("%s %s %s", tt.tier, tt.method, tt.path)
		if tt.status == 200 {
			tt.status = a.status // 304 or 200: If-None-Match has its own tests
		}
		if a.status != tt.status {
			t.Errorf("%s: %d, want %d", what, a.status, tt.status)
		}
		if diff := cmp.Diff(tt.policies, items(t, a.header["Ratelimit-Policy"])); diff != "" {
			t.Errorf("%s: policies (-want +got)\n%s", what, diff)
		}
		if diff := cmp.Diff(tt.limits, items(t, a.header["Ratelimit"])); diff != "" {
			t.Errorf("%s: limits (-want +got)\n%s", what, diff)
		}
	}
	s.clock.Advance(2 * time.Second)
	if got := s.get(t, access.Free, "/v1/me").header.Get("RateLimit"); got != `"lifetime";r=0, "burst";r=50;t=0` {
		t.Errorf("with the whole burst left: %s", got)
	}
	for _, tier := range []access.Tier{"", access.Free} {
		a := s.do(t, http.MethodGet, tier, "/openapi.json")
		if tier == "" {
			a = s.get(t, "", "/v1/me")
		}
		if a.header.Get("RateLimit") != "" || a.header.Get("RateLimit-Policy") != "" {
			t.Errorf("without an account: %v", a.header)
		}
	}
}

// TestX15_Refund: after the refund of a 5xx both kinds of headers say the same.
func TestX15_Refund(t *testing.T) {
	t.Parallel()
	s := newSiteWith(t, newFaulty(oracle(fixture(t)), index.ErrUnavailable), limits())
	a := s.get(t, access.Starter, "/v1/filings")
	remaining, limit := a.header.Get("X-RateLimit-Remaining"), a.header.Get("RateLimit")
	if a.status != http.StatusInternalServerError || remaining != "4" || limit != `"day";r=4;t=43200, "burst";r=49;t=1` {
		t.Errorf("%d, X-RateLimit-Remaining %s, RateLimit %s", a.status, remaining, limit)
	}
}

// TestX15_AgreesWithRetryAfter: the window that refused a request says the same time as Retry-After.
func TestX15_AgreesWithRetryAfter(t *testing.T) {
	t.Parallel()
	l := servicetest.Limits()
	l[access.Pro] = access.Limit{Quota: 1, Burst: 100}
	s := newSiteWith(t, oracle(nil), l)
	s.clock.Advance(12*time.Hour - 90*time.Second - time.Millisecond)
	s.get(t, access.Pro, "/v1/me")
	a := s.get(t, access.Pro, "/v1/me")
	seconds, err := strconv.Atoi(a.header.Get("Retry-After"))
	if got := items(t, a.header["Ratelimit"])[0]; err != nil || seconds != 91 || got != "day r=0 t=91" {
		t.Errorf("Retry-After %s, RateLimit %s", a.header.Get("Retry-After"), got)
	}
}
