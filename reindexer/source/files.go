package source

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
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
		return open(ctx, io.NopCloser(stdin), f, nil, read)
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
	s, ok := fileSource(path, info, f)
	if !ok && formatOf(path) == JSON {
		return nil, fmt.Errorf("%w: %s: %w. `filings inspect` lists the arrays of a document", ErrUsage, path, ErrNoPath)
	}
	if !ok {
		return nil, fmt.Errorf("%w: the name of %s does not say its format: name it .ndjson, .jsonl, .csv, .tsv, "+
			".xlsx or .parquet, or with --path .json or .geojson (then .gz or .zst, if you like), or give --format", ErrUsage, path)
	}
	return []Source{s}, nil
}

// fileSource is not ok if its format is not known.
func fileSource(path string, info os.FileInfo, f Form) (_ Source, ok bool) {
	f = f.named(path)
	s := Source{Name: path, unit: f.unit(), format: f.Format, info: info}
	s.open = func(ctx context.Context, read *atomic.Int64) (*Reader, error) {
		from, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		var file *os.File
		if s.regular() {
			file = from
		}
		return open(ctx, from, f, file, read)
	}
	return s, f.Format != ""
}

// folderSources lists the files of a folder in the order of their names. Folders within it, hidden files and files whose format
// is not known are left out; all but the hidden ones are logged. A folder without a file to read is an error: it is more
// likely the wrong folder than an empty delivery.
func folderSources(path string, f Form, log *slog.Logger) ([]Source, error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	var found []Source
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		path := filepath.Join(path, entry.Name())
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrUnreadable, err)
		}
		s, ok := fileSource(path, info, f)
		if info.IsDir() || !ok {
			log.Warn("left out: not a file whose name says its format", "path", path)
			continue
		}
		found = append(found, s)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%w: the folder %s has no file named .ndjson, .jsonl, .csv, .tsv, .xlsx or .parquet, or with --path .json or .geojson (then .gz or .zst)",
			ErrUnreadable, path)
	}
	return found, nil
}
