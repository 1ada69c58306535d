package service_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"filings/index"
	"filings/service"
	"filings/service/access"
	"filings/service/servicetest"
)

// TestFair_Flood: one account floods the real Elasticsearch with searches that never end. Another one's searches, each of
// them new, are answered meanwhile; the flood has a quarter of the eight calls at once, and its time-outs open no breaker.
func TestFair_Flood(t *testing.T) {
	t.Parallel()
	proxy := newFaultyProxy(t)
	s, flooding := newSiteOver(t, proxy, time.Minute)
	honest, err := s.Store.Create(t.Context(), "honest", access.Pro, "test")
	if err != nil {
		t.Fatal(err)
	}
	d := listenTLS(t, s.App)
	if a := d.get(t, "/v1/filings", honest); a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	var held, most atomic.Int64
	release := make(chan struct{})
	proxy.breaks(func(w http.ResponseWriter, r *http.Request, real http.Handler) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		if bytes.Contains(body, []byte("flood")) {
			n := held.Add(1)
			defer held.Add(-1)
			for peak := most.Load(); n > peak && !most.CompareAndSwap(peak, n); {
				peak = most.Load()
			}
			select {
			case <-release:
			case <-r.Context().Done():
				return
			}
		}
		real.ServeHTTP(w, r)
	})
	statuses := make(chan int, 70)
	for i := range cap(statuses) {
		go func() { statuses <- d.get(t, fmt.Sprintf("/v1/filings?city=flood%d", i), flooding).status }()
	}
	waiting, inProgress := "filings_engine_calls_waiting", "filings_engine_calls_in_progress"
	servicetest.Until(t, "the flood waits", func() bool { return s.gauge(t, waiting) == 68 })
	for i := range 20 {
		if a := d.get(t, fmt.Sprintf("/v1/filings?city=honest%d", i), honest); a.status != http.StatusOK {
			t.Errorf("beside a flood: %d %s", a.status, a.body)
		}
	}
	if held.Load() != 2 || most.Load() != 2 || s.gauge(t, inProgress) != 2 {
		t.Errorf("the flood has %d calls in progress, and had %d; want 2", held.Load(), most.Load())
	}
	close(release)
	for range cap(statuses) {
		if status := <-statuses; status != http.StatusOK {
			t.Errorf("of the flood, after it: %d", status)
		}
	}
	if s.gauge(t, waiting) != 0 || s.gauge(t, inProgress) != 0 {
		t.Error("calls are left behind")
	}
}

// gauge returns the value of a gauge of the site's engine.
func (s *site) gauge(t *testing.T, name string) float64 {
	t.Helper()
	families, err := s.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == name {
			return f.Metric[0].GetGauge().GetValue()
		}
	}
	t.Fatalf("no metric %s", name)
	return 0
}

// TestFair_Refused: what an account's flood leaves no time for is 500, refunded, and counted apart; the log says why.
func TestFair_Refused(t *testing.T) {
	t.Parallel()
	s := newSiteOfASecond(t)
	if a := s.get(t, access.Free, "/v1/filings?city=other"); a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	var group sync.WaitGroup
	for i := range 20 {
		group.Go(func() {
			a := s.get(t, access.Pro, fmt.Sprintf("/v1/filings?city=held%d", i))
			checkOutage(t, "of a flood", a, "service_unavailable")
		})
	}
	group.Wait()
	if used := s.used(t, "user-pro"); used != 0 {
		t.Errorf("%d used: not refunded", used)
	}
	metrics := send(t, s.Service.Operations(), http.MethodGet, "/metrics").body
	if strings.Contains(metrics, `filings_engine_calls_refused_total{reason="share"} 0`) || !strings.Contains(metrics, `filings_engine_calls_refused_total{reason="all"} 0`) {
		t.Errorf("refusals are not counted as the share's:\n%s", metrics)
	}
	if log := s.Log.String(); !strings.Contains(log, "waiting for the engine: its account's share of calls at once is in use") {
		t.Errorf("the log does not say why: %s", log)
	}
}

// newSiteOfASecond starts a service with a second for a request over an engine that holds some.
func newSiteOfASecond(t *testing.T, options ...func(*service.Config)) *site {
	o := servicetest.Options{Configure: options, RequestTimeout: time.Second}
	return &site{Site: servicetest.New(t, &holding{oracle(fixture(t))}, o)}
}

// holding is an engine that never responds to a search for a city that begins with held.
type holding struct{ index.Engine }

type holdingReader struct{ index.Reader }

func (e *holding) Live(ctx context.Context) (index.Reader, error) {
	r, err := e.Engine.Live(ctx)
	return holdingReader{r}, err
}

func hold(ctx context.Context, w index.Filter) {
	if strings.Contains(w.String(), "held") {
		<-ctx.Done()
	}
}

func (r holdingReader) Rows(ctx context.Context, q index.Query) (index.Page, error) {
	hold(ctx, q.Where)
	if ctx.Err() != nil {
		return index.Page{}, ctx.Err()
	}
	return r.Reader.Rows(ctx, q)
}

func (r holdingReader) Count(ctx context.Context, w index.Filter) (int64, error) {
	hold(ctx, w)
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	return r.Reader.Count(ctx, w)
}

// TestFair_SlowKeyStore: admissions that use up most of each request's time are not held against the engine, which could
// not respond in the rest. With a fast key store the same engine's breaker opens.
func TestFair_SlowKeyStore(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		slow  bool
		state string
	}{{"slow key store", true, "0"}, {"fast key store", false, "2"}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newSiteOfASecond(t, func(c *service.Config) {
				if tt.slow {
					c.Access = slowStore{c.Access}
				}
			})
			var group sync.WaitGroup
			for i := range 12 { // a call each
				group.Go(func() { s.get(t, access.Pro, fmt.Sprintf("/v1/filings?city=held%d", i)) })
			}
			group.Wait()
			metrics := send(t, s.Service.Operations(), http.MethodGet, "/metrics").body
			if !strings.Contains(metrics, "filings_engine_breaker_state "+tt.state+"\n") {
				t.Errorf("want the breaker's state %s:\n%s", tt.state, metrics)
			}
		})
	}
}

// slowStore takes three quarters of a request's time to admit it.
type slowStore struct{ access.Store }

func (s slowStore) Admit(ctx context.Context, key string, n int64) (access.Admission, error) {
	deadline, _ := ctx.Deadline()
	slow, cancel := context.WithDeadline(ctx, deadline.Add(-time.Until(deadline)/4))
	defer cancel()
	<-slow.Done()
	return s.Store.Admit(ctx, key, n)
}
