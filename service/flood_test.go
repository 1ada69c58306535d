package service_test

import (
	"filings/service/servicetest"
	"fmt"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	crowd = 500 // clients that ask at once
	// few is how much of a crowd may reach a server that is known to be down: the server is tried once a second, and a
	// busy machine takes some seconds to send a crowd.
	few = crowd / 20
)

// flood lets a crowd of clients ask, each something else, and returns how often each status was answered.
func flood(t *testing.T, s *site, d *door, key string) map[int]int {
	t.Helper()
	var mu sync.Mutex
	statuses := map[int]int{}
	var clients sync.WaitGroup
	for i := range crowd {
		clients.Go(func() {
			a := d.get(t, fmt.Sprintf("/v1/filings?city=c%d", i), key)
			mu.Lock()
			defer mu.Unlock()
			statuses[a.status]++
		})
	}
	clients.Wait()
	if err := s.service.Drain(t.Context()); err != nil { // refunds are no part of what is counted here
		t.Fatal(err)
	}
	return statuses
}

// TestE3_FloodWithoutElasticsearch lets 500 clients ask a silent Elasticsearch: all are answered, no more than 128
// questions (and the one for the live generation, and the one that tries the server again) are under way, and the next
// 500 do not even wait. It is not parallel: it counts the goroutines of the process.
func TestE3_FloodWithoutElasticsearch(t *testing.T) {
	road := newBadRoad(t)
	s, key := newSiteOver(t, road, 5*time.Second) // the default
	d := listenTLS(t, s.app)
	if a := d.get(t, "/v1/filings", key); a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	road.breaks(silent)
	if got := flood(t, s, d, key); got[http.StatusInternalServerError] != crowd {
		t.Errorf("statuses %v", got)
	}
	if peak := road.peak.Load(); peak > 130 {
		t.Errorf("%d questions under way", peak)
	}
	servicetest.Until(t, "the end of all questions", func() bool { return road.underWay.Load() == 0 })
	asked, before := road.asked.Load(), runtime.NumGoroutine()
	if got := flood(t, s, d, key); got[http.StatusInternalServerError] != crowd {
		t.Errorf("statuses %v", got)
	}
	if more := road.asked.Load() - asked; more > few {
		t.Errorf("%d questions to an Elasticsearch that is known to be silent", more)
	}
	if after := runtime.NumGoroutine(); after > before+100 {
		t.Errorf("%d goroutines after one flood, %d after two", before, after)
	}
	metrics := send(t, s.service.Operations(), http.MethodGet, "/metrics").body
	if strings.Contains(metrics, "filings_engine_breaker_state 0\n") {
		t.Error("the metric says that the engine is asked")
	}
	ready := func() int { return send(t, s.service.Operations(), http.MethodGet, "/readyz").status }
	if got := ready(); got != http.StatusServiceUnavailable {
		t.Errorf("/readyz in the outage: %d", got)
	}
	if used := s.used(t, "customer"); used != 1 {
		t.Errorf("%d used, want 1: not given back", used)
	}
	road.mends()
	servicetest.Until(t, "readiness", func() bool { return ready() == http.StatusOK })
	if a := d.get(t, "/v1/filings?city=after", key); a.status != http.StatusOK {
		t.Errorf("ready, but %d %s", a.status, a.body)
	}
}

// TestK9_FloodWithoutRedis is the same with a Redis that says nothing.
func TestK9_FloodWithoutRedis(t *testing.T) {
	wire := newBadWire(t)
	s, key := newSiteBehind(t, wire, 2*time.Second)
	d := listenTLS(t, s.app)
	if a := d.get(t, "/v1/filings", key); a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	wire.breaks(wireFault{silent: true})
	if got := flood(t, s, d, key); got[http.StatusInternalServerError] != crowd {
		t.Errorf("statuses %v", got)
	}
	atOnce := func() int {
		const name = `filings_admission_duration_seconds_bucket{outcome="unavailable",le="1"} `
		_, behind, _ := strings.Cut(send(t, s.service.Operations(), http.MethodGet, "/metrics").body, name)
		n, _ := strconv.Atoi(strings.Split(behind, "\n")[0])
		return n
	}
	refused, scripts, before := atOnce(), wire.scripts.Load(), runtime.NumGoroutine()
	if got := flood(t, s, d, key); got[http.StatusInternalServerError] != crowd {
		t.Errorf("statuses %v", got)
	}
	if more := wire.scripts.Load() - scripts; scripts == 0 || more > few {
		t.Errorf("%d scripts for a Redis that is known to be silent, %d before", more, scripts)
	}
	// Who asks a silent Redis waits for nearly two seconds.
	if n := atOnce() - refused; n < crowd-few {
		t.Errorf("only %d clients were refused at once by a service that knows that Redis is silent", n)
	}
	if after := runtime.NumGoroutine(); after > before+100 {
		t.Errorf("%d goroutines after one flood, %d after two", before, after)
	}
	metrics := send(t, s.service.Operations(), http.MethodGet, "/metrics").body
	if !strings.Contains(metrics, "filings_keys_breaker_state ") || strings.Contains(metrics, "filings_keys_breaker_state 0\n") {
		t.Error("the metric does not say that Redis is not asked")
	}
	if used := wire.used(t); used != 1 {
		t.Errorf("%d requests were counted, want 1", used)
	}
	wire.mends()
	servicetest.Until(t, "recovery", func() bool { return d.get(t, "/v1/filings", key).status == http.StatusOK })
}
