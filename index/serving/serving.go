// Package serving wraps an engine for a service: a cache, one call for equal requests of an account
// that arrive together, a limit on concurrent calls with a circuit breaker, and metrics of all
// that. It refuses to cache errors, and responses that depend on the clock. A load uses the engine
// itself: it has timeouts of its own.
//
// # Design
//
// One function does it all, in this order (do, call.go): cached responses and equal requests in
// progress (package cache), limit and breaker, timer, engine. So a cached response passes neither
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
// id (rows.go), without a copy and without a call.
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

// inProcess is an engine that computes in this process, and knows how many calls it should work on at once.
type inProcess interface{ Slots() int }

// remote is an engine whose server knows how many calls it can work on at once. More than that would only wait in it.
type remote interface {
	Slots(ctx context.Context) (int, error)
}

// New returns inner as a service uses it. It fails when c.Registry has the metrics of another engine.
func New(inner index.Engine, c Config) (*Engine, error) {
	e := &Engine{inner: inner, now: c.Now, cache: c.Cache, log: c.Log, enough: c.RequestTime / 2, database: c.Database}
	if e.now == nil {
		e.now = time.Now
	}
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	slots := calls
	if engine, ok := inner.(inProcess); ok {
		slots = engine.Slots()
	}
	e.limit = limit.New(cmp.Or(c.Calls, slots), e.now)
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
		err = damageOf(r.inner)
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
	return damageOf(r.inner) == nil, nil
}

// Damaged returns how many generations besides the live one are kept in whose files calls have met damage.
func (e *Engine) Damaged(ctx context.Context) (int, error) {
	if engine, ok := e.inner.(interface {
		Damaged(ctx context.Context) (int, error)
	}); ok {
		return engine.Damaged(ctx)
	}
	return 0, nil
}

// Live returns a Reader of the generation that is live now. The engine mostly knows it without a call to its server, so
// this tells the breaker of an outage, but not of its end.
func (e *Engine) Live(ctx context.Context) (*Reader, error) {
	inner, err := looked(ctx, e, "live", e.inner.Live)
	e.noteLost(err)
	if err != nil {
		return nil, err
	}
	return e.reader(inner), nil
}

// ID returns the public id of r's generation, "" where it has none. Most requests are for the same
// one: to read it from the name took 3 µs of each.
func (r *Reader) ID() string {
	name := r.Generation()
	if last := r.engine.id.Load(); last != nil && last[0] == name {
		return last[1]
	}
	id := index.GenerationID(name)
	r.engine.id.Store(&[2]string{name, id})
	return id
}

func (e *Engine) reader(inner index.Reader) *Reader {
	return &Reader{inner: inner, engine: e, caches: e.cache != nil && inner.Generation() != ""}
}

// Fit makes the limit of calls at once that of the engine's server, and at least eight. Who starts a service without
// Config.Calls calls it once, when the server responds. It fails if the server does not say, and changes nothing then.
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

// noteLost logs once that the live generation is lost, and once that there is one again. Nothing
// that was cached is used again: values computed before the loss was seen may be wrong, and the
// same generation may come back.
func (e *Engine) noteLost(err error) {
	lost := errors.Is(err, index.ErrLost)
	switch {
	case lost == e.lost.Load() || err != nil && !lost, !e.lost.CompareAndSwap(!lost, lost):
	case lost:
		e.clear()
		e.log.Error("every request fails until an operator repairs the index", slog.String("error", err.Error()))
	default:
		e.clear() // of calls that were in progress
		e.log.Info("a generation is live again")
	}
}

func (e *Engine) clear() {
	e.rows.clear()
	if e.cache != nil {
		e.cache.Clear()
	}
}
