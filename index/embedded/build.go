package embedded

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"filings/index"
	"filings/index/embedded/columns"
	"filings/index/generation"
	"filings/index/history"
)

// build is a generation.Writer. Put and Remove encode; a writer of its own hands what they encoded to SQLite meanwhile.
type build struct {
	storage *storage
	files   files
	name    string
	from    *reader // of what was copied, which it keeps open; nil for nothing
	db      *sql.DB
	writer  *writer
	batch   *batch // being filled; nil: none
	failed  error  // why nothing more is accepted

	collected *history.Collector // stamps of what was put and removed, if anything was copied
	checked   *reader            // of what is built, while check looks at it
}

var _ generation.Writer = (*build)(nil)

// Create implements generation.Storage.
func (s *storage) Create(ctx context.Context, name, from string) (_ generation.Writer, err error) {
	b := &build{storage: s, files: s.files, name: name}
	source := ""
	if from != "" {
		if b.from, err = s.reader(ctx, from); err != nil {
			return nil, err
		}
		source, b.collected = b.files.sealed(from), history.NewCollector()
	}
	if err = b.open(ctx, source); err != nil {
		b.Stop()
		return nil, fmt.Errorf("create %s: %w", name, err)
	}
	return b, nil
}

// open makes the file, empty or with what source has.
func (b *build) open(ctx context.Context, source string) (err error) {
	if err = copyPages(ctx, b.files.building(b.name), source); err != nil {
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

// copyPages makes the file to, which must not be there, with the pages of the sealed file from, or empty.
func copyPages(ctx context.Context, to, from string) (err error) {
	w, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	if from == "" {
		return nil
	}
	r, err := openPages(from)
	if err != nil {
		return err
	}
	defer r.Close()
	const step = 64 << 20 // bytes, between two looks at ctx
	for err == nil {
		if err = ctx.Err(); err == nil {
			_, err = io.CopyN(w, r, step)
		}
	}
	if err == io.EOF {
		return nil
	}
	return err
}

// Put implements generation.Build.
func (b *build) Put(ctx context.Context, f *index.Filing) error {
	return b.change(ctx, func(to *batch) { to.put(f, b.collected) })
}

// Remove implements generation.Build.
func (b *build) Remove(ctx context.Context, id int64) error {
	return b.change(ctx, func(to *batch) { to.remove(id, b.collected) })
}

// change accepts a change. If it cannot, then nothing is accepted any more, nor sealed.
func (b *build) change(ctx context.Context, encode func(*batch)) error {
	if b.failed == nil {
		b.failed = ctx.Err()
	}
	if b.failed != nil {
		return b.failed
	}
	if b.batch == nil {
		b.batch = b.writer.empty.Get().(*batch)
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

// Seal implements generation.Build.
func (b *build) Seal(ctx context.Context, check generation.Check) (holds generation.Checksum, _ generation.Identity, err error) {
	if b.failed == nil {
		holds, b.failed = b.seal(ctx, check)
	}
	if b.failed != nil {
		return generation.Checksum{}, nil, fmt.Errorf("seal %s: %w", b.name, b.failed)
	}
	b.failed = errEnded
	b.closeStamps()
	return holds, nil, nil
}

func (b *build) closeStamps() {
	if b.collected != nil {
		_ = b.collected.Close() // nobody reads them any more
	}
}

func (b *build) seal(ctx context.Context, check generation.Check) (holds generation.Checksum, err error) {
	path := b.files.building(b.name)
	for _, step := range []func() error{
		func() error { return b.handOver(ctx) },
		b.writer.stop,
		func() error { holds, err = b.layOut(ctx); return err },
		b.db.Close,
		func() error { return appendSums(path) },
		func() error { return syncFile(path) },
		func() error { return b.check(ctx, path, check, holds) },
		func() error { return os.Rename(path, b.files.sealed(b.name)) },
		func() error { return syncFolder(b.files.generations()) },
	} {
		if err := step(); err != nil {
			return holds, err
		}
	}
	return holds, nil
}

// layOut lays out what is stored in columns, writes the summary and ends the transaction.
func (b *build) layOut(ctx context.Context) (generation.Checksum, error) {
	holds := generation.NewChecksum()
	insert, err := b.db.Prepare("INSERT INTO chunks (name, chunk, data) VALUES (?, ?, ?)")
	if err != nil {
		return holds, err
	}
	defer insert.Close()
	put := func(name string, chunk int, data []byte) error {
		_, err := insert.Exec(name, chunk, data)
		return err
	}
	stamps := newStampBuffer(b.files.generations())
	defer stamps.close()
	stats, err := columns.Build(ctx, b.stored(stamps), put, b.files.generations())
	if err == nil {
		err = stamps.write(ctx, put)
	}
	if err != nil {
		return holds, err
	}
	holds.Filings, holds.Months = stats.Filings, stats.Months
	for _, c := range stats.Counties {
		holds.Counties[c.County] = generation.CountyChecksum{Filings: c.Filings, Amounts: c.Amounts, SumCents: c.SumCents}
	}
	return holds, writeSummary(b.db, summary{version, emptyRecord(), stats.Stats, stats.Counties, b.name})
}

// stored returns the stored values of all filings, and their records behind the length of their tail. Their stamps go into
// stamps: rows come by id.
func (b *build) stored(stamps *stampBuffer) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		rows, err := b.db.Query("SELECT facts, record, tail FROM filings")
		if err != nil {
			yield(nil, err)
			return
		}
		defer rows.Close()
		var values, record sql.RawBytes
		var tail uint64
		var stored, both []byte
		for rows.Next() {
			err := rows.Scan(&values, &record, &tail)
			if err == nil {
				err = stamps.add(values, record, tail)
			}
			stored = append(binary.AppendUvarint(stored[:0], tail), record...)
			if both = columns.AppendStored(both[:0], values, stored); !yield(both, err) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(nil, err)
		}
	}
}

// check lets check read the file as it will be read once it is sealed.
func (b *build) check(ctx context.Context, path string, check generation.Check, holds generation.Checksum) error {
	r, err := openReader(b.name, path, b.storage.cache)
	if err != nil {
		return err
	}
	b.checked = r
	err = check(ctx, r, holds)
	b.checked = nil
	return errors.Join(err, r.db.Close())
}

// errEnded is returned by every change of a generation after it was sealed or given up.
var errEnded = errors.New("the generation is not being built any more")

// Stop implements generation.Writer.
func (b *build) Stop() {
	b.batch = nil
	b.closeStamps()
	if b.failed == nil {
		b.failed = errEnded
	}
	if b.writer != nil {
		_ = b.writer.stop() // the Put that failed has returned it
	}
	if b.db != nil {
		_ = b.db.Close() // what it has not written is worth nothing
	}
}
