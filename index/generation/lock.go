package generation

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"filings/index"
)

// lock is a Lock: a token that stands in the catalog as the lease.
type lock struct {
	life  *Lifecycle
	token string
	hold  io.Closer // nil: the engine has none

	released atomic.Bool
	mu       sync.Mutex
	builds   []*build
}

// Lock takes the lock, or fails at once with a *LockedError.
func (l *Lifecycle) Lock(ctx context.Context, run Run) (_ Lock, err error) {
	defer wrap(&err, "taking the lock")
	k := &lock{life: l, token: rand.Text()}
	if k.hold, err = l.storage.Hold(ctx); errors.Is(err, ErrLocked) {
		c, _, err := l.read(ctx)
		return nil, errors.Join(&LockedError{Run: c.run()}, err)
	} else if err != nil {
		return nil, err
	}
	dead := false
	err = l.update(ctx, func(c *Catalog, _ bool) error {
		if c.Lease == k.token {
			return nil
		}
		if dead = c.Lease != ""; dead && k.hold == nil && !c.expired(l.Now()) {
			return &LockedError{Run: c.run()}
		}
		c.Lease = k.token
		c.publish(run, l.Now())
		return nil
	})
	if err == nil && dead {
		l.Log.WarnContext(ctx, "the lock of a load that stopped renewing it was taken over")
	}
	if err == nil {
		if err = l.publish(ctx); err != nil {
			return nil, errors.Join(err, k.Release(context.WithoutCancel(ctx)))
		}
		return k, nil
	}
	return nil, errors.Join(err, k.letGo())
}

func (c *Catalog) publish(run Run, now time.Time) {
	run.Renewed = now.UTC()
	c.Run = &run
}

func (c *Catalog) run() Run {
	if c.Run == nil {
		return Run{Holder: "unknown"}
	}
	return *c.Run
}

// expired reports whether the lease was not renewed in time. A time that lies LockTTL or more in the future counts as
// expired, so that one wrong clock cannot lock loads out for ever.
func (c *Catalog) expired(now time.Time) bool {
	age := now.Sub(c.run().Renewed)
	return age >= LockTTL || age <= -LockTTL
}

// Running returns the load that holds the lock, or nil.
func (l *Lifecycle) Running(ctx context.Context) (_ *Run, err error) {
	defer wrap(&err, "looking which load is running")
	held, known, err := l.storage.Held(ctx)
	if err != nil || known && !held {
		return nil, err
	}
	c, _, err := l.read(ctx)
	if err != nil || !known && (c.Lease == "" || c.expired(l.Now())) {
		return nil, err
	}
	run := c.run()
	return &run, nil
}

// LastRun returns what the load that holds the lock, or held it last, published last; nil before the first load.
func (l *Lifecycle) LastRun(ctx context.Context) (_ *Run, err error) {
	defer wrap(&err, "reading about the last load")
	c, _, err := l.read(ctx)
	return c.Run, err
}

// holds returns ErrLockLost unless the lock is held by what c says.
func (k *lock) holds(c *Catalog) error {
	if k.released.Load() || c.Lease != k.token {
		return ErrLockLost
	}
	return nil
}

// mustHold returns ErrLockLost unless the lock is held now.
func (k *lock) mustHold(ctx context.Context) error {
	if k.released.Load() {
		return ErrLockLost
	}
	c, _, err := k.life.read(ctx)
	if err != nil {
		return err
	}
	return k.holds(&c)
}

// change changes the catalog on the condition that the lock is held at that moment.
func (k *lock) change(ctx context.Context, do func(c *Catalog, again bool) error) error {
	if k.released.Load() {
		return ErrLockLost
	}
	return k.life.update(ctx, func(c *Catalog, again bool) error {
		if err := k.holds(c); err != nil {
			return err
		}
		return do(c, again)
	})
}

// explain makes an error say what was attempted. One whose reason may be that the lock was lost becomes ErrLockLost if it was.
func (k *lock) explain(ctx context.Context, err *error, what string) {
	if *err == nil {
		return
	}
	if !errors.Is(*err, index.ErrUnavailable) && errors.Is(k.mustHold(ctx), ErrLockLost) {
		*err = ErrLockLost
	}
	wrap(err, what)
}

// Renew implements Lock. It tries once: its caller decides when to try again.
func (k *lock) Renew(ctx context.Context, run Run) (err error) {
	defer wrap(&err, "renewing the lock")
	if k.released.Load() {
		return ErrLockLost
	}
	return k.life.tryUpdate(ctx, func(c *Catalog) error {
		if err := k.holds(c); err != nil {
			return err
		}
		c.publish(run, k.life.Now())
		return nil
	}, new(bool))
}

// Promote implements Lock.
func (k *lock) Promote(ctx context.Context, from, to string) (err error) {
	if k.released.Load() {
		return ErrLockLost
	}
	return k.life.swap(ctx, from, to, k.holds)
}

// Delete implements Lock: first the catalog says that the generation is deleted, then it is.
func (k *lock) Delete(ctx context.Context, name string) (err error) {
	defer k.explain(ctx, &err, "deleting "+name)
	was := false
	err = k.change(ctx, func(c *Catalog, again bool) error {
		buried, err := c.bury(name)
		was = was && again || buried
		return err
	})
	if err != nil {
		return err
	}
	swept, err := k.sweep(ctx)
	if err == nil && !was && !stored(swept, name) {
		err = index.ErrNotFound
	}
	return err
}

