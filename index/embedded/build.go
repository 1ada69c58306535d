package embedded

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"filings/index"
	"filings/index/generation"
)

// build fills a generation. Put and Remove encode; a writer of its own hands what they made to SQLite meanwhile.
type build struct {
	lock   *lock
	files  files
	name   string
	from   index.Reader // what was copied; Empty for nothing
	db     *sql.DB
	writer *writer
	batch  *batch // being filled; nil: none
	failed error  // why nothing more is accepted
}

// Begin implements index.Lock.
func (l *lock) Begin(ctx context.Context, from string) (generation.Build, error) {
	if err := l.check(ctx); err != nil {
		return nil, err
	}
	b := &build{lock: l, files: l.store.files, from: index.Empty{}}
	source := ""
	if from != "" {
		g, err := l.store.generation(ctx, from)
		if err != nil {
			return nil, err
		}
		b.from, source = g, b.files.sealed(from)
	}
	var err error
	if b.name, err = l.store.newName(); err == nil {
		err = b.open(ctx, source)
	}
	if err != nil {
		return nil, fmt.Errorf("begin a generation: %w", errors.Join(err, b.discard()))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.builds = append(l.builds, b)
	return b, nil
}

// open makes the file, empty or with what source has.
func (b *build) open(ctx context.Context, source string) (err error) {
	if err = copyFile(ctx, b.files.building(b.name), source); err != nil {
		return err
	}
	if b.db, err = openBuilding(b.files.building(b.name)); err != nil {
		return err
	}
	setup := schema
	if source != "" {
		setup = "DROP TABLE chunks; DROP TABLE summary;" + derivedSchema
	}
	if _, err = b.db.ExecContext(ctx, setup+"BEGIN"); err != nil {
		return err
	}
	b.writer, err = newWriter(b.db)
	return err
}

// copyFile makes the file to, which must not be there, with the content of the file from, or empty.
func copyFile(ctx context.Context, to, from string) (err error) {
	w, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	if from == "" {
		return nil
	}
	r, err := os.Open(from)
	if err != nil {
		return err
	}
	defer r.Close()
	const step = 64 << 20 // bytes, between two looks at ctx
	for err == nil {
		if err = ctx.Err(); err == nil {
			_, err = io.CopyN(w, r, step) // in the kernel, where it can
		}
	}
	if err == io.EOF {
		return nil
	}
	return err
}

func (b *build) Generation() string { return b.name }

// Put implements index.Build.
func (b *build) Put(ctx context.Context, f *index.Filing) error {
	return b.change(ctx, func(to *batch) { to.put(f) })
}

// Remove implements index.Build.
func (b *build) Remove(ctx context.Context, id int64) error {
	return b.change(ctx, func(to *batch) { to.remove(id) })
}

// change accepts a change. If it cannot, then nothing is accepted any more, nor sealed.
func (b *build) change(ctx context.Context, encode func(*batch)) error {
	if b.failed != nil {
		return b.failed
	}
	b.failed = b.lock.check(ctx)
	if b.failed == nil && b.batch == nil {
		b.batch, b.failed = b.writer.free(ctx)
	}
	if b.failed != nil {
		return b.failed
	}
	if encode(b.batch); b.batch.full() {
		b.failed = b.handOver(ctx)
	}
	return b.failed
}

// handOver gives the batch to the writer.
func (b *build) handOver(ctx context.Context) error {
	full := b.batch
	b.batch = nil
	if full == nil {
		return nil
	}
	return b.writer.write(ctx, full)
}

// Seal implements index.Build.
func (b *build) Seal(ctx context.Context, check generation.Check) (generation.Checksum, error) {
	if b.failed == nil {
		b.failed = b.lock.check(ctx)
	}
	var tally generation.Checksum
	if b.failed == nil {
		tally, b.failed = b.seal(ctx, check)
	}
	if b.failed != nil {
		return generation.Checksum{}, fmt.Errorf("seal %s: %w", b.name, b.failed)
	}
	b.failed = errEnded
	return tally, nil
}

func (b *build) seal(ctx context.Context, check generation.Check) (generation.Checksum, error) {
	if err := b.handOver(ctx); err != nil {
		return generation.Checksum{}, err
	}
	if err := b.writer.stop(); err != nil {
		return generation.Checksum{}, err
	}
	tally, err := fillColumns(ctx, b.db, b.files.generations())
	if err != nil {
		return generation.Checksum{}, err
	}
	if err := b.db.Close(); err != nil {
		return generation.Checksum{}, err
	}
	path := b.files.building(b.name)
	if err := syncPath(path); err != nil {
		return generation.Checksum{}, err
	}
	if check != nil {
		if err := b.look(ctx, path, check, tally); err != nil {
			return generation.Checksum{}, err
		}
	}
	if err := os.Rename(path, b.files.sealed(b.name)); err != nil {
		return generation.Checksum{}, err
	}
	return tally, syncPath(b.files.generations())
}

// look lets check read the file as it will be read once it is sealed.
func (b *build) look(ctx context.Context, path string, check generation.Check, tally generation.Checksum) error {
	g, err := openGeneration(b.name, path)
	if err != nil {
		return err
	}
	return errors.Join(check(ctx, g, tally), g.db.Close())
}

// errEnded is returned by every change of a generation after Seal or Abort.
var errEnded = errors.New("the generation is not being built any more")

// Abort implements index.Build.
func (b *build) Abort(ctx context.Context) error {
	if err := b.stop(errEnded); err != nil {
		return err
	}
	return b.lock.Delete(ctx, b.name)
}

// stop ends the writing, for a reason that later changes are told, and leaves the file as it is.
func (b *build) stop(reason error) error {
	b.batch = nil
	if b.failed == nil {
		b.failed = reason
	}
	if b.writer != nil {
		_ = b.writer.stop() // whoever put something was told
	}
	if b.db != nil {
		return b.db.Close()
	}
	return nil
}

// discard deletes the file.
func (b *build) discard() error {
	err := b.stop(errEnded)
	if e := os.Remove(b.files.building(b.name)); e != nil && !errors.Is(e, fs.ErrNotExist) {
		err = errors.Join(err, e)
	}
	return err
}
