package serving

import (
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"filings/index"
	"filings/index/breaker"
	"filings/index/cache"
	"filings/index/limit"
	"filings/index/trace"
)

// Engine serves an index.Engine. It is safe for concurrent use.
type Engine struct {
	inner        index.Engine
	cache        *cache.Cache // nil: no cache
	limit        *limit.Limit
	breaker      *breaker.Breaker
	calls        *prometheus.HistogramVec
	refused      *prometheus.CounterVec
	hits, misses atomic.Uint64
	log          *slog.Logger
	enough       time.Duration // of a request's time, for a call
	database     trace.Database
	lost         atomic.Bool // the live generation is, as was logged
	rows         rows
	id           atomic.Pointer[[2]string] // the generation that was last named, and its public id
	exports      chan struct{}             // holds one while a call of an export is in progress
	// many: the last filter of a shape selected more filings than were counted with its page.
	many [shapes]atomic.Bool
}

// Reader reads one generation, from the cache where it can.
type Reader struct {
	// Account is whose calls these are: they wait for its turns. "": the service's own.
	Account string
	// Client, if set, is asked whether it is still connected when a call that waited has its turn, and
	// when an equal call ends. If not, calls that nothing was computed for return index.ErrClientGone.
	Client Client

	inner  index.Reader
	engine *Engine
	caches bool // there is a cache, and a generation to cache by

	took         atomic.Int64 // nanoseconds
	hits, misses atomic.Int64

	computes atomic.Bool // the engine was called for the client
}

// Client can be asked whether it has hung up.
type Client interface{ Left() bool }

// Left implements limit.Caller: r's client has left, and nothing was computed for it.
func (r *Reader) Left() bool {
	return r.Client != nil && !r.computes.Load() && r.Client.Left()
}

// Took returns how long r's calls of the engine took together, their turns included, how many calls
// the cache spared, and how many it did not.
func (r *Reader) Took() (took time.Duration, hits, misses int64) {
	return time.Duration(r.took.Load()), r.hits.Load(), r.misses.Load()
}

var _ index.Reader = (*Reader)(nil)

func (e *Engine) clear() {
	e.rows.clear()
	if e.cache != nil {
		e.cache.Clear()
	}
}

// fragile is a Reader of a file that can be damaged (generation.Damage).
type fragile interface {
	Meet(err error) (first bool)
	Met() error
}

// noteDamage keeps with r the damage that a call of it has met, and logs the first.
func (e *Engine) noteDamage(r index.Reader, err error) {
	file, ok := r.(fragile)
	if ok && errors.Is(err, index.ErrDamaged) && file.Meet(err) {
		e.log.Error("a part of a generation cannot be read",
			slog.String("generation", r.Generation()), slog.String("error", err.Error()))
	}
}

// damageOf returns the damage that calls of r have met, nil for none.
func damageOf(r index.Reader) error {
	if file, ok := r.(fragile); ok {
		return file.Met()
	}
	return nil
}

// outage returns err as the breaker sees it: an engine that finds damage responds.
func outage(err error) error {
	if errors.Is(err, index.ErrDamaged) {
		return nil
	}
	return err
}
