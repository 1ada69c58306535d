package embedded

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"weak"

	"github.com/gofrs/flock"

	"filings/index"
	"filings/index/cache"
	"filings/index/generation"
)

// storage is the generation.Storage of a folder.
type storage struct {
	files files
	cache *cache.Cache

	mu       sync.Mutex
	open     map[string]weak.Pointer[reader] // those that may still be open
	checked  map[string]*reader              // of generations that are being sealed
	closed   bool
	readable map[string]int64 // filings of the generations that were found whole; replaced, never changed
}

var _ generation.Storage = (*storage)(nil)

func (s *storage) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	var err error
	for _, pointer := range s.open {
		if r := pointer.Value(); r != nil {
			err = errors.Join(err, r.file.Close())
		}
	}
	clear(s.open)
	return err
}

// Reader implements generation.Storage. As long as the file is the same, so is the Reader.
func (s *storage) Reader(ctx context.Context, name string, _ index.Reader) (index.Reader, error) {
	r, err := s.reader(ctx, name)
	if err != nil {
		return nil, err
	}
	return r, nil
}

// reader returns the reader of a generation, or ErrNotFound. While it is in use it is the same one.
func (s *storage) reader(ctx context.Context, name string) (*reader, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, fmt.Errorf("%w: the store is closed", index.ErrUnavailable)
	}
	if !s.files.valid(name) {
		return nil, fmt.Errorf("generation %q: %w", name, index.ErrNotFound)
	}
	if r := s.checked[name]; r != nil {
		return r, nil
	}
	file, err := os.Stat(s.files.sealed(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("generation %s: %w", name, index.ErrNotFound) // though it may still be open
	}
	if err != nil {
		return nil, fmt.Errorf("look at generation %s: %w: %w", name, index.ErrUnavailable, err)
	}
	if r := s.open[name].Value(); r != nil && r.isOf(file) {
		return r, nil
	}
	r, err := openReader(name, s.files.sealed(name), s.cache)
	if err != nil {
		return nil, err
	}
	r.info = file
	maps.DeleteFunc(s.open, func(_ string, pointer weak.Pointer[reader]) bool { return pointer.Value() == nil })
	s.open[name] = weak.Make(r)
	return r, nil
}

// setChecked says which reader has a generation that is being sealed; nil: it is not any more.
func (s *storage) setChecked(name string, r *reader) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.checked[name] = r
}

// Load implements generation.Storage. The revision of a document is its text.
func (s *storage) Load(_ context.Context, name string) (d generation.Document, err error) {
	d.Body, err = os.ReadFile(s.files.document(name))
	if errors.Is(err, fs.ErrNotExist) {
		return generation.Document{}, nil
	}
	if err != nil {
		return d, outage(err)
	}
	d.Revision = string(d.Body)
	return d, nil
}

// Replace implements generation.Storage.
func (s *storage) Replace(ctx context.Context, name string, d generation.Document) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.files.guarded(func() error {
		present, err := os.ReadFile(s.files.document(name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if d.Revision != string(present) {
			return generation.ErrStale
		}
		return replace(s.files.document(name), d.Body)
	})
}

// Retry implements generation.Storage: a disk's errors do not pass by themselves.
func (s *storage) Retry(ctx context.Context, try func(context.Context) error) error { return try(ctx) }

// ProcessLock implements generation.Storage, by a flock, which ends with its process. Nobody who
// tries to take it meanwhile finds it taken by a look.
func (s *storage) ProcessLock(ctx context.Context, take bool) (lock io.Closer, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	err = s.files.guarded(func() error {
		file, acquired, err := lockFile(s.files.lock(), false)
		if err == nil && !acquired {
			return generation.ErrLocked
		}
		if lock = file; err == nil && !take {
			err = file.Close()
		}
		return err
	})
	return lock, err
}

// Parts implements generation.Storage. It opens a file that it found complete again only to measure
// it.
func (s *storage) Parts(ctx context.Context, measure bool) (parts []generation.Part, err error) {
	s.mu.Lock()
	known := s.readable
	s.mu.Unlock()
	entries, err := os.ReadDir(s.files.generations())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, outage(err)
	}
	whole := map[string]int64{}
	for _, e := range entries {
		p, ok := s.files.part(e.Name())
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		info, err := e.Info()
		if !ok || err != nil { // it was deleted or sealed meanwhile
			continue
		}
		filings, found := known[p.Generation]
		if p.Bytes, p.Filings = info.Size(), filings; p.Sealed && (measure || !found) {
			f, content, err := openSealed(p.Generation, s.files.sealed(p.Generation))
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err == nil {
				err = f.Close()
			}
			p.Damaged, p.Filings = err, content.Filings
		}
		if p.Sealed && p.Damaged == nil {
			whole[p.Generation] = p.Filings
		}
		parts = append(parts, p)
	}
	s.mu.Lock()
	s.readable = whole
	s.mu.Unlock()
	return parts, nil
}

