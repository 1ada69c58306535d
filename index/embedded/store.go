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
	"sync/atomic"
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

	liveFor time.Duration        // how long the live generation is taken for granted; tests lower it
	live    atomic.Pointer[seen] // never nil

	mu     sync.Mutex
	open   map[string]weak.Pointer[reader] // those that may still be open
	kept   map[string]int64                // filings of the generations that Kept listed last; replaced, never changed
	closed bool

	steps map[string]contents // of the promoted steps that were listed last; replaced, never changed
	few   int64               // history.Few; tests lower it
}

var _ generation.Store = (*Store)(nil)

// liveFor is how late a swap by another process may be noticed. Without it every request would open and read a file.
const liveFor = time.Second

// seen is the live generation as it was seen last. A swap by this Store replaces it.
type seen struct {
	reader *reader   // stays open; nil: there was none
	at     time.Time // when the look began; zero: look again
}

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
	s := &Store{files: files{cfg.Dir, cfg.Index}, now: cfg.Now, cache: cfg.Cache, liveFor: liveFor, open: map[string]weak.Pointer[reader]{}, few: history.Few}
	s.live.Store(&seen{})
	if err := os.MkdirAll(s.files.generations(), 0o700); err != nil {
		return nil, fmt.Errorf("embedded engine: %w", err)
	}
	return s, nil
}

// Close closes every generation. Readers fail from then on.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.live.Store(&seen{})
	var err error
	for _, pointer := range s.open {
		if r := pointer.Value(); r != nil {
			err = errors.Join(err, r.db.Close())
		}
	}
	return err
}

// Live implements index.Engine. It notices a swap by this Store at once, and one by another within liveFor.
func (s *Store) Live(ctx context.Context) (index.Reader, error) {
	known, now := s.live.Load(), s.now()
	if age := now.Sub(known.at); known.reader != nil && 0 <= age && age < s.liveFor {
		return known.reader, ctx.Err()
	}
	r, err := s.look(ctx)
	if err != nil {
		return nil, err
	}
	if r == nil {
		return index.Empty{}, nil
	}
	s.live.CompareAndSwap(known, &seen{r, now}) // unless there was a swap meanwhile
	return r, nil
}

// look finds out which generation is live, and returns nil if none was ever promoted.
func (s *Store) look(ctx context.Context) (*reader, error) {
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
			return nil, nil
		}
		r, err := s.reader(ctx, name)
		switch {
		case errors.Is(err, index.ErrNotFound) && name != before: // perhaps swapped and deleted meanwhile
		case errors.Is(err, index.ErrNotFound):
			return nil, s.lost(s.files.sealed(name))
		case errors.Is(err, index.ErrChanged):
			return nil, fmt.Errorf("%w: %w: %s", index.ErrLost, err, generation.Repair)
		default:
			return r, err
		}
	}
}

// promotedOnce reports whether a generation was ever promoted, as far as this process or the folder knows.
func (s *Store) promotedOnce() (promoted bool, err error) {
	if s.live.Load().reader != nil {
		return true, nil
	}
	promoted, _, err = s.files.promoted()
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
		err = s.files.promote(to)
		s.live.Store(&seen{reader: s.live.Load().reader})
		return err
	})
}
