package embedded

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
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
	records *sql.Stmt // of a list of ids
	record  *sql.Stmt // of one: reading a list takes longer than reading the filing
	rows    *sql.Stmt // of a list of ids, with facts
	file    fs.FileInfo
}

var _ index.Reader = (*reader)(nil)

// openReader opens the sealed generation name in the file at path, or returns ErrNotFound.
func openReader(name, path string, c *cache.Cache) (*reader, error) {
	// As many connections as can be busy at a time: SQLite waits for nothing but the page cache.
	db, s, err := openSealed(name, path, runtime.GOMAXPROCS(0))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("generation %s: %w", name, index.ErrNotFound)
	case errors.Is(err, index.ErrChanged):
		return nil, err
	case err != nil:
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

// isOf reports whether r has read from the file that is described: it was neither replaced nor written to since.
func (r *reader) isOf(file fs.FileInfo) bool {
	return os.SameFile(r.file, file) && r.file.Size() == file.Size() && r.file.ModTime().Equal(file.ModTime())
}

func (r *reader) prepare() error {
	var err1, err2, err3, err4 error
	r.chunks, err1 = r.db.Prepare("SELECT data FROM chunks WHERE name = ? AND chunk = ?")
	// CROSS JOIN: in the order of the list, so that a page that ends early is the beginning of it.
	const byIDs = " FROM json_each(?) AS page CROSS JOIN filings ON filings.id = page.value"
	r.records, err2 = r.db.Prepare("SELECT page.key, record, tail, NULL" + byIDs)
	r.record, err3 = r.db.Prepare("SELECT 0, record, tail, NULL FROM filings WHERE id = ?")
	r.rows, err4 = r.db.Prepare("SELECT page.key, record, tail, facts" + byIDs)
	return errors.Join(err1, err2, err3, err4)
}

// chunk is the columns.Source of the file.
func (r *reader) chunk(ctx context.Context, name string, chunk int) (data []byte, err error) {
	defer runtime.KeepAlive(r) // the cleanup would close the file
	if err := ctx.Err(); err != nil {
		return nil, err
	}
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
	rows, total, end, err := r.Table.Rows(ctx, q)
	if err != nil {
		return index.Page{}, err
	}
	page := index.Page{Total: total, Counted: true, End: end}
	if len(rows) == 0 {
		return page, nil
	}
	if page.Records, err = r.recordsOf(ctx, q, rows); err != nil {
		return index.Page{}, err
	}
	if n := len(page.Records); n < len(rows) {
		page.End, err = r.Behind(ctx, q.Sort, rows[n-1])
	}
	return page, err
}

// recordsOf returns the records of the rows of a page, as many as q.Bytes has room for.
func (r *reader) recordsOf(ctx context.Context, q index.Query, rows []uint32) ([]index.Record, error) {
	if !q.IDsOnly {
		if records, err := r.neighbours(ctx, q, rows); records != nil || err != nil {
			return records, err
		}
	}
	ids, err := r.IDs(ctx, rows)
	if err != nil {
		return nil, err
	}
	if q.IDsOnly {
		return q.Within(idsOnly(ids)), nil
	}
	records, n, err := r.filings(ctx, ids, q.Bytes)
	if err == nil && slices.ContainsFunc(records[:n], func(record index.Record) bool { return record == nil }) {
		err = r.unavailable(columns.ErrDamaged)
	}
	if err != nil {
		return nil, err
	}
	return q.Within(records[:n]), nil
}

// neighbours returns the records of rows that are near each other in the default order, as they also are in the order of dates
// or where many filings are equal in what they are sorted by: as many as q.Bytes has room for; nil for others, and where
// another order has no room for all.
func (r *reader) neighbours(ctx context.Context, q index.Query, rows []uint32) ([]index.Record, error) {
	sorted, inOrder := rows, slices.IsSorted(rows)
	if !inOrder {
		sorted = slices.Sorted(slices.Values(rows))
	}
	stored, ok, err := r.Table.Records(ctx, sorted, q.Bytes)
	if err != nil || !ok {
		return nil, err
	}
	records, err := r.whole(stored)
	records = q.Within(records)
	if err != nil || inOrder {
		return records, err
	}
	if len(records) < len(rows) {
		return nil, nil
	}
	ordered := make([]index.Record, len(rows))
	for i, row := range rows {
		at, _ := slices.BinarySearch(sorted, row)
		ordered[i] = records[at]
	}
	return ordered, nil
}

// whole returns records that are stored after the lengths of their tails.
func (r *reader) whole(stored [][]byte) ([]index.Record, error) {
	size := 0
	for _, s := range stored {
		tail, _ := binary.Uvarint(s)
		size += len(s) + int(min(tail, uint64(len(emptyRecord))))
	}
	buffer, records := make([]byte, 0, size), make([]index.Record, len(stored))
	for i, s := range stored {
		start := len(buffer)
		tail, n := binary.Uvarint(s)
		all, err := (&row{record: s[max(n, 0):], tail: tail}).appendRecord(buffer)
		if n <= 0 || err != nil {
			return nil, r.unavailable(columns.ErrDamaged)
		}
		buffer, records[i] = all, all[start:len(all):len(all)]
	}
	return records, nil
}

// idsOnly returns records of the id alone.
func idsOnly(ids []int64) []index.Record {
	records := make([]index.Record, len(ids))
	for i, id := range ids {
		records[i] = index.AppendIDOnly(nil, id)
	}
	return records
}

// Filings implements index.Reader.
func (r *reader) Filings(ctx context.Context, ids []int64) ([]index.Record, error) {
	records, _, err := r.filings(ctx, ids, 0)
	return records, err
}

// filings returns the records with these ids, nil where there is none, up to the n-th: it ends where they have more than so
// many bytes; 0 is no bound.
func (r *reader) filings(ctx context.Context, ids []int64, bytes int) (records []index.Record, n int, err error) {
	query, of := r.record, any(nil)
	if len(ids) == 1 {
		of = ids[0]
	} else {
		query, of = r.records, list(ids)
	}
	records, n = make([]index.Record, len(ids)), len(ids)
	size := 0
	err = r.each(ctx, query, of, func(position int, stored *row) (err error) {
		records[position], err = stored.appendRecord(nil)
		if size += len(records[position]); err == nil && bytes > 0 && size > bytes {
			n, err = position+1, io.EOF
		}
		return err
	})
	return records, n, err
}

// list returns ids as SQLite takes them.
func list(ids []int64) string {
	data, _ := json.Marshal(ids) // numbers are JSON
	return string(data)
}

// each calls visit for the rows that a query finds, each with its position in the list of ids. It ends where visit returns an error,
// which io.EOF is not. The statement takes no more than milliseconds, and so is not interrupted (see the package comment).
func (r *reader) each(ctx context.Context, query *sql.Stmt, of any, visit func(position int, stored *row) error) error {
	defer runtime.KeepAlive(r) // the cleanup would close the file
	if err := ctx.Err(); err != nil {
		return err
	}
	rows, err := query.Query(of)
	if err != nil {
		return r.unavailable(err)
	}
	var position int
	var stored row
	for err == nil && rows.Next() {
		if err = rows.Scan(&position, &stored.record, &stored.tail, &stored.facts); err == nil {
			err = visit(position, &stored)
		}
	}
	if err == io.EOF {
		err = nil
	}
	if err = errors.Join(err, rows.Close(), rows.Err()); err != nil {
		return r.unavailable(err)
	}
	return nil
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
