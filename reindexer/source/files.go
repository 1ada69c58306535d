package source

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
)

// stdinName is the source that means standard input, and its name in rejects.
const stdinName = "-"

// stdinSource is NDJSON unless a format is set.
func stdinSource(stdin io.Reader, f Form) Source {
	if f.Format == "" {
		f.Format = NDJSON
	}
	s := Source{Name: stdinName, unit: f.unit(), format: f.Format}
	s.open = func(ctx context.Context, read *atomic.Int64) (*Reader, error) {
		return open(ctx, interruptible{ctx, io.NopCloser(stdin)}, f, read)
	}
	return s
}

// localSources returns a file, or the files of a folder.
func localSources(path string, f Form, log *slog.Logger) ([]Source, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	if info.IsDir() {
		return folderSources(path, f, log)
	}
	s, ok := fileSource(path, info, f, func() (*os.File, error) { return os.Open(path) })
	if !ok && formatOf(path) == JSON {
		return nil, fmt.Errorf("%w: %s: %w. `filings inspect` lists the arrays of a document", ErrUsage, path, ErrNoPath)
	}
	if spreadsheet.MatchString(path) && !ok {
		return nil, fmt.Errorf("%w: %s is a spreadsheet of a kind that is not read: save it as XLSX or CSV", ErrUsage, path)
	}
	if !ok {
		return nil, fmt.Errorf("%w: the name of %s does not say its format: name it .ndjson, .jsonl, .csv, .tsv, "+
			".xlsx or .parquet, or with --path .json or .geojson (then .gz or .zst, if you like), or .zip, or give --format",
			ErrUsage, path)
	}
	return []Source{s}, nil
}

// spreadsheet matches names of spreadsheets in formats that are not read.
var spreadsheet = regexp.MustCompile(`(?i)\.(xls|xlsb|ods|numbers)$`)

// fileSource is the source of the file that opening opens. It is not ok if its format is not known.
func fileSource(path string, info os.FileInfo, f Form, opening func() (*os.File, error)) (_ Source, ok bool) {
	f = f.named(path)
	s := Source{Name: path, unit: f.unit(), format: f.Format, info: info}
	s.open = func(ctx context.Context, read *atomic.Int64) (*Reader, error) {
		// A named pipe opens together with its other end, which may never come.
		file, err := interruptibly(ctx, opening, func(file *os.File) { _ = file.Close() }) // nothing was read of it
		if err != nil {
			return nil, err
		}
		info, err := file.Stat()
		if err != nil || !info.Mode().IsRegular() {
			return open(ctx, interruptible{ctx, file}, f, read)
		}
		current := func(context.Context) (string, error) { return fileState(file) }
		opened, err := fileState(file)
		if err != nil {
			return nil, errors.Join(err, file.Close())
		}
		r, err := open(ctx, file, f, read)
		if err == nil {
			r.opened, r.current = opened, current
			r.digest = func(ctx context.Context) (string, error) { return digestOf(ctx, file) }
		}
		return r, err
	}
	if s.regular() {
		s.state = func(ctx context.Context) (string, error) {
			file, err := opening()
			if err != nil {
				return "", err
			}
			defer file.Close()
			state, err := fileState(file)
			if err != nil {
				return "", err
			}
			digest, err := digestOf(ctx, file)
			return state + digest, err
		}
	}
	return s, f.Format != ""
}

// fileState returns a text that differs as soon as somebody writes to a file.
func fileState(file *os.File) (string, error) {
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d bytes of %d", info.Size(), info.ModTime().UnixNano()), nil
}

// digestOf returns the SHA-256 of a file, which may be rewritten with the same size and time.
func digestOf(ctx context.Context, file *os.File) (string, error) {
	sum, content := sha256.New(), io.NewSectionReader(file, 0, math.MaxInt64)
	_, err := io.Copy(sum, &counted{ctx: ctx, r: content, n: new(atomic.Int64)})
	return fmt.Sprintf(" %x", sum.Sum(nil)), err
}

// folderSources lists the files of a folder in the order of their names. Folders within it, hidden
// files and files whose format is not known are left out; all but the hidden ones are logged, and
// said by the first source. A writer to a folder must not choose files elsewhere, or make a load
// wait for ever: a link, a pipe and a device are errors. So is a folder without a file to read: it
// is more likely the wrong folder than an empty delivery.
func folderSources(path string, f Form, log *slog.Logger) ([]Source, error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	var found []Source
	var left []string
	for _, entry := range entries {
		name := filepath.Join(path, entry.Name())
		info, err := entry.Info()
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrUnreadable, err)
		}
		s, ok := fileSource(name, info, f, func() (*os.File, error) { return openBelow(path, entry.Name()) })
		taken, said := chosen(entry.Name(), ok && !info.IsDir())
		if said {
			log.Warn("left out: not a file whose name says its format", "path", name)
			left = append(left, entry.Name())
			if info.IsDir() {
				left[len(left)-1] += "/"
			}
		}
		if !taken {
			continue
		}
		if err := refuse(info); err != nil {
			return nil, fmt.Errorf("%w: %s %w", ErrUnreadable, name, err)
		}
		found = append(found, s)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%w: the folder %s has no file named .ndjson, .jsonl, .csv, .tsv, .xlsx or .parquet, "+
			"or with --path .json or .geojson (then .gz or .zst), or .zip",
			ErrUnreadable, path)
	}
	found[0].LeftOut = left
	return found, nil
}

// chosen reports whether a load reads the file of a name in a folder, and whether it says that it
// does not. A name that begins with a dot, or with an underscore and is no file of a known format
// (_SUCCESS), is of the programs that wrote the folder.
func chosen(name string, file bool) (taken, said bool) {
	underscored := strings.HasPrefix(name, "_")
	if strings.HasPrefix(name, ".") || underscored && !file {
		return false, false
	}
	return file && !underscored, !file || underscored
}

// openBelow opens a file of a folder. Its kind in the list does not matter: it may be replaced.
func openBelow(folder, name string) (*os.File, error) {
	file, err := os.OpenInRoot(folder, name)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil {
		err = refuse(info)
	}
	if err != nil {
		_ = file.Close() // nothing was read of it
		return nil, err
	}
	return file, nil
}

// refuse returns the error of a thing in a folder that has the name of a source.
func refuse(info os.FileInfo) error {
	if err := NoFile(info); err != nil {
		return fmt.Errorf("%w: of a folder only files are read. Take it away, or name it as a source of its own", err)
	}
	return nil
}

// NoFile returns an error that names the kind of a thing that is no regular file: opening or
// reading it could wait for ever. It returns nil for a file.
func NoFile(info os.FileInfo) error {
	kind := "a device or socket"
	switch info.Mode().Type() {
	case 0:
		return nil
	case os.ModeDir:
		kind = "a folder"
	case os.ModeSymlink:
		kind = "a link"
	case os.ModeNamedPipe:
		kind = "a named pipe"
	}
	return fmt.Errorf("is %s", kind)
}
