package embedded

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
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
	stripped, some := map[chunkName][]byte{}, false
	if err == nil {
		defer f.Close()
		some, err = sidecar.Strip(ctx, f.chunks, func(section string, chunk int, data []byte) error {
			stripped[chunkName{section, chunk}] = data
			return nil
		}, strip)
	}
	if errors.Is(err, columns.ErrDamaged) || errors.Is(err, sidecar.ErrDamaged) {
		return os.Remove(path)
	}
	if err != nil || !some {
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
func (f *file) copyTo(ctx context.Context, put sidecar.Sink, others map[chunkName][]byte) error {
	for name, s := range f.sections {
		for chunk := range s.Starts {
			data, is := others[chunkName{name, chunk}]
			var err error
			if !is {
				data, err = f.chunk(ctx, name, chunk, 0, -1)
			}
			if err = cmp.Or(err, put(name, chunk, data)); err != nil {
				return err
			}
		}
	}
	return nil
}
