package apitest

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"filings/cmd/testservers/servers"
	"filings/index"
	"filings/index/elastic"
	"filings/service"
	"filings/service/access"
	"filings/service/servicetest"
)

// fault stands in for Elasticsearch's response to a request, which real sends.
type fault func(w http.ResponseWriter, r *http.Request, real http.Handler)

// faultyProxy lies between a service and the real Elasticsearch.
type faultyProxy struct {
	*httptest.Server
	fault            atomic.Pointer[fault] // nil: the proxy works
	requests         atomic.Int64          // since the start
	inProgress, peak atomic.Int64
}

func newFaultyProxy(t testing.TB) *faultyProxy {
	t.Helper()
	to, err := url.Parse(servers.Elasticsearch(t))
	if err != nil {
		t.Fatal(err)
	}
	real := httputil.NewSingleHostReverseProxy(to)
	real.ErrorLog = log.New(io.Discard, "", 0) // requests that the service gave up
	proxy := &faultyProxy{}
	proxy.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		proxy.requests.Add(1)
		defer proxy.inProgress.Add(-1)
		for n, peak := proxy.inProgress.Add(1), proxy.peak.Load(); n > peak && !proxy.peak.CompareAndSwap(peak, n); {
			peak = proxy.peak.Load()
		}
		body, _ := io.ReadAll(r.Body) // else net/http would not notice that the client hangs up
		r.Body = io.NopCloser(bytes.NewReader(body))
		if f := proxy.fault.Load(); f != nil {
			(*f)(w, r, real)
			return
		}
		real.ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	return proxy
}

func (b *faultyProxy) breaks(f fault) { b.fault.Store(&f) }
func (b *faultyProxy) mends()         { b.fault.Store(nil) }

// engine opens the handmade filings over the proxy, put together as `filings serve` does.
func (b *faultyProxy) engine(t testing.TB, registry *prometheus.Registry) index.Engine {
	t.Helper()
	onElastic.store(t, handmade)
	store, err := elastic.Open(elastic.Config{Addresses: []string{b.URL}, Index: onElastic.prefix + "-" + string(handmade), Shards: 1})
	if err != nil {
		t.Fatal(err)
	}
	return caching{store}
}

// newSiteOver starts a service over the proxy and the real Redis, and returns it with a pro account's key.
func newSiteOver(t *testing.T, proxy *faultyProxy, timeout time.Duration) (s *site, key string) {
	t.Helper()
	store, registry := openRedis(t, servicetest.Limits()), prometheus.NewRegistry()
	s = newSite(t, proxy.engine(t, registry), func(c *service.Config) {
		c.Access, c.RequestTimeout, c.Registry = store, timeout, registry
	})
	s.Store = store
	key, err := store.Create(t.Context(), "customer", access.Pro, "test")
	if err != nil {
		t.Fatal(err)
	}
	return s, key
}

// status responds with a status and a body.
func status(code int, body string) fault {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

// silent never responds.
func silent(_ http.ResponseWriter, r *http.Request, _ http.Handler) { <-r.Context().Done() }

// cutAfter hangs up after so many bytes of the real response.
func cutAfter(n int) fault {
	return changed(func(w http.ResponseWriter, body []byte) {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body[:min(n, len(body))])
		if f, ok := w.(http.Flusher); ok && n > 0 {
			f.Flush()
		}
		panic(http.ErrAbortHandler)
	})
}

// changed hands the real response to write.
func changed(write func(w http.ResponseWriter, body []byte)) fault {
	return func(w http.ResponseWriter, r *http.Request, real http.Handler) {
		rec := httptest.NewRecorder()
		real.ServeHTTP(rec, r)
		write(w, rec.Body.Bytes())
	}
}

// replaced is the real response with one text for another.
func replaced(before, after string) fault {
	return changed(func(w http.ResponseWriter, body []byte) {
		_, _ = w.Write(bytes.ReplaceAll(body, []byte(before), []byte(after)))
	})
}

const page = "<html><body>secret-host: nothing to see here</body></html>"

