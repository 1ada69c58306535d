package embedded

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"filings/index"
	"filings/index/embedded/columns"
	"filings/index/history"
)

// Sections of the file of a changeset: its chunks, and a contained for each.
const (
	sectionChanges  = "changes"
	sectionContents = "contents"
)

// contained says what a chunk has.
type contained struct {
	Last  int64 // id
	Parts index.FieldGroups
}

// writeChangeset writes the file of a changeset, whose chunks write hands to put, and waits until it is on the disk.
func writeChangeset(path string, write func(put func(history.Chunk) error) error) error {
	w, err := createFile(path)
	if err != nil {
		return err
	}
	defer w.close()
	var contents []contained
	err = write(func(c history.Chunk) error {
		contents = append(contents, contained{c.Last, c.FieldGroups})
		return w.put(sectionChanges, len(contents)-1, c.Data)
	})
	if err == nil {
		err = w.putValue(sectionContents, contents)
	}
	if err != nil {
		return err
	}
	return w.finish()
}

// readChangeset reads the first n chunks that have changes with a higher id than after in one of these field groups.
func readChangeset(ctx context.Context, path string, after int64, groups index.FieldGroups, n int) (chunks [][]byte, err error) {
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var contents []contained
	err = f.value(sectionContents, &contents)
	for i, c := range contents {
		if err == nil && c.Last > after && c.Parts&groups != 0 && len(chunks) < n {
			var data []byte
			data, err = f.chunk(ctx, sectionChanges, i, 0, -1)
			chunks = append(chunks, data)
		}
	}
	return chunks, err
}

// Strip implements generation.Storage. A file in which nothing is to be replaced stays as it is.
func (s *storage) Strip(ctx context.Context, name string, strip func(index.Version) index.Version) error {
	chunks, err := readChangeset(ctx, s.files.changes(name), 0, index.AllFieldGroups, math.MaxInt)
	if errors.Is(err, columns.ErrDamaged) {
		return os.Remove(s.files.changes(name))
	}
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return err
	}
	some, stripped := false, make([]history.Chunk, len(chunks))
	for i, data := range chunks {
		var changed bool
		if stripped[i], changed, err = history.Strip(data, strip); err != nil {
			return os.Remove(s.files.changes(name))
		}
		some = some || changed
	}
	if !some {
		return nil
	}
	path := filepath.Join(s.files.generations(), name+strippedSuffix)
	err = writeChangeset(path, func(put func(history.Chunk) error) (err error) {
		for _, c := range stripped {
			err = cmp.Or(err, put(c))
		}
		return err
	})
	if err == nil {
		err = os.Rename(path, s.files.changes(name))
	}
	return cmp.Or(err, syncFolder(s.files.generations()))
}
