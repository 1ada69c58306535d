package embedded

import (
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"time"
	"weak"

	"filings/index/cache"
	"filings/index/generation"
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
	s := &storage{
		files: files{cfg.Dir, cfg.Index}, cache: cfg.Cache,
		open: map[string]weak.Pointer[reader]{}, checked: map[string]*reader{},
	}
	if err := os.MkdirAll(s.files.generations(), 0o700); err != nil {
		return nil, fmt.Errorf("embedded engine: %w", err)
	}
	return &Store{storage: s, Lifecycle: generation.New(s, generation.Options{
		Index: cfg.Index, Version: version, Now: cfg.Now, Log: slog.New(slog.DiscardHandler), LiveFor: liveFor,
		Cache: cfg.Cache,
	})}, nil
}

// Slots returns how many calls the engine works on at once: as many as there are processors, since
// more would only make each other late; and two at least, so that a long call leaves one to short
// ones.
func (s *Store) Slots() int { return max(2, runtime.GOMAXPROCS(0)) }

// Close closes every generation. Readers fail from then on.
func (s *Store) Close() error {
	s.LookAgain()
	return s.storage.close()
}
