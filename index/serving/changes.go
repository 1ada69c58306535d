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
		if _, _, err := r.engine.find(ctx, until); err != nil {
			return changes.Page{}, err
		}
	} else if since == until && live != "" {
		return changes.Page{}, nil
	}
	history := r.engine.inner
	ends := "from " + since + " to " + until
	// Once there is a path between two generations, it is the one that there will ever be.
	path, err := do(ctx, r, request[changes.Path]{call: "steps", text: "changesets " + ends,
		run: func(ctx context.Context) (changes.Path, error) {
			changesets, err := history.Changesets(ctx)
			if err != nil {
				return nil, err
			}
			path, ok := changes.Find(changesets, since, until)
			if !ok {
				return nil, fmt.Errorf("no changesets lead %s: %w", ends, index.ErrGone)
			}
			return path, nil
		}})
	if err != nil || len(path) == 0 {
		return changes.Page{}, err
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
	changesets, err := do(ctx, r, request[[]index.Changeset]{call: "changesets", run: r.engine.inner.Changesets})
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
