package serving

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"filings/index"
)

// looked makes a call that the engine mostly answers by its last look at its generations. So it
// waits for no turn, and tells the breaker of an outage, but not of its end.
func looked[T any](ctx context.Context, e *Engine, call string, run func(context.Context) (T, error)) (v T, err error) {
	var failed error
	err = e.breaker.DoCached(ctx, func(ctx context.Context) error {
		v, failed = timed(ctx, e, call, run)
		return outage(failed)
	})
	return v, cmp.Or(err, failed)
}

// At returns a Reader of the generation with that public id, or index.ErrGone if it is not kept:
// never later than a second after it was pruned. A Reader that is in use then goes on in the embedded
// engine, and fails with index.ErrGone in Elasticsearch.
func (e *Engine) At(ctx context.Context, id string) (*Reader, error) {
	inner, err := looked(ctx, e, "open", func(ctx context.Context) (index.Reader, error) { return e.inner.At(ctx, id) })
	if err != nil {
		return nil, err
	}
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

// kept returns the list of kept generations.
func (e *Engine) kept(ctx context.Context, id string) ([]index.Generation, error) {
	return looked(ctx, e, "kept", func(ctx context.Context) ([]index.Generation, error) {
		return e.inner.Kept(ctx, id)
	})
}

// find returns the list, and the position of r's generation in it, -1 for Empty; index.ErrGone where
// it is not kept any more.
func (r *Reader) find(ctx context.Context) ([]index.Generation, int, error) {
	kept, err := r.engine.kept(ctx, r.ID())
	i := slices.IndexFunc(kept, func(g index.Generation) bool { return g.Name == r.Generation() })
	if err == nil && i < 0 && r.Generation() != "" {
		err = fmt.Errorf("generation %s: %w", r.Generation(), index.ErrGone)
	}
	return kept, i, err
}

// Kept lists the generations that At knows, the newest first, of which r's is the live one: a
// response that names r's generation must not contradict itself. The list is the caller's own.
// index.ErrGone where r's is not kept any more.
func (r *Reader) Kept(ctx context.Context) ([]index.Generation, error) {
	kept, live, err := r.find(ctx)
	if err != nil {
		return nil, err
	}
	kept = slices.Clone(kept)
	for i := range kept {
		kept[i].Live = i == live
	}
	return kept, nil
}

// About returns the catalog's entry of r's generation. Its values and counties are read, never
// changed.
func (r *Reader) About(ctx context.Context) (index.Generation, error) {
	if r.Generation() == "" {
		return index.Generation{Values: new(index.Values)}, nil
	}
	kept, i, err := r.find(ctx)
	if err != nil {
		return index.Generation{}, err
	}
	return kept[i], nil
}
