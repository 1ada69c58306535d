package serving

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"filings/index"
	"filings/index/changes"
)

// Live returns a Reader of the generation that is live now. The engine mostly knows it without a
// call to its server, so this tells the breaker of an outage, but not of its end.
func (e *Engine) Live(ctx context.Context) (*Reader, error) {
	inner, err := looked(ctx, e, "live", e.inner.Live)
	e.noteLost(err)
	if err != nil {
		return nil, err
	}
	return e.reader(inner), nil
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

// Pin returns a Reader of the generation with that public id, or index.ErrGone if it is not kept:
// never later than a second after it was pruned. A Reader that is in use then keeps reading in the
// embedded engine, and fails with index.ErrGone in Elasticsearch.
func (e *Engine) Pin(ctx context.Context, id string) (*Reader, error) {
	inner, err := looked(ctx, e, "open", func(ctx context.Context) (index.Reader, error) { return e.inner.Pin(ctx, id) })
	if err != nil {
		return nil, err
	}
	return e.reader(inner), nil
}

// kept returns the list of kept generations.
func (e *Engine) kept(ctx context.Context, id string) ([]index.Generation, error) {
	return looked(ctx, e, "kept", func(ctx context.Context) ([]index.Generation, error) {
		return e.inner.Kept(ctx, id)
	})
}

// find returns the list, and the position of r's generation in it, -1 for Empty; index.ErrGone
// where it is not kept any more.
func (r *Reader) find(ctx context.Context) ([]index.Generation, int, error) {
	kept, err := r.engine.kept(ctx, r.ID())
	i := slices.IndexFunc(kept, func(g index.Generation) bool { return g.Name == r.Generation() })
	if err == nil && i < 0 && r.Generation() != "" {
		err = fmt.Errorf("generation %s: %w", r.Generation(), index.ErrGone)
	}
	return kept, i, err
}

// Kept lists the generations that Pin knows, the newest first, of which r's is the live one: a
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

// Changes returns a page of the changes between the generations with two public ids, or
// index.ErrGone where the changesets between them are not kept, or `end` is not: its deleted
// filings are not to be had by way of changes (rule X53). start need not be kept. Neither need be
// r's, which is the live one. Counties are those of the later one (rule X30).
func (r *Reader) Changes(ctx context.Context, start, end string, q changes.Query) (changes.Page, error) {
	if live := index.GenerationID(r.Generation()); end != live { // before the cache, which may have a page of it
		kept, err := r.engine.kept(ctx, end)
		if err == nil && !slices.ContainsFunc(kept, func(g index.Generation) bool { return g.ID() == end }) {
			err = fmt.Errorf("generation %s: %w", end, index.ErrGone)
		}
		if err != nil {
			return changes.Page{}, err
		}
	} else if start == end && live != "" {
		return changes.Page{}, nil
	}
	history := r.engine.inner
	ends := "from " + start + " to " + end
	changesets, err := looked(ctx, r.engine, "steps", history.Changesets)
	if err != nil {
		return changes.Page{}, err
	}
	path, ok := changes.Find(changesets, start, end)
	if !ok {
		return changes.Page{}, fmt.Errorf("no changesets lead %s: %w", ends, index.ErrGone)
	}
	if len(path) == 0 {
		return changes.Page{}, nil
	}
	if q.Where.NamesCounties() {
		named := r
		if kept, err := r.engine.Pin(ctx, end); err == nil {
			named = kept
		}
		if q.Where, err = named.WithCounties(ctx, q.Where); err != nil {
			return changes.Page{}, err
		}
	}
	return do(ctx, r, request[changes.Page]{call: "changes", text: "changes " + ends + " " + q.String(),
		run: func(ctx context.Context) (changes.Page, error) { return changes.Read(ctx, history, path, q) }})
}

// Earlier returns the ids of the generations from which Changes lead to r's, the newest first.
func (r *Reader) Earlier(ctx context.Context) ([]string, error) {
	changesets, err := looked(ctx, r.engine, "changesets", r.engine.inner.Changesets)
	ids := []string{}
	for _, s := range changesets {
		id := index.GenerationID(s.Parent)
		_, ok := changes.Find(changesets, id, index.GenerationID(r.Generation()))
		if ok && id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b string) int { return cmp.Compare(b, a) })
	return ids, err
}
