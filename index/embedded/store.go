package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
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
	files files
	now   func() time.Time
	cache *cache.Cache

	mu     sync.Mutex
	live   *reader                         // the one that Live returned last, so that it stays open
	open   map[string]weak.Pointer[reader] // those that may still be open
	kept   map[string]int64                // filings of the generations that Kept listed last; replaced, never changed
	closed bool

	steps map[string]contents // of the promoted steps that were listed last; replaced, never changed
	few   int64               // history.Few; tests lower it
}

var _ generation.Store = (*Store)(nil)

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
	s := &Store{files: files{cfg.Dir, cfg.Index}, now: cfg.Now, cache: cfg.Cache, open: map[string]weak.Pointer[reader]{}, few: history.Few}
	if err := os.MkdirAll(s.files.generations(), 0o700); err != nil {
		return nil, fmt.Errorf("embedded engine: %w", err)
	}
	return s, nil
}

// Close closes every generation. Readers fail from then on.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed, s.live = true, nil
	var err error
	for _, pointer := range s.open {
		if r := pointer.Value(); r != nil {
			err = errors.Join(err, r.db.Close())
		}
	}
	return err
}

// Live implements index.Engine. It reads the name of the live generation each time, which takes some microseconds, so
// that a swap by any process is noticed at once.
func (s *Store) Live(ctx context.Context) (index.Reader, error) {
	name, promoted := "", false
	for {
		before := name
		var err error
		if name, err = s.files.live(); err != nil {
			return nil, fmt.Errorf("read the name of the live generation: %w: %w", index.ErrUnavailable, err)
		}
		if name == "" {
			if promoted {
				return nil, s.lost(s.files.beside(".live"))
			}
			if promoted, err = s.promotedOnce(); err != nil {
				return nil, fmt.Errorf("look whether there was a load: %w: %w", index.ErrUnavailable, err)
			}
			if promoted {
				continue // perhaps it was promoted since
			}
			return index.Empty{}, nil
		}
		r, err := s.reader(ctx, name)
		switch {
		case err == nil:
			s.mu.Lock()
			s.live = r
			s.mu.Unlock()
			return r, nil
		case errors.Is(err, index.ErrNotFound) && name != before: // perhaps swapped and deleted meanwhile
		case errors.Is(err, index.ErrNotFound):
			return nil, s.lost(s.files.sealed(name))
		default:
			return nil, err
		}
	}
}

// promotedOnce reports whether a generation was ever promoted, as far as this process or the folder knows.
func (s *Store) promotedOnce() (promoted bool, err error) {
	s.mu.Lock()
	promoted = s.live != nil
	s.mu.Unlock()
	if !promoted {
		promoted, _, err = s.files.promoted()
	}
	return promoted, err
}

// lost is the error of a live generation without one of its files.
func (s *Store) lost(file string) error {
	return fmt.Errorf("%w: %s is missing: put it back, %s", index.ErrLost, file, generation.Repair)
}

// Open implements index.Engine.
func (s *Store) Open(ctx context.Context, name string) (index.Reader, error) {
	r, err := s.reader(ctx, name)
	if err != nil {
		return nil, err
	}
	return r, nil
}

// reader returns the reader of a sealed generation, or ErrNotFound. Every caller gets the same one while it is in use.
func (s *Store) reader(ctx context.Context, name string) (*reader, error) {
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
	if _, err := os.Stat(s.files.sealed(name)); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("generation %s: %w", name, index.ErrNotFound) // though it may still be open
	}
	if r := s.open[name].Value(); r != nil {
		return r, nil
	}
	r, err := openReader(name, s.files.sealed(name), s.cache)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(s.open, func(_ string, pointer weak.Pointer[reader]) bool { return pointer.Value() == nil })
	s.open[name] = weak.Make(r)
	return r, nil
}

// Swap implements generation.Store.
func (s *Store) Swap(ctx context.Context, from, to string) error {
	return s.files.guarded(func() error {
		live, err := s.files.live()
		if err != nil {
			return fmt.Errorf("swap: %w", err)
		}
		if there, err := s.files.has(live); err != nil {
			return fmt.Errorf("swap: %w", err)
		} else if !there {
			live = "" // it is lost: nothing is live
		}
		if live != from {
			return fmt.Errorf("swap %q for %q, but %q is live: %w", from, to, live, generation.ErrConflict)
		}
		if sealed, err := s.files.has(to); err != nil {
			return fmt.Errorf("swap: %w", err)
		} else if !sealed {
			return fmt.Errorf("swap: no sealed generation %q: %w", to, index.ErrNotFound)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		return s.files.promote(to)
	})
}
