package generation

import (
	"context"
	"fmt"
	"slices"

	"filings/index"
)

// Lister is the part of a Store that List reads.
type Lister interface {
	Generations(ctx context.Context) ([]Info, error)
	Changesets(ctx context.Context) ([]index.Changeset, error)
}

// Row is a row of the list of generations that operators see.
type Row struct {
	Info
	Changes *RowChanges `json:"changes"` // nil: not known
}

// RowChanges are those since the generation that was live before.
type RowChanges struct {
	Added   int64  `json:"added"`
	Changed int64  `json:"changed"`
	Removed int64  `json:"removed"`
	Since   string `json:"since"`
}

// SealedOf lists the generations that can be served, the newest first, which is not so of one that is being built.
func SealedOf(ctx context.Context, store Lister) ([]Info, error) {
	all, err := store.Generations(ctx)
	return slices.DeleteFunc(all, func(g Info) bool { return !g.Sealed }), err
}

// List lists the generations that can be served with the changesets that lead to them.
func List(ctx context.Context, store Lister) ([]Row, error) {
	all, err := SealedOf(ctx, store)
	if err != nil {
		return nil, fmt.Errorf("list the generations: %w", err)
	}
	changesets, err := store.Changesets(ctx)
	if err != nil {
		return nil, fmt.Errorf("list what changed: %w", err)
	}
	rows := make([]Row, len(all)) // of none, [] and never null
	for i, g := range all {
		rows[i].Info = g
		for _, s := range changesets {
			if s.Generation == g.Name {
				rows[i].Changes = &RowChanges{s.Added, s.Changed, s.Removed, s.Parent}
			}
		}
	}
	return rows, nil
}
