package embedded

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"

	"filings/index"
	"filings/index/cache"
	"filings/index/embedded/columns"
	"filings/index/generation"
	"filings/index/sidecar"
)

// version is the data version of a file, and the last part of its generation's name: files of
// another version are not read. It goes up with every change of the stored data, which includes
// emptyRecord.
const version = 10

// sectionTitle is the section of a generation's file that says whose it is.
const sectionTitle = "title"

// title says which generation a file is of, and how many filings it has.
type title struct {
	Generation string
	Filings    int64
}

// changed returns index.ErrChanged if the file of a generation is another one's.
func (t title) changed(name string) error {
	differs := generation.Identity{"generation": name}.Differs(generation.Identity{"generation": t.Generation})
	if differs != "" {
		return fmt.Errorf("the file of %s: %w: %s", name, index.ErrChanged, differs)
	}
	return nil
}

// reader is a sealed generation that is open for reading: an index.Reader.
type reader struct {
	*columns.Table
	*sidecar.Directory
	index.Damage
	file *file
	name string
	info fs.FileInfo
}

var _ index.Reader = (*reader)(nil)

// openSealed opens the sealed file of a generation and reads its title. One that is another
// generation's is index.ErrChanged.
func openSealed(name, path string) (f *file, t title, err error) {
	if f, err = openFile(path); err != nil {
		return nil, t, err
	}
	if err = f.value(sectionTitle, &t); err == nil {
		err = t.changed(name)
	}
	if err != nil {
		return nil, t, errors.Join(err, f.Close())
	}
	return f, t, nil
}

// openReader opens the sealed generation name in the file at path, or returns ErrNotFound.
func openReader(name, path string, c *cache.Cache) (*reader, error) {
	f, t, err := openSealed(name, path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("generation %s: %w", name, index.ErrNotFound)
	case errors.Is(err, index.ErrChanged):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("open generation %s: %w: %w", name, index.ErrUnavailable, err)
	}
	r := &reader{file: f, name: name}
	r.Table = columns.Open("generation "+name, t.Filings, r.chunk, c)
	r.Directory = sidecar.Open(name, r.chunks, c)
	return r, nil
}

// isOf reports whether r has read from the file that is described: it was neither replaced nor
// written to since.
func (r *reader) isOf(file fs.FileInfo) bool {
	return os.SameFile(r.info, file) && r.info.Size() == file.Size() && r.info.ModTime().Equal(file.ModTime())
}

// chunk is the columns.Source of the file.
func (r *reader) chunk(ctx context.Context, name string, chunk, first, end int) ([]byte, error) {
	data, err := r.file.chunk(ctx, name, chunk, first, end)
	if err != nil && ctx.Err() == nil {
		err = r.unavailable(err)
	}
	return data, err
}

// chunks is the sidecar.Source of the file.
func (r *reader) chunks(ctx context.Context, section string, chunks []int) ([][]byte, error) {
	read, err := r.file.chunks(ctx, section, chunks)
	if err != nil && ctx.Err() == nil {
		err = r.unavailable(err)
	}
	return read, err
}

func (r *reader) unavailable(err error) error {
	return fmt.Errorf("read generation %s: %w: %w", r.name, index.ErrUnavailable, err)
}

// Rows implements index.Reader. It finds all rows of the filter, so every page has the total.
func (r *reader) Rows(ctx context.Context, q index.Query) (index.Page, error) {
	rows, total, end, err := r.Table.Rows(ctx, q)
	if err != nil {
		return index.Page{}, err
	}
	page := index.Page{Total: total, Counted: true, End: end}
	if len(rows) == 0 {
		return page, nil
	}
	if q.IDsOnly {
		page.Records, err = r.idsOnly(ctx, rows)
	} else {
		page.Records, err = r.records(ctx, rows, q.Bytes)
	}
	if err != nil {
		return index.Page{}, err
	}
	page.Records = q.Fit(page.Records)
	if q.Keys {
		err = r.addKeys(ctx, rows, page.Records)
	}
	if n := len(page.Records); n < len(rows) && err == nil {
		page.End, err = r.PositionAfter(ctx, q.Sort, rows[n-1])
	}
	return page, err
}

// addKeys adds the keys to the records of rows, the first of which these are.
func (r *reader) addKeys(ctx context.Context, rows []uint32, records []index.Record) error {
	for i := range records {
		v, err := r.Place(ctx, rows[i])
		if err != nil {
			return err
		}
		v.Record = records[i]
		if records[i], err = v.WithKeys(); err != nil {
			return r.unavailable(err)
		}
	}
	return nil
}

