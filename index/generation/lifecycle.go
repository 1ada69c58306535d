package generation

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"filings/index/cache"
	"filings/index/sidecar"
)

// Lifecycle decides about the generations of an index name, whatever engine stores them: which
// there are, which one is live, and who may change that. An engine embeds it into its Store. It is
// safe for concurrent use, and any number of processes may have one over the same storage.
type Lifecycle struct {
	Options
	storage Storage
	seen    atomic.Pointer[view] // the newest; nil before the first look
	looks   atomic.Uint64        // begun
	epoch   atomic.Uint64        // of LookAgain: views of an earlier one are too old
	flight  singleflight.Group
	pins    pins
	turn    chan struct{} // has an element while this process changes the catalog
}

// Options of a Lifecycle.
type Options struct {
	Index   string           // first part of the names of all generations
	Version int              // of the data that this program writes: last part of their names
	Now     func() time.Time // the clock
	Log     *slog.Logger
	LiveFor time.Duration // how long the live generation is taken for granted; index.Engine promises a second
	Cache   *cache.Cache  // for chunks of changesets
	// MostCopied is how many filings that differ a changeset has copies of; tests lower it.
	MostCopied int64
}

// New returns the lifecycle of the generations in storage. It sends nothing.
func New(storage Storage, o Options) *Lifecycle {
	o.MostCopied = sidecar.MostCopied
	return &Lifecycle{Options: o, storage: storage, turn: make(chan struct{}, 1)}
}

// reads returns ErrVersion for a generation that this program would misread.
func (o *Options) reads(name string) error {
	return readable(name, o.Version)
}

// read reads the catalog, and its document. If there is none, the stored parts stand for it.
func (l *Lifecycle) read(ctx context.Context) (c Catalog, d Document, err error) {
	if d, err = l.storage.Load(ctx, CatalogDocument); err != nil {
		return c, d, fmt.Errorf("reading the catalog of generations: %w", err)
	}
	if d.Revision == "" {
		parts, err := l.storage.Parts(ctx, false)
		if err != nil {
			return c, d, fmt.Errorf("listing what is stored: %w", err)
		}
		if c = adopted(parts, l.reads); !c.Promoted {
			return c, d, nil
		}
		// The first load may have begun and sealed its generation between the two looks.
		if d, err = l.storage.Load(ctx, CatalogDocument); err != nil || d.Revision == "" {
			return c, d, err
		}
	}
	c, err = parseCatalog(d.Body, l.storage.Location(""))
	return c, d, err
}

// Retry implements Store.
func (l *Lifecycle) Retry(ctx context.Context, try func(context.Context) error) error {
	return l.storage.Retry(ctx, try)
}

// updateTries is how often a change of the catalog is tried while other processes change it. One
// of them succeeds each time, and holders of the lock but renew it.
const updateTries = 5

// update changes the catalog in one step: do is applied to it, and again if it was replaced since
// it was read. An error of do changes nothing. again says that an earlier change may have been
// carried out: its response did not come.
func (l *Lifecycle) update(ctx context.Context, do func(c *Catalog, again bool) error) error {
	again := false
	return l.storage.Retry(ctx, func(ctx context.Context) error {
		return l.tryUpdate(ctx, func(c *Catalog) error { return do(c, again) }, &again)
	})
}

// tryUpdate is update without a second attempt after a failure. It sets unsure if it may have
// changed the catalog all the same. Changes of one process take turns: on a slow engine, the
// renewals of a load would be in front of its other changes each time.
func (l *Lifecycle) tryUpdate(ctx context.Context, do func(c *Catalog) error, unsure *bool) (err error) {
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	for range updateTries {
		var c Catalog
		var d Document
		if c, d, err = l.read(ctx); err != nil {
			return err
		}
		if err = do(&c); err != nil {
			return err
		}
		body, err2 := json.Marshal(c)
		if err2 != nil || bytes.Equal(body, d.Body) {
			return err2
		}
		d.Body = body
		if err = l.storage.Replace(ctx, CatalogDocument, d); !errors.Is(err, ErrStale) {
			*unsure = *unsure || err != nil
			return err
		}
	}
	return fmt.Errorf("changing the catalog of generations: tried %d times: %w", updateTries, err)
}

// Swap makes the sealed generation `next` live in one step, if `current` is live ("" for none).
// Otherwise it changes nothing and returns ErrConflict.
func (l *Lifecycle) Swap(ctx context.Context, current, next string) error {
	return l.swap(ctx, current, next, func(*Catalog) error { return nil })
}

// SwapAndHold implements Store.
func (l *Lifecycle) SwapAndHold(ctx context.Context, current, next, reason string) error {
	return l.swap(ctx, current, next, func(c *Catalog) error {
		c.Hold = &Hold{Reason: reason, Since: l.Now().UTC(), Live: next}
		return nil
	})
}

// Hold implements Store.
func (l *Lifecycle) Hold(ctx context.Context) (*Hold, error) {
	c, _, err := l.read(ctx)
	return c.Hold, err
}

// Release implements Store.
func (l *Lifecycle) Release(ctx context.Context) (released *Hold, err error) {
	err = l.update(ctx, func(c *Catalog, again bool) error {
		if !again || c.Hold != nil {
			released = c.Hold
		}
		c.Hold = nil
		return nil
	})
	return released, err
}

// swap is Swap on a condition. That change of the catalog makes the generation live; its public
// name follows.
func (l *Lifecycle) swap(ctx context.Context, current, next string, condition func(*Catalog) error) error {
	parts, err := l.storage.Parts(ctx, false)
	if err != nil {
		return fmt.Errorf("listing what is stored: %w", err)
	}
	err = l.update(ctx, func(c *Catalog, again bool) error {
		if again && c.Live == next {
			return nil
		}
		if err := condition(c); err != nil {
			return err
		}
		if err := c.swap(current, next, parts); err != nil {
			return err
		}
		return l.reads(next)
	})
	l.LookAgain()
	if err != nil {
		return fmt.Errorf("making %s live: %w", next, err)
	}
	if err := l.publish(ctx); err != nil {
		l.Log.WarnContext(ctx, "the generation is live, and its public name does not lead to it: "+
			"the next load or rollback repairs it", "generation", next, "error", err)
	}
	return nil
}

// publish makes the public name lead to the live generation, while other processes may do the same.
func (l *Lifecycle) publish(ctx context.Context) error {
	for range publishTries {
		c, _, err := l.read(ctx)
		if err == nil {
			err = l.storage.Publish(ctx, c.Live)
		}
		if errors.Is(err, ErrStale) {
			continue
		}
		now, _, err2 := l.read(ctx)
		if err = errors.Join(err, err2); err != nil || now.Live == c.Live {
			return err
		}
	}
	return fmt.Errorf("where the public name of the live generation leads has changed %d times: %w",
		publishTries, ErrStale)
}

// publishTries is more often than anybody makes another generation live at the same moment.
const publishTries = 5
