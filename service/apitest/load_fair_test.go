package apitest

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

// TestFair_Refused: what an account's flood leaves no time for is 500, and counts (rule X60); metrics count it apart, and the log says why.
func TestFair_Refused(t *testing.T) {
	t.Parallel()
	s := newSiteOfASecond(t, &holding{Engine: oracle(fixture(t))})
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
	if used := s.used(t, "user-pro"); used != 20 {
		t.Errorf("%d of 20 requests count", used)
	}
	metrics := send(t, s.Service.Operations(), http.MethodGet, "/metrics").body
	if strings.Contains(metrics, `filings_engine_calls_refused_total{reason="share"} 0`) || !strings.Contains(metrics, `filings_engine_calls_refused_total{reason="all"} 0`) {
		t.Errorf("refusals are not counted as the share's:\n%s", metrics)
	}
	if log := s.Log.String(); !strings.Contains(log, "waiting for the engine: its account's share of calls at once is in use") {
		t.Errorf("the log does not say why: %s", log)
	}
}

// newSiteOfASecond starts a service with a second for a request.
func newSiteOfASecond(t *testing.T, engine index.Engine, options ...func(*service.Config)) *site {
	o := servicetest.Options{Configure: options, RequestTimeout: time.Second}
	return &site{Site: servicetest.New(t, engine, o)}
}

// holding is an engine that never responds to a search for a city that begins with held, or to none.
type holding struct {
	index.Engine
	all atomic.Bool
}

type holdingReader struct {
	index.Reader
	of *holding
}

func (e *holding) Live(ctx context.Context) (index.Reader, error) {
	r, err := e.Engine.Live(ctx)
	return holdingReader{r, e}, err
}

func (e *holding) Pin(ctx context.Context, id string) (index.Reader, error) {
	r, err := e.Engine.Pin(ctx, id)
	return holdingReader{r, e}, err
}

func (e *holding) hold(ctx context.Context, w index.Filter) error {
	if e.all.Load() || strings.Contains(w.String(), "held") {
		<-ctx.Done()
	}
	return ctx.Err()
}

func (r holdingReader) Rows(ctx context.Context, q index.Query) (index.Page, error) {
	if err := r.of.hold(ctx, q.Where); err != nil {
		return index.Page{}, err
	}
	return r.Reader.Rows(ctx, q)
}

func (r holdingReader) Count(ctx context.Context, w index.Filter) (int64, error) {
	if err := r.of.hold(ctx, w); err != nil {
		return 0, err
	}
	return r.Reader.Count(ctx, w)
}

// TestFair_TimeOuts: an account's calls that run out of time, since they take too long or since admission used up the most of
// it, are not held against an engine that responds to others. One that responds to none is not called any more.
func TestFair_TimeOuts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		slow   bool // the key store
		silent bool
	}{{"slow key store", true, false}, {"expensive calls", false, false}, {"silent engine", false, true}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			engine := &holding{Engine: oracle(fixture(t))}
			s := newSiteOfASecond(t, engine, func(c *service.Config) {
				if tt.slow {
					c.Access = slowStore{c.Access}
				}
			})
			engine.all.Store(tt.silent)
			var group sync.WaitGroup
			for i := range 12 { // a call each
				group.Go(func() { s.get(t, access.Pro, fmt.Sprintf("/v1/filings?city=held%d", i)) })
			}
			group.Wait()
			if tt.silent {
				servicetest.Until(t, "the breaker opens", func() bool { return s.gauge(t, "filings_engine_breaker_state") != 0 })
				return
			}
			if state := s.gauge(t, "filings_engine_breaker_state"); state != 0 {
				t.Errorf("the breaker's state is %v", state)
			}
			if a := s.get(t, access.Free, "/v1/filings?city=other"); !tt.slow && a.status != http.StatusOK {
				t.Errorf("an account that was quiet: %d %s", a.status, a.body)
			}
		})
	}
}

// slowStore takes three quarters of a request's time to admit it.
type slowStore struct{ access.Store }

func (s slowStore) Admit(ctx context.Context, c access.Credential, n int64) (access.Admission, error) {
	deadline, _ := ctx.Deadline()
	slow, cancel := context.WithDeadline(ctx, deadline.Add(-time.Until(deadline)/4))
	defer cancel()
	<-slow.Done()
	return s.Store.Admit(ctx, c, n)
}
