package embedded

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sync/errgroup"

	"filings/index"
	"filings/index/embedded/columns"
	"filings/index/generation"
	"filings/index/sidecar"
)

// build is a generation.Writer. Put collects; Seal merges that with the filings of the generation
// that is copied, and writes the file.
type build struct {
	storage *storage
	name    string
	source  *reader // of the copied generation, which it keeps open; nil for none
	file    *fileWriter
	encoder encoder
	changes *columns.Changes
	failed  error // why nothing more is accepted
}

var _ generation.Writer = (*build)(nil)

// Create implements generation.Storage.
func (s *storage) Create(ctx context.Context, name, source string) (generation.Writer, error) {
	b := &build{storage: s, name: name}
	if err := b.open(ctx, source); err != nil {
		return nil, fmt.Errorf("create %s: %w", name, err)
	}
	return b, nil
}

func (b *build) open(ctx context.Context, source string) (err error) {
	if source != "" {
		if b.source, err = b.storage.reader(ctx, source); err != nil {
			return err
		}
	}
	if b.file, err = createFile(b.storage.files.building(b.name)); err != nil {
		return err
	}
	b.changes = columns.NewChanges(b.storage.files.generations())
	return nil
}

// Put implements generation.Writer.
func (b *build) Put(ctx context.Context, f *index.Filing) (fingerprint index.Fingerprint, err error) {
	err = b.change(ctx, func() (err error) {
		fingerprint, err = b.encoder.put(f, b.changes)
		return err
	})
	return fingerprint, err
}

// Remove implements generation.Writer.
func (b *build) Remove(ctx context.Context, _ int64) error {
	return b.change(ctx, func() error {
		b.changes.Remove()
		return nil
	})
}

// change accepts a change. If it cannot, then nothing is accepted any more, nor sealed.
func (b *build) change(ctx context.Context, collect func() error) error {
	if b.failed = cmp.Or(b.failed, ctx.Err()); b.failed == nil {
		b.failed = collect()
	}
	return b.failed
}

// Seal implements generation.Writer. The file is written anew whether it erases or not.
func (b *build) Seal(
	ctx context.Context, _ bool, actions *sidecar.Actions, fill generation.Fill, look generation.Look,
) (generation.Identity, error) {
	path := b.storage.files.building(b.name)
	for _, step := range []func() error{
		func() error { return b.layOut(ctx, actions, fill) },
		b.file.finish,
		func() error { return b.look(ctx, path, look) },
		func() error { return os.Rename(path, b.storage.files.sealed(b.name)) },
		func() error { return syncFolder(b.storage.files.generations()) },
	} {
		if b.failed == nil {
			b.failed = step()
		}
	}
	if b.failed != nil {
		return nil, b.failed
	}
	b.failed = errEnded
	return nil, nil
}

// layOut writes the columns, the sidecar, and the title.
func (b *build) layOut(ctx context.Context, actions *sidecar.Actions, fill generation.Fill) error {
	var base *columns.Table
	if b.source != nil {
		base = b.source.Table
	}
	var filings int64
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return fill(ctx, b.file.put) })
	group.Go(func() (err error) {
		filings, err = columns.Build(ctx, base, b.changes, actions.Visit, b.file.put, b.storage.files.generations())
		return err
	})
	if err := group.Wait(); err != nil {
		return err
	}
	return b.file.putValue(sectionTitle, title{b.name, filings})
}

// look lets a Look read the file as it will be read once it is sealed.
func (b *build) look(ctx context.Context, path string, look generation.Look) error {
	r, err := openReader(b.name, path, b.storage.cache)
	if err != nil {
		return err
	}
	b.storage.setChecked(b.name, r)
	_, err = look(ctx, r)
	b.storage.setChecked(b.name, nil)
	return errors.Join(err, r.file.Close())
}

// errEnded is returned by every change of a generation after it was sealed or given up.
var errEnded = errors.New("the generation is not being built any more")

// Stop implements generation.Writer.
func (b *build) Stop() {
	b.failed = cmp.Or(b.failed, errEnded)
	b.file.close()
	_ = b.changes.Close() // nobody reads them any more
}

// Changeset implements generation.Writer.
func (b *build) Changeset(ctx context.Context, fill generation.Fill) error {
	err := writeFile(ctx, b.storage.files.changes(b.name), fill)
	if err == nil {
		err = syncFolder(b.storage.files.generations())
	}
	if err != nil {
		return fmt.Errorf("write the changeset of %s: %w", b.name, err)
	}
	return nil
}
