package source

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// fifo makes a named pipe in a folder.
func fifo(t *testing.T, folder, name string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestL1_OfAFolderFilesOnly: what a folder has that is no file, and no folder, is named and refused before anything is read: a
// pipe, which would be waited for, a link to what never ends, to a file elsewhere or to none.
func TestL1_OfAFolderFilesOnly(t *testing.T) {
	t.Parallel()
	elsewhere := write(t, "secrets", "not filings\n")
	for what, make := range map[string]func(path string) error{
		"a named pipe": func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a link":       func(path string) error { return os.Symlink("/dev/zero", path) },
		"a link ":      func(path string) error { return os.Symlink(elsewhere, path) },
		"a link  ":     func(path string) error { return os.Symlink("nowhere", path) },
		"a link   ":    func(path string) error { return os.Symlink("a.ndjson", path) },
	} {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, "a.ndjson"), []byte(filing(1)), 0o600); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(folder, "b.ndjson")
		if err := make(path); err != nil {
			t.Fatal(err)
		}
		_, err := Find(t.Context(), []Input{{Name: folder}}, Options{Log: slog.New(slog.DiscardHandler)})
		if want := path + " is " + strings.TrimSpace(what); !errors.Is(err, ErrUnreadable) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestL1_FolderThatChanges: what a file of a folder was replaced by before it is read is refused too.
func TestL1_FolderThatChanges(t *testing.T) {
	t.Parallel()
	elsewhere := write(t, "secrets.ndjson", filing(7))
	for want, replace := range map[string]func(path string) error{
		"is a named pipe": func(path string) error {
			// Both ends, so that opening it does not wait.
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				return err
			}
			both, err := os.OpenFile(path, os.O_RDWR, 0)
			if err == nil {
				t.Cleanup(func() { _ = both.Close() })
			}
			return err
		},
		"path escapes": func(path string) error { return os.Symlink(elsewhere, path) },
	} {
		path := write(t, "a.ndjson", filing(1))
		all, err := Find(t.Context(), []Input{{Name: filepath.Dir(path)}}, Options{Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.Remove(path), replace(path)); err != nil {
			t.Fatal(err)
		}
		records, err := readSource(all[0])
		if !errors.Is(err, ErrUnreadable) || !strings.Contains(err.Error(), want) || len(records) > 0 {
			t.Errorf("%v, %v; want %s", records, err, want)
		}
	}
}

// TestL1_NamedPipe: a pipe that is named as a source is read, as <(…) of a shell is.
func TestL1_NamedPipe(t *testing.T) {
	t.Parallel()
	path := fifo(t, t.TempDir(), "a.ndjson")
	failed := make(chan error, 1)
	go func() { failed <- os.WriteFile(path, []byte(manyFilings(5000)), 0) }()
	ids, err := readAll(t, []Input{{Name: path}}, Options{})
	if err := errors.Join(err, <-failed); err != nil || len(ids) != 5000 {
		t.Errorf("%d ids, %v", len(ids), err)
	}
}

// TestStop_NamedPipe: a pipe into which nobody writes is waited for until the context ends, before it opens and when it is open.
func TestStop_NamedPipe(t *testing.T) {
	t.Parallel()
	path := fifo(t, t.TempDir(), "a.ndjson")
	all, err := Find(t.Context(), []Input{{Name: path}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := all[0].Open(ctx, new(atomic.Int64)); !errors.Is(err, context.Canceled) {
		t.Errorf("without a writer: %v", err)
	}
	writer, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	if _, err := io.WriteString(writer, manyFilings(100)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	r, err := all[0].Open(ctx, new(atomic.Int64))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	n := 0
	for ; err == nil; n++ {
		if n == 100 {
			cancel()
		}
		_, err = r.Next()
	}
	if n != 101 || !errors.Is(err, context.Canceled) {
		t.Errorf("with a silent writer: %v after %d records", err, n)
	}
}

// TestFiles_NamesLikeAddresses: a file that is there is read whatever its name looks like.
func TestFiles_NamesLikeAddresses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"a:b@c.ndjson", "x?y=z.ndjson", "me@home.ndjson"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(filing(1)), 0o600); err != nil {
			t.Skip(err) // a system that has no such names
		}
		if ids, err := readAll(t, []Input{{Name: path}}, Options{}); err != nil || len(ids) != 1 {
			t.Errorf("%s: %v, %v", name, ids, err)
		}
	}
}

// TestX69_ChangedMeanwhile: a file that is written to while it is read is an error at its end, whatever it holds and whatever was done
// to it; one that is written to by others alone, or replaced by a rename, is read as it was.
func TestX69_ChangedMeanwhile(t *testing.T) {
	t.Parallel()
	text, later := manyFilings(20_000), time.Now().Add(time.Hour)
	appended := func(text string) func(path string) error {
		return func(path string) error {
			file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err == nil {
				_, err = file.WriteString(text)
				err = errors.Join(err, file.Close())
			}
			return err
		}
	}
	for name, test := range map[string]struct {
		file, text string
		change     func(path string) error
		fails      bool
	}{
		"appended":         {"a.ndjson", text, appended(filing(90_000)), true},
		"appended, packed": {"a.ndjson.gz", gzipped(t, text), appended(gzipped(t, filing(90_000))), true},
		"appended, zstd":   {"a.ndjson.zst", zstandard(t, text), appended(zstandard(t, filing(90_000))), true},
		"truncated":        {"a.ndjson", text, func(path string) error { return os.Truncate(path, int64(len(text)/2)) }, true},
		"emptied":          {"a.ndjson", text, func(path string) error { return os.Truncate(path, 0) }, true},
		"touched":          {"a.ndjson", text, func(path string) error { return os.Chtimes(path, later, later) }, true},
		"replaced": {"a.ndjson", text, func(path string) error {
			return errors.Join(os.Rename(path, path+".old"), os.WriteFile(path, nil, 0o600))
		}, false},
		"removed":            {"a.ndjson", text, os.Remove, false},
		"read by another":    {"a.ndjson", text, func(path string) error { _, err := os.ReadFile(path); return err }, false},
		"another made there": {"a.ndjson", text, func(path string) error { return os.WriteFile(path+"b", nil, 0o600) }, false},
	} {
		path := write(t, test.file, test.text)
		all, err := Find(t.Context(), []Input{{Name: path}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		records, err := readMeanwhile(all[0], func(rows int) {
			if rows > 1 {
				return
			}
			if err := test.change(path); err != nil {
				t.Fatal(err)
			}
		})
		if errors.Is(err, ErrChanged) != test.fails || !test.fails && (err != nil || len(records) != 20_000) {
			t.Errorf("%s: %d rows, error %v", name, len(records), err)
		}
	}
}

// TestX69_LastOpen: of rows whose last one alone has no line end it is said.
func TestX69_LastOpen(t *testing.T) {
	t.Parallel()
	const csv = "id,county\n1,\"Orange, FL\"\n2,\"Orange, FL\""
	for _, test := range []struct {
		file, text string
		want       bool
	}{
		{"a.csv", csv, true}, {"a.csv", csv + "\n", false}, {"a.csv", csv + "\r\n", false}, {"a.csv", csv + "\n  ", false}, {"a.csv", csv + "\n\x1a", false}, {"a.csv", csv + "\n\n\n", false},
		{"a.csv", strings.ReplaceAll(csv, "\n", "\r"), true}, {"a.csv", strings.ReplaceAll(csv, "\n", "\r") + "\r", false},
		{"a.csv", csv[:24], true}, {"a.ndjson", filing(1) + strings.TrimSpace(filing(2)), true}, {"a.ndjson", filing(1), false},
		{"a.ndjson", strings.TrimSpace(filing(1)), false}, {"a.csv.gz", gzipped(t, csv), true}, {"a.zip", zipped(t, "a.csv", csv), true},
	} {
		all, err := Find(t.Context(), []Input{{Name: write(t, test.file, test.text)}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := all[0].Open(t.Context(), new(atomic.Int64))
		for err == nil {
			_, err = r.Next()
		}
		if err != io.EOF || r.LastOpen() != test.want {
			t.Errorf("%s %q: error %v, %v, want %v", test.file, test.text, err, r.LastOpen(), test.want)
		}
		r.Close()
	}
}
