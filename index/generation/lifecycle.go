package generation

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"filings/index"
)

// Lifecycle decides about the generations of an index name, whatever engine stores them: which there are, which one is live,
// and who may change that. An engine embeds it into its Store. It is safe for concurrent use, and any number of processes may
// have one over the same storage.
type Lifecycle struct {
	Options
	storage Storage
	seen    atomic.Pointer[seen]
	flight  singleflight.Group
}

// Options of a Lifecycle.
type Options struct {
	Index   string           // first part of the names of all generations
	Version int              // of the data that this program reads and writes: last part of their names
	Now     func() time.Time // the clock
	Log     *slog.Logger
	LiveFor time.Duration // how long the live generation is taken for granted; index.Engine promises a second
}

// New returns the lifecycle of what is stored there. It sends nothing.
func New(storage Storage, o Options) *Lifecycle { return &Lifecycle{Options: o, storage: storage} }

// read reads the catalog, and its document. Where there is none, what is stored says what there is.
func (l *Lifecycle) read(ctx context.Context) (c Catalog, d Document, err error) {
	if d, err = l.storage.Load(ctx); err != nil {
		return c, d, fmt.Errorf("reading the catalog of generations: %w", err)
	}
	if d.Revision == "" {
		parts, err := l.storage.Parts(ctx, false)
		if err != nil {
			return c, d, fmt.Errorf("listing what is stored: %w", err)
		}
		if c = adopted(parts, l.Version); !c.Promoted {
			return c, d, nil
		}
		// The first load may have begun and sealed its generation between the two looks.
		if d, err = l.storage.Load(ctx); err != nil || d.Revision == "" {
			return c, d, err
		}
	}
	c, err = parseCatalog(d.Body)
	return c, d, err
}

// updateTries is how often a change of the catalog is tried against others who change it meanwhile. One of them succeeds each
// time, and holders of the lock but renew it.
const updateTries = 5

// update changes the catalog in one step: do is applied to what it says, and again if it says something else by then. An
// error of do changes nothing. again says that an earlier change may have been carried out: its response did not come.
func (l *Lifecycle) update(ctx context.Context, do func(c *Catalog, again bool) error) error {
	again := false
	return l.storage.Retry(ctx, func(ctx context.Context) error {
		return l.tryUpdate(ctx, func(c *Catalog) error { return do(c, again) }, &again)
	})
}

// tryUpdate is update without a second attempt after a failure. It sets unsure if it may have changed the catalog all the same.
func (l *Lifecycle) tryUpdate(ctx context.Context, do func(c *Catalog) error, unsure *bool) (err error) {
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
		if err = l.storage.Replace(ctx, d); !errors.Is(err, ErrStale) {
			*unsure = *unsure || err != nil
			return err
		}
	}
	return fmt.Errorf("changing the catalog of generations: tried %d times: %w", updateTries, err)
}

// Generations lists all generations, the newest first, unsealed ones included, and what is stored that the catalog does not
// know. What an operator deleted is not listed.
func (l *Lifecycle) Generations(ctx context.Context) ([]Info, error) {
	all, err := l.list(ctx, true)
	if err != nil {
		return nil, fmt.Errorf("listing generations: %w", err)
	}
	return all, nil
}

// Kept implements index.Engine.
func (l *Lifecycle) Kept(ctx context.Context) (kept []index.Generation, err error) {
	all, err := l.list(ctx, false)
	if err != nil {
		return nil, fmt.Errorf("listing generations: %w", err)
	}
	for _, g := range all {
		if g.Sealed && g.Damaged == nil && readable(g.Name, l.Version) == nil {
			kept = append(kept, index.Generation{Name: g.Name, CreatedAt: g.CreatedAt, Filings: g.Filings, Live: g.Live})
		}
	}
	return kept, nil
}

