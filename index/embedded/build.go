package embedded

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"

	"golang.org/x/sync/errgroup"

	"filings/index"
	"filings/index/embedded/columns"
	"filings/index/generation"
	"filings/index/sidecar"
)

// build is a generation.Writer. Put and Remove collect; Seal merges what they collected with the filings of the generation that
// is copied, and writes the file.
type build struct {
	storage *storage
	name    string
	from    *reader // of what is copied, which it keeps open; nil for nothing
	file    *fileWriter
	encoder encoder
	changes *columns.Changes
	prints  *sidecar.Actions
	failed  error // why nothing more is accepted

	differences sidecar.Differences // from what is copied
	checked     *reader             // of what is built, while check looks at it
}

var _ generation.Writer = (*build)(nil)

// Create implements generation.Storage.
func (s *storage) Create(ctx context.Context, name, from string) (generation.Writer, error) {
	b := &build{storage: s, name: name}
	if err := b.open(ctx, from); err != nil {
		return nil, fmt.Errorf("create %s: %w", name, err)
	}
	return b, nil
}

func (b *build) open(ctx context.Context, from string) (err error) {
	if from != "" {
		if b.from, err = b.storage.reader(ctx, from); err != nil {
			return err
		}
	}
	if b.file, err = createFile(b.storage.files.building(b.name)); err != nil {
		return err
	}
	b.changes, b.prints = columns.NewChanges(b.storage.files.generations()), sidecar.NewActions()
	return nil
}

// Put implements generation.Writer.
func (b *build) Put(ctx context.Context, f *index.Filing) error {
	return b.change(ctx, func() error { return b.encoder.put(f, b.changes, b.prints) })
}

// Remove implements generation.Writer.
func (b *build) Remove(ctx context.Context, id int64) error {
	return b.change(ctx, func() error {
		b.prints.Remove(id)
		return b.changes.Remove(id)
	})
}

// Erase implements generation.Build: the file is written anew in any case.
func (b *build) Erase() {}

// change accepts a change. If it cannot, then nothing is accepted any more, nor sealed.
func (b *build) change(ctx context.Context, collect func() error) error {
	if b.failed = cmp.Or(b.failed, ctx.Err()); b.failed == nil {
		b.failed = collect()
	}
	return b.failed
}

// Seal implements generation.Writer.
func (b *build) Seal(ctx context.Context, check generation.Check) (holds index.Counts, _ generation.Identity, err error) {
	if b.failed == nil {
		holds, b.failed = b.seal(ctx, check)
	}
	if b.failed != nil {
		return index.Counts{}, nil, b.failed
	}
	b.failed = errEnded
	return holds, nil, nil
}

func (b *build) seal(ctx context.Context, check generation.Check) (holds index.Counts, err error) {
	path := b.storage.files.building(b.name)
	for _, step := range []func() error{
		func() error { holds, err = b.layOut(ctx); return err },
		b.file.finish,
		func() error { return b.check(ctx, path, check, holds) },
		func() error { return os.Rename(path, b.storage.files.sealed(b.name)) },
		func() error { return syncFolder(b.storage.files.generations()) },
	} {
		if err := step(); err != nil {
			return holds, err
		}
	}
	return holds, nil
}

// layOut writes the columns, the fingerprints and the summary.
func (b *build) layOut(ctx context.Context) (index.Counts, error) {
	var base *columns.Table
	if b.from != nil {
		base = b.from.Table
	}
	var stats columns.Stats
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return b.writeFingerprints(ctx) })
	group.Go(func() (err error) {
		stats, err = columns.Build(ctx, base, b.changes, b.file.put, b.storage.files.generations())
		return err
	})
	holds := index.NewCounts()
	if err := group.Wait(); err != nil {
		return holds, err
	}
	holds.Filings, holds.Months = stats.Filings, stats.Months
	for _, c := range stats.Counties {
		holds.Counties[c.County] = index.CountyCounts{Filings: c.Filings, Amounts: c.Amounts, SumCents: c.SumCents}
	}
	return holds, b.file.putValue(sectionSummary, summary{b.name, stats.Stats, stats.Counties})
}

// writeFingerprints writes the fingerprints of what is copied and of what was put, by id, and notes where they differ.
func (b *build) writeFingerprints(ctx context.Context) error {
	before, note := func(func(index.Fingerprint, error) bool) {}, (func(before, after index.Fingerprint))(nil)
	if b.from != nil {
		before, note = sidecar.Fingerprints(ctx, b.from.chunks), b.differences.Note
	}
	prints := sidecar.NewFingerprintWriter(b.file.put)
	for print, err := range b.prints.Over(ctx, before, note) {
		if err = cmp.Or(err, prints.Add(print)); err != nil {
			return err
		}
	}
	return prints.Finish()
}

// check lets check read the file as it will be read once it is sealed.
func (b *build) check(ctx context.Context, path string, check generation.Check, holds index.Counts) error {
	r, err := openReader(b.name, path, b.storage.cache)
	if err != nil {
		return err
	}
	b.checked = r
	err = check(ctx, r, holds)
	b.checked = nil
	return errors.Join(err, r.file.Close())
}

// errEnded is returned by every change of a generation after it was sealed or given up.
var errEnded = errors.New("the generation is not being built any more")

// Stop implements generation.Writer.
func (b *build) Stop() {
	b.failed = cmp.Or(b.failed, errEnded)
	b.file.close()
	_ = errors.Join(b.changes.Close(), b.prints.Close()) // nobody reads them any more
}

// Fingerprints implements generation.Writer.
func (b *build) Fingerprints(ctx context.Context) iter.Seq2[index.Fingerprint, error] {
	return sidecar.Fingerprints(ctx, b.checked.chunks)
}

// Differences implements generation.Writer.
func (b *build) Differences(ctx context.Context) (*sidecar.Differences, error) {
	return &b.differences, ctx.Err()
}

// WriteChangeset implements generation.Writer.
func (b *build) WriteChangeset(ctx context.Context, s index.Changeset, differences []sidecar.Difference) (whole bool, err error) {
	copies := s.Added+s.Changed+s.Removed <= b.storage.mostCopied
	err = writeFile(b.storage.files.changes(b.name), func(put sidecar.Sink) error {
		return sidecar.WriteChangeset(ctx, s, differences, copies, b.filings, put)
	})
	if err == nil {
		err = syncFolder(b.storage.files.generations())
	}
	if err != nil {
		return false, fmt.Errorf("write the changeset of %s: %w", b.name, err)
	}
	return !copies, nil
}

// filings reads filings of a sealed generation, or of the one that is built.
func (b *build) filings(ctx context.Context, name string, ids []int64) ([]index.Version, error) {
	if name == b.name {
		return b.checked.versions(ctx, ids)
	}
	return b.storage.Filings(ctx, name, ids)
}
