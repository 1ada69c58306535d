package generation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"filings/index"
)

// lookTime is the timeout of a look. All callers that come while it runs wait for the same
// response: one that is lost must not keep them from a server that has returned.
const lookTime = 3 * time.Second

const (
	// compareAfter is how long a comparison with the sealing is trusted: with the second of a look,
	// a difference is noticed within ten (rule X24).
	compareAfter = 8 * time.Second
	// compareTime is the timeout of a comparison. The look waits for it, and callers wait for the
	// look.
	compareTime = lookTime / 2
)

// view is one look at the catalog. It never changes: the next look makes another one. Readers,
// lists and changesets that come from one view agree.
type view struct {
	Catalog
	number uint64       // of the look
	epoch  uint64       // of the Lifecycle, when the look began
	began  time.Time    // when it began
	live   index.Reader // of the live generation, or the one that was live before err; nil: none ever was
	err    error        // why there is no live generation

	compared time.Time // when the live generation was compared with the sealed one, last
	differs  error     // index.ErrChanged, if they differed

	kept atomic.Pointer[kept] // nil before the first request for it
}

// kept is the list of generations that Pin knows, the newest first, and their public ids.
type kept struct {
	list []index.Generation
	ids  []string
}

// view returns a view that is not older than LiveFor, of a look with a higher number than seen.
// Under traffic no caller waits for a look: one is begun before the last one is too old.
func (l *Lifecycle) view(ctx context.Context, seen uint64) (*view, error) {
	came, prefetchAfter := l.Now(), l.LiveFor*3/4
	for {
		v := l.seen.Load()
		fresh := l.isFresh(v, came) && v.number > seen
		if fresh && came.Sub(v.began) < prefetchAfter {
			return v, nil
		}
		response := l.join(ctx, "", func(ctx context.Context) (any, error) { return l.look(ctx) })
		if fresh {
			return v, nil
		}
		made, err := wait[*view](ctx, response)
		if err != nil {
			return nil, fmt.Errorf("looking which generation is live: %w", err)
		}
		// The look may have been begun long before this caller joined it.
		if made.number > seen && (!made.began.Before(came) || l.isFresh(made, came)) {
			return made, nil
		}
	}
}

// join begins a call, unless an equal one is in progress. Its end is not that of the first caller,
// since others wait too.
func (l *Lifecycle) join(
	ctx context.Context, key string, call func(context.Context) (any, error),
) <-chan singleflight.Result {
	return l.flight.DoChan(key, func() (_ any, err error) {
		defer index.Recovered(&err)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTime)
		defer cancel()
		return call(ctx)
	})
}

func wait[T any](ctx context.Context, response <-chan singleflight.Result) (v T, err error) {
	select {
	case <-ctx.Done():
		return v, context.Cause(ctx)
	case result := <-response:
		if result.Err == nil {
			v = result.Val.(T)
		}
		return v, result.Err
	}
}

// isFresh reports whether a caller that came at a time may use a view. None may whose live
// generation was seen to be gone.
func (l *Lifecycle) isFresh(v *view, came time.Time) bool {
	if v == nil || v.epoch != l.epoch.Load() || v.err == nil && isGone(v.live) {
		return false
	}
	age := came.Sub(v.began)
	return age >= -l.LiveFor && age < l.LiveFor // before -LiveFor the clock was set back
}

func isGone(r index.Reader) bool {
	pinned, ok := r.(interface{ Gone() bool })
	return ok && pinned.Gone()
}

// LookAgain makes the next caller look at the catalog.
func (l *Lifecycle) LookAgain() {
	l.epoch.Add(1)
	l.flight.Forget("")
}

// look makes a view, and shows it to all unless a newer one was shown before, or the engine
// failed: the last one then stays for as long as it is fresh.
func (l *Lifecycle) look(ctx context.Context) (*view, error) {
	number, epoch, began, old := l.looks.Add(1), l.epoch.Load(), l.Now(), l.seen.Load()
	if old == nil {
		old = &view{}
	}
	for missing := ""; ; {
		c, _, err := l.read(ctx)
		if err != nil {
			return nil, err
		}
		v, err := l.refresh(ctx, old, c, began)
		if errors.Is(err, index.ErrNotFound) && c.Live != missing {
			missing = c.Live // perhaps another one has become live, and this one was deleted
			continue
		}
		v.number, v.epoch, v.err = number, epoch, l.lost(c.Live, err)
		if errors.Is(err, index.ErrNotFound) {
			v.compared, v.differs = time.Time{}, nil
		}
		if v.err == nil || errors.Is(v.err, index.ErrLost) {
			l.show(v)
		}
		return v, nil
	}
}

