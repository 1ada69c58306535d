package embedded

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"filings/index"
	"filings/index/embedded/columns"
	"filings/index/generation"
	"filings/index/sidecar"
)

// writeFile makes the file at path of the chunks that fill puts, and waits until it is on the disk.
func writeFile(ctx context.Context, path string, fill generation.Fill) error {
	w, err := createFile(path)
	if err != nil {
		return err
	}
	defer w.close()
	if err := fill(ctx, w.put); err != nil {
		return err
	}
	return w.finish()
}

// chunkName names a chunk of a file.
type chunkName struct {
	section string
	chunk   int
}

// Strip implements generation.Storage. A file in which nothing is to be replaced stays as it is.
func (s *storage) Strip(ctx context.Context, name string, strip func(index.Version) index.Version) error {
	path := s.files.changes(name)
	f, err := openFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	stripped, changed := map[chunkName][]byte{}, false
	if err == nil {
		defer f.Close()
		changed, err = sidecar.Strip(ctx, f.chunks, func(section string, chunk int, data []byte) error {
			stripped[chunkName{section, chunk}] = data
			return nil
		}, strip)
	}
	if errors.Is(err, columns.ErrDamaged) || errors.Is(err, sidecar.ErrDamaged) {
		return os.Remove(path)
	}
	if err != nil || !changed {
		return err
	}
	temp := filepath.Join(s.files.generations(), name+strippedSuffix)
	if err := writeFile(ctx, temp, func(ctx context.Context, put sidecar.Sink) error {
		return f.copyTo(ctx, put, stripped)
	}); err != nil {
		return err
	}
	return cmp.Or(os.Rename(temp, path), syncFolder(s.files.generations()))
}

// copyTo puts the chunks of f, in the place of some others.
func (f *file) copyTo(ctx context.Context, put sidecar.Sink, replaced map[chunkName][]byte) error {
	for name, s := range f.sections {
		for chunk := range s.Starts {
			data, found := replaced[chunkName{name, chunk}]
			var err error
			if !found {
				data, err = f.chunk(ctx, name, chunk, 0, -1)
			}
			if err = cmp.Or(err, put(name, chunk, data)); err != nil {
				return err
			}
		}
	}
	return nil
}

// versions returns filings by their ids, as Filings does, with the values that filters read.
func (r *reader) versions(ctx context.Context, ids []int64) ([]index.Version, error) {
	versions := make([]index.Version, len(ids))
	rows, positions, err := r.rowsOf(ctx, ids)
	if err != nil {
		return nil, err
	}
	records, err := r.records(ctx, rows, 0)
	for i, row := range rows {
		if err != nil {
			return nil, err
		}
		v := &versions[positions[i]]
		*v, err = r.Place(ctx, row)
		v.Record = records[i]
	}
	return versions, err
}

// Filings implements sidecar.Changesets: also of generations that only changesets need.
func (s *storage) Filings(ctx context.Context, name string, ids []int64) ([]index.Version, error) {
	r, err := s.reader(ctx, name)
	if errors.Is(err, index.ErrNotFound) {
		err = fmt.Errorf("%s: %w", name, index.ErrGone)
	}
	if err != nil {
		return nil, err
	}
	return r.versions(ctx, ids)
}

// changeset is the Source of a changeset. One that is damaged is none: clients who need it have to
// export anew.
func (s *storage) changeset(ctx context.Context, name, section string, chunks []int) ([][]byte, error) {
	f, err := openFile(s.files.changes(name))
	var read [][]byte
	if err == nil {
		read, err = f.chunks(ctx, section, chunks)
		err = errors.Join(err, f.Close())
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, columns.ErrDamaged) {
		return nil, fmt.Errorf("the changeset of %s: %w: %v", name, index.ErrGone, err)
	}
	if err != nil {
		err = outage(err)
	}
	return read, err
}

// Sidecar implements sidecar.Changesets.
func (s *storage) Sidecar(name, kind string) sidecar.Source {
	return func(ctx context.Context, section string, chunks []int) ([][]byte, error) {
		if kind == sidecar.Changeset {
			return s.changeset(ctx, name, section, chunks)
		}
		r, err := s.reader(ctx, name)
		if err != nil {
			return nil, err
		}
		return r.chunks(ctx, section, chunks)
	}
}

// Stored implements generation.Storage.
func (s *storage) Stored(ctx context.Context, name string) iter.Seq2[index.Stored, error] {
	return func(yield func(index.Stored, error) bool) {
		r, err := s.reader(ctx, name)
		if err == nil {
			err = r.EachRecord(ctx, func(stored []byte, version index.Version, created int64) error {
				record, err := whole(stored)
				if err != nil {
					return r.unavailable(err)
				}
				version.Record = record
				if !yield(index.Stored{Version: version, Created: created}, nil) {
					return errEnough
				}
				return nil
			})
		}
		if err != nil && !errors.Is(err, errEnough) {
			yield(index.Stored{}, err)
		}
	}
}
