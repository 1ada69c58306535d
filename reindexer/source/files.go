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
func stdinSource(stdin io.Reader, format string) Source {
	s := Source{Name: stdinName, unit: "line"}
	s.open = func(ctx context.Context, read *atomic.Int64) (*Reader, error) {
		return openText(ctx, io.NopCloser(stdin), format, false, read)
	}
	return s
}

// localSources returns a file, or the files of a folder.
func localSources(path, format string, log *slog.Logger) ([]Source, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	if info.IsDir() {
		return folderSources(path, format, log)
	}
	s, ok := fileSource(path, info, format)
	if !ok {
		return nil, fmt.Errorf("%w: the name of %s does not say its format: name it .ndjson, .jsonl or .csv "+
			"(then .gz or .zst, if you like), or give --format", ErrUsage, path)
	}
	return []Source{s}, nil
}

// fileSource is not ok if its format is not known.
func fileSource(path string, info os.FileInfo, format string) (_ Source, ok bool) {
	if format == "" {
		format = formatOf(path)
	}
	s := Source{Name: path, unit: "line", info: info}
	s.open = func(ctx context.Context, read *atomic.Int64) (*Reader, error) {
		from, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		return openText(ctx, from, format, s.regular(), read)
	}
	return s, format != ""
}

// formatOf returns the format that the name of a file says, "" if it says none. A `.json` file is a single document as
// often as one a line, so that name does not say which.
func formatOf(path string) string {
	name := strings.ToLower(filepath.Base(path))
	for _, suffix := range []string{".gz", ".zst"} {
		name = strings.TrimSuffix(name, suffix)
	}
	switch filepath.Ext(name) {
	case ".ndjson", ".jsonl":
		return NDJSON
	case ".csv":
		return CSV
	}
	return ""
}

// folderSources lists the files of a folder in the order of their names. Folders within it, hidden files and files whose format
// is not known are left out; all but the hidden ones are logged. A folder without a file to read is an error: it is more
// likely the wrong folder than an empty delivery.
func folderSources(path, format string, log *slog.Logger) ([]Source, error) {
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
		s, ok := fileSource(path, info, format)
		if info.IsDir() || !ok {
			log.Warn("left out: not a file whose name says its format", "path", path)
			continue
		}
		found = append(found, s)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%w: the folder %s has no file named .ndjson, .jsonl or .csv (then .gz or .zst)",
			ErrUnreadable, path)
	}
	return found, nil
}
