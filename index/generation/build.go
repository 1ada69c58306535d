package generation

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"filings/index"
	"filings/index/sidecar"
)

// Begin implements Lock. The catalog names the generation before anything of it is stored.
func (k *lock) Begin(ctx context.Context, source string) (_ Build, err error) {
	defer k.asLockLost(ctx, &err, "beginning a generation")
	parts, err := k.life.storage.Parts(ctx, false)
	if err != nil {
		return nil, err
	}
	b := &build{lock: k, source: source}
	err = k.change(ctx, func(c *Catalog, _ bool) error {
		if c.find(b.name) != nil {
			return nil
		}
		if source != "" {
			if _, err := c.sealed(source); err != nil {
				return err
			}
			if err := readable(source, k.life.Version); err != nil { // a copy of it would be of two versions
				return err
			}
		}
		b.name = c.add(k.life.Index, k.life.Version, k.life.Now(), parts)
		return nil
	})
	if err != nil {
		return nil, err
	}
	b.actions = sidecar.NewActions()
	if b.Writer, err = k.life.storage.Create(ctx, b.name, source); err != nil {
		return nil, errors.Join(err, k.Delete(context.WithoutCancel(ctx), b.name))
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.builds = append(k.builds, b)
	return b, nil
}

// build is a Build: a Writer under a lock.
type build struct {
	Writer
	lock         *lock
	name, source string           // source is the generation that it copies, "" for none
	actions      *sidecar.Actions // the filings put and removed
	differences  sidecar.Differences
	erases       bool // nothing may be left of removed and replaced filings
	changes      *Changeset
	counts       []byte
	values       *index.Values
	fresh        map[string]index.Freshness
}

func (b *build) Generation() string { return b.name }

func (b *build) Erase() { b.erases = true }

func (b *build) Put(ctx context.Context, f *index.Filing) error {
	return b.done(ctx, func() error {
		fingerprint, err := b.Writer.Put(ctx, f)
		if err == nil {
			b.actions.Put(fingerprint)
		}
		return err
	})
}

func (b *build) Remove(ctx context.Context, id int64) error {
	return b.done(ctx, func() error {
		b.actions.Remove(id)
		return b.Writer.Remove(ctx, id)
	})
}

func (b *build) done(ctx context.Context, write func() error) (err error) {
	if b.lock.released.Load() {
		return ErrLockLost
	}
	if err = write(); err != nil {
		b.lock.asLockLost(ctx, &err, "writing to "+b.name)
	}
	return err
}

// stop ends the writing, and gives up the collected actions.
func (b *build) stop() {
	b.Writer.Stop()
	_ = b.actions.Close() // nobody reads them any more
}

// Seal implements Build. That the catalog says so makes the generation a sealed one.
func (b *build) Seal(ctx context.Context, check Check) (holds index.Counts, err error) {
	defer b.lock.asLockLost(ctx, &err, "sealing "+b.name)
	if b.lock.released.Load() {
		return index.Counts{}, ErrLockLost
	}
	look := func(ctx context.Context, r index.Reader) (int64, error) {
		if holds, err = b.lock.life.counted(ctx, r); err == nil && check != nil {
			err = check(ctx, r, holds)
		}
		if err == nil {
			err = b.lock.mustHold(ctx)
		}
		return holds.Filings, err
	}
	identity, err := b.Writer.Seal(ctx, b.erases, b.actions, b.writeSidecar, look)
	if err == nil {
		err = b.lock.change(ctx, func(c *Catalog, _ bool) error {
			e := c.find(b.name)
			if e == nil {
				return index.ErrGone
			}
			e.State, e.Filings, e.Identity, e.Changes = Sealed, holds.Filings, identity, b.changes
			e.Counts, e.Values, e.Fresh = b.counts, b.values, b.fresh
			return nil
		})
	}
	if err != nil {
		return index.Counts{}, err
	}
	return holds, nil
}

// counted counts the filings of a generation that is being sealed. The engine counts them by
// itself: its sidecar must agree.
func (l *Lifecycle) counted(ctx context.Context, r index.Reader) (holds index.Counts, err error) {
	err = l.storage.Retry(ctx, func(ctx context.Context) error {
		if holds, err = index.CountsOf(ctx, r); err != nil {
			return err
		}
		stats, err := r.Stats(ctx)
		if err == nil && stats.Filings != holds.Filings {
			err = fmt.Errorf("%d filings, and the sidecar of %d: %w", holds.Filings, stats.Filings, index.ErrChanged)
		}
		return err
	})
	return holds, err
}

// writeSidecar writes the sidecar, and notes the differences from the copied generation.
func (b *build) writeSidecar(ctx context.Context, put sidecar.Sink) error {
	var copied iter.Seq2[index.Fingerprint, error]
	var note func(old, updated index.Fingerprint)
	if b.source != "" {
		copied, note = sidecar.Fingerprints(ctx, b.lock.life.storage.Sidecar(b.source, sidecar.Kept)), b.differences.Note
	}
	if err := sidecar.Write(ctx, copied, b.actions, note, put); err != nil {
		return fmt.Errorf("writing the sidecar: %w", err)
	}
	return nil
}

// Fingerprints implements Build.
func (b *build) Fingerprints(ctx context.Context) iter.Seq2[index.Fingerprint, error] {
	return sidecar.Fingerprints(ctx, b.lock.life.storage.Sidecar(b.name, sidecar.Kept))
}

// Differences implements Build.
func (b *build) Differences(ctx context.Context) (*sidecar.Differences, error) {
	return &b.differences, ctx.Err()
}

// WriteChangeset implements Build.
func (b *build) WriteChangeset(ctx context.Context, s index.Changeset, differences []sidecar.Difference) error {
	if err := b.lock.mustHold(ctx); err != nil {
		return err
	}
	storage, copies := b.lock.life.storage, s.Added+s.Changed+s.Removed <= b.lock.life.MostCopied
	err := b.Writer.Changeset(ctx, func(ctx context.Context, put sidecar.Sink) error {
		return sidecar.WriteChangeset(ctx, s, differences, copies, storage.Filings, put)
	})
	if err != nil {
		b.lock.asLockLost(ctx, &err, "writing the changes of "+b.name)
		return err
	}
	b.changes = &Changeset{Parent: s.Parent, Added: s.Added, Changed: s.Changed, Removed: s.Removed, Whole: !copies}
	return nil
}

// Keep implements Build.
func (b *build) Keep(counts []byte, values *index.Values, fresh map[string]index.Freshness) {
	b.counts, b.values, b.fresh = counts, values, fresh
}

// Refresh implements Lock.
func (k *lock) Refresh(ctx context.Context, generation string, fresh map[string]index.Freshness) (err error) {
	defer k.asLockLost(ctx, &err, "keeping how fresh "+generation+" is")
	return k.change(ctx, func(c *Catalog, _ bool) error {
		e, err := c.sealed(generation)
		if err == nil {
			e.Fresh = fresh
		}
		return err
	})
}

// Abort implements Build. Unlike elsewhere, the stored data goes first: if it has filled the disk,
// the catalog can be written only when there is room again. Nobody reads a generation that isn't
// sealed. A run that has lost its lock deletes the data that it wrote after another one had deleted
// its generation: no name is used twice.
func (b *build) Abort(ctx context.Context) error {
	b.stop()
	storage := b.lock.life.storage
	parts, err := storage.Parts(ctx, false)
	if c, _, err2 := b.lock.life.read(ctx); err == nil && err2 == nil {
		if e := c.find(b.name); e == nil || e.State == Tombstoned || e.State == Building && b.lock.holds(&c) == nil {
			err = storage.Delete(ctx, slices.DeleteFunc(parts, func(p Part) bool { return p.Generation != b.name }))
		}
	}
	return errors.Join(b.lock.Delete(ctx, b.name), err)
}
