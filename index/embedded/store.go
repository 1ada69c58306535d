package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"log/slog"
	"maps"
	"os"
	"strings"
	"sync"
	"time"
	"weak"

	"filings/index"
	"filings/index/cache"
	"filings/index/generation"
	"filings/index/history"
)

// Config says where a Store is.
type Config struct {
	Dir   string           // the folder; it is made if it is not there
	Index string           // name of the index, and first part of the names of its generations
	Now   func() time.Time // the clock; nil: time.Now
	Cache *cache.Cache     // for what is read; nil: one of its own
}

// Store keeps generations in a folder. Any number of Stores, in any number of processes of one machine, may share it.
type Store struct {
	*generation.Lifecycle
	storage *storage
}

var _ generation.Store = (*Store)(nil)

// liveFor is how late a swap by another process may be noticed. Without it every request would open and read a file.
const liveFor = time.Second

// ownCache holds all columns and orders of a million filings.
const ownCache = 256 << 20

// Open opens the store in cfg.Dir, and makes it if it is not there.
func Open(cfg Config) (*Store, error) {
	if cfg.Index == "" || cfg.Index[0] == '.' || strings.ContainsAny(cfg.Index, `/\`) {
		return nil, fmt.Errorf("embedded engine: %q is no name of an index", cfg.Index)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Cache == nil {
		cfg.Cache = cache.New(ownCache)
	}
	s := &storage{files: files{cfg.Dir, cfg.Index}, cache: cfg.Cache, open: map[string]weak.Pointer[reader]{}, few: history.Few, chunks: map[string][]stepChunk{}}
	if err := os.MkdirAll(s.files.generations(), 0o700); err != nil {
		return nil, fmt.Errorf("embedded engine: %w", err)
	}
	return &Store{storage: s, Lifecycle: generation.New(s, generation.Options{
		Index: cfg.Index, Version: version, Now: cfg.Now, Log: slog.New(slog.DiscardHandler), LiveFor: liveFor,
	})}, nil
}

// Close closes every generation. Readers fail from then on.
func (s *Store) Close() error {
	s.LookAgain()
	return s.storage.close()
}

// Fingerprints implements generation.Store.
func (s *Store) Fingerprints(ctx context.Context, name string) iter.Seq2[index.Fingerprint, error] {
	return s.storage.stamps(ctx, name)
}

// Changes implements index.History.
func (s *Store) Changes(ctx context.Context, q index.ChangeQuery) (page index.ChangePage, err error) {
	if err = s.HaveChanges(ctx, q.Generations); err == nil {
		page, err = history.Page(ctx, s.storage, q)
	}
	if err != nil {
		err = fmt.Errorf("read changes: %w", err)
	}
	return page, err
}

// storage is the generation.Storage of a folder.
type storage struct {
	files files
	cache *cache.Cache
	few   int64 // history.Few; tests lower it

	mu       sync.Mutex
	open     map[string]weak.Pointer[reader] // those that may still be open
	closed   bool
	readable map[string]bool        // generations that were found whole; replaced, never changed
	chunks   map[string][]stepChunk // of the files of changes that were read
}

var _ generation.Storage = (*storage)(nil)

func (s *storage) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	var err error
	for _, pointer := range s.open {
		if r := pointer.Value(); r != nil {
			err = errors.Join(err, r.db.Close())
		}
	}
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

// reader returns the reader of a generation, or ErrNotFound. Every caller gets the same one while it is in use.
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
	r.file = file
	maps.DeleteFunc(s.open, func(_ string, pointer weak.Pointer[reader]) bool { return pointer.Value() == nil })
	s.open[name] = weak.Make(r)
	return r, nil
}