// TestE3_Elasticsearch is the table of what clients get when Elasticsearch, the connection to it or a proxy in between fails:
// never a smaller result, never a wrong "not found", nothing internal, and no loss of quota.
func TestE3_Elasticsearch(t *testing.T) {
	t.Parallel()
	const all, searches = "", "_search" // what the fault is about: a part of the path
	for _, tt := range []struct {
		name  string
		fault fault
		about string
		code  string
	}{
		{"silent", silent, all, "service_unavailable"},
		{"silent to searches", silent, searches, "service_unavailable"},
		{"hangs up", cutAfter(0), all, "service_unavailable"},
		{"hangs up on searches", cutAfter(0), searches, "service_unavailable"},
		{"hangs up in mid-response", cutAfter(40), searches, "service_unavailable"},
		{"too many requests", status(429, `{"error":{"type":"circuit_breaking_exception","reason":"secret"},"status":429}`), all, "service_unavailable"},
		{"too many searches", status(429, `{"error":{"type":"es_rejected_execution_exception","reason":"secret"},"status":429}`), searches, "service_unavailable"},
		{"no shard", status(503, `{"error":{"root_cause":[],"type":"search_phase_execution_exception","reason":"secret"},"status":503}`), searches, "service_unavailable"},
		{"no master", status(503, `{"error":{"type":"cluster_block_exception","reason":"secret"},"status":503}`), all, "service_unavailable"},
		{"a failed shard", replaced(`"failed":0`, `"failed":1`), searches, "service_unavailable"},
		{"out of time", replaced(`"timed_out":false`, `"timed_out":true`), searches, "service_unavailable"},
		{"a proxy's 502", status(502, page), all, "service_unavailable"},
		{"a proxy's 404", status(404, page), all, "service_unavailable"},
		{"a proxy's 404 for filings", status(404, page), "_doc", "service_unavailable"},
		{"a proxy's 403", status(403, page), searches, "service_unavailable"},
		{"a page", status(200, page), all, "service_unavailable"},
		{"a page for searches", status(200, page), searches, "service_unavailable"},
		{"nothing", status(200, ""), all, "service_unavailable"},
		{"an empty object", status(200, "{}"), all, "service_unavailable"},
		{"empty objects for searches", status(200, "{}"), searches, "service_unavailable"},
		{"half a response", changed(func(w http.ResponseWriter, body []byte) { _, _ = w.Write(body[:len(body)/2]) }), searches, "service_unavailable"},
		{"other credentials", status(401, `{"error":{"type":"security_exception","reason":"secret"},"status":401}`), all, "internal_error"},
	} {
		t.Run("E3 "+tt.name, func(t *testing.T) {
			t.Parallel()
			proxy := newFaultyProxy(t)
			s, key := newSiteOver(t, proxy, time.Second)
			d := listenTLS(t, s.App)
			proxy.breaks(func(w http.ResponseWriter, r *http.Request, real http.Handler) {
				if strings.Contains(r.URL.Path, tt.about) {
					tt.fault(w, r, real)
				} else {
					real.ServeHTTP(w, r)
				}
			})
			paths := []string{"/v1/filings?limit=3", "/v1/filings/groups?by=county"}
			if tt.about != searches {
				paths = []string{"/v1/filings/1", "/v1/filings/1"}
			}
			before := proxy.requests.Load()
			for _, path := range paths {
				a := d.get(t, path, key)
				checkOutage(t, path, a, tt.code, proxy.Listener.Addr().String(), onElastic.prefix)
				if tt.name == "silent to searches" {
					continue // that it is no slow one is known two seconds later (rule X60): see below
				}
				if got := a.header.Get("X-RateLimit-Remaining"); got != "100000" {
					t.Errorf("%s: %s remaining: not refunded", path, got)
				}
			}
			if used := s.used(t, "customer"); used != 0 {
				t.Errorf("%d used, want 0: not refunded", used)
			}
			if proxy.requests.Load() == before {
				t.Error("no request reached Elasticsearch")
			}
			proxy.mends()
			servicetest.Until(t, "recovery", func() bool { return d.get(t, "/v1/filings?limit=3", key).status == http.StatusOK })
			after := d.get(t, "/v1/filings?limit=3", key)
			if got := after.ids(t); len(got) != 3 {
				t.Errorf("after the outage: %v", got)
			}
			// The response says what was counted: nothing of the outage.
			if used, left := s.used(t, "customer"), after.header.Get("X-RateLimit-Remaining"); used != 2 || left != "99998" {
				t.Errorf("%d used, %s remaining after the outage, want 2 and 99998", used, left)
			}
		})
	}
}

// checkOutage expects the response of rule E3, which shows none of secrets.
func checkOutage(t *testing.T, path string, a response, code string, secrets ...string) {
	t.Helper()
	if a.status != http.StatusInternalServerError || a.document(t).Error == nil || a.document(t).Error.Code != code {
		t.Errorf("%s: %d %s, want 500 %s", path, a.status, a.body, code)
	}
	shown := a.body + fmt.Sprint(a.header)
	for _, secret := range append(secrets, "secret", "127.0.0.1", "lasticsearch", "edis", "exception", "breaker", "goroutine") {
		if strings.Contains(shown, secret) {
			t.Errorf("%s: %q is shown: %s", path, secret, shown)
		}
	}
	if a.header.Get("ETag") != "" || a.header.Get("Retry-After") != "" {
		t.Errorf("%s: %v", path, a.header) // rule K7: Retry-After is for 429 only
	}
}

// TestE3_ElasticsearchIsNotThere: refused connections.
func TestE3_ElasticsearchIsNotThere(t *testing.T) {
	t.Parallel()
	proxy := newFaultyProxy(t)
	s, key := newSiteOver(t, proxy, time.Second)
	d := listenTLS(t, s.App)
	proxy.Close()
	checkOutage(t, "/v1/filings", d.get(t, "/v1/filings", key), "service_unavailable", onElastic.prefix)
	if a := send(t, s.Service.Operations(), http.MethodGet, "/readyz"); a.status != http.StatusServiceUnavailable || a.body != "index\n" {
		t.Errorf("/readyz: %d %q", a.status, a.body)
	}
	if used := s.used(t, "customer"); used != 0 {
		t.Errorf("%d used, want 0: not refunded", used)
	}
}
