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
	"strings"

	"modernc.org/sqlite" // driver "sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"filings/index"
	"filings/index/embedded/columns"
	"filings/index/generation"
)

// version is the version of what is in a file. A generation of another version must be loaded anew. Version 1 had no
// checksums of pages, and no index of trigrams; version 2 had no holders, and cities and types in lower case only; version 3
// had trigrams of larger blocks.
const version = 4

// schema is all that a generation's file has. facts are the stored values of the columns (columns.AppendValues). tail is
// how many bytes record has in common with the end of the record of a filing without values; they are not stored.
const schema = `
CREATE TABLE filings (id INTEGER PRIMARY KEY, facts BLOB NOT NULL, record BLOB NOT NULL, tail INTEGER NOT NULL) STRICT;
` + derivedSchema

// derivedSchema is the part of schema that Seal fills.
const derivedSchema = `
CREATE TABLE chunks (name TEXT, chunk INTEGER, data BLOB NOT NULL, PRIMARY KEY (name, chunk)) STRICT;
CREATE TABLE summary (value BLOB NOT NULL) STRICT;
`

// summary is what a generation knows about itself, computed once, when it is sealed. It is stored as gob, which unlike
// JSON has infinite sums.
type summary struct {
	Version  int
	Record   []byte // of a filing without values
	Stats    index.Stats
	Counties []index.CountyStats // sorted by index.CompareCounties

	Generation string // whose this is; "" of an older version's
}

// changed returns index.ErrChanged if the file of a generation is another one's.
func (s summary) changed(name string) error {
	sealed, now := generation.Identity{"generation": name}, generation.Identity{}
	if s.Generation != "" {
		now["generation"] = s.Generation
	}
	if differs := sealed.Differs(now); differs != "" {
		return fmt.Errorf("the file of %s: %w: %s", name, index.ErrChanged, differs)
	}
	return nil
}

// current reports whether s is of a file that this program reads.
func (s summary) current() bool { return s.Version == version && bytes.Equal(s.Record, emptyRecord()) }

var errVersion = errors.New("it was made by another version of the program: load the filings anew")

// emptyRecord is the record of a filing without values.
func emptyRecord() []byte { return index.AppendRecord(nil, &index.Filing{}) }

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

// openSealed opens the sealed file of a generation with its n connections, and reads its summary. A file of version 1 is opened
// too, as far as that: it is listed among the generations. One that is another generation's is index.ErrChanged.
func openSealed(name, path string, n int) (db *sql.DB, s summary, err error) {
	// Immutable: SQLite then neither locks the file nor looks whether it has changed.
	options := "mode=ro&immutable=1"
	pages, err := openPages(path)
	if checked := !errors.Is(err, errNoSums); checked {
		if err != nil {
			return nil, s, err
		}
		vfs, err := registered()
		if err = errors.Join(err, pages.Close()); err != nil {
			return nil, s, err
		}
		options += "&vfs=" + vfs
	}
	if db, err = connect(path, options, n); err != nil {
		return nil, s, err
	}
	if s, err = readSummary(db); err == nil && s.Version == version && pages == nil {
		err = columns.ErrDamaged // where its footer was
	}
	if err == nil {
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

// summaryOf returns the summary of a finished generation.
func (s *storage) summaryOf(name string) (summary, error) {
	db, of, err := openSealed(name, s.files.sealed(name), 1)
	if err != nil {
		return of, err
	}
	return of, db.Close()
}

// writeSummary writes the summary and ends the transaction in which a file is filled.
func writeSummary(db *sql.DB, s summary) error {
	var data bytes.Buffer
	if err := gob.NewEncoder(&data).Encode(s); err != nil {
		return err
	}
	if _, err := db.Exec("INSERT INTO summary (value) VALUES (?)", data.Bytes()); err != nil {
		return err
	}
	_, err := db.Exec("COMMIT")
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
