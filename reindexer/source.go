package reindexer

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// The formats of sources (rule L1).
const (
	formatNDJSON = "ndjson"
	formatCSV    = "csv"
)

// stdinName is the source that means standard input, and its name in rejects.
const stdinName = "-"

// input is one stream of records.
type input struct {
	name   string      // as it is reported: of an address neither user, password nor parameters
	format string      // "" where only the answer of a web server tells it
	info   os.FileInfo // nil for what is no file
	open   func(ctx context.Context) (opened, error)
	query  *query // instead of open: the records are rows of a database
}

// opened is what an input's bytes are read from.
type opened struct {
	io.ReadCloser
	format string
}

// unit is what the places of records in the input are counted in.
func (in input) unit() string {
	if in.query != nil {
		return "row"
	}
	return "line"
}

// size returns the bytes that in has on disk, and false where that is not known before it was read.
func (in input) size() (int64, bool) {
	if in.info == nil || !in.info.Mode().IsRegular() {
		return 0, false
	}
	return in.info.Size(), true
}

// inputs finds what cfg.Sources name. It fails on the first that is not there or whose format is not known, before
// anything is built.
func inputs(cfg Config) ([]input, error) {
	var all []input
	stdin := false
	for _, source := range cfg.Sources {
		if source == stdinName {
			if stdin {
				return nil, fmt.Errorf("%w: standard input is named twice", ErrUsage)
			}
			stdin = true
			all = append(all, stdinInput(cfg))
			continue
		}
		look := localInputs
		if schemeOf(source) != "" {
			look = remoteInputs
		}
		found, err := look(cfg, source)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// localInputs finds a file, or the files of a folder.
func localInputs(cfg Config, path string) ([]input, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSource, err)
	}
	if info.IsDir() {
		return folderInputs(cfg, path)
	}
	in := fileInput(path, info, cfg.Format)
	if in.format == "" {
		return nil, fmt.Errorf("%w: the name of %s does not say its format: name it .ndjson, .jsonl or .csv "+
			"(then .gz or .zst, if you like), or give --format", ErrUsage, path)
	}
	return []input{in}, nil
}

func stdinInput(cfg Config) input {
	format := cfg.Format
	if format == "" {
		format = formatNDJSON
	}
	return input{name: stdinName, format: format, open: func(context.Context) (opened, error) {
		return opened{io.NopCloser(cfg.Stdin), format}, nil
	}}
}

func fileInput(path string, info os.FileInfo, format string) input {
	if format == "" {
		format = formatOf(path)
	}
	return input{name: path, format: format, info: info, open: func(context.Context) (opened, error) {
		file, err := os.Open(path)
		return opened{file, format}, err
	}}
}

// formatOf tells the format from the name of a file, "" if it does not say. A `.json` file is a single document as
// often as one a line, so that name says nothing.
func formatOf(path string) string {
	name := strings.ToLower(filepath.Base(path))
	for _, suffix := range []string{".gz", ".zst"} {
		name = strings.TrimSuffix(name, suffix)
	}
	switch filepath.Ext(name) {
	case ".ndjson", ".jsonl":
		return formatNDJSON
	case ".csv":
		return formatCSV
	}
	return ""
}

// folderInputs lists the files of a folder in the order of their names. Folders within it, hidden files and, unless
// cfg.Format is given, files whose names do not say a format are left out; all but the hidden ones are logged. A folder
// without a file to read is an error: it is more likely the wrong folder than an empty delivery.
func folderInputs(cfg Config, folder string) ([]input, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSource, err)
	}
	var found []input
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		path := filepath.Join(folder, entry.Name())
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrSource, err)
		}
		in := fileInput(path, info, cfg.Format)
		if info.IsDir() || in.format == "" {
			cfg.Log.Warn("left out: not a file whose name says its format", "path", path)
			continue
		}
		found = append(found, in)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%w: the folder %s has no file named .ndjson, .jsonl or .csv (then .gz or .zst)",
			ErrSource, folder)
	}
	return found, nil
}

// totalBytes is the size of all inputs, or 0 if one of them is not known.
func totalBytes(all []input) (total int64) {
	for _, in := range all {
		n, known := in.size()
		if !known {
			return 0
		}
		total += n
	}
	return total
}
