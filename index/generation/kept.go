package generation

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"filings/index"
	"filings/index/sidecar"
)

// Generations lists all generations that are stored, the newest first, unsealed ones and those that
// the catalog does not know included.
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
		if g.Sealed && g.Damaged == nil && l.reads(g.Name) == nil {
			kept = append(kept, index.Generation{
				Name: g.Name, CreatedAt: g.CreatedAt, Filings: g.Filings, Live: g.Live,
				Values: g.Values, Fresh: g.Fresh,
			})
		}
	}
	return kept, nil
}

func (l *Lifecycle) list(ctx context.Context, measure bool) (all []Info, err error) {
	// Parts come first: else a generation that is begun between the two looks would seem unknown to
	// the catalog.
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
		if l.reads(g.Name) != nil {
			g.Damaged = nil // files of another version cannot be read here
		}
		if e != nil && e.State == Sealed {
			g.Sealed, g.Live = true, e.Name == c.Live
			g.Counts, g.Values, g.Fresh = e.Counts, e.Values, e.Fresh
			if d := e.Changes; d != nil && e.Promoted {
				g.Changes = &Changes{d.Added, d.Changed, d.Removed, d.Parent}
			}
			if g.Filings = e.Filings; g.Damaged != nil && !errors.Is(g.Damaged, index.ErrChanged) {
				g.Filings = 0
			}
		}
		all = append(all, g)
	}
	slices.SortFunc(all, func(a, b Info) int { return strings.Compare(b.Name, a.Name) })
	return all, nil
}

// Open returns a Reader of a sealed generation, or index.ErrNotFound; index.ErrChanged if it was
// altered since.
func (l *Lifecycle) Open(ctx context.Context, name string) (r index.Reader, err error) {
	defer index.Wrap(&err, "opening "+name)
	c, _, err := l.read(ctx)
	if err != nil {
		return nil, err
	}
	e, err := c.sealed(name)
	if err == nil {
		err = l.reads(name)
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

// haveChanges returns index.ErrGone unless the changesets of all these generations are kept. It
// reads the catalog only if the last look of Live does not say so.
func (l *Lifecycle) haveChanges(ctx context.Context, names []string) error {
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

// Changes implements index.History.
func (l *Lifecycle) Changes(ctx context.Context, q index.ChangeQuery) (page index.ChangePage, err error) {
	defer index.Wrap(&err, "reading changes")
	if err := l.haveChanges(ctx, q.Generations); err != nil {
		return page, err
	}
	return sidecar.Page(ctx, l.storage, l.Cache, q)
}

// Sidecar returns what stands beside a sealed generation.
func (l *Lifecycle) Sidecar(name string) sidecar.Source { return l.storage.Sidecar(name, sidecar.Kept) }

// Fingerprints implements Store.
func (l *Lifecycle) Fingerprints(ctx context.Context, name string) iter.Seq2[index.Fingerprint, error] {
	return sidecar.Fingerprints(ctx, l.Sidecar(name))
}

// Stored implements Store.
func (l *Lifecycle) Stored(ctx context.Context, name string) iter.Seq2[index.Stored, error] {
	return l.storage.Stored(ctx, name)
}
