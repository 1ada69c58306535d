package generation

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
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
	alive io.Closer // ends with the process; nil: the engine has no such lock

	released atomic.Bool
	mu       sync.Mutex
	builds   []*build // that it has begun
}

// Lock takes the lock, or fails at once with a *LockedError.
func (l *Lifecycle) Lock(ctx context.Context, run Run) (_ Lock, err error) {
	defer index.Wrap(&err, "taking the lock")
	k := &lock{life: l, token: rand.Text()}
	if k.alive, err = l.storage.ProcessLock(ctx, true); errors.Is(err, ErrLocked) {
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
		if dead = c.Lease != ""; dead && k.alive == nil && !c.expired(l.Now()) {
			return &LockedError{Run: c.run()}
		}
		if c.Lease = k.token; c.Run != nil && !c.Run.Withholds {
			c.Runs = slices.Insert(c.Runs[:min(len(c.Runs), mostRuns-2)], 0, *c.Run)
		}
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
	return nil, errors.Join(err, k.close())
}

// mostRuns is how many loads the catalog keeps.
const mostRuns = 20

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

// expired reports whether the lease was not renewed in time. A time that lies LockTTL or more in
// the future counts as expired, so that one wrong clock cannot lock loads out for ever.
func (c *Catalog) expired(now time.Time) bool {
	age := now.Sub(c.run().Renewed)
	return age >= LockTTL || age <= -LockTTL
}

// Loads implements Store.
func (l *Lifecycle) Loads(ctx context.Context) (_ []Run, err error) {
	defer index.Wrap(&err, "reading about the last loads")
	lock, err := l.storage.ProcessLock(ctx, false)
	held := errors.Is(err, ErrLocked)
	if err != nil && !held {
		return nil, err
	}
	c, _, err := l.read(ctx)
	if err != nil || c.Run == nil {
		return nil, err
	}
	if lock == nil && !held {
		held = c.Lease != "" && !c.expired(l.Now())
	}
	runs := append([]Run{*c.Run}, c.Runs...)
	for i := range runs {
		switch {
		case runs[i].Outcome != "":
		case i == 0 && held:
			runs[i].Outcome = OutcomeRunning
		default:
			runs[i].Outcome = OutcomeDied
		}
	}
	return runs, nil
}

// Fresh implements Store.
func (l *Lifecycle) Fresh(ctx context.Context) (map[string]index.Freshness, error) {
	c, _, err := l.read(ctx)
	e := c.find(c.Live)
	if err != nil || e == nil {
		return nil, err
	}
	return e.Fresh, nil
}

// holds returns ErrLockLost unless c has the lock's token.
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

// asLockLost puts the attempt that failed before an error. One whose reason may be that the lock
// was lost becomes ErrLockLost if it was.
func (k *lock) asLockLost(ctx context.Context, err *error, attempt string) {
	if *err == nil {
		return
	}
	if !errors.Is(*err, index.ErrUnavailable) && errors.Is(k.mustHold(ctx), ErrLockLost) {
		*err = ErrLockLost
	}
	index.Wrap(err, attempt)
}

// Renew implements Lock. It tries once: its caller decides when to try again. After LockTTL there
// is nothing left to renew.
func (k *lock) Renew(ctx context.Context, run Run) (err error) {
	ctx, cancel := context.WithTimeout(ctx, LockTTL)
	defer cancel()
	defer index.Wrap(&err, "renewing the lock")
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
func (k *lock) Promote(ctx context.Context, current, next string) (err error) {
	if k.released.Load() {
		return ErrLockLost
	}
	return k.life.swap(ctx, current, next, func(c *Catalog) error {
		if err := k.holds(c); err != nil || c.Hold == nil || c.run().Withholds { // which no rollback may put off
			return err
		}
		return c.Hold
	})
}

// Release implements Lock. Generations that are not sealed stay as they are.
func (k *lock) Release(ctx context.Context) (err error) {
	defer index.Wrap(&err, "releasing the lock")
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
	return errors.Join(err, k.close())
}

func (k *lock) close() error {
	if k.released.Swap(true) {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, b := range k.builds {
		b.stop()
	}
	if k.alive == nil {
		return nil
	}
	return k.alive.Close()
}

// Delete implements Lock: first the catalog says that the generation is deleted, then it is.
func (k *lock) Delete(ctx context.Context, name string) (err error) {
	defer k.asLockLost(ctx, &err, "deleting "+name)
	found := false
	err = k.change(ctx, func(c *Catalog, again bool) error {
		tombstoned, err := c.tombstone(name)
		found = found && again || tombstoned
		return err
	})
	if err != nil {
		return err
	}
	swept, err := k.sweep(ctx)
	if err == nil && !found && !stored(swept, name) {
		err = index.ErrNotFound
	}
	return err
}

// Clear implements Lock.
func (k *lock) Clear(ctx context.Context) (cleared []string, err error) {
	defer k.asLockLost(ctx, &err, "deleting what unfinished loads left behind")
	err = k.change(ctx, func(c *Catalog, _ bool) error {
		c.tombstoneAll(func(e *Entry) bool { return e.State == Building })
		return nil
	})
	if err != nil {
		return nil, err
	}
	swept, err := k.sweep(ctx)
	for _, p := range swept {
		if p.Kind == FilingsPart {
			cleared = append(cleared, p.Generation)
		}
	}
	return cleared, err
}

// Prune implements Lock.
func (k *lock) Prune(ctx context.Context, previous string, keep, changesets int) (pruned []string, err error) {
	defer k.asLockLost(ctx, &err, "pruning generations")
	parts, err := k.life.storage.Parts(ctx, false)
	if err != nil {
		return nil, err
	}
	err = k.change(ctx, func(c *Catalog, again bool) error {
		left := keep
		if previous != "" {
			left--
		}
		tombstoned := c.tombstoneAll(func(e *Entry) bool {
			switch {
			case e.State != Sealed || e.Name == c.Live:
				return false
			case !stored(parts, e.Name): // an operator deleted it
				return true
			case e.Name != previous:
				left--
			}
			return left < 0 && e.Name != previous
		})
		if c.dropChangesets(changesets); !again {
			pruned = tombstoned
		}
		return nil
	})
	if err == nil {
		_, err = k.sweep(ctx)
	}
	return pruned, err
}

// sweep deletes and returns the stored parts that the catalog does not keep. They are listed before
// the catalog is read. The catalog names each part before it is stored, and never keeps again a
// part that it dropped. So a load that stops in between and loses its lock deletes nothing in use.
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
	unwanted = slices.DeleteFunc(parts, c.keeps)
	if len(unwanted) == 0 {
		return nil, nil
	}
	return unwanted, k.life.storage.Delete(ctx, unwanted)
}