// Delete implements generation.Storage. Readers of deleted files keep them open.
func (s *storage) Delete(_ context.Context, parts []generation.Part) error {
	var errs []error
	for _, p := range parts {
		for _, suffix := range suffixes[p.Kind] {
			err := os.Remove(filepath.Join(s.files.generations(), p.Generation+suffix))
			if !errors.Is(err, fs.ErrNotExist) {
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(append(errs, syncFolder(s.files.generations()))...)
}

// Identity implements generation.Storage: whether a file is that of its generation, Reader says.
func (s *storage) Identity(context.Context, string) (generation.Identity, error) { return nil, nil }

// Publish implements generation.Storage: only this program reads the folder, by its catalog.
func (s *storage) Publish(context.Context, string) error { return nil }

// Location implements generation.Storage.
func (s *storage) Location(name string) string {
	if name == "" {
		return s.files.document(generation.CatalogDocument)
	}
	return s.files.sealed(name)
}

const (
	sealedSuffix   = ".db"
	buildingSuffix = ".building"
	changesSuffix  = ".changes"
	strippedSuffix = ".stripped" // a changeset without copies that are withheld, until it has the name of the other one
)

// suffixes are those of the files that a part may have.
var suffixes = map[string][]string{
	generation.FilingsPart: {sealedSuffix, buildingSuffix},
	generation.ChangesPart: {changesSuffix, strippedSuffix},
}

// files are the files of one index.
type files struct{ dir, index string }

func (f files) generations() string       { return filepath.Join(f.dir, "generations") }
func (f files) sealed(name string) string { return filepath.Join(f.generations(), name+sealedSuffix) }
func (f files) building(name string) string {
	return filepath.Join(f.generations(), name+buildingSuffix)
}
func (f files) changes(name string) string        { return filepath.Join(f.generations(), name+changesSuffix) }
func (f files) indexFile(extension string) string { return filepath.Join(f.dir, f.index+extension) }
func (f files) document(name string) string       { return f.indexFile("." + name) }
func (f files) lock() string                      { return f.indexFile(".lock") }

// part returns the part that a file of the folder of generations has; false if the file isn't of
// this index.
func (f files) part(file string) (p generation.Part, ok bool) {
	for kind, endings := range suffixes {
		for _, suffix := range endings {
			if name, found := strings.CutSuffix(file, suffix); found && f.valid(name) {
				return generation.Part{Generation: name, Kind: kind, Sealed: suffix == sealedSuffix}, true
			}
		}
	}
	return p, false
}

// replace puts data into the file at path in one step that survives a power cut: a reader sees the
// old content or the new one. Only one process at a time may replace a file.
func replace(path string, data []byte) error {
	temp := path + ".new"
	f, err := os.OpenFile(temp, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// syncFolder waits until the names in the folder at path are on the disk; Windows cannot do that.
func syncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// valid reports whether name can be the name of a generation of this index, and so part of a path.
func (f files) valid(name string) bool {
	_, ok := generation.ParseName(f.index, name)
	return ok
}

// outage is an error of the folder.
func outage(err error) error { return fmt.Errorf("%w: %w", index.ErrUnavailable, err) }

// lockFile opens the file at path and locks it against every other lock of it, in this process or
// another. The lock ends when it is closed, and with its process at the latest. Without wait,
// acquired is false where the file was not free.
func lockFile(path string, wait bool) (l io.Closer, acquired bool, err error) {
	file := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
	if wait {
		err = file.Lock()
		return file, err == nil, err
	}
	acquired, err = file.TryLock()
	return file, acquired, err
}

// guarded runs step while no other process runs one on the same index. Steps take milliseconds.
func (f files) guarded(step func() error) error {
	guard, _, err := lockFile(f.indexFile(".guard"), true)
	if err != nil {
		return err
	}
	return errors.Join(step(), guard.Close())
}
