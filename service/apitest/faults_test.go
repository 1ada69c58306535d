package apitest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"filings/index"
	"filings/service"
	"filings/service/access"
	"filings/service/servicetest"
)

// errPanic makes a faulty engine panic.
var errPanic = errors.New("panic")

// faulty is an engine whose Rows fail as set by failWith. The circuit breaker may look at the engine at any time, without a request.
type faulty struct {
	index.Engine
	fail atomic.Pointer[error]
}

func newFaulty(engine index.Engine, fail error) *faulty {
	e := &faulty{Engine: engine}
	e.failWith(fail)
	return e
}

func (e *faulty) failWith(fail error) { e.fail.Store(&fail) }

type faultyReader struct {
	index.Reader
	fail error
}

func (e *faulty) Live(ctx context.Context) (index.Reader, error) {
	r, err := e.Engine.Live(ctx)
	return faultyReader{r, *e.fail.Load()}, err
}

func (e *faulty) Pin(ctx context.Context, id string) (index.Reader, error) {
	r, err := e.Engine.Pin(ctx, id)
	return faultyReader{r, *e.fail.Load()}, err
}

func (r faultyReader) Rows(ctx context.Context, q index.Query) (index.Page, error) {
	switch {
	case errors.Is(r.fail, errPanic):
		panic("the engine's own words")
	case r.fail != nil:
		return index.Page{}, r.fail
	}
	return r.Reader.Rows(ctx, q)
}

func TestE3_Failures(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		fail error
		code string
	}{
		{"unavailable", fmt.Errorf("search secret-host:9200: %w", index.ErrUnavailable), "service_unavailable"},
		{"gone twice", fmt.Errorf("search secret-index: %w", index.ErrGone), "service_unavailable"},
		{"late", fmt.Errorf("search secret: %w", context.DeadlineExceeded), "service_unavailable"},
		{"unknown", errors.New("secret internals"), "internal_error"},
		{"panic", errPanic, "internal_error"},
	} {
		t.Run("E3 "+tt.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, newFaulty(oracle(fixture(t)), tt.fail))
			for _, path := range []string{"/v1/filings", "/v1/filings/search?q=a"} {
				a := s.get(t, access.Pro, path)
				if a.status != http.StatusInternalServerError || a.document(t).Error.Code != tt.code {
					t.Errorf("%d %s, want %s", a.status, a.body, tt.code)
				}
				for _, word := range []string{"secret", "words", "goroutine", ".go"} {
					if strings.Contains(a.body, word) {
						t.Errorf("internals are shown: %s", a.body)
					}
				}
				if a.header.Get("ETag") != "" {
					t.Error("a failure has a tag")
				}
			}
			if log := s.Log.String(); strings.Count(log, `"level":"ERROR"`) != 2 || !strings.Contains(log, `"error":"`) {
				t.Errorf("not logged once each: %s", log)
			}
		})
	}
}

// slow is an engine that returns nothing before the context ends.
type slow struct{ index.Reader }

func (slow) Rows(ctx context.Context, _ index.Query) (index.Page, error) {
	<-ctx.Done()
	return index.Page{}, fmt.Errorf("rows: %w", ctx.Err())
}

func TestE3_TimeLimit(t *testing.T) {
	t.Parallel()
	s := newSite(t, servicetest.Still{Reader: slow{index.Empty{}}}, func(c *service.Config) { c.RequestTimeout = 50 * time.Millisecond })
	a := s.get(t, access.Pro, "/v1/filings")
	if a.status != http.StatusInternalServerError || a.document(t).Error.Code != "service_unavailable" {
		t.Errorf("%d %s", a.status, a.body)
	}
	if used := s.used(t, "user-pro"); used != 0 {
		t.Errorf("not refunded after the time was over: %d", used)
	}
}

// reluctant is a key store that refunds nothing before it may.
type reluctant struct {
	access.Store
	may chan struct{}
}

func (r reluctant) Refund(ctx context.Context, a access.Admission, n int64) error {
	<-r.may
	return r.Store.Refund(ctx, a, n)
}

