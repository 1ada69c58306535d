package serving

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"filings/index"
	"filings/index/changes"
)

// Changes returns a page of the changes between the generations with two public ids, or
// index.ErrGone where the changesets between them are not kept, or `until` is not: its deleted
// filings are not to be had by way of changes (rule X53). since need not be kept. Neither need be
// r's, which is the live one. Counties are those of the later one (rule X30).
func (r *Reader) Changes(ctx context.Context, since, until string, q changes.Query) (changes.Page, error) {
	if live := index.GenerationID(r.Generation()); until != live { // before the cache, which may have a page of it
		kept, err := r.engine.kept(ctx, until)
		if err == nil && !slices.ContainsFunc(kept, func(g index.Generation) bool { return g.ID() == until }) {
			err = fmt.Errorf("generation %s: %w", until, index.ErrGone)
		}
		if err != nil {
			return changes.Page{}, err
		}
	} else if since == until && live != "" {
		return changes.Page{}, nil
	}
	history := r.engine.inner
	ends := "from " + since + " to " + until
	changesets, err := looked(ctx, r.engine, "steps", history.Changesets)
	if err != nil {
		return changes.Page{}, err
	}
	path, ok := changes.Find(changesets, since, until)
	if !ok {
		return changes.Page{}, fmt.Errorf("no changesets lead %s: %w", ends, index.ErrGone)
	}
	if len(path) == 0 {
		return changes.Page{}, nil
	}
	if q.Where.NamesCounties() {
		named := r
		if kept, err := r.engine.At(ctx, until); err == nil {
			named = kept
		}
		if q.Where, err = named.WithCounties(ctx, q.Where); err != nil {
			return changes.Page{}, err
		}
	}
	return do(ctx, r, request[changes.Page]{call: "changes", text: "changes " + ends + " " + q.String(),
		run: func(ctx context.Context) (changes.Page, error) { return changes.Read(ctx, history, path, q) }})
}

// Earlier returns the public ids of the generations from which Changes lead to r's, the newest first.
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