// Forget implements Lock. It also forgets sealed generations that an operator deleted.
func (k *lock) Forget(ctx context.Context, keep int) (err error) {
	defer k.explain(ctx, &err, "forgetting changes")
	parts, err := k.life.storage.Parts(ctx, false)
	if err != nil {
		return err
	}
	err = k.change(ctx, func(c *Catalog, _ bool) error {
		for _, e := range slices.Clone(c.Generations) {
			if e.State == Sealed && e.Name != c.Live && !stored(parts, e.Name) {
				if _, err := c.bury(e.Name); err != nil {
					return err
				}
			}
		}
		c.forget(keep)
		return nil
	})
	if err == nil {
		_, err = k.sweep(ctx)
	}
	return err
}

// sweep deletes and returns what is stored and not wanted. What is there is listed before the catalog is read: since nothing is
// stored that the catalog did not name before, and nothing is wanted again that once was not, a load that stops in between, and
// lost the lock when it goes on, deletes nothing that another one needs.
func (k *lock) sweep(ctx context.Context) (unwanted []Part, err error) {
	parts, err := k.life.storage.Parts(ctx, false)
	if err != nil {
		return nil, err
	}
	c, _, err := k.life.read(ctx)
	if err == nil {
		err = k.holds(&c)
	}
	if err != nil {
		return nil, err
	}
	unwanted = slices.DeleteFunc(parts, c.wants)
	if len(unwanted) == 0 {
		return nil, nil
	}
	return unwanted, k.life.storage.Delete(ctx, unwanted)
}

// Release implements Lock. What was begun and not sealed stays as it is.
func (k *lock) Release(ctx context.Context) (err error) {
	defer wrap(&err, "releasing the lock")
	if k.released.Load() {
		return ErrLockLost
	}
	err = k.life.update(ctx, func(c *Catalog, again bool) error {
		if again && c.Lease != k.token {
			return nil
		}
		if err := k.holds(c); err != nil {
			return err
		}
		c.Lease = ""
		return nil
	})
	return errors.Join(err, k.letGo())
}

func (k *lock) letGo() error {
	if k.released.Swap(true) {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, b := range k.builds {
		b.Stop()
	}
	if k.hold == nil {
		return nil
	}
	return k.hold.Close()
}

// Begin implements Lock. The catalog names the generation before anything of it is stored.
func (k *lock) Begin(ctx context.Context, from string) (_ Build, err error) {
	defer k.explain(ctx, &err, "beginning a generation")
	parts, err := k.life.storage.Parts(ctx, false)
	if err != nil {
		return nil, err
	}
	b := &build{lock: k}
	err = k.change(ctx, func(c *Catalog, _ bool) error {
		if c.find(b.name) != nil {
			return nil
		}
		if from != "" {
			if _, err := c.sealed(from); err != nil {
				return err
			}
		}
		b.name = c.add(k.life.Index, k.life.Version, k.life.Now(), parts)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if b.Writer, err = k.life.storage.Create(ctx, b.name, from); err != nil {
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
	lock    *lock
	name    string
	changes *Changeset
}

func (b *build) Generation() string { return b.name }

func (b *build) Put(ctx context.Context, f *index.Filing) error {
	return b.done(ctx, func() error { return b.Writer.Put(ctx, f) })
}

func (b *build) Remove(ctx context.Context, id int64) error {
	return b.done(ctx, func() error { return b.Writer.Remove(ctx, id) })
}

func (b *build) done(ctx context.Context, write func() error) (err error) {
	if b.lock.released.Load() {
		return ErrLockLost
	}
	if err = write(); err != nil {
		b.lock.explain(ctx, &err, "writing to "+b.name)
	}
	return err
}

// Seal implements Build. That the catalog says so makes the generation a sealed one.
func (b *build) Seal(ctx context.Context, check Check) (holds Checksum, err error) {
	defer b.lock.explain(ctx, &err, "sealing "+b.name)
	if b.lock.released.Load() {
		return Checksum{}, ErrLockLost
	}
	holds, err = b.Writer.Seal(ctx, func(ctx context.Context, r index.Reader, holds Checksum) error {
		if check != nil {
			if err := check(ctx, r, holds); err != nil {
				return err
			}
		}
		return b.lock.mustHold(ctx)
	})
	if err == nil {
		err = b.lock.change(ctx, func(c *Catalog, _ bool) error {
			e := c.find(b.name)
			if e == nil {
				return index.ErrGone
			}
			e.State, e.Filings, e.Changes = Sealed, holds.Filings, b.changes
			return nil
		})
	}
	if err != nil {
		return Checksum{}, err
	}
	return holds, nil
}

// Step implements Build.
func (b *build) Step(ctx context.Context, s index.Step, differences iter.Seq2[Difference, error]) error {
	if err := b.lock.mustHold(ctx); err != nil {
		return err
	}
	whole, err := b.Writer.Step(ctx, s, differences)
	if err != nil {
		b.lock.explain(ctx, &err, "writing the changes of "+b.name)
		return err
	}
	b.changes = &Changeset{Parent: s.Parent, Added: s.Added, Changed: s.Changed, Removed: s.Removed, Whole: whole}
	return nil
}

// Abort implements Build.
func (b *build) Abort(ctx context.Context) error {
	b.Stop()
	return b.lock.Delete(ctx, b.name)
}

// wrap makes an error say what was attempted.
func wrap(err *error, what string) {
	if *err != nil {
		*err = fmt.Errorf("%s: %w", what, *err)
	}
}