func (l *Lifecycle) list(ctx context.Context, measure bool) (all []Info, err error) {
	// Parts come first: what is begun between the two looks does not appear as something that the catalog does not know.
	parts, err := l.storage.Parts(ctx, measure)
	if err != nil {
		return nil, err
	}
	c, _, err := l.read(ctx)
	if err != nil {
		return nil, err
	}
	for _, p := range parts {
		created, ok := ParseName(l.Index, p.Generation)
		e := c.find(p.Generation)
		if p.Kind != FilingsPart || !ok || e != nil && e.State == Tombstoned {
			continue
		}
		g := Info{Name: p.Generation, CreatedAt: created, Filings: p.Filings, Bytes: p.Bytes, Damaged: p.Damaged}
		if e != nil && e.State == Sealed {
			g.Sealed, g.Live = true, e.Name == c.Live
			g.Counts = e.Counts
			if g.Filings = e.Filings; g.Damaged != nil && !errors.Is(g.Damaged, index.ErrChanged) {
				g.Filings = 0
			}
		}
		all = append(all, g)
	}
	slices.SortFunc(all, func(a, b Info) int { return strings.Compare(b.Name, a.Name) })
	return all, nil
}

// Open returns a Reader of a sealed generation, or index.ErrNotFound; index.ErrChanged if it is not what was sealed.
func (l *Lifecycle) Open(ctx context.Context, name string) (r index.Reader, err error) {
	defer wrap(&err, "opening "+name)
	c, _, err := l.read(ctx)
	if err != nil {
		return nil, err
	}
	e, err := c.sealed(name)
	if err == nil {
		err = readable(name, l.Version)
	}
	if err == nil {
		r, err = l.storage.Reader(ctx, name, nil)
	}
	if err == nil {
		err = l.changed(ctx, e)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// Changesets implements index.History.
func (l *Lifecycle) Changesets(ctx context.Context) ([]index.Changeset, error) {
	c, _, err := l.read(ctx)
	return c.changesets(), err
}

// HaveChanges returns index.ErrGone unless the changesets of all these generations are kept. It reads the catalog only if
// what Live has read of it does not say so.
func (l *Lifecycle) HaveChanges(ctx context.Context, names []string) error {
	kept := func(changesets []index.Changeset) bool {
		return !slices.ContainsFunc(names, func(name string) bool {
			return !slices.ContainsFunc(changesets, func(s index.Changeset) bool { return s.Generation == name })
		})
	}
	if k := l.seen.Load(); k != nil && kept(k.changesets) {
		return nil
	}
	changesets, err := l.Changesets(ctx)
	if err == nil && !kept(changesets) {
		err = fmt.Errorf("changes: %w", index.ErrGone)
	}
	return err
}

// Swap makes the sealed generation `to` live in one step, if `from` is live ("" for none). Else it changes nothing and
// returns ErrConflict.
func (l *Lifecycle) Swap(ctx context.Context, from, to string) error {
	return l.swap(ctx, from, to, func(*Catalog) error { return nil })
}

// swap is Swap on a condition. That change of the catalog is what makes the generation live; its public name follows.
func (l *Lifecycle) swap(ctx context.Context, from, to string, condition func(*Catalog) error) error {
	parts, err := l.storage.Parts(ctx, false)
	if err != nil {
		return fmt.Errorf("listing what is stored: %w", err)
	}
	err = l.update(ctx, func(c *Catalog, again bool) error {
		if again && c.Live == to {
			return nil
		}
		if err := condition(c); err != nil {
			return err
		}
		if err := c.swap(from, to, parts); err != nil {
			return err
		}
		return readable(to, l.Version)
	})
	l.LookAgain()
	if err != nil {
		return fmt.Errorf("making %s live: %w", to, err)
	}
	if err := l.publish(ctx); err != nil {
		l.Log.WarnContext(ctx, "the generation is live, and its public name is behind: the next load or rollback repairs it", "generation", to, "error", err)
	}
	return nil
}

// publish makes the public name lead to what is live, whoever else does so meanwhile.
func (l *Lifecycle) publish(ctx context.Context) error {
	for range publishTries {
		c, _, err := l.read(ctx)
		if err == nil {
			err = l.storage.Publish(ctx, c.Live)
		}
		if errors.Is(err, ErrStale) {
			continue
		}
		after, _, err2 := l.read(ctx)
		if err = errors.Join(err, err2); err != nil || after.Live == c.Live {
			return err
		}
	}
	return fmt.Errorf("where the public name of the live generation leads has changed %d times: %w", publishTries, ErrStale)
}

// publishTries is more often than anybody makes another generation live at the same moment.
const publishTries = 5
