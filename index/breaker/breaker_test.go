package breaker_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"filings/index/breaker"
)

var errDown = errors.New("down")

// server is what a breaker of the tests stands in front of.
type server struct {
	*breaker.Breaker
	err    error         // what it responds
	slow   time.Duration // how long it takes
	called atomic.Int64
	probed atomic.Int64
}

func newServer(configure ...func(*breaker.Config)) *server {
	s := &server{}
	c := breaker.Config{Server: "it", Down: errDown, Probe: s.probe}
	for _, f := range configure {
		f(&c)
	}
	s.Breaker = breaker.New(c)
	return s
}

func (s *server) probe(ctx context.Context) error {
	s.probed.Add(1)
	return s.respond(ctx)
}

func (s *server) respond(ctx context.Context) error {
	if s.slow > 0 {
		select {
		case <-time.After(s.slow):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return s.err
}

func (s *server) call(ctx context.Context) error {
	return s.Do(ctx, func(ctx context.Context) error {
		s.called.Add(1)
		return s.respond(ctx)
	})
}

// times sends n calls and returns how many reached the server.
func (s *server) times(t *testing.T, n int, err error) int64 {
	t.Helper()
	before := s.called.Load()
	s.err = err
	for range n {
		if got := s.call(t.Context()); s.State() == 0 && !errors.Is(got, err) {
			t.Errorf("%v, want %v", got, err)
		}
	}
	return s.called.Load() - before
}

// TestOpens walks through the calls of ten seconds: which of them open a breaker, and which never do.
func TestOpens(t *testing.T) {
	t.Parallel()
	down := fmt.Errorf("calling: %w", errDown)
	type step struct {
		n   int
		err error
	}
	for _, tt := range []struct {
		name  string
		steps []step
		state int
	}{
		{"a few failures", []step{{4, down}}, 0},
		{"nothing but failures", []step{{5, down}}, 2},
		{"half of them", []step{{5, nil}, {5, down}}, 2},
		{"less than half", []step{{6, nil}, {5, down}}, 0},
		{"errors of other kinds", []step{{1000, errors.New("not found")}}, 0},
		{"errors of other kinds are responses", []step{{6, errors.New("not found")}, {5, down}}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newServer()
				for _, step := range tt.steps {
					if got := s.times(t, step.n, step.err); got != int64(step.n) {
						t.Errorf("%d calls, want %d", got, step.n)
					}
				}
				if s.State() != tt.state {
					t.Errorf("state %d, want %d", s.State(), tt.state)
				}
				if tt.state == 0 {
					return
				}
				if err := s.call(t.Context()); !errors.Is(err, errDown) || s.times(t, 100, nil) != 0 {
					t.Errorf("called while open, or %v", err)
				}
			})
		})
	}
}

// pass lets time pass by the clock of a synctest bubble.
func pass(d time.Duration) { <-time.After(d) }

// TestWindow: failures count for ten seconds.
func TestWindow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		s.times(t, 4, errDown)
		pass(11 * time.Second)
		if s.times(t, 4, errDown); s.State() != 0 {
			t.Error("open")
		}
	})
}

// TestEndedCallers: a call whose caller went away does not count, one whose time was over does; and one whose time was
// over before it began does not.
func TestEndedCallers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		end   func(context.Context) (context.Context, context.CancelFunc)
		state int
	}{
		{"went away", func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(time.Second, cancel)
			return ctx, cancel
		}, 0},
		{"out of time", func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, time.Second)
		}, 2},
		{"out of time, as the cause of a cancellation", func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancelCause(ctx)
			time.AfterFunc(time.Second, func() { cancel(context.DeadlineExceeded) })
			return ctx, func() { cancel(nil) }
		}, 2},
		{"ended before", func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithDeadline(ctx, time.Now().Add(-time.Second))
		}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newServer()
				s.slow = time.Hour
				results := make(chan error)
				for range 10 {
					ctx, cancel := tt.end(t.Context())
					defer cancel()
					go func() { results <- s.call(ctx) }()
				}
				for range 10 {
					if err := <-results; err == nil {
						t.Error("no error")
					}
				}
				if s.State() != tt.state {
					t.Errorf("state %d, want %d", s.State(), tt.state)
				}
			})
		})
	}
}