// lost returns why there is no live generation, for an operator.
func (l *Lifecycle) lost(live string, err error) error {
	switch {
	case errors.Is(err, index.ErrChanged):
		return fmt.Errorf("%w: %w: %s", index.ErrLost, err, Repair)
	case errors.Is(err, index.ErrNotFound):
		return fmt.Errorf("%w: %s is missing: put it back, %s", index.ErrLost, l.storage.Location(live), Repair)
	case err != nil:
		return fmt.Errorf("looking which generation is live: %w", err)
	}
	return nil
}

// show makes v the view that callers get, unless a newer one is.
func (l *Lifecycle) show(v *view) {
	for {
		shown := l.seen.Load()
		if shown != nil && shown.number > v.number {
			return
		}
		if l.seen.CompareAndSwap(shown, v) {
			if shown != nil && shown.live != v.live && index.DamageOf(shown.live) != nil {
				l.pins.add(shown.live, v.began)
			}
			l.pins.tidy(&v.Catalog, v.began)
			return
		}
	}
}

// refresh returns the view of catalog c after an old one. The Reader stays the same while its
// generation is live and stored, so that its caches last. Now and then that generation is compared
// with the sealed one. The error says why there is no live generation.
func (l *Lifecycle) refresh(ctx context.Context, old *view, c Catalog, began time.Time) (*view, error) {
	v := &view{Catalog: c, began: began, live: old.live, compared: old.compared, differs: old.differs}
	switch {
	case c.Live != "":
	case c.Promoted || old.live != nil && old.live.Generation() != "":
		return v, index.ErrNotFound // the catalog was deleted
	default:
		v.live = index.Empty{}
		return v, nil
	}
	if err := l.reads(c.Live); err != nil {
		return v, err
	}
	reader := old.live
	if reader != nil && (reader.Generation() != c.Live || isGone(reader)) {
		reader = nil
	}
	r, err := l.storage.Reader(ctx, c.Live, reader)
	if err != nil {
		return v, err
	}
	if age := began.Sub(v.compared); r != old.live || age < 0 || age >= compareAfter {
		v.live, v.compared, v.differs = r, began, l.changed(ctx, c.find(c.Live))
	}
	return v, v.differs
}

// changed returns index.ErrChanged if a generation differs from its sealing. A failed read says
// nothing: searches show whether the engine responds.
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

const (
	// pinnedReaders is how many Readers of generations that requests pinned stay open: each may take
	// as much memory as that of the live one.
	pinnedReaders = 2
	// idleTime is how long one of them stays open without a request that pins its generation.
	idleTime = time.Minute
)

// pins are the Readers of generations that requests pinned. Those that met damage stay as long as
// their generations are kept, for Damaged.
type pins struct {
	mu     sync.Mutex
	pinned []pin // the one used last first
}

type pin struct {
	index.Reader
	used time.Time
}

// use returns the Reader of a generation; nil if there is none, or if it met damage: its file may
// have been replaced.
func (p *pins) use(name string, now time.Time) index.Reader {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.pinned, func(p pin) bool { return p.Generation() == name })
	if i < 0 || index.DamageOf(p.pinned[i].Reader) != nil {
		return nil
	}
	found := pin{p.pinned[i].Reader, now}
	p.pinned = slices.Insert(slices.Delete(p.pinned, i, i+1), 0, found)
	return found.Reader
}

// add puts r in the place of another Reader of its generation.
func (p *pins) add(r index.Reader, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pinned = slices.DeleteFunc(p.pinned, func(r2 pin) bool { return r2.Generation() == r.Generation() })
	p.pinned = slices.Insert(p.pinned, 0, pin{r, now})
}

// tidy lets go of Readers whose generations are deleted, that are idle, or that are too many. A
// Reader closes with the last request that uses it.
func (p *pins) tidy(c *Catalog, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	sound := 0
	p.pinned = slices.DeleteFunc(p.pinned, func(pinned pin) bool {
		if _, err := c.sealed(pinned.Generation()); err != nil {
			return true
		}
		if index.DamageOf(pinned.Reader) != nil {
			return false
		}
		sound++
		return sound > pinnedReaders || now.Sub(pinned.used) >= idleTime
	})
}

// damaged names the generations whose Readers met damage.
func (p *pins) damaged() (names []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, pinned := range p.pinned {
		if index.DamageOf(pinned.Reader) != nil {
			names = append(names, pinned.Generation())
		}
	}
	return names
}
