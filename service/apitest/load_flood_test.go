package apitest

import (
	"bytes"
	"fmt"
	"net/http"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"filings/service/servicetest"
)

const (
	clients = 500 // at once
	// few is how many of them may reach a server that is known to be down: the server is tried once a second, and a
	// busy machine takes some seconds to send them all.
	few = clients / 20
)

// flood sends a request from each client, no two alike, and counts the responses by status.
func flood(t *testing.T, s *site, d *door, key string) map[int]int {
	t.Helper()
	var mu sync.Mutex
	statuses := map[int]int{}
	var group sync.WaitGroup
	for i := range clients {
		group.Go(func() {
			a := d.get(t, fmt.Sprintf("/v1/filings?city=c%d", i), key)
			mu.Lock()
			defer mu.Unlock()
			statuses[a.status]++
		})
	}
	group.Wait()
	if err := s.Service.Drain(t.Context()); err != nil { // refunds are no part of what is counted here
		t.Fatal(err)
	}
	return statuses
}

// busyGoroutines counts the goroutines of the process, without the workers that fasthttp keeps for connections to come.
func busyGoroutines(t *testing.T) int {
	t.Helper()
	var stacks bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&stacks, 2); err != nil {
		t.Fatal(err)
	}
	busy := 0
	for stack := range strings.SplitSeq(stacks.String(), "\n\n") {
		if !strings.Contains(stack, "fasthttp.(*workerPool).workerFunc") || strings.Contains(stack, "serveConn") {
			busy++
		}
	}
	return busy
}

// TestE3_FloodWithoutElasticsearch has 500 clients of a silent Elasticsearch: all get a response, no more than
// eight searches (and the request for the live generation, and the probe) are in progress, and the next 500 do not even wait. It is not parallel: it counts the goroutines of the process.
func TestE3_FloodWithoutElasticsearch(t *testing.T) {
	proxy := newFaultyProxy(t)
	s, key := newSiteOver(t, proxy, 5*time.Second) // the default
	d := listenTLS(t, s.App)
	if a := d.get(t, "/v1/filings", key); a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	before := busyGoroutines(t)
	proxy.breaks(silent)
	if got := flood(t, s, d, key); got[http.StatusInternalServerError] != clients {
		t.Errorf("statuses %v", got)
	}
	if peak := proxy.peak.Load(); peak > 10 {
		t.Errorf("%d requests in progress", peak)
	}
	servicetest.Until(t, "the end of all requests", func() bool { return proxy.inProgress.Load() == 0 })
	requests := proxy.requests.Load()
	if got := flood(t, s, d, key); got[http.StatusInternalServerError] != clients {
		t.Errorf("statuses %v", got)
	}
	if more := proxy.requests.Load() - requests; more > few {
		t.Errorf("%d requests to an Elasticsearch that is known to be silent", more)
	}
	servicetest.Until(t, "the end of what two floods began", func() bool {
		d.Client.CloseIdleConnections()
		return busyGoroutines(t) <= before+100
	})
	metrics := send(t, s.Service.Operations(), http.MethodGet, "/metrics").body
	if strings.Contains(metrics, "filings_engine_breaker_state 0\n") {
		t.Error("the metric says that the engine is called")
	}
	ready := func() int { return send(t, s.Service.Operations(), http.MethodGet, "/readyz").status }
	if got := ready(); got != http.StatusServiceUnavailable {
		t.Errorf("/readyz in the outage: %d", got)
	}
	if used := s.used(t, "customer"); used != 1 {
		t.Errorf("%d used, want 1: not refunded", used)
	}
	proxy.mends()
	servicetest.Until(t, "readiness", func() bool { return ready() == http.StatusOK })
	if a := d.get(t, "/v1/filings?city=after", key); a.status != http.StatusOK {
		t.Errorf("ready, but %d %s", a.status, a.body)
	}
}

// TestK9_FloodWithoutRedis is the same with a Redis that does not reply.
func TestK9_FloodWithoutRedis(t *testing.T) {
	wire := newBadWire(t)
	s, key := newSiteBehind(t, wire, 2*time.Second)
	d := listenTLS(t, s.App)
	if a := d.get(t, "/v1/filings", key); a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	before := busyGoroutines(t)
	wire.breaks(wireFault{silent: true})
	if got := flood(t, s, d, key); got[http.StatusInternalServerError] != clients {
		t.Errorf("statuses %v", got)
	}
	atOnce := func() int {
		const name = `filings_admission_duration_seconds_bucket{outcome="unavailable",le="1"} `
		_, behind, _ := strings.Cut(send(t, s.Service.Operations(), http.MethodGet, "/metrics").body, name)
		n, _ := strconv.Atoi(strings.Split(behind, "\n")[0])
		return n
	}
	refused, scripts := atOnce(), wire.scripts.Load()
	if got := flood(t, s, d, key); got[http.StatusInternalServerError] != clients {
		t.Errorf("statuses %v", got)
	}
	if more := wire.scripts.Load() - scripts; scripts == 0 || more > few {
		t.Errorf("%d scripts for a Redis that is known to be silent, %d before", more, scripts)
	}
	// A client that waits for Redis waits for nearly two seconds.
	if n := atOnce() - refused; n < clients-few {
		t.Errorf("only %d clients were refused at once by a service that knows that Redis is silent", n)
	}
	servicetest.Until(t, "the end of what two floods began", func() bool {
		d.Client.CloseIdleConnections()
		return busyGoroutines(t) <= before+100
	})
	metrics := send(t, s.Service.Operations(), http.MethodGet, "/metrics").body
	if !strings.Contains(metrics, "filings_keys_breaker_state ") || strings.Contains(metrics, "filings_keys_breaker_state 0\n") {
		t.Error("the metric does not say that Redis is not called")
	}
	if used := wire.used(t); used != 1 {
		t.Errorf("%d requests were counted, want 1", used)
	}
	wire.mends()
	servicetest.Until(t, "recovery", func() bool { return d.get(t, "/v1/filings", key).status == http.StatusOK })
}
