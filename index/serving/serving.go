// Package serving wraps an engine for a service: a cache, one call for equal requests of an account
// that arrive together, a limit on concurrent calls with a circuit breaker, and metrics of all
// that. It refuses to cache errors, and responses that depend on the clock. A load uses the engine
// itself: it has timeouts of its own.
//
// # Design
//
// One function does it all, in this order: cached responses and equal requests in progress (package
// cache), limit and breaker, timer, engine (do). So a cached response passes neither
// limit nor breaker, and the timer measures the engine alone. The limit (package limit) gives each
// account its turns: a Reader says whose calls it makes. A method of Reader only has the request,
// and its text.
//
// Equal requests of several accounts each wait for a turn of their own account, and look into the
// cache again when it comes. So no account waits in another one's queue, and a call is in one queue
// alone. After a swap the same page may be computed by as many accounts at once as there are slots.
//
// A generation never changes, so a response is right for ever under the key (generation, canonical
// text of the request): nothing here expires, and nothing has to be invalidated. After a swap the
// keys of the old generation are simply not looked up any more, and make room as the cache needs
// it.
//
// The cache is the process's: it also keeps the engine's parts of generations, so that an operator
// has one number to set.
//
// Records are copied into one buffer a page before they are cached: an engine's records are often
// slices of a whole response, which would otherwise stay in memory with them, uncounted.
//
// A filing that a cached page of its generation has is the bytes of that page: it is found by its
// id, without a copy and without a call.
//
// Responses may be shared with other callers: they are read, never written to.
package serving

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"filings/index"
	"filings/index/breaker"
	"filings/index/cache"
	"filings/index/limit"
	"filings/index/trace"
)

// Config says how an engine is served. The zero value caches nothing and exposes no metrics.
type Config struct {
	Cache    *cache.Cache          // keeps responses; nil: nothing is cached
	Registry prometheus.Registerer // nil: metrics are counted and not exposed
	Log      *slog.Logger          // gets the breaker's changes of state, and that data were lost; nil: nothing is logged
	Now      func() time.Time      // nil: time.Now
	Calls    int                   // to the engine, in progress at once; 0: as many as it has slots for (Fit)
	// RequestTime is the time of a whole request. Metrics hold a call that ran out of time against
	// the engine only if it had half of that: the rest is for the steps before it. 0: always.
	RequestTime time.Duration
	// Database names the engine in the spans of its calls, which are within those of requests.
	Database trace.Database
}

// calls is how many calls to the engine are in progress at once, unless it has more slots. A
// quarter of them, the share of a flooding account, must leave threads and processors for other
// accounts' calls: on two processors Elasticsearch searches with four threads, and searches above
// that wait in its queue, where all accounts are alike. Three quarters of eight, which one that is
// alone has, also keep six processors at work.
const calls = 8

// inProcess is an engine in this process that knows how many calls it should work on at once.
type inProcess interface{ Slots() int }

// remote is an engine whose server knows how many calls it works on at once; others wait in it.
type remote interface {
	Slots(ctx context.Context) (int, error)
}

// New returns inner as a service uses it. It fails if c.Registry has another engine's metrics.
func New(inner index.Engine, c Config) (*Engine, error) {
	e := &Engine{inner: inner, cache: c.Cache, log: c.Log, enough: c.RequestTime / 2, database: c.Database}
	if c.Now == nil {
		c.Now = time.Now
	}
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	slots := calls
	if engine, ok := inner.(inProcess); ok {
		slots = engine.Slots()
	}
	e.limit = limit.New(cmp.Or(c.Calls, slots), c.Now)
	e.exports = make(chan struct{}, 1)
	e.breaker = breaker.New(breaker.Config{
		Server: "the engine", Down: index.ErrUnavailable, Probe: e.probe, Confirms: true, Log: c.Log,
	})
	return e, e.expose(c.Registry)
}

// probe is how the breaker tries the engine.
func (e *Engine) probe(ctx context.Context) error {
	r, err := e.inner.Live(ctx)
	if err == nil {
		err = index.Probe(ctx, r)
	}
	return outage(err)
}

// Responds reports whether the engine responds to a small call, now or in the second before: then a
// call that ran out of time was too expensive, or waited for others that were.
func (e *Engine) Responds(ctx context.Context) bool { return e.breaker.Responds(ctx) }

