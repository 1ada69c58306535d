package service_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"filings/index"
	"filings/service"
	"filings/service/access"
)

// guard puts a guard around an engine, with its metric among the site's.
func guard(t testing.TB) func(*service.Config) {
	return func(c *service.Config) {
		var err error
		if c.Engine, err = service.Guard(c.Engine, c.Registry, c.Log); err != nil {
			t.Fatal(err)
		}
	}
}

// TestGuard_Transparent: in front of a healthy engine a guard changes no answer, nor what is not found.
func TestGuard_Transparent(t *testing.T) {
	t.Parallel()
	plain, guarded := newSite(t, oracle(fixture(t))), newSite(t, oracle(fixture(t)), guard(t))
	for path := range paths {
		want, got := plain.get(t, access.Pro, path), guarded.get(t, access.Pro, path)
		if got.status != want.status || moving.ReplaceAllString(got.body, "") != moving.ReplaceAllString(want.body, "") {
			t.Errorf("%s: %d %s, want %d %s", path, got.status, got.body, want.status, want.body)
		}
	}
	for range 30 {
		if a := guarded.get(t, access.Pro, "/v1/filings/77"); a.status != http.StatusNotFound {
			t.Fatalf("%d %s", a.status, a.body)
		}
	}
	if a := guarded.get(t, access.Pro, "/v1/filings"); a.status != http.StatusOK {
		t.Errorf("after what was not found: %d %s", a.status, a.body)
	}
}

// TestGuard_Outage: an engine that does not answer is soon not asked any more, which metrics, log and readiness tell.
func TestGuard_Outage(t *testing.T) {
	t.Parallel()
	down := &counting{Engine: &faulty{oracle(fixture(t)), index.ErrUnavailable}}
	s := newSite(t, down, guard(t))
	if metrics := send(t, s.service.Operations(), http.MethodGet, "/metrics").body; !strings.Contains(metrics, "filings_engine_breaker_state 0\n") {
		t.Errorf("no closed breaker in\n%s", metrics)
	}
	ask := func(times int) {
		for range times {
			a := s.get(t, access.Pro, "/v1/filings")
			checkOutage(t, "/v1/filings", a, "service_unavailable")
		}
	}
	ask(20)
	asked := down.asked.Load()
	ask(5)
	if more := down.asked.Load() - asked; more > 2 { // a second later it is tried again
		t.Errorf("asked %d times although it is down", more)
	}
	if metrics := send(t, s.service.Operations(), http.MethodGet, "/metrics").body; strings.Contains(metrics, "filings_engine_breaker_state 0\n") {
		t.Error("the metric says that the engine is asked")
	}
	if log := s.log.String(); !strings.Contains(log, `"msg":"breaker","server":"the engine","from":"closed","to":"open"`) {
		t.Errorf("the log does not tell: %s", log)
	}
	if used := s.used(t, "user-pro"); used != 0 {
		t.Errorf("%d used, want 0: not given back", used)
	}
}

// TestGuard_Kinds: errors come through with their kinds.
func TestGuard_Kinds(t *testing.T) {
	t.Parallel()
	for _, kind := range []error{index.ErrGone, index.ErrUnavailable, context.Canceled} {
		engine, err := service.Guard(&faulty{oracle(fixture(t)), kind}, prometheus.NewRegistry(), nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := engine.Live(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Rows(t.Context(), index.Query{Limit: 1}); !errors.Is(err, kind) {
			t.Errorf("%v, want %v", err, kind)
		}
	}
}

// BenchmarkGuard is what a guard costs a page, which is two questions and the one for the live generation.
func BenchmarkGuard(b *testing.B) {
	engine, err := service.Guard(still{index.Empty{}}, prometheus.NewRegistry(), nil)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		r, _ := engine.Live(b.Context())
		_, _ = r.Rows(b.Context(), index.Query{Limit: 20})
		_, _ = r.Count(b.Context(), nil)
	}
}
