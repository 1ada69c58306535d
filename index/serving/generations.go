package serving

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"filings/index"
)

const (
	// keptFor is how long the list of generations is taken for granted, as the live one is.
	keptFor = time.Second
	// lookTime is what a look at the list may take, since all callers that come meanwhile wait for the same one.
	lookTime = 3 * time.Second
	// pinnedReaders is how many Readers of generations that requests pinned stay open: each may take as much memory as
	// that of the live one.
	pinnedReaders = 2
	// idleTime is when they are closed if no request pins them any more. A file that was pruned takes up the disk for
	// as long as it is open.
	idleTime = time.Minute
)

// generations is the list of generations as seen last, and the Readers of those that requests pinned.
type generations struct {
	looks  atomic.Uint64 // begun
	seen   atomic.Pointer[seen]
	flight singleflight.Group

	idle   atomic.Int64 // Unix time in nanoseconds when pinned is idle; 0: it is empty
	mu     sync.Mutex
	pinned []index.Reader // the one used last first
}

// seen is the result of a look.
type seen struct {
	number uint64    // of the look
	at     time.Time // when it began
	kept   []index.Generation
}

func (k *seen) find(id string) (index.Generation, bool) {
	i := slices.IndexFunc(k.kept, func(g index.Generation) bool { return g.ID() == id })
	if i < 0 {
		return index.Generation{}, false
	}
	return k.kept[i], true
}

// At returns a Reader of the generation with that public id, or index.ErrGone if it is not kept: never later than a second
// after it was pruned. What a Reader then does that is in use already is the engine's affair: the embedded engine reads on,
// Elasticsearch has nothing to read, and the Reader returns index.ErrGone.
func (e *Engine) At(ctx context.Context, id string) (*Reader, error) {
	k, err := e.look(ctx, 0)
	if err != nil {
		return nil, err
	}
	g, ok := k.find(id)
	if !ok && (len(k.kept) == 0 || id > k.kept[0].ID()) { // it may have come since: each one is newer than all before
		if k, err = e.look(ctx, e.generations.looks.Load()); err != nil {
			return nil, err
		}
		g, ok = k.find(id)
	}
	if !ok {
		return nil, fmt.Errorf("generation %s: %w", id, index.ErrGone)
	}
	inner, err := e.pin(ctx, g)
	if errors.Is(err, index.ErrNotFound) {
		err = fmt.Errorf("generation %s: %w: %w", id, index.ErrGone, err)
	}
	if err != nil {
		return nil, err
	}
	e.forgetDamage(inner)
	e.generations.use(inner, k, e.now())
	return e.reader(inner), nil
}

// Kept lists the generations that At knows, the newest first, of which r's is the live one: a response that names r's
// generation must not contradict itself. The list is the caller's own. index.ErrGone where r's is not kept any more.
func (r *Reader) Kept(ctx context.Context) ([]index.Generation, error) {
	e := r.engine
	k, err := e.look(ctx, 0)
	if err != nil {
		return nil, err
	}
	isLive := func(g index.Generation) bool { return g.Name == r.Generation() }
	if r.Generation() != "" && !slices.ContainsFunc(k.kept, isLive) {
		if k, err = e.look(ctx, e.generations.looks.Load()); err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(k.kept, isLive) {
			// Elasticsearch learns from a request that r's is gone, and then looks which one is live.
			_, _ = do(ctx, r, request[struct{}]{call: "rows", run: func(ctx context.Context) (struct{}, error) {
				return struct{}{}, index.Probe(ctx, r.inner)
			}})
			return nil, fmt.Errorf("generation %s: %w", r.Generation(), index.ErrGone)
		}
	}
	kept := slices.Clone(k.kept)
	for i := range kept {
		kept[i].Live = isLive(kept[i])
	}
	return kept, nil
}

// look returns the result of a look later than the one with that number, and not older than keptFor.
func (e *Engine) look(ctx context.Context, after uint64) (*seen, error) {
	of := &e.generations
	oldest := e.now().Add(-keptFor)
	for {
		if k := of.seen.Load(); k != nil && k.number > after && k.at.After(oldest) {
			return k, nil
		}
		// The first caller's end must not fail those who wait with it.
		response := of.flight.DoChan("", func() (any, error) { return e.lookNow(context.WithoutCancel(ctx)) })
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("listing the generations: %w", context.Cause(ctx))
		case result := <-response:
			if result.Err != nil {
				return nil, result.Err
			}
			// The look may have been begun before this caller came, and then be too old.
			if k := result.Val.(*seen); k.number > after && k.at.After(oldest) {
				return k, nil
			}
		}
	}
}

func (e *Engine) lookNow(ctx context.Context) (k *seen, err error) {
	defer recovered(&err)
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	k = &seen{number: e.generations.looks.Add(1), at: e.now()}
	turn := e.limit.Join("", "")
	defer turn.Leave("")
	if k.kept, err = called(ctx, e, nil, turn, request[[]index.Generation]{call: "kept", run: e.inner.Kept}); err != nil {
		return nil, err
	}
	e.generations.seen.Store(k)
	return k, nil
}

// pin returns the Reader of g that is open, the live one's if g is live, or else a new one.
func (e *Engine) pin(ctx context.Context, g index.Generation) (index.Reader, error) {
	if g.Live {
		r, err := e.inner.Live(ctx)
		if err == nil && r.Generation() == g.Name {
			return r, nil
		}
		if errors.Is(err, index.ErrChanged) {
			return nil, err
		}
	}
	if r := e.generations.open(g.Name); r != nil {
		return r, nil
	}
	turn := e.limit.Join("", "")
	defer turn.Leave("")
	return called(ctx, e, nil, turn, request[index.Reader]{call: "open", run: func(ctx context.Context) (index.Reader, error) {
		return e.inner.Open(ctx, g.Name)
	}})
}

func (of *generations) open(name string) index.Reader {
	of.mu.Lock()
	defer of.mu.Unlock()
	for _, r := range of.pinned {
		if r.Generation() == name {
			return r
		}
	}
	return nil
}

// use notes that r, which is of a generation of k, was used now. It lets go of what was pruned, and of what is too much.
func (of *generations) use(r index.Reader, k *seen, now time.Time) {
	of.idle.Store(now.Add(idleTime).UnixNano())
	of.mu.Lock()
	defer of.mu.Unlock()
	others := slices.DeleteFunc(of.pinned, func(p index.Reader) bool {
		pruned := !slices.ContainsFunc(k.kept, func(g index.Generation) bool { return g.Name == p.Generation() })
		return pruned || p.Generation() == r.Generation()
	})
	of.pinned = slices.Insert(others, 0, r)
	if len(of.pinned) > pinnedReaders {
		of.pinned = slices.Delete(of.pinned, pinnedReaders, len(of.pinned))
	}
}

// letGo closes r with the last request that uses it.
func (of *generations) letGo(r index.Reader) {
	of.mu.Lock()
	defer of.mu.Unlock()
	of.pinned = slices.DeleteFunc(of.pinned, func(p index.Reader) bool { return p == r })
}

// closeIdle lets go of all Readers if no request has used one for idleTime.
func (of *generations) closeIdle(now time.Time) {
	if at := of.idle.Load(); at == 0 || now.UnixNano() < at || !of.idle.CompareAndSwap(at, 0) {
		return
	}
	of.mu.Lock()
	defer of.mu.Unlock()
	of.pinned = nil
}
