package serving

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"filings/index"
)

// At returns a Reader of the generation with that public id, or index.ErrGone if it is not kept:
// never later than a second after it was pruned. A Reader that is in use then reads on in the
// embedded engine, and returns index.ErrGone in Elasticsearch.
func (e *Engine) At(ctx context.Context, id string) (*Reader, error) {
	k, g, err := e.find(ctx, id)
	if err != nil {
		return nil, err
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

// Withdrawn returns index.ErrGone where r's generation was deleted since filings are withheld:
// nothing of it may be sent any more, although an engine may still read it (rule X53).
func (r *Reader) Withdrawn(ctx context.Context) error {
	withdrawn, err := r.engine.inner.Withdrawn(ctx, r.Generation())
	if err != nil || !withdrawn { // an engine that does not respond has nothing to send either
		return nil
	}
	return fmt.Errorf("generation %s, of which filings are withheld: %w", r.Generation(), index.ErrGone)
}

// find returns the generation with that public id, and the look that found it, or index.ErrGone.
func (e *Engine) find(ctx context.Context, id string) (*seen, index.Generation, error) {
	k, err := e.look(ctx, 0)
	if err != nil {
		return nil, index.Generation{}, err
	}
	g, ok := k.find(id)
	if !ok && (len(k.kept) == 0 || id > k.kept[0].ID()) { // it may have come since: each one is newer than all before
		if k, err = e.look(ctx, e.generations.looks.Load()); err != nil {
			return nil, g, err
		}
		g, ok = k.find(id)
	}
	if !ok {
		err = fmt.Errorf("generation %s: %w", id, index.ErrGone)
	}
	return k, g, err
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

// About returns the catalog's entry of r's generation. Its values and counties are read, never
// changed.
func (r *Reader) About(ctx context.Context) (index.Generation, error) {
	if r.Generation() == "" {
		return index.Generation{Values: new(index.Values)}, nil
	}
	kept, err := r.Kept(ctx)
	if err != nil {
		return index.Generation{}, err
	}
	return kept[slices.IndexFunc(kept, func(g index.Generation) bool { return g.Name == r.Generation() })], nil
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
	k.kept, err = called(ctx, e, nil,
		request[[]index.Generation]{call: "kept", run: e.inner.Kept}, nothing[[]index.Generation])
	if err != nil {
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
	return called(ctx, e, nil, request[index.Reader]{call: "open", run: func(ctx context.Context) (index.Reader, error) {
		return e.inner.Open(ctx, g.Name)
	}}, nothing[index.Reader])
}
