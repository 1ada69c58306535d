// Package breaker owns the circuit breaker and the concurrency limit in front of a server: it bounds the number of calls
// in progress, and while the server does not respond it refuses at once instead of letting each call wait for the end of
// its time. It knows no server and no protocol, retries nothing and caches nothing.
//
// # Design
//
// The state machine is gobreaker's. What is ours is what counts, and how the server is tried again:
//
//   - A failure is an error of the kind Config.Down, or a call without a response when its time is over. Any other error
//     is a response. A call whose caller went away does not count at all.
//   - The breaker opens when, of the calls of the last ten seconds, at least ten failed and at least half. Ten, so that
//     a few slow calls on a quiet night do not shut out all others: as few calls as that do no harm by waiting. Half, so
//     that slow calls among good ones never do; but where every second call fails, the server has more to do than it
//     can, and a second without calls is what helps it.
//   - A second later the next caller tries the server with a call of ours, Config.Probe, which takes milliseconds where
//     all is well; a client's own call would be a poor measure, for it may be slow for reasons of its own. The probe has
//     two seconds. So after the server's return it takes three seconds at most until it is called again, and nothing has
//     to run in the background: after a quiet night the first call probes and goes through.
//
// At most 128 calls are in progress. Elasticsearch works on a few at a time for each of its processors and queues the
// rest; more only move the queue over there, where no call can leave it. Callers above that wait here, until their time
// is over: that is no failure of the server.
package breaker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/sony/gobreaker/v2"
)

const (
	limit     = 128 // calls in progress
	window    = 10 * time.Second
	bucket    = time.Second // by which old calls leave the window
	failures  = 10          // in the window: fewer never open the breaker
	share     = 2           // of one call in so many
	pause     = time.Second // between two probes
	probeTime = 2 * time.Second
)

// Config says what a Breaker stands in front of.
type Config struct {
	// Server names the server in errors and in the log.
	Server string
	// Down is the kind of errors that an outage is. Refusals are of it too.
	Down error
	// Probe makes a small call to the server. There is one at a time.
	Probe func(context.Context) error
	// Log gets every change of state. nil: there is none.
	Log *slog.Logger
}

// Breaker stands in front of one server. It is safe for concurrent use.
type Breaker struct {
	config  Config
	circuit *gobreaker.TwoStepCircuitBreaker[struct{}]
	slots   chan struct{} // one for each call in progress
}

// New returns a breaker that lets calls pass.
func New(c Config) *Breaker {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	b := &Breaker{config: c, slots: make(chan struct{}, limit)}
	b.circuit = gobreaker.NewTwoStepCircuitBreaker[struct{}](gobreaker.Settings{
		MaxRequests:  1,
		Interval:     window,
		BucketPeriod: bucket,
		Timeout:      pause,
		ReadyToTrip: func(c gobreaker.Counts) bool {
			return c.TotalFailures >= failures && c.TotalFailures*share >= c.TotalFailures+c.TotalSuccesses
		},
		IsExcluded: func(err error) bool { return errors.Is(err, errNotCounted) },
		OnStateChange: func(_ string, from, to gobreaker.State) {
			c.Log.Warn("breaker", slog.String("server", c.Server), slog.String("from", from.String()), slog.String("to", to.String()))
		},
	})
	return b
}

// State is 0 while calls pass, 1 while the server is tried again, and 2 while calls are refused.
func (b *Breaker) State() int { return int(b.circuit.State()) }

// Metric returns the metric of the state.
func (b *Breaker) Metric(name string) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name,
		Help: "State of the circuit breaker in front of " + b.config.Server + ": 0 closed (called), 1 half open (tried again), 2 open (not called)."},
		func() float64 { return float64(b.State()) })
}

// Do runs call, which calls the server, within the concurrency limit and if the server responds; else it returns an error
// of the kind Config.Down: at once when the server is known to be down, or when ctx ends before it is call's turn.
func (b *Breaker) Do(ctx context.Context, call func(context.Context) error) error {
	if b.circuit.State() == gobreaker.StateOpen {
		return b.down("not calling", gobreaker.ErrOpenState)
	}
	select {
	case b.slots <- struct{}{}:
		defer func() { <-b.slots }()
	case <-ctx.Done():
		return b.down("waiting for", context.Cause(ctx))
	}
	return b.run(ctx, call, nil)
}

// DoCached is Do for a call that a cache mostly answers: its success does not count. It is outside the concurrency limit.
func (b *Breaker) DoCached(ctx context.Context, call func(context.Context) error) error {
	return b.run(ctx, call, errNotCounted)
}

// run probes the server if it is to be tried again, and calls; success is what a success counts as.
func (b *Breaker) run(ctx context.Context, call func(context.Context) error, success error) error {
	if ctx.Err() != nil {
		return b.down("waiting for", context.Cause(ctx))
	}
	if b.circuit.State() == gobreaker.StateHalfOpen {
		if err := b.probe(ctx); err != nil {
			return err
		}
	}
	_, err := b.counted(ctx, call, success)
	return err
}

// probe tries the server. It is refused while another caller does.
func (b *Breaker) probe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	if outcome, err := b.counted(ctx, b.config.Probe, nil); outcome != nil {
		return b.down("probing", err)
	}
	return nil
}

// counted calls if the circuit lets it, and counts the outcome, which it returns with the error of the call.
func (b *Breaker) counted(ctx context.Context, call func(context.Context) error, success error) (outcome, err error) {
	outcome = errNotCounted // also after a panic
	done, err := b.circuit.Allow()
	if err != nil {
		return outcome, b.down("not calling", err)
	}
	defer func() { done(outcome) }()
	if err = call(ctx); err == nil {
		outcome = success
	} else {
		outcome = b.outcome(ctx, err)
	}
	return outcome, err
}

// Outcomes of a call, besides nil for a response.
var (
	errFailure    = errors.New("no response")
	errNotCounted = errors.New("not counted")
)

// outcome returns what a call counts as that ended with err.
func (b *Breaker) outcome(ctx context.Context, err error) error {
	switch {
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return errFailure
	case ctx.Err() != nil:
		return errNotCounted
	case errors.Is(err, b.config.Down):
		return errFailure
	}
	return nil
}

// down is the error of a caller whose call was not made, and why.
func (b *Breaker) down(what string, why error) error {
	return fmt.Errorf("%s %s: %w: %w", what, b.config.Server, b.config.Down, why)
}
