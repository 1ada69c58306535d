package access

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"filings/index/limit"
)

const (
	// lockTimeout bounds operations without a deadline: refunds, and commands. A transaction takes
	// far less than a millisecond: one that waits longer than this waits for a process that hangs.
	lockTimeout = 20 * time.Second
	// lockRetry is the pause between two attempts to get the lock that another process holds.
	// SQLite would wait by itself, but without looking at contexts, and with pauses so long that a
	// busy process keeps another out for seconds.
	lockRetry = 500 * time.Microsecond

	ownerOnly fs.FileMode = 0o600
)

//go:embed schema.sql
var schema string

// Embedded is a Store in one SQLite file, for any number of processes on one machine.
type Embedded struct {
	db         *sql.DB
	turns      *limit.Limit // of keys and users, at the one connection
	path       string
	opened     fs.FileInfo // of the file at path
	statements statements
	limits     Limits
	now        func() time.Time
	had        hadAccounts
}

var _ Store = (*Embedded)(nil)

// OpenEmbedded opens the store in the file at path, which only its owner may read, and makes it if there is none; its
// folder must exist. SQLite puts two more files next to it, which belong to it; a fourth one, HadAccountsFile, outlives
// them and tells an emptied store from a new one. Limits are checked by Validate. Now is
// the clock; nil: that of the machine.
func OpenEmbedded(path string, limits Limits, now func() time.Time) (*Embedded, error) {
	if err := limits.Validate(); err != nil {
		return nil, err
	}
	if now == nil {
		now = time.Now
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open key store: %w", err)
	}
	if err := private(path); err != nil {
		return nil, fmt.Errorf("open key store: %w", err)
	}
	opened, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("open key store: %w", err)
	}
	db, err := sql.Open("sqlite", source(path))
	if err != nil {
		return nil, fmt.Errorf("open key store: %w", err)
	}
	// One connection: the file has one write lock. Callers wait for their turn at it before they
	// ask for the connection: database/sql gives that to any of those who wait, so that one could
	// wait through a flood for as long as it lasts.
	db.SetMaxOpenConns(1)
	e := &Embedded{db: db, turns: limit.New(1, time.Now), path: path, opened: opened, limits: limits, now: now}
	e.had.rememberIn(filepath.Join(filepath.Dir(path), HadAccountsFile))
	if err := e.prepare(); err != nil {
		return nil, errors.Join(fmt.Errorf("open key store %s: %w", path, err), db.Close())
	}
	return e, nil
}

// private makes sure that the file exists and that only its owner may read it; SQLite gives the files next to it the
// same mode. A file that exists is not opened here: closing it would give up the locks that this process has on it.
func private(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, ownerOnly)
	if err == nil {
		return file.Close()
	}
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a file", path)
	case info.Mode().Perm() != ownerOnly:
		return os.Chmod(path, ownerOnly)
	}
	return nil
}

// source is the address of the file, for database/sql.
func source(path string) string {
	query := url.Values{
		"_txlock": {"immediate"},
		"_pragma": {"busy_timeout(0)", "journal_mode(WAL)", "synchronous(NORMAL)"},
	}
	path = "/" + strings.TrimPrefix(filepath.ToSlash(path), "/") // a URL's path, also of C:\
	return (&url.URL{Scheme: "file", Path: path, RawQuery: query.Encode()}).String()
}

// prepare makes the tables and the statements. Other processes may be doing the same.
func (e *Embedded) prepare() error {
	return e.attempt(context.Background(), noCaller, "make tables", func(ctx context.Context) error {
		_, err := e.db.ExecContext(ctx, schema)
		if err == nil {
			e.statements, err = prepareStatements(ctx, e.db)
		}
		return err
	})
}

// Ping implements Store.
func (e *Embedded) Ping(ctx context.Context) error {
	return e.write(ctx, noCaller, "ping", func(t transaction) error {
		if err := t.exec(t.statements.count, "", "ping", 1); err != nil { // no user has that name
			return err
		}
		return e.look(t)
	})
}

// look fails if the accounts are lost.
func (e *Embedded) look(t transaction) error {
	var hasAccounts bool
	if err := t.row(t.statements.anyAccount).Scan(&hasAccounts); err != nil {
		return err
	}
	return e.had.look(hasAccounts)
}

// Close implements Store.
func (e *Embedded) Close() error {
	return e.db.Close()
}

// noCaller is whose turn it is where the operator, or the service itself, uses the store.
const noCaller = ""

// write runs change in a transaction that holds the write lock of the file from its beginning. If change fails or ctx
// ends before it is committed, nothing has happened.
func (e *Embedded) write(ctx context.Context, caller, action string, change func(transaction) error) error {
	return e.attempt(ctx, caller, action, func(ctx context.Context) error {
		tx, err := e.db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer tx.Rollback() // does nothing after Commit
		if err := change(transaction{tx: tx, statements: e.statements, now: e.now().UTC()}); err != nil {
			return err
		}
		return tx.Commit()
	})
}

// attempt runs an operation when the caller, a key's hash or a user, has its turn, and repeats it
// while another process holds the lock that it needs, until ctx ends. Errors that are not results
// of the store become ErrUnavailable.
func (e *Embedded) attempt(ctx context.Context, caller, action string, operation func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	if file, err := os.Stat(e.path); err != nil || !os.SameFile(file, e.opened) {
		return fmt.Errorf("%s: %w: its file was deleted or replaced: restore it and restart the service", action,
			ErrUnavailable)
	}
	slot, err := e.turns.Acquire(ctx, caller, "", nil)
	if err != nil {
		return fmt.Errorf("%s: %w: other requests use it: %v", action, ErrUnavailable, err)
	}
	defer slot.Release()
	err = operation(ctx)
	for isBusy(err) && pause(ctx, lockRetry) {
		err = operation(ctx)
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrNoAccount), errors.Is(err, ErrHasKey), errors.Is(err, ErrRevoked),
		errors.Is(err, ErrEmptied):
		return fmt.Errorf("%s: %w", action, err)
	}
	return fmt.Errorf("%s: %w: %v", action, ErrUnavailable, err)
}

// pause waits, and reports whether ctx lasted.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// isBusy reports whether another process held the lock.
func isBusy(err error) bool {
	var failure *sqlite.Error
	return errors.As(err, &failure) && failure.Code()&0xff == sqlite3.SQLITE_BUSY
}
