package apitest

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"filings/service"
	"filings/service/access"
	"filings/service/servicetest"
)

// TestX60_Spent: what the engine computed for a request counts, with its price, also where its time was over first; so does what
// waited for a result that is computed for an equal request. The engine responds to others meanwhile.
func TestX60_Spent(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, method, target string
		times                int // at once
		counts               int64
	}{
		{"a page", http.MethodGet, "/v1/filings?city=held", 1, 1},
		{"a page of the price 10", http.MethodGet, "/v1/filings?city=held&cursor=*&limit=1000", 1, 10},
		{"equal ones", http.MethodGet, "/v1/filings?city=held", 5, 5},
		{"what is not cached", http.MethodGet, "/v1/filings/search?q=held&date_range=5", 1, 1},
		{"an export", http.MethodGet, "/v1/filings/export?city=held", 1, 1},
		{"the price of an export", http.MethodHead, "/v1/filings/export?city=held", 1, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newSiteOfASecond(t, caching{&holding{Engine: oracle(fixture(t))}})
			var group sync.WaitGroup
			for range tt.times {
				group.Go(func() {
					a := s.do(t, tt.method, access.Pro, tt.target)
					if a.status != http.StatusInternalServerError || a.header.Get("X-RateLimit-Remaining") == "" {
						t.Errorf("%d %s", a.status, a.body)
					}
					if tt.method == http.MethodGet && !strings.Contains(a.body, "request less, or fewer at once") {
						t.Errorf("the message does not say what helps: %s", a.body)
					}
				})
			}
			group.Wait()
			if used := s.used(t, "user-pro"); used != tt.counts {
				t.Errorf("%d count, want %d", used, tt.counts)
			}
		})
	}
}

// TestX60_Token: what counts of a token's request counts of the share of tokens too.
func TestX60_Token(t *testing.T) {
	t.Parallel()
	s := newSite(t, &holding{Engine: oracle(fixture(t))}, func(c *service.Config) { c.RequestTimeout = time.Second })
	token := s.token(t, access.Pro, "")
	if a := s.visit(t, token, "/v1/filings?city=held"); a.status != http.StatusInternalServerError {
		t.Fatalf("%d %s", a.status, a.body)
	}
	if used := s.used(t, "user-pro"); used != 2 { // with that for the token
		t.Errorf("%d count", used)
	}
	a := s.visit(t, token, "/v1/filings?limit=1")
	if limits := a.header.Get("RateLimit"); !strings.Contains(limits, `"tokens";r=99998;`) {
		t.Errorf("of the tokens' share: %s", limits)
	}
}

// TestX60_BehindOthers: what waited for calls of other accounts alone is given back, though the time was over.
func TestX60_BehindOthers(t *testing.T) {
	t.Parallel()
	engine := &holding{Engine: oracle(fixture(t))}
	s := newSiteOfASecond(t, engine)
	var keys []string
	for i := range 9 { // of eight slots
		key, err := s.Store.Create(t.Context(), fmt.Sprintf("other-%d", i), access.Pro, "test")
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key)
	}
	var group sync.WaitGroup
	for i, key := range keys[:8] {
		group.Go(func() { send(t, s.App, http.MethodGet, fmt.Sprintf("/v1/filings?city=held%d", i), "X-API-Key", key) })
	}
	servicetest.Until(t, "all slots are taken, or kept for short calls", func() bool {
		return s.gauge(t, "filings_engine_calls_in_progress")+s.gauge(t, "filings_engine_calls_waiting") == 8
	})
	a := send(t, s.App, http.MethodGet, "/v1/filings?city=held9", "X-API-Key", keys[8])
	checkOutage(t, "behind others", a, "service_unavailable")
	group.Wait()
	if used := s.used(t, "other-8"); used != 0 {
		t.Errorf("%d count", used)
	}
}

// TestX60_Down: of an engine that responds to nobody nothing counts, though requests used up their time.
func TestX60_Down(t *testing.T) {
	t.Parallel()
	engine := &holding{Engine: oracle(fixture(t))}
	s := newSiteOfASecond(t, engine)
	engine.all.Store(true)
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() { s.get(t, access.Pro, fmt.Sprintf("/v1/filings?cursor=*&limit=%d&city=c%d", 200*i+1, i)) })
	}
	group.Wait()
	if used := s.used(t, "user-pro"); used != 0 {
		t.Errorf("%d count", used)
	}
}
