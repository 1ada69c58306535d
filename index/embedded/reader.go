package embedded

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"

	"filings/index"
	"filings/index/cache"
	"filings/index/embedded/columns"
)

// reader is a sealed generation that is open for reading: an index.Reader. When it is in use no more, its file is closed.
type reader struct {
	*columns.Table
	name    string
	summary summary
	db      *sql.DB
	chunks  *sql.Stmt
	records *sql.Stmt
}

var _ index.Reader = (*reader)(nil)

// openReader opens the sealed generation name in the file at path, or returns ErrNotFound.
func openReader(name, path string, c *cache.Cache) (*reader, error) {
	// As many connections as can be busy at a time: SQLite waits for nothing but the page cache.
	db, s, err := openSealed(path, runtime.GOMAXPROCS(0))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("generation %s: %w", name, index.ErrNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("open generation %s: %w: %w", name, index.ErrUnavailable, explained(err))
	}
	r := &reader{name: name, summary: s, db: db}
	if err := r.prepare(); err != nil {
		return nil, fmt.Errorf("open generation %s: %w: %w", name, index.ErrUnavailable, errors.Join(err, db.Close()))
	}
	r.Table = columns.Open("generation "+name, r.summary.Stats.Filings, r.chunk, c)
	runtime.AddCleanup(r, func(db *sql.DB) { db.Close() }, db)
	return r, nil
}

func (r *reader) prepare() (err error) {
	if !r.summary.current() {
		return errors.New("it was made by another version of the program: load the filings anew")
	}
	var err1, err2 error
	r.chunks, err1 = r.db.Prepare("SELECT data FROM chunks WHERE name = ? AND chunk = ?")
	r.records, err2 = r.db.Prepare(`SELECT page.key, record, tail FROM json_each(?) AS page JOIN filings ON filings.id = page.value`)
	return errors.Join(err1, err2)
}

// chunk is the columns.Source of the file.
func (r *reader) chunk(_ context.Context, name string, chunk int) (data []byte, err error) {
	defer runtime.KeepAlive(r) // the cleanup would close the file
	if err := r.chunks.QueryRow(name, chunk).Scan(&data); err != nil {
		return nil, r.unavailable(fmt.Errorf("chunk %d of %s: %w", chunk, name, err))
	}
	return data, nil
}

func (r *reader) unavailable(err error) error {
	return fmt.Errorf("read generation %s: %w: %w", r.name, index.ErrUnavailable, explained(err))
}

// Generation implements index.Reader.
func (r *reader) Generation() string { return r.name }

// Rows implements index.Reader. What a filter selects is found as a whole, so that every page has the total.
func (r *reader) Rows(ctx context.Context, q index.Query) (index.Page, error) {
	rows, total, ends, err := r.Table.Rows(ctx, q)
	if err != nil {
		return index.Page{}, err
	}
	page := index.Page{Total: total, Counted: true}
	if len(rows) == 0 {
		return page, nil
	}
	if page.Records, err = r.recordsOf(ctx, q, rows); err != nil {
		return index.Page{}, err
	}
	page.End = ends[len(ends)-1]
	if q.Stride > 0 {
		page.Ends = ends
	}
	return page, nil
}

// recordsOf returns the records of the rows of a page.
func (r *reader) recordsOf(ctx context.Context, q index.Query, rows []uint32) ([]index.Record, error) {
	if !q.IDsOnly {
		if records, err := r.neighbours(ctx, rows); records != nil || err != nil {
			return records, err
		}
	}
	ids, err := r.IDs(ctx, rows)
	if err != nil {
		return nil, err
	}
	if q.IDsOnly {
		return idsOnly(ids), nil
	}
	records, err := r.Filings(ctx, ids)
	if err == nil && slices.ContainsFunc(records, func(record index.Record) bool { return record == nil }) {
		err = r.unavailable(columns.ErrDamaged)
	}
	return records, err
}

// neighbours returns the records of rows that are near each other in the default order, as they also are in the order of dates
// or where many filings are equal in what they are sorted by; nil for others.
func (r *reader) neighbours(ctx context.Context, rows []uint32) ([]index.Record, error) {
	sorted := rows
	if !slices.IsSorted(rows) {
		sorted = slices.Sorted(slices.Values(rows))
	}
	stored, ok, err := r.Table.Records(ctx, sorted)
	if err != nil || !ok {
		return nil, err
	}
	records, err := r.whole(stored)
	if err != nil || slices.IsSorted(rows) {
		return records, err
	}
	ordered := make([]index.Record, len(rows))
	for i, row := range rows {
		at, _ := slices.BinarySearch(sorted, row)
		ordered[i] = records[at]
	}
	return ordered, nil
}

// idsOnly returns records of the id alone.
func idsOnly(ids []int64) []index.Record {
	records := make([]index.Record, len(ids))
	for i, id := range ids {
		records[i] = index.AppendIDOnly(nil, id)
	}
	return records
}

// Filings implements index.Reader. The statement takes no more than milliseconds, and so is not interrupted (see the
// package comment).
func (r *reader) Filings(ctx context.Context, ids []int64) ([]index.Record, error) {
	defer runtime.KeepAlive(r) // the cleanup would close the file
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	rows, err := r.records.Query(string(list))
	if err != nil {
		return nil, r.unavailable(err)
	}
	records := make([]index.Record, len(ids))
	for rows.Next() && err == nil {
		err = r.scan(rows, records)
	}
	if err = errors.Join(err, rows.Close(), rows.Err()); err != nil {
		return nil, r.unavailable(err)
	}
	return records, nil
}

// scan puts a record at its position in a page.
func (r *reader) scan(rows *sql.Rows, page []index.Record) error {
	var stored sql.RawBytes
	var position, tail int
	if err := rows.Scan(&position, &stored, &tail); err != nil {
		return err
	}
	empty := r.summary.Record
	if tail > len(empty) {
		return columns.ErrDamaged
	}
	record := append(make(index.Record, 0, len(stored)+tail), stored...)
	page[position] = append(record, empty[len(empty)-tail:]...)
	return nil
}

// whole returns records that stand in the default order, each behind the length of its tail, with their tails.
func (r *reader) whole(stored [][]byte) ([]index.Record, error) {
	empty, size := r.summary.Record, 0
	for _, s := range stored {
		size += len(s) + len(empty)
	}
	buffer, records := make([]byte, 0, size), make([]index.Record, len(stored))
	for i, s := range stored {
		tail, n := binary.Uvarint(s)
		if n <= 0 || tail > uint64(len(empty)) {
			return nil, r.unavailable(columns.ErrDamaged)
		}
		start := len(buffer)
		buffer = append(append(buffer, s[n:]...), empty[len(empty)-int(tail):]...)
		records[i] = buffer[start:len(buffer):len(buffer)]
	}
	return records, nil
}

// Filing implements index.Reader.
func (r *reader) Filing(ctx context.Context, id int64) (index.Record, error) {
	records, err := r.Filings(ctx, []int64{id})
	if err == nil && records[0] == nil {
		err = fmt.Errorf("filing %d: %w", id, index.ErrNotFound)
	}
	if err != nil {
		return nil, err
	}
	return records[0], nil
}

// Stats implements index.Reader.
func (r *reader) Stats(ctx context.Context) (index.Stats, error) {
	return r.summary.Stats, ctx.Err()
}

// Counties implements index.Reader.
func (r *reader) Counties(ctx context.Context) ([]index.CountyStats, error) {
	return slices.Clone(r.summary.Counties), ctx.Err()
}
