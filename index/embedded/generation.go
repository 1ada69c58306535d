package embedded

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"runtime"

	"filings/index"
)

// snapshot is a sealed generation that is open for reading: an index.Reader. When nobody holds it any more, its file
// is closed.
type snapshot struct {
	name    string
	summary summary
	rows    int // filings
	db      *sql.DB
	chunks  *sql.Stmt
	records *sql.Stmt
	cache   *cache
}

var _ index.Reader = (*snapshot)(nil)

// openGeneration opens the sealed generation name in the file at path, or returns ErrNotFound.
func openGeneration(name, path string) (*snapshot, error) {
	// As many connections as can be busy at a time: SQLite waits for nothing but the page cache.
	db, err := openSealed(path, runtime.GOMAXPROCS(0))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("generation %s: %w", name, index.ErrNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("open generation %s: %w: %w", name, index.ErrUnavailable, err)
	}
	g := &snapshot{name: name, db: db, cache: newCache()}
	if err := g.prepare(); err != nil {
		return nil, fmt.Errorf("open generation %s: %w: %w", name, index.ErrUnavailable, errors.Join(err, db.Close()))
	}
	runtime.AddCleanup(g, func(db *sql.DB) { db.Close() }, db)
	return g, nil
}

func (g *snapshot) prepare() (err error) {
	if g.summary, err = readSummary(g.db); err != nil {
		return err
	}
	if g.summary.Version != version || !bytes.Equal(g.summary.Record, emptyRecord()) {
		return errors.New("it was made by another version of the program: load the filings anew")
	}
	g.rows = int(g.summary.Stats.Filings)
	var err1, err2 error
	g.chunks, err1 = g.db.Prepare("SELECT data, checksum FROM chunks WHERE name = ? AND chunk = ?")
	g.records, err2 = g.db.Prepare(`SELECT page.key, record, tail FROM json_each(?) AS page JOIN filings ON filings.id = page.value`)
	return errors.Join(err1, err2)
}

// Generation implements index.Reader.
func (g *snapshot) Generation() string { return g.name }

// query runs a statement that takes no more than milliseconds, and so is not interrupted (see the package comment).
func (g *snapshot) query(ctx context.Context, statement *sql.Stmt, scan func(*sql.Rows) error, args ...any) error {
	defer runtime.KeepAlive(g) // the cleanup would close the file
	if err := ctx.Err(); err != nil {
		return err
	}
	rows, err := statement.Query(args...)
	if err != nil {
		return fmt.Errorf("read generation %s: %w: %w", g.name, index.ErrUnavailable, err)
	}
	for rows.Next() && err == nil {
		err = scan(rows)
	}
	if err = errors.Join(err, rows.Close(), rows.Err()); err != nil {
		return fmt.Errorf("read generation %s: %w: %w", g.name, index.ErrUnavailable, err)
	}
	return nil
}

// Filings implements index.Reader.
func (g *snapshot) Filings(ctx context.Context, ids []int64) ([]index.Record, error) {
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	records := make([]index.Record, len(ids))
	err = g.query(ctx, g.records, func(rows *sql.Rows) error {
		var record sql.RawBytes
		var place, tail int
		if err := rows.Scan(&place, &record, &tail); err != nil {
			return err
		}
		empty := g.summary.Record
		if tail > len(empty) {
			return errDamaged
		}
		full := make(index.Record, 0, len(record)+tail)
		records[place] = append(append(full, record...), empty[len(empty)-tail:]...)
		return nil
	}, string(list))
	return records, err
}

// Filing implements index.Reader.
func (g *snapshot) Filing(ctx context.Context, id int64) (index.Record, error) {
	records, err := g.Filings(ctx, []int64{id})
	if err != nil {
		return nil, err
	}
	if records[0] == nil {
		return nil, fmt.Errorf("filing %d: %w", id, index.ErrNotFound)
	}
	return records[0], nil
}

// Stats implements index.Reader.
func (g *snapshot) Stats(ctx context.Context) (index.Stats, error) {
	return g.summary.Stats, ctx.Err()
}

// Counties implements index.Reader.
func (g *snapshot) Counties(ctx context.Context) ([]index.CountyStats, error) {
	return append([]index.CountyStats(nil), g.summary.Counties...), ctx.Err()
}
