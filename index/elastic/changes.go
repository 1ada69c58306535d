package elastic

import (
	"context"
	"errors"
	"fmt"

	"filings/index"
	"filings/index/elastic/reader"
	"filings/index/sidecar"
)

// WriteChangeset implements generation.Writer.
func (b *build) WriteChangeset(
	ctx context.Context, s index.Changeset, differences []sidecar.Difference,
) (whole bool, err error) {
	copies := s.Added+s.Changed+s.Removed <= b.storage.mostCopied
	w, err := b.storage.createSidecar(ctx, changesetIndex(b.name))
	if err == nil {
		err = sidecar.WriteChangeset(ctx, s, differences, copies, b.storage.Filings, w.put(ctx))
	}
	if err == nil {
		err = w.flush(ctx)
	}
	return !copies, err
}

// Filings implements sidecar.Changesets: of any generation whose index is there.
func (s *storage) Filings(ctx context.Context, name string, ids []int64) ([]index.Version, error) {
	return reader.New(s.c, name, s.cache).Versions(ctx, ids)
}

// Chunks implements sidecar.Changesets.
func (s *storage) Chunks(ctx context.Context, name, section string, chunks []int) ([][]byte, error) {
	all, err := reader.Chunks(ctx, s.c, changesetIndex(name), section, chunks)
	if errors.Is(err, index.ErrNotFound) {
		err = fmt.Errorf("the changeset of %s: %w", name, index.ErrGone)
	}
	return all, err
}
