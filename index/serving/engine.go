package serving

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
	"weak"

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

// Withdrawn returns index.ErrGone where r's generation was deleted since filings are withheld:
// nothing of it may be sent any more, although an engine may still read it (rule X53).
func (r *Reader) Withdrawn(ctx context.Context) error {
	withdrawn, err := r.engine.inner.Withdrawn(ctx, r.Generation())
	if err != nil || !withdrawn { // an engine that does not respond has nothing to send either
		return nil
	}
	return fmt.Errorf("generation %s, of which filings are withheld: %w", r.Generation(), index.ErrGone)
}

func (e *Engine) clear() {
	e.rows.clear()
	if e.cache != nil {
		e.cache.Clear()
	}
}

// noteDamage keeps with r the damage that a call of it has met, and logs the first.
func (e *Engine) noteDamage(r index.Reader, err error) {
	file, ok := r.(interface{ Meet(error) (first bool) })
	if ok && errors.Is(err, index.ErrDamaged) && file.Meet(err) {
		e.log.Error("a part of a generation cannot be read",
			slog.String("generation", r.Generation()), slog.String("error", err.Error()))
	}
}

// outage returns err as the breaker sees it: an engine that finds damage responds.
func outage(err error) error {
	if errors.Is(err, index.ErrDamaged) {
		return nil
	}
	return err
}

// keptRows is how many rows of cached pages are found by their ids: those of the last 800 pages of
// 20. It is a power of two.
const keptRows = 1 << 14

// rows finds the filings of cached pages by their ids, so that from a list to one of its filings no
// call is made. It keeps no page: one that was evicted from the cache is not found any more. Each
// id has one slot, which it shares with others: the latest one has it.
type rows struct {
	mu    sync.Mutex
	slots []slot // nil: no page was cached
}

// slot is where a filing is: a row of a page of a generation.
type slot struct {
	generation string
	id         int64
	page       weak.Pointer[index.Page]
	row        int
}

// idStart is the beginning of a record, before its id.
const idStart = `{"id":`

// keep notes the rows of a page, whose records were checked and do not change any more.
func (r *rows) keep(generation string, page *index.Page) {
	cached := weak.Make(page)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.slots == nil {
		r.slots = make([]slot, keptRows)
	}
	for row, record := range page.Records {
		digits, _, _ := bytes.Cut(record[len(idStart):], []byte(","))
		if id, err := strconv.ParseInt(string(digits), 10, 64); err == nil {
			r.slots[id&(keptRows-1)] = slot{generation, id, cached, row}
		}
	}
}

// find returns the filing of a generation with an id from a cached page, nil if none has it.
func (r *rows) find(generation string, id int64) index.Record {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.slots == nil {
		return nil
	}
	s := r.slots[id&(keptRows-1)]
	if s.id != id || s.generation != generation {
		return nil
	}
	if page := s.page.Value(); page != nil {
		return page.Records[s.row]
	}
	return nil
}

// clear forgets all.
func (r *rows) clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.slots = nil
}

// kinds are the types of predicates that shapeOf tells apart; all others are one more.
var kinds = []reflect.Type{
	reflect.TypeFor[index.AnyOf](), reflect.TypeFor[index.Not](), reflect.TypeFor[index.IDs](),
	reflect.TypeFor[index.Range](), reflect.TypeFor[index.Days](), reflect.TypeFor[index.Times](),
	reflect.TypeFor[index.Present](), reflect.TypeFor[index.Box](), reflect.TypeFor[index.Contains](),
}

// shapes is how many values shapeOf has.
const shapes = 1 << 11

// shapeOf tells filters with different types of predicates apart, and pages in the default order
// from others.
func shapeOf(q index.Query) (shape int) {
	if q.Sort != index.DefaultSort {
		shape = 1 << 10
	}
	for _, p := range q.Where.Predicates() {
		shape |= 1 << (1 + slices.Index(kinds, reflect.TypeOf(p)))
	}
	return shape
}
