// Package cached owns the memory between a service and its engine: it is an index.Engine around another one that
// remembers answers, whole pages included, and asks equal questions that arrive together only once. It refuses to
// remember errors, and answers that depend on the clock.
//
// # Design
//
// A generation never changes, so an answer is right for ever under the key (generation, question), where the question
// is the canonical text of the query: nothing here expires, and nothing has to be invalidated. After a swap the keys of
// the old generation are simply not asked for any more, and make room as the cache needs it.
//
// One bound in bytes covers everything, so that an operator has one number to set. Which entries stay is otter's
// W-TinyLFU policy: a crawl through many pages, each seen once, does not push out what is asked for often.
//
// Records are copied into one buffer a page before they are kept: an engine's records are often slices of a whole
// response, which would otherwise stay in memory with them, uncounted.
//
// What is returned may be shared with other callers: it is read, never written to.
package cached

import (
	"context"
	"sync/atomic"

	"github.com/maypok86/otter/v2"

	"filings/index"
)

// Engine is an index.Engine that remembers the answers of another one.
type Engine struct {
	inner        index.Engine
	answers      *otter.Cache[string, answer] // nil: no cache at all
	flights      flights
	hits, misses atomic.Uint64
}

var _ index.Engine = (*Engine)(nil)

// answer is a remembered value of the type that its question's method returns.
type answer struct {
	value any
	bytes int
}

// entryBytes is what an entry costs beside its key and value: otter's node, hash table slot and policy queues.
const entryBytes = 160

// New returns an engine that answers as inner does and keeps at most so many bytes of its answers; 0 or less keeps
// nothing and passes every question on.
func New(inner index.Engine, bytes int64) *Engine {
	e := &Engine{inner: inner}
	if bytes > 0 {
		e.answers = otter.Must(&otter.Options[string, answer]{
			MaximumWeight: uint64(bytes),
			Weigher:       func(key string, a answer) uint32 { return uint32(len(key) + a.bytes + entryBytes) },
			// Its upkeep is a few microseconds at each new answer. On a goroutine of its own, as otter does by default,
			// it costs several times that to wake a thread for it.
			Executor: func(upkeep func()) { upkeep() },
		})
	}
	return e
}

// Live returns a Reader of the generation that is live now. It is asked of the inner engine each time.
func (e *Engine) Live(ctx context.Context) (index.Reader, error) {
	r, err := e.inner.Live(ctx)
	if err != nil || e.answers == nil || r.Generation() == "" {
		return r, err // a Reader without filings answers for nothing
	}
	return &reader{inner: r, engine: e}, nil
}

// Counters returns how many answers came from memory, or from an equal question that was being asked; how many were
// asked of the inner engine; and the bytes that are held now.
func (e *Engine) Counters() (hits, misses, bytes uint64) {
	if e.answers != nil {
		bytes = e.answers.WeightedSize()
	}
	return e.hits.Load(), e.misses.Load(), bytes
}
