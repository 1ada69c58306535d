package generation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"filings/index"
)

// lookTime is what a look may take. All callers that come meanwhile wait for the same response: one
// that is lost must not keep them from a server that has returned.
const lookTime = 3 * time.Second

const (
	// compareAfter is how long what was compared with the sealing is taken for granted: with the
	// second of a look, a difference is noticed within ten (rule X24).
	compareAfter = 8 * time.Second
	// compareTime is what comparing may take. A look waits for it, and who came meanwhile for the look.
	compareTime = lookTime / 2
)

// Live returns a Reader of the live generation. While the generation stays the same it is the same
// Reader, so that what the Reader has cached lasts. It is index.ErrLost if none is live or stored,
// although one was live before. Under traffic no caller waits for a look: one is begun before the
// result of the last one is too old.
func (l *Lifecycle) Live(ctx context.Context) (index.Reader, error) {
	came, prefetchAfter := l.Now(), l.LiveFor*3/4
	for {
		k := l.seen.Load()
		fresh := k.isFresh(came, l.LiveFor)
		if fresh && came.Sub(k.at) < prefetchAfter {
			return k.result()
		}
		// The first caller's end must not fail those who wait with it.
		response := l.flight.DoChan("", func() (any, error) { return l.look(context.WithoutCancel(ctx)) })
		if fresh {
			return k.result()
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("looking which generation is live: %w", context.Cause(ctx))
		case result := <-response:
			if result.Err != nil {
				return nil, fmt.Errorf("looking which generation is live: %w", result.Err)
			}
			// The look may have been begun long before this caller joined it.
			if k := result.Val.(*seen); !k.at.Before(came) || k.isFresh(came, l.LiveFor) {
				return k.result()
			}
		}
	}
}

// look finds out which generation is live, and keeps that unless there was a swap meanwhile.
func (l *Lifecycle) look(ctx context.Context) (*seen, error) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	before := l.seen.Load()
	k := new(seen)
	if before != nil {
		*k = *before
	}
	k.at, k.lost = l.Now(), nil
	for missing := ""; ; {
		c, _, err := l.read(ctx)
		if err != nil {
			return nil, err
		}
		k.changesets, k.kept, k.purged = c.changesets(), c.kept(), c.Purged
		switch {
		case c.Live != "":
			err = l.follow(ctx, k, &c)
		case c.Promoted || k.reader != nil && k.reader.Generation() != "":
			err = index.ErrNotFound // the catalog was deleted
		default:
			k.reader = index.Empty{}
		}
		switch {
		case err == nil:
		case errors.Is(err, index.ErrChanged):
			k.lost = fmt.Errorf("%w: %w: %s", index.ErrLost, err, Repair)
		case !errors.Is(err, index.ErrNotFound):
			return nil, err
		case c.Live != missing: // perhaps another one has become live, and this one was deleted
			missing = c.Live
			continue
		default:
			k.compared, k.differs = time.Time{}, nil
			k.lost = fmt.Errorf("%w: %s is missing: put it back, %s", index.ErrLost, l.storage.Where(c.Live), Repair)
		}
		l.seen.CompareAndSwap(before, k)
		return k, nil
	}
}

// follow makes k's reader that of the live generation, which is the one before if it is of the same
// generation, and stored; and compares that with what was sealed, now and then.
func (l *Lifecycle) follow(ctx context.Context, k *seen, c *Catalog) error {
	if err := l.reads(c.Live); err != nil {
		return err
	}
	before := k.reader
	if before != nil && (before.Generation() != c.Live || isGone(before)) {
		before = nil
	}
	r, err := l.storage.Reader(ctx, c.Live, before)
	if err != nil {
		return err
	}
	if age := k.at.Sub(k.compared); r != k.reader || age < 0 || age >= compareAfter {
		k.reader, k.compared, k.differs = r, k.at, l.changed(ctx, c.find(c.Live))
	}
	return k.differs
}

// changed returns index.ErrChanged if a generation is not what was sealed. What cannot be read now
// says nothing: whether the engine responds, searches show.
func (l *Lifecycle) changed(ctx context.Context, e *Entry) error {
	if e == nil || len(e.Identity) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, compareTime)
	defer cancel()
	now, err := l.storage.Identity(ctx, e.Name)
	if err != nil {
		l.Log.DebugContext(ctx, "a generation was not compared with what was sealed",
			"generation", e.Name, "error", err)
		return nil
	}
	if differs := e.Identity.Differs(now); differs != "" {
		return fmt.Errorf("%s: %w: %s", e.Name, index.ErrChanged, differs)
	}
	return nil
}

// LookAgain makes the next Live look at the catalog. The reader is kept, for the case that its
// generation still is the live one.
func (l *Lifecycle) LookAgain() {
	stale := &seen{}
	if k := l.seen.Load(); k != nil {
		*stale = *k
		stale.at = time.Time{}
	}
	l.seen.Store(stale)
	l.flight.Forget("")
}

// seen is the result of a look at the catalog. reader is nil before the first one.
type seen struct {
	reader     index.Reader // if lost is set, the one of the generation that was live before, if any
	lost       error        // index.ErrLost
	changesets []index.Changeset
	kept       []string  // generations that are not deleted
	purged     string    // Catalog.Purged
	at         time.Time // when the look began

	compared time.Time // when the reader's generation was compared with what was sealed, last
	differs  error     // index.ErrChanged, if it was another one then
}

// result is what a caller gets of k.
func (k *seen) result() (index.Reader, error) {
	if k.lost != nil {
		return nil, k.lost
	}
	return k.reader, nil
}

// isFresh reports whether k, which was seen before, will do for a caller who came at t. A reader
// whose generation was seen to be gone never does.
func (k *seen) isFresh(t time.Time, liveFor time.Duration) bool {
	if k == nil || k.lost == nil && (k.reader == nil || isGone(k.reader)) {
		return false
	}
	age := t.Sub(k.at)
	return age >= -liveFor && age < liveFor // before -liveFor the clock was set back
}

func isGone(r index.Reader) bool {
	pinned, ok := r.(interface{ Gone() bool })
	return ok && pinned.Gone()
}
