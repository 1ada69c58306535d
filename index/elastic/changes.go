package elastic

import (
	"context"
	"iter"

	"filings/index"
	"filings/index/generation"
)

// Steps implements index.History.
func (s *Store) Steps(context.Context) ([]index.Step, error) { return nil, nil }

// Changes implements index.History.
func (s *Store) Changes(context.Context, index.ChangeQuery) (index.ChangePage, error) {
	return index.ChangePage{}, index.ErrGone
}

// Step implements generation.Build.
func (b *build) Step(context.Context, index.Step, iter.Seq2[generation.Difference, error]) error {
	return nil
}

// Forget implements generation.Lock.
func (l *lock) Forget(context.Context, int) error { return nil }

// Stamps implements generation.Store.
func (s *Store) Stamps(context.Context, string) iter.Seq2[index.Stamp, error] { return noStamps }

// Stamps implements generation.Build.
func (b *build) Stamps(context.Context) iter.Seq2[index.Stamp, error] { return noStamps }

func noStamps(yield func(index.Stamp, error) bool) { yield(index.Stamp{}, index.ErrNotFound) }
