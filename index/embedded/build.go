package embedded

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
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
	name    string
	from    *reader // of what was copied, which it keeps open; nil for nothing
	db      *sql.DB
	tx      *sql.Tx // in which the file is filled
	writer  *writer
	batch   *batch // being filled; nil: none
	failed  error  // why nothing more is accepted

	collected *history.Collector // of what was put and removed, if anything was copied
	checked   *reader            // of what is built, while check looks at it
}

var _ generation.Writer = (*build)(nil)

// Create implements generation.Storage.
func (s *storage) Create(ctx context.Context, name, from string) (generation.Writer, error) {
	b := &build{storage: s, name: name}
	if err := b.open(ctx, from); err != nil {
		b.Stop()
		return nil, fmt.Errorf("create %s: %w", name, err)
	}
	return b, nil
}

// open makes the file, empty or with the filings of another generation.
func (b *build) open(ctx context.Context, from string) (err error) {
	source, setup := "", schema
	if from != "" {
		if b.from, err = b.storage.reader(ctx, from); err != nil {
			return err
		}
		source, setup = b.storage.files.sealed(from), "DROP TABLE chunks; DROP TABLE summary;"+derivedSchema
		b.collected = history.NewCollector()
	}
	path := b.storage.files.building(b.name)
	if err = copyPages(ctx, path, source); err != nil {
		return err
	}
	if b.db, err = openBuilding(path); err != nil {
		return err
	}
	if _, err = b.db.Exec(setup); err != nil {
		return err
	}
	if b.tx, err = b.db.Begin(); err == nil {
		b.writer, err = newWriter(b.tx)
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
	if b.failed = cmp.Or(b.failed, ctx.Err()); b.failed != nil {
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
	return holds, nil, nil
}

func (b *build) seal(ctx context.Context, check generation.Check) (holds generation.Checksum, err error) {
	path := b.storage.files.building(b.name)
	for _, step := range []func() error{
		func() error { return b.handOver(ctx) },
		b.writer.stop,
		func() error { holds, err = b.layOut(ctx); return err },
		b.db.Close,
		func() error { return appendSums(path) },
		func() error { return syncFile(path) },
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

// layOut lays out what is stored in columns, writes fingerprints and the summary, and ends the transaction.
func (b *build) layOut(ctx context.Context) (generation.Checksum, error) {
	holds := generation.NewChecksum()
	insert, err := b.tx.Prepare("INSERT INTO chunks (name, chunk, data) VALUES (?, ?, ?)")
	if err != nil {
		return holds, err
	}
	put := func(name string, chunk int, data []byte) error {
		_, err := insert.Exec(name, chunk, data)
		return err
	}
	prints := history.NewFingerprintWriter(func(chunk int, data []byte) error { return put(chunkFingerprints, chunk, data) })
	stats, err := columns.Build(ctx, b.stored(prints), put, b.storage.files.generations())
	if err == nil {
		err = writeSummary(b.tx, summary{b.name, stats.Stats, stats.Counties})
	}
	if err != nil {
		return holds, err
	}
	holds.Filings, holds.Months = stats.Filings, stats.Months
	for _, c := range stats.Counties {
		holds.Counties[c.County] = generation.CountyChecksum{Filings: c.Filings, Amounts: c.Amounts, SumCents: c.SumCents}
	}
	return holds, b.tx.Commit()
}

// stored yields the stored values of all filings, and their records after the length of their tail. Meanwhile it writes their
// fingerprints: rows come by id.
func (b *build) stored(prints *history.FingerprintWriter) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		rows, err := b.tx.Query("SELECT facts, record, tail FROM filings")
		if err != nil {
			yield(nil, err)
			return
		}
		defer rows.Close()
		var r row
		var record, stored, both []byte
		next := func() (err error) {
			if err = rows.Scan(&r.facts, &r.record, &r.tail); err != nil {
				return err
			}
			if record, err = r.appendRecord(record[:0]); err != nil {
				return err
			}
			of, err := fingerprint(r.facts, record)
			return errors.Join(err, prints.Add(of))
		}
		for rows.Next() {
			err := next()
			stored = append(binary.AppendUvarint(stored[:0], r.tail), r.record...)
			if both = columns.AppendStored(both[:0], r.facts, stored); !yield(both, err) {
				return
			}
		}
		if err := errors.Join(rows.Err(), prints.Finish()); err != nil {
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
	b.failed = cmp.Or(b.failed, errEnded)
	if b.collected != nil {
		_ = b.collected.Close() // nobody reads it any more
	}
	if b.writer != nil {
		_ = b.writer.stop() // the Put that failed has returned it
	}
	if b.tx != nil {
		_ = b.tx.Rollback() // what is not written is worth nothing
	}
	if b.db != nil {
		_ = b.db.Close()
	}
}

// Fingerprints implements generation.Writer.
func (b *build) Fingerprints(ctx context.Context) iter.Seq2[index.Fingerprint, error] {
	return b.checked.fingerprints(ctx)
}

// Differences implements generation.Writer.
func (b *build) Differences(ctx context.Context) (*generation.Differences, error) {
	noted := new(generation.Differences)
	for _, err := range b.collected.Over(ctx, b.from.fingerprints(ctx), noted.Note) {
		if err != nil {
			return nil, err
		}
	}
	return noted, nil
}

// WriteChangeset implements generation.Writer.
func (b *build) WriteChangeset(ctx context.Context, s index.Changeset, differences iter.Seq2[generation.Difference, error]) (whole bool, err error) {
	copies := s.Added+s.Changed+s.Removed <= b.storage.mostCopied
	err = writeChangeset(b.storage.files.changes(b.name), func(put func(history.Chunk) error) error {
		return history.Encode(ctx, s, differences, copies, b.filings, put)
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