// Ready fails unless the live generation can be searched now, and no call has met damage in its
// file: no cache answers, and a search that fails does not count for the breaker, which clients'
// own calls open where it is needed.
func (e *Engine) Ready(ctx context.Context) error {
	r, err := e.Live(ctx)
	if err == nil {
		err = index.Probe(ctx, r.inner)
		e.noteDamage(r.inner, err)
	}
	if err == nil {
		err = index.DamageOf(r.inner)
	}
	return err
}

// Usable reports whether the live generation can be used as it is: it is neither lost nor changed,
// and no call has met damage in its file. It fails where that is not known, since the engine does
// not respond.
func (e *Engine) Usable(ctx context.Context) (bool, error) {
	r, err := e.Live(ctx)
	switch {
	case errors.Is(err, index.ErrLost), errors.Is(err, index.ErrDamaged):
		return false, nil
	case err != nil:
		return false, err
	}
	return index.DamageOf(r.inner) == nil, nil
}

// Damaged returns how many kept generations, the live one aside, calls have met damage in.
func (e *Engine) Damaged(ctx context.Context) (int, error) {
	if engine, ok := e.inner.(interface {
		Damaged(ctx context.Context) (int, error)
	}); ok {
		return engine.Damaged(ctx)
	}
	return 0, nil
}

// Fit makes the limit of calls at once that of the engine's server, and at least eight. A service
// without Config.Calls calls it once, when the server responds. If it fails, it changes nothing.
func (e *Engine) Fit(ctx context.Context) error {
	engine, ok := e.inner.(remote)
	if !ok {
		return nil
	}
	slots, err := engine.Slots(ctx)
	if err == nil {
		e.limit.Resize(max(calls, slots))
	}
	return err
}

// Seconds are the bounds of histograms: from a cached response to the end of a request's time.
func Seconds() []float64 {
	return []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5}
}

// expose makes e's metrics, and registers them unless r is nil.
func (e *Engine) expose(r prometheus.Registerer) error {
	e.calls = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "filings_engine_call_duration_seconds",
		Help: "Time of a call to the engine, by call and outcome: ok, not_found, gone, unavailable, " +
			"timeout (no response in time), ended (its request was cancelled, or came with too little time) or error.",
		Buckets: Seconds(),
	}, []string{"call", "outcome"})
	e.calls.WithLabelValues("live", "ok") // called for the metrics themselves: exposed from 0 on
	for _, call := range []string{"live", "rows", "count", "filing", "filings", "stats", "counties",
		"groups", "cells", "owners", "nearest", "steps", "changes", "changesets", "kept", "open", "export"} {
		// From 0 on, so that an alert sees the first one rise.
		for _, outcome := range []string{"unavailable", "timeout", "error"} {
			e.calls.WithLabelValues(call, outcome)
		}
	}
	e.refused = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "filings_engine_calls_refused_total",
		Help: "Calls to the engine that were not made in their request's time, " +
			"by the limit that refused them: share (of their account) or all (calls at once).",
	}, []string{"reason"})
	for _, reason := range []string{"share", "all"} {
		e.refused.WithLabelValues(reason)
	}
	if r == nil {
		return nil
	}
	collectors := []prometheus.Collector{
		e.calls, e.refused, e.breaker.Metric("filings_engine_breaker_state"),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "filings_engine_calls_in_progress",
			Help: "Calls to the engine in progress."},
			func() float64 { return float64(e.limit.InProgress()) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "filings_engine_calls_waiting",
			Help: "Calls to the engine that wait for a slot."},
			func() float64 { return float64(e.limit.Waiting()) }),
	}
	if e.cache != nil {
		collectors = append(collectors,
			prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "filings_cache_hits_total",
				Help: "Requests to the index that were served from the cache, or by an equal request in progress."},
				func() float64 { return float64(e.hits.Load()) }),
			prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "filings_cache_misses_total",
				Help: "Requests to the index that called the engine."},
				func() float64 { return float64(e.misses.Load()) }),
			prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "filings_cache_bytes",
				Help: "Memory of all caches, in bytes: responses, and parts of generations that the engine keeps."},
				func() float64 { return float64(e.cache.Bytes()) }))
	}
	for _, c := range collectors {
		if err := r.Register(c); err != nil {
			return err
		}
	}
	return nil
}
