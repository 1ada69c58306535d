package apitest

import (
	"net/http"
	"strings"
	"testing"

	"filings/index"
	"filings/service/access"
	"filings/service/servicetest"
)

// TestGuard_Outage: an engine that does not respond is soon not called any more, which metrics, log and readiness show.
func TestGuard_Outage(t *testing.T) {
	t.Parallel()
	down := &counting{Engine: newFaulty(oracle(fixture(t)), index.ErrUnavailable)}
	s := newSite(t, down)
	if metrics := send(t, s.Service.Operations(), http.MethodGet, "/metrics").body; !strings.Contains(metrics, "filings_engine_breaker_state 0\n") {
		t.Errorf("no closed breaker in\n%s", metrics)
	}
	request := func(times int) {
		for range times {
			a := s.get(t, access.Pro, "/v1/filings")
			checkOutage(t, "/v1/filings", a, "service_unavailable")
		}
	}
	request(20)
	servicetest.Until(t, "the breaker opens", func() bool { return s.gauge(t, "filings_engine_breaker_state") == 2 })
	before := down.calls.Load()
	request(5)
	if more := down.calls.Load() - before; more > 2 { // a second later it is tried again
		t.Errorf("called %d times although it is down", more)
	}
	if metrics := send(t, s.Service.Operations(), http.MethodGet, "/metrics").body; strings.Contains(metrics, "filings_engine_breaker_state 0\n") {
		t.Error("the metric says that the engine is called")
	}
	if log := s.Log.String(); !strings.Contains(log, `"msg":"breaker","server":"the engine","from":"closed","to":"open"`) {
		t.Errorf("the log does not say so: %s", log)
	}
	if used := s.used(t, "user-pro"); used != 0 {
		t.Errorf("%d used, want 0: not refunded", used)
	}
}
