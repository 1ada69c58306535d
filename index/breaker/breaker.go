// Package breaker owns when a server is left alone: it stands in front of a server that many requests ask, keeps their
// number bounded, and while the server does not answer it refuses at once instead of letting each request wait for the
// end of its time. It knows no server and no protocol, repeats nothing and remembers no answers.
//
// # Design
//
// The state machine is gobreaker's. What is ours is what counts, and how the server is tried again:
//
//   - An outage is an error of the kind Config.Down, or a call that is not answered when its time is over. Anything else
//     is an answer, if not always a welcome one. A caller who went away says nothing at all.
//   - The breaker opens when, of the calls of the last ten seconds, at least ten failed and at least half. Ten, so that
//     a few slow questions on a quiet night do not shut out all others: as few requests as that do no harm by waiting.
//     Half, so that slow questions among good ones never do; but where every second question fails, the server has more
//     to do than it can, and a second without questions is what helps it.
//   - A second later the next caller tries the server with a question of ours, Config.Probe, which takes milliseconds
//     where all is well; a client's own question would be a poor measure, for it may be slow for reasons of its own. The
//     probe has two seconds. So after the server's return it takes three seconds at most until it is asked again, and
//     nothing has to run in the background: after a quiet night the first request tries and is answered.
//
// At most 128 calls are under way. Elasticsearch works on a few at a time for each of its processors and queues the
// rest; more only move the queue over there, where nobody can leave it. Callers above that wait here, until their time
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
	limit     = 128 // calls in progress at once
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
	// Probe asks the server a small question. It is called by one caller at a time.
	Probe func(context.Context) error
	// Log hears of every change of state. nil: nobody does.
	Log *slog.Logger
}

// Breaker stands in front of one server. It is safe for concurrent use.
type Breaker struct {
	config  Config
	circuit *gobreaker.TwoStepCircuitBreaker[struct{}]
	slots   chan struct{} // taken by calls in progress
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
		IsExcluded: func(err error) bool { return errors.Is(err, errNothing) },
		OnStateChange: func(_ string, from, to gobreaker.State) {
			c.Log.Warn("breaker", slog.String("server", c.Server), slog.String("from", from.String()), slog.String("to", to.String()))
		},
	})
	return b
}

// State is 0 while calls pass, 1 while the server is tried again, and 2 while calls are refused.
func (b *Breaker) State() int { return int(b.circuit.State()) }

// Metric returns the metric of a breaker's state.
func Metric(name, server string, state func() int) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name,
		Help: "State of the circuit breaker in front of the " + server + ": 0 closed (called), 1 half open (tried again), 2 open (not called)."},
		func() float64 { return float64(state()) })
}

// Do runs call, which asks the server, if there is a place and the server answers; else it returns an error of the kind
// Config.Down: at once when the server is known to be down, or when ctx ends before there is a place.
func (b *Breaker) Do(ctx context.Context, call func(context.Context) error) error {
	if b.circuit.State() == gobreaker.StateOpen {
		return b.refusal(gobreaker.ErrOpenState)
	}
	if err := b.enter(ctx); err != nil {
		return err
	}
	defer func() { <-b.slots }()
	return b.run(ctx, call, nil)
}

// Recall is Do for a call that memory mostly answers: that it succeeds says nothing of the server. It takes no place.
func (b *Breaker) Recall(ctx context.Context, call func(context.Context) error) error {
	return b.run(ctx, call, errNothing)
}

// enter takes a place, or waits for one.
func (b *Breaker) enter(ctx context.Context) error {
	select {
	case b.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return b.late(ctx)
	}
}

// late is the error of a caller whose time was over before anything was asked.
func (b *Breaker) late(ctx context.Context) error {
	return fmt.Errorf("waiting to ask %s: %w: %w", b.config.Server, b.config.Down, context.Cause(ctx))
}

// run calls and counts how it went; success is what a success counts as.
func (b *Breaker) run(ctx context.Context, call func(context.Context) error, success error) (err error) {
	if ctx.Err() != nil {
		return b.late(ctx)
	}
	if b.circuit.State() == gobreaker.StateHalfOpen {
		if err := b.probe(ctx); err != nil {
			return err
		}
	}
	done, err := b.circuit.Allow()
	if err != nil {
		return b.refusal(err)
	}
	counts := errNothing // also after a panic
	defer func() { done(counts) }()
	if err = call(ctx); err == nil {
		counts = success
	} else {
		counts = b.outcome(ctx, err)
	}
	return err
}

// probe tries the server. It is refused while another caller does.
func (b *Breaker) probe(ctx context.Context) error {
	done, err := b.circuit.Allow()
	if err != nil {
		return b.refusal(err)
	}
	counts := errNothing
	defer func() { done(counts) }()
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	err = b.config.Probe(ctx)
	if counts = b.outcome(ctx, err); counts != nil {
		return fmt.Errorf("trying %s again: %w: %w", b.config.Server, b.config.Down, err)
	}
	return nil
}

// What a call counts as, besides nil for an answer.
var (
	errFailure = errors.New("no answer")
	errNothing = errors.New("says nothing")
)

// outcome returns what a call counts as that ended with err.
func (b *Breaker) outcome(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return errFailure
	case ctx.Err() != nil:
		return errNothing
	case errors.Is(err, b.config.Down):
		return errFailure
	}
	return nil
}

func (b *Breaker) refusal(why error) error {
	return fmt.Errorf("not asking %s: %w: %w", b.config.Server, b.config.Down, why)
}
