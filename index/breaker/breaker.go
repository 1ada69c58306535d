// Package breaker owns the circuit breaker in front of a server: while the server does not respond
// it refuses calls at once, instead of letting each wait for the end of its time. It knows no
// server and no protocol, bounds no concurrency (package limit), retries nothing and caches
// nothing.
//
// # Design
//
// The state machine is gobreaker's. The count of failures is ours, and how the server is tried
// again:
//
//   - A failure is an error of the kind Config.Down, or a call without a response when its time is
//     over. Any other error is a response. A call whose caller went away does not count at all.
//     Calls may fail for reasons of their own, as one account's expensive searches do while others'
//     succeed, or for the little time that their callers had left: then a failure counts only if
//     the probe fails after it too (Config.Confirms). A server that refuses connections opens the
//     breaker as fast so, a silent one two seconds later.
//   - The breaker opens when, of the calls of the last ten seconds, at least five failed and at
//     least half. Five, so that a few slow calls on a quiet night do not shut out all others; of
//     the eight calls that the engine gets at once, each for some seconds, not many more can fail
//     in ten. Half, so that slow calls among good ones never do; but if every second call fails,
//     the server has more to do than it can, and a second without calls helps it.
//   - A second later the next caller tries the server with a call of ours, Config.Probe, which
//     takes milliseconds as a rule; a client's own call would be a poor measure, for it may be slow
//     for reasons of its own. The probe has two seconds, however much time its caller has. So after
//     the server's return it takes three seconds at most until it is called again, and nothing has
//     to run in the background: after a quiet night the first call probes and goes through.
//   - Reading the metric of the state is such a caller too. So a scrape finds a breaker open while
//     the server is down, and closed once it is back, also if no client calls.
package breaker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/sony/gobreaker/v2"
)

const (
	window    = 10 * time.Second
	bucket    = time.Second // by which old calls leave the window
	failures  = 5           // in the window: fewer never open the breaker
	share     = 2           // of one call in so many
	pause     = time.Second // between two probes
	probeTime = 2 * time.Second
)

// Config describes the server that a Breaker stands in front of.
type Config struct {
	// Server names the server in errors and in the log.
	Server string
	// Down is the kind of errors that an outage is. Refusals are of it too.
	Down error
	// Probe makes a small call to the server. There is one at a time.
	Probe func(context.Context) error
	// Confirms: a failed call counts only if the probe fails too.
	Confirms bool
	// Log gets every change of state. nil: there is none.
	Log *slog.Logger
}

// Breaker stands in front of one server. It is safe for concurrent use.
type Breaker struct {
	config  Config
	circuit *gobreaker.TwoStepCircuitBreaker[struct{}]
	doubted atomic.Int64 // failed calls that are not counted yet, while a probe runs

	mu     sync.Mutex
	latest *trial // of those that no caller has to pass
}

// trial is a probe, and how it ended once done is closed.
type trial struct {
	done  chan struct{}
	ended time.Time
	err   error
}

// New returns a breaker that lets calls pass.
func New(c Config) *Breaker {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	b := &Breaker{config: c}
	b.circuit = gobreaker.NewTwoStepCircuitBreaker[struct{}](gobreaker.Settings{
		MaxRequests:  1,
		Interval:     window,
		BucketPeriod: bucket,
		Timeout:      pause,
		ReadyToTrip: func(c gobreaker.Counts) bool {
			return c.TotalFailures >= failures && c.TotalFailures*share >= c.TotalFailures+c.TotalSuccesses
		},
		IsExcluded: func(err error) bool { return errors.Is(err, errNotCounted) },
		OnStateChange: func(_ string, old, updated gobreaker.State) {
			c.Log.Warn("breaker", slog.String("server", c.Server),
				slog.String("from", old.String()), slog.String("to", updated.String()))
		},
	})
	return b
}

// State is 0 while calls pass, 1 while the server is tried again, and 2 while calls are refused.
func (b *Breaker) State() int { return int(b.circuit.State()) }

// Metric returns the metric of the state. Reading it tries a server again whose turn that is.
func (b *Breaker) Metric(name string) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name,
		Help: "State of the circuit breaker in front of " + b.config.Server +
			": 0 closed (called), 1 half open (tried again), 2 open (not called)."},
		func() float64 {
			_ = b.ready(context.Background()) // the state has the result
			return float64(b.State())
		})
}

// Refuses returns the error of a caller while the server is known to be down, otherwise nil: for a
// caller that would otherwise wait in a queue before it calls Do.
func (b *Breaker) Refuses() error {
	if b.circuit.State() == gobreaker.StateOpen {
		return b.unreachable("not calling", gobreaker.ErrOpenState)
	}
	return nil
}

