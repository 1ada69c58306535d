package embedded

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/gob"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"modernc.org/sqlite" // driver "sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"filings/index"
	"filings/index/embedded/columns"
	"filings/index/generation"
)

// version is the version of what is in a file, and the last part of its generation's name: files of another version are not read.
// It goes up with every change of what is stored, which includes emptyRecord.
const version = 5

// emptyRecord is the record of a filing without values.
var emptyRecord = index.AppendRecord(nil, &index.Filing{})

// schema is all that a generation's file has. facts are the stored values of the columns (columns.AppendValues). tail is
// how many bytes record has in common with the end of emptyRecord; they are not stored.
const schema = `
CREATE TABLE filings (id INTEGER PRIMARY KEY, facts BLOB NOT NULL, record BLOB NOT NULL, tail INTEGER NOT NULL) STRICT;
` + derivedSchema

// derivedSchema is the part of schema that Seal fills.
const derivedSchema = `
CREATE TABLE chunks (name TEXT, chunk INTEGER, data BLOB NOT NULL, PRIMARY KEY (name, chunk)) STRICT;
CREATE TABLE summary (value BLOB NOT NULL) STRICT;
`

// row is a row of filings, as far as it was selected. What it has of it is valid until the next one.
type row struct {
	facts, record sql.RawBytes
	tail          uint64
}

// appendRecord appends the whole record to dst.
func (r *row) appendRecord(dst []byte) ([]byte, error) {
	if r.tail > uint64(len(emptyRecord)) {
		return nil, columns.ErrDamaged
	}
	dst = slices.Grow(dst, len(r.record)+int(r.tail))
	return append(append(dst, r.record...), emptyRecord[len(emptyRecord)-int(r.tail):]...), nil
}

// commonTail returns how many bytes a and b have in common at their ends.
func commonTail(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// summary is what a generation knows about itself, computed once, when it is sealed. It is stored as gob, which unlike
// JSON has infinite sums.
type summary struct {
	Generation string
	Stats      index.Stats
	Counties   []index.CountyStats // sorted by index.CompareCounties
}

// changed returns index.ErrChanged if the file of a generation is another one's.
func (s summary) changed(name string) error {
	differs := generation.Identity{"generation": name}.Differs(generation.Identity{"generation": s.Generation})
	if differs != "" {
		return fmt.Errorf("the file of %s: %w: %s", name, index.ErrChanged, differs)
	}
	return nil
}

// openDatabase opens the file at path with n connections, which it keeps.
func openDatabase(path, options string, n int) (*sql.DB, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	path = "/" + strings.TrimPrefix(filepath.ToSlash(path), "/") // a URL's path, also of C:\
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: path, RawQuery: options}).String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(n)
	db.SetMaxIdleConns(n)
	return db, nil
}

// explained returns err as what it means, if SQLite could not read the pages of a file: one of them is not as it was
// written (pageFile), or the disk fails.
func explained(err error) error {
	var e *sqlite.Error
	if errors.As(err, &e) {
		switch e.Code() & 0xff { // the rest says which call failed
		case sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CANTOPEN:
			return fmt.Errorf("%w: %w", columns.ErrDamaged, err)
		}
	}
	return err
}

// openSealed opens the sealed file of a generation with its n connections, and reads its summary. One that is another generation's is
// index.ErrChanged.
func openSealed(name, path string, n int) (db *sql.DB, s summary, err error) {
	pages, err := openPages(path) // SQLite would not say why it cannot be opened
	if err != nil {
		return nil, s, err
	}
	vfs, err := registered()
	if err = errors.Join(err, pages.Close()); err != nil {
		return nil, s, err
	}
	// Immutable: SQLite then neither locks the file nor looks whether it has changed.
	if db, err = connect(path, "mode=ro&immutable=1&vfs="+vfs, n); err != nil {
		return nil, s, err
	}
	if s, err = readSummary(db); err == nil {
		err = s.changed(name)
	}
	if err != nil {
		return nil, s, errors.Join(err, db.Close())
	}
	return db, s, nil
}

// connect opens a sealed file. Its n connections are made at once, since the file may be deleted later, and without a
// context, which could spoil them (see the package comment); it takes milliseconds.
func connect(path, options string, n int) (*sql.DB, error) {
	db, err := openDatabase(path, options, n)
	if err != nil {
		return nil, err
	}
	conns := make([]*sql.Conn, n)
	for i := range conns {
		if conns[i], err = db.Conn(context.Background()); err == nil {
			err = conns[i].PingContext(context.Background())
		}
		if err != nil {
			_, gone := os.Stat(path) // a clearer error than that of SQLite
			return nil, cmp.Or(gone, errors.Join(err, db.Close()))
		}
	}
	for _, c := range conns {
		if err := c.Close(); err != nil { // back to the pool
			return nil, err
		}
	}
	return db, nil
}

// readSummary reads the summary of a sealed file.
func readSummary(db *sql.DB) (s summary, err error) {
	var data []byte
	if err = db.QueryRow("SELECT value FROM summary").Scan(&data); err == nil {
		err = gob.NewDecoder(bytes.NewReader(data)).Decode(&s)
	}
	return s, err
}

// writeSummary writes the summary into a file that is filled.
func writeSummary(tx *sql.Tx, s summary) error {
	var data bytes.Buffer
	if err := gob.NewEncoder(&data).Encode(s); err != nil {
		return err
	}
	_, err := tx.Exec("INSERT INTO summary (value) VALUES (?)", data.Bytes())
	return err
}

// openBuilding opens the file at path, which exists, for the build that fills it.
func openBuilding(path string) (*sql.DB, error) {
	db, err := openDatabase(path, "mode=rw", 1)
	if err != nil {
		return nil, err
	}
	for _, pragma := range []string{
		fmt.Sprintf("page_size = %d", pageSize),
		"journal_mode = OFF",       // a build that fails is deleted
		"synchronous = OFF",        // Seal syncs the whole file once
		"locking_mode = EXCLUSIVE", // no other process opens the file
		"cache_size = -32768",      // 32 MiB
		"temp_store = MEMORY",
	} {
		if _, err := db.Exec("PRAGMA " + pragma); err != nil {
			db.Close()
			return nil, fmt.Errorf("PRAGMA %s: %w", pragma, err)
		}
	}
	return db, nil
}
