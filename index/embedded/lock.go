package embedded

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"filings/index"
	"filings/index/generation"
)

// lock is the right to change generations: a flock, which cannot be lost while its process lives, only released.
type lock struct {
	store *Store

	mu     sync.Mutex
	file   io.Closer                               // nil: released
	builds []interface{ stop(reason error) error } // begun under it
}

// Lock implements generation.Store.
func (s *Store) Lock(ctx context.Context, run generation.Run) (generation.Lock, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l := &lock{store: s}
	err := s.files.guarded(func() error {
		file, acquired, err := lockFile(s.files.beside(".lock"), false)
		if err != nil {
			return err
		}
		if !acquired {
			holder, err := s.files.run()
			if err != nil {
				return errors.Join(&generation.LockedError{}, err)
			}
			return &generation.LockedError{Run: *holder}
		}
		if err := errors.Join(s.files.mark(), s.files.publish(run)); err != nil {
			return errors.Join(err, file.Close())
		}
		l.file = file
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	return l, nil
}

// Running implements generation.Store. It tries the lock: a run whose process died holds it no more, whatever it published.
func (s *Store) Running(context.Context) (run *generation.Run, err error) {
	err = s.files.guarded(func() error {
		file, acquired, err := lockFile(s.files.beside(".lock"), false)
		if err != nil {
			return err
		}
		if acquired {
			return file.Close()
		}
		run, err = s.files.run()
		return err
	})
	return run, err
}

// LastRun implements generation.Store.
func (s *Store) LastRun(context.Context) (*generation.Run, error) {
	run, err := s.files.run()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read about the last load: %w", err)
	}
	return run, nil
}

// publish writes what a run says about itself.
func (f files) publish(run generation.Run) error {
	data, err := json.Marshal(run)
	if err != nil {
		return err
	}
	return replace(f.beside(".load"), data)
}

// run reads what the run that holds the lock last published.
func (f files) run() (run *generation.Run, err error) {
	data, err := os.ReadFile(f.beside(".load"))
	if err != nil {
		return nil, err
	}
	err = json.Unmarshal(data, &run)
	return run, err
}

// held runs step if the lock was not released, and keeps it from being released meanwhile.
func (l *lock) held(ctx context.Context, step func() error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return generation.ErrLockLost
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return step()
}

// check returns ErrLockLost after Release.
func (l *lock) check(ctx context.Context) error {
	return l.held(ctx, func() error { return nil })
}

// Renew implements generation.Lock.
func (l *lock) Renew(ctx context.Context, run generation.Run) error {
	return l.held(ctx, func() error { return l.store.files.publish(run) })
}

// Promote implements generation.Lock.
func (l *lock) Promote(ctx context.Context, from, to string) error {
	return l.held(ctx, func() error { return l.store.Swap(ctx, from, to) })
}

// Delete implements generation.Lock. Readers of the generation keep it open.
func (l *lock) Delete(ctx context.Context, name string) error {
	return l.held(ctx, func() error {
		needed, err := l.store.needed(ctx, name)
		if err != nil {
			return fmt.Errorf("delete %s: %w", name, err)
		}
		return l.store.files.guarded(func() error { return l.store.files.delete(name, needed) })
	})
}

// delete removes the file of a generation, sealed or not, unless it is live, and the step of one that was not promoted. Of one
// that steps need it keeps the file, under another name.
func (f files) delete(name string, needed bool) error {
	live, err := f.live()
	if err != nil {
		return fmt.Errorf("delete %s: %w", name, err)
	}
	if live == name {
		return fmt.Errorf("delete %s: it is live: %w", name, generation.ErrConflict)
	}
	if f.valid(name) {
		if err := os.Remove(f.step(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("delete %s: %w", name, err)
		}
		if needed {
			if err := os.Rename(f.sealed(name), f.retired(name)); !errors.Is(err, fs.ErrNotExist) {
				return errors.Join(err, syncFolder(f.generations()))
			}
		}
		for _, path := range []string{f.sealed(name), f.building(name)} {
			err := os.Remove(path)
			if err == nil {
				return syncFolder(f.generations())
			}
			if !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("delete %s: %w", name, err)
			}
		}
	}
	return fmt.Errorf("delete %q: %w", name, index.ErrNotFound)
}

// Release implements generation.Lock. What was begun and not sealed stays as it is.
func (l *lock) Release(ctx context.Context) error {
	return l.held(context.WithoutCancel(ctx), func() error {
		var err error
		for _, b := range l.builds {
			err = errors.Join(err, b.stop(generation.ErrLockLost))
		}
		err = errors.Join(err, l.file.Close())
		l.file = nil
		return err
	})
}