// TestRecovers: a second after it opened, one caller tries the server with the breaker's probe.
func TestRecovers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		s.times(t, 10, errDown)
		pass(1001 * time.Millisecond)
		if s.times(t, 5, errDown); s.probed.Load() != 1 || s.called.Load() != 5 || s.State() != 2 {
			t.Errorf("still down: probed %d times, called %d, state %d", s.probed.Load(), s.called.Load(), s.State())
		}
		pass(1001 * time.Millisecond)
		if s.times(t, 5, nil) != 5 || s.probed.Load() != 2 || s.State() != 0 {
			t.Errorf("back: probed %d times, called %d, state %d", s.probed.Load(), s.called.Load(), s.State())
		}
	})
}

// TestRecovers_WithinThreeSeconds: the server returns at the worst moment, when a probe has just been lost.
func TestRecovers_WithinThreeSeconds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		s.times(t, 10, errDown)
		pass(1001 * time.Millisecond)
		s.slow, s.err = time.Hour, nil
		lost := make(chan error)
		go func() { lost <- s.call(t.Context()) }()
		synctest.Wait()
		returned := time.Now()
		s.slow = 0
		if err := s.call(t.Context()); !errors.Is(err, errDown) || s.probed.Load() != 1 {
			t.Errorf("beside a probe: %v, probed %d times", err, s.probed.Load())
		}
		if err := <-lost; !errors.Is(err, errDown) {
			t.Errorf("the lost probe: %v", err)
		}
		for s.call(t.Context()) != nil {
			pass(100 * time.Millisecond)
		}
		if took := time.Since(returned); took > 3200*time.Millisecond {
			t.Errorf("recovered after %s", took)
		}
	})
}

// TestDoCached: a response from a cache hides no outage.
func TestDoCached(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		cached := func(context.Context) error { return nil }
		for range 1000 {
			if err := s.DoCached(t.Context(), cached); err != nil {
				t.Fatal(err)
			}
		}
		if s.times(t, 10, errDown); s.State() != 2 {
			t.Errorf("state %d", s.State())
		}
		if err := s.DoCached(t.Context(), cached); !errors.Is(err, errDown) {
			t.Errorf("while open: %v", err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		for range 10 {
			_ = s.DoCached(t.Context(), func(context.Context) error { return errDown })
		}
		if s.State() != 2 {
			t.Errorf("failures do not count: state %d", s.State())
		}
	})
}

// TestConfirms: where calls may fail for what they request, their failures open a breaker only if
// the probe fails too, which is made once for all that fail meanwhile; two seconds later at the
// latest.
func TestConfirms(t *testing.T) {
	t.Parallel()
	const silent = time.Hour
	for _, tt := range []struct {
		name         string
		calls, probe *server // how they are responded to
		time         time.Duration
		opens        bool
	}{
		{"expensive calls", &server{slow: silent}, &server{slow: time.Millisecond}, 5 * time.Second, false},
		{"expensive calls beside a slow probe", &server{slow: silent}, &server{slow: 1900 * time.Millisecond}, 5 * time.Second, false},
		{"refused calls", &server{err: errDown}, &server{}, 5 * time.Second, false},
		{"a silent server", &server{slow: silent}, &server{slow: silent}, 5 * time.Second, true},
		{"a silent server, of calls longer than the window", &server{slow: silent}, &server{slow: silent}, 15 * time.Second, true},
		{"a server that refuses", &server{err: errDown}, &server{err: errDown}, 5 * time.Second, true},
		{"another error of the probe", &server{err: errDown}, &server{err: errors.New("not found")}, 5 * time.Second, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newServer(func(c *breaker.Config) { c.Confirms, c.Probe = true, tt.probe.probe })
				s.slow, s.err = tt.calls.slow, tt.calls.err
				ctx, cancel := context.WithTimeout(t.Context(), tt.time)
				defer cancel()
				results := make(chan error)
				for range 8 {
					go func() { results <- s.call(ctx) }()
				}
				for range 8 {
					if err := <-results; err == nil {
						t.Error("no error")
					}
				}
				pass(2 * time.Second) // for the probe
				synctest.Wait()
				if opened := s.State() != 0; opened != tt.opens {
					t.Errorf("open: %t, want %t", opened, tt.opens)
				}
				if n := tt.probe.probed.Load(); tt.calls.slow > 0 && n != 1 || n < 1 {
					t.Errorf("%d probes", n)
				}
			})
		})
	}
}