// TestK6_RefundIsLate: a key store that stands still as well does not keep a failed request from its response, and
// refunds the quota as soon as it can.
func TestK6_RefundIsLate(t *testing.T) {
	t.Parallel()
	may := make(chan struct{})
	s := newSite(t, newFaulty(oracle(fixture(t)), index.ErrUnavailable), func(c *service.Config) {
		c.Access, c.RequestTimeout = reluctant{c.Access, may}, 50*time.Millisecond
	})
	a := s.get(t, access.Pro, "/v1/filings")
	if a.status != http.StatusInternalServerError || a.header.Get("X-RateLimit-Remaining") != "99999" {
		t.Errorf("%d, remaining %s: %s", a.status, a.header.Get("X-RateLimit-Remaining"), a.body)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Service.Drain(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("drained before the refund: %v", err)
	}
	close(may)
	if used := s.used(t, "user-pro"); used != 0 {
		t.Errorf("%d not refunded", used)
	}
}

// swapping is an engine whose first generation is gone when it is read, as after a swap and a deletion.
type swapping struct {
	index.Engine
	lives atomic.Int64
	old   index.Reader
	new   index.Reader
}

type goneReader struct{ index.Reader }

func (goneReader) Generation() string { return "old" }
func (goneReader) Rows(context.Context, index.Query) (index.Page, error) {
	return index.Page{}, fmt.Errorf("rows: %w", index.ErrGone)
}
func (goneReader) Count(context.Context, index.Filter) (int64, error) {
	return 0, fmt.Errorf("count: %w", index.ErrGone)
}
func (goneReader) Counties(context.Context) ([]index.CountyStats, error) { return nil, index.ErrGone }
func (goneReader) Filings(context.Context, []int64) ([]index.Record, error) {
	return nil, index.ErrGone
}
func (goneReader) Stats(context.Context) (index.Stats, error) { return index.Stats{}, index.ErrGone }
func (goneReader) Groups(context.Context, index.Filter, index.GroupQuery) (index.Groups, error) {
	return index.Groups{}, index.ErrGone
}
func (goneReader) Cells(context.Context, index.Filter, index.Grid) ([]index.Cell, error) {
	return nil, index.ErrGone
}

func (e *swapping) Live(context.Context) (index.Reader, error) {
	if e.lives.Add(1) == 1 {
		return e.old, nil
	}
	return e.new, nil
}

func (e *swapping) Withdrawn(context.Context, string) (bool, error) { return false, nil }

func (e *swapping) Kept(ctx context.Context, id string) ([]index.Generation, error) {
	return servicetest.Still{Reader: e.new}.Kept(ctx, id)
}

func TestL8_NoRequestFailsBecauseOfASwap(t *testing.T) {
	t.Parallel()
	for path := range paths {
		if ofAccount(path) {
			continue
		}
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			live, _ := oracle(fixture(t)).Live(t.Context())
			steady := newSite(t, servicetest.Still{Reader: live}).get(t, access.Pro, path)
			swapped := newSite(t, &swapping{old: goneReader{live}, new: live}).get(t, access.Pro, path)
			if swapped.status != http.StatusOK || moving.ReplaceAllString(swapped.body, "") != moving.ReplaceAllString(steady.body, "") {
				t.Errorf("%d %s", swapped.status, swapped.body)
			}
			if swapped.header.Get("ETag") != steady.header.Get("ETag") {
				t.Error("the tag is that of the generation that is gone")
			}
		})
	}
}

// TestL8_NoExportFailsBecauseOfASwap: an export begins with the generation that is live when the one before it is gone.
func TestL8_NoExportFailsBecauseOfASwap(t *testing.T) {
	t.Parallel()
	live, _ := oracle(fixture(t)).Live(t.Context())
	steady := newSite(t, servicetest.Still{Reader: live}).get(t, access.Pro, "/v1/filings/export")
	s := newSite(t, &swapping{old: goneReader{live}, new: live})
	swapped := s.get(t, access.Pro, "/v1/filings/export")
	if swapped.status != http.StatusOK || swapped.body != steady.body || swapped.header.Get("X-Generation") != steady.header.Get("X-Generation") {
		t.Errorf("%d %s of %q", swapped.status, swapped.body, swapped.header.Get("X-Generation"))
	}
	if used := s.used(t, "user-pro"); used != 1 {
		t.Errorf("%d requests paid", used)
	}
}