// Do runs call, which calls the server, if the server responds; otherwise it returns an error of
// the kind Config.Down: at once when the server is known to be down, or when ctx has ended.
func (b *Breaker) Do(ctx context.Context, call func(context.Context) error) error {
	return b.run(ctx, call, nil)
}

// DoCached is Do for a call that a cache mostly answers: its success does not count.
func (b *Breaker) DoCached(ctx context.Context, call func(context.Context) error) error {
	return b.run(ctx, call, errNotCounted)
}

// isOver reports whether ctx's deadline has passed. A call that keeps to that deadline itself may
// notice before ctx does.
func isOver(ctx context.Context) bool {
	deadline, ok := ctx.Deadline()
	return ok && !time.Now().Before(deadline) || errors.Is(context.Cause(ctx), context.DeadlineExceeded)
}

// run probes the server if it is to be tried again, calls if the circuit lets it, and counts the
// outcome; success is that of a success.
func (b *Breaker) run(ctx context.Context, call func(context.Context) error, success error) error {
	if ctx.Err() != nil {
		return b.unreachable("waiting for", context.Cause(ctx))
	}
	if err := b.ready(ctx); err != nil {
		return err
	}
	done, err := b.circuit.Allow()
	if err != nil {
		return b.unreachable("not calling", err)
	}
	outcome := errNotCounted // also after a panic
	defer func() { done(outcome) }()
	if err = call(ctx); err == nil {
		outcome = success
	} else if outcome = b.outcome(ctx, err); outcome == errFailure && b.config.Confirms {
		outcome = errNotCounted
		b.confirm(ctx)
	}
	return err
}

// ready probes the server if it is to be tried again, and waits for the result as long as ctx
// lasts. The probe runs on without the caller, whose time says nothing of the server.
func (b *Breaker) ready(ctx context.Context) error {
	if b.circuit.State() != gobreaker.StateHalfOpen {
		return nil
	}
	done, err := b.circuit.Allow()
	if err != nil {
		return b.unreachable("not calling", err)
	}
	result := make(chan error, 1)
	go func() {
		err := b.probe(context.WithoutCancel(ctx))
		done(err)
		result <- err
	}()
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		return b.unreachable("probing", context.Cause(ctx))
	}
}

// probe tries the server. A response of any kind will do.
func (b *Breaker) probe(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	defer func() { // the recovery of a request does not reach this goroutine
		if p := recover(); p != nil {
			err = b.unreachable("probing", fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
		}
	}()
	if err = b.config.Probe(ctx); err != nil && (isOver(ctx) || errors.Is(err, b.config.Down)) {
		return b.unreachable("probing", err)
	}
	return nil
}

// confirm counts a failed call if a probe, whose result nobody waits for, fails too. There is one
// at a time, for all calls that fail while it runs.
func (b *Breaker) confirm(ctx context.Context) {
	if b.doubted.Add(1) > 1 {
		return
	}
	t := b.tried(ctx, 0)
	go func() {
		<-t.done
		for range b.doubted.Swap(0) {
			if done, refused := b.circuit.Allow(); refused == nil {
				done(cmp.Or(t.err, errNotCounted))
			}
		}
	}()
}

// Responds reports whether the server responds: as a probe says that ended in the second before, or
// that begins now. If ctx ends first, it returns false.
func (b *Breaker) Responds(ctx context.Context) bool {
	if b.Refuses() != nil {
		return false
	}
	t := b.tried(ctx, pause)
	select {
	case <-t.done:
		return t.err == nil
	case <-ctx.Done():
		return false
	}
}

// tried returns the probe in progress, one that ended less than that time ago, or a new one.
func (b *Breaker) tried(ctx context.Context, age time.Duration) *trial {
	b.mu.Lock()
	defer b.mu.Unlock()
	if t := b.latest; t != nil {
		select {
		case <-t.done:
			if time.Since(t.ended) < age {
				return t
			}
		default:
			return t
		}
	}
	t := &trial{done: make(chan struct{})}
	b.latest = t
	go func() {
		t.err = b.probe(context.WithoutCancel(ctx))
		t.ended = time.Now()
		close(t.done)
	}()
	return t
}

// Outcomes of a call; nil is a response.
var (
	errFailure    = errors.New("no response")
	errNotCounted = errors.New("not counted")
)

// outcome returns the outcome of a call that ended with err.
func (b *Breaker) outcome(ctx context.Context, err error) error {
	switch {
	case isOver(ctx):
		return errFailure
	case ctx.Err() != nil:
		return errNotCounted
	case errors.Is(err, b.config.Down):
		return errFailure
	}
	return nil
}

// unreachable is the error of a caller whose call was not made, and why.
func (b *Breaker) unreachable(attempt string, cause error) error {
	return fmt.Errorf("%s %s: %w: %w", attempt, b.config.Server, b.config.Down, cause)
}