// idsOnly returns records of the id alone.
func (r *reader) idsOnly(ctx context.Context, rows []uint32) ([]index.Record, error) {
	ids, err := r.IDs(ctx, rows)
	records := make([]index.Record, len(ids))
	for i, id := range ids {
		records[i] = index.AppendIDOnly(nil, id)
	}
	return records, err
}

// errEnough ends a reading of records.
var errEnough = errors.New("enough")

// readFirst is how many records of a page are read before it is known how large they are, and
// readGrowth how many times as many next.
const readFirst, readGrowth = 8, 8

// records returns the records of rows: all of them or, where bytes is not 0, the first ones, up to
// that with which they have more. They are read some at a time, in the order in which they are
// stored, and one by one where some were too many: a thousand of the longest have a gigabyte.
func (r *reader) records(ctx context.Context, rows []uint32, bytes int) (records []index.Record, err error) {
	if bytes == 0 {
		records, _, err = r.read(ctx, rows, math.MaxInt)
		return records, err
	}
	growth := readGrowth
	for n := readFirst; len(rows) > 0 && bytes >= 0; {
		part := rows[:min(n, len(rows))]
		read, size, err := r.read(ctx, part, bytes)
		switch {
		case errors.Is(err, errEnough):
			n, growth = 1, 1
			continue
		case err != nil:
			return nil, err
		}
		records, rows, bytes, n = append(records, read...), rows[len(read):], bytes-size, growth*len(part)
	}
	return records, nil
}

// read returns the records of rows, and how many bytes they have. Once there are more than so many
// it ends: with the first ones where rows are in their own order, as exports have them, or else
// with errEnough, unless that was the only one.
func (r *reader) read(ctx context.Context, rows []uint32, bytes int) (records []index.Record, size int, err error) {
	records = make([]index.Record, len(rows))
	n := 0
	err = r.Records(ctx, rows, func(position int, stored []byte) error {
		if size > bytes {
			return errEnough
		}
		record, err := whole(stored)
		if err != nil {
			return r.unavailable(err)
		}
		records[position] = record
		size += len(record)
		n++
		return nil
	})
	if errors.Is(err, errEnough) && slices.IsSorted(rows) {
		err = nil
	}
	return records[:n], size, err
}

// Filings implements index.Reader.
func (r *reader) Filings(ctx context.Context, ids []int64) ([]index.Record, error) {
	rows, positions, err := r.rowsOf(ctx, ids)
	if err != nil {
		return nil, err
	}
	found, err := r.records(ctx, rows, 0)
	records := make([]index.Record, len(ids))
	for i, record := range found {
		records[positions[i]] = record
	}
	return records, err
}

// rowsOf returns the rows of those filings with these ids that exist, and their places in ids.
func (r *reader) rowsOf(ctx context.Context, ids []int64) (rows []uint32, positions []int, err error) {
	for i, id := range ids {
		row, ok, err := r.RowOf(ctx, id)
		if err != nil {
			return nil, nil, err
		}
		if ok {
			rows, positions = append(rows, row), append(positions, i)
		}
	}
	return rows, positions, nil
}

// emptyRecord is the record of a filing without values.
var emptyRecord = index.AppendRecord(nil, &index.Filing{})

// encoder makes the stored form of filings: the length of the tail that a record shares with
// emptyRecord, then the record without this tail.
type encoder struct {
	derived        index.Derived
	record, stored []byte
}

// put puts a filing into changes, and returns its fingerprint.
func (e *encoder) put(f *index.Filing, changes *columns.Changes) (index.Fingerprint, error) {
	e.derived = index.Derive(f)
	e.record = index.AppendRecord(e.record[:0], f)
	tail := commonTail(e.record, emptyRecord)
	e.stored = append(binary.AppendUvarint(e.stored[:0], uint64(tail)), e.record[:len(e.record)-tail]...)
	return index.FingerprintOf(f, &e.derived, e.record), changes.Put(f, &e.derived, e.stored)
}

// whole returns the record that is stored.
func whole(stored []byte) (index.Record, error) {
	tail, n := binary.Uvarint(stored)
	if n <= 0 || tail > uint64(len(emptyRecord)) {
		return nil, columns.ErrDamaged
	}
	record := make(index.Record, 0, len(stored)-n+int(tail))
	return append(append(record, stored[n:]...), emptyRecord[len(emptyRecord)-int(tail):]...), nil
}

// commonTail returns how many bytes a and b have in common at their ends.
func commonTail(a, b []byte) (n int) {
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}