// TestResponds: whether a server responds says a probe that ended less than a second ago, or one
// for all who ask; a caller without time does not wait for it.
func TestResponds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		probe := &server{slow: time.Millisecond}
		s := newServer(func(c *breaker.Config) { c.Probe = probe.probe })
		ask := func(ctx context.Context, times int, want bool, probes int64) {
			t.Helper()
			answers := make(chan bool)
			for range times {
				go func() { answers <- s.Responds(ctx) }()
			}
			for range times {
				if got := <-answers; got != want {
					t.Errorf("responds: %v, want %v", got, want)
				}
			}
			if n := probe.probed.Load(); n != probes {
				t.Errorf("%d probes, want %d", n, probes)
			}
		}
		ask(t.Context(), 10, true, 1)
		probe.slow = time.Hour
		ask(t.Context(), 1, true, 1)
		pass(time.Second)
		ask(t.Context(), 10, false, 2)
		pass(time.Second)
		brief, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		ask(brief, 1, false, 3)
		pass(2 * time.Second)
		s.times(t, 10, errDown)
		ask(t.Context(), 1, false, 3) // it is known to be down
	})
}

// TestProbe_CallerWithoutTime: the probe has its own time, whatever its caller has left.
func TestProbe_CallerWithoutTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		s.times(t, 10, errDown)
		pass(1001 * time.Millisecond)
		s.slow, s.err = time.Second, nil
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if err := s.call(ctx); !errors.Is(err, errDown) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
		pass(time.Second)
		if s.State() != 0 || s.probed.Load() != 1 {
			t.Errorf("state %d after %d probes of a server that is back", s.State(), s.probed.Load())
		}
	})
}

// TestMetric: without any caller, scrapes find the breaker open while the server is down, and closed once it is back.
func TestMetric(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		registry := prometheus.NewRegistry()
		registry.MustRegister(s.Metric("state"))
		for i, tt := range []struct {
			err  error
			want float64
		}{{errDown, 2}, {errDown, 2}, {nil, 0}, {nil, 0}} {
			if i == 0 {
				s.times(t, 10, errDown)
			}
			s.err = tt.err
			pass(15 * time.Second)
			scraped, err := registry.Gather()
			if err != nil {
				t.Fatal(err)
			}
			if got := scraped[0].Metric[0].GetGauge().GetValue(); got != tt.want {
				t.Errorf("scrape %d: %v, want %v", i, got, tt.want)
			}
		}
	})
}

// TestRefuses: a caller that would wait in a queue learns that there is no use in it, but not from
// a server that is to be tried again.
func TestRefuses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		if err := s.Refuses(); err != nil {
			t.Error(err)
		}
		s.times(t, 10, errDown)
		if err := s.Refuses(); !errors.Is(err, errDown) {
			t.Errorf("open: %v", err)
		}
		pass(1001 * time.Millisecond)
		if err := s.Refuses(); err != nil {
			t.Errorf("half open: %v", err)
		}
	})
}

// TestPanic: a call that panics is no longer in progress.
func TestPanic(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		for range 200 {
			func() {
				defer func() { _ = recover() }()
				_ = s.Do(t.Context(), func(context.Context) error { panic("ouch") })
			}()
		}
		if s.times(t, 1, nil) != 1 {
			t.Error("no call is let through")
		}
	})
}

// BenchmarkDo is what a breaker costs a call.
func BenchmarkDo(b *testing.B) {
	s, call := newServer(), func(context.Context) error { return nil }
	ctx := b.Context()
	b.ReportAllocs()
	for b.Loop() {
		_ = s.Do(ctx, call)
	}
}
