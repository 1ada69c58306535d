package generation

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"filings/index"
	"filings/index/sidecar"
)

// Generations lists all stored generations, the newest first: also the unsealed, and the ones that
// the catalog does not know.
func (l *Lifecycle) Generations(ctx context.Context) ([]Info, error) {
	// Parts come first: otherwise a generation that is begun between the two looks would seem unknown
	// to the catalog.
	parts, err := l.storage.Parts(ctx, true)
	if err != nil {
		return nil, fmt.Errorf("listing generations: %w", err)
	}
	c, _, err := l.read(ctx)
	if err != nil {
		return nil, fmt.Errorf("listing generations: %w", err)
	}
	return l.list(parts, &c), nil
}

// Live returns a Reader of the live generation, the same one while it stays live, so its cache
// lasts. It returns index.ErrLost if none is live or stored, although one was live before.
func (l *Lifecycle) Live(ctx context.Context) (index.Reader, error) {
	v, err := l.view(ctx, 0)
	if err == nil {
		err = v.err
	}
	if err != nil {
		return nil, err
	}
	return v.live, nil
}

// Kept implements index.Engine.
func (l *Lifecycle) Kept(ctx context.Context, id string) ([]index.Generation, error) {
	_, k, err := l.kept(ctx, id)
	if err != nil {
		return nil, err
	}
	return k.list, nil
}

// kept returns the kept generations of a view. It is a newer view if id is newer than all of them:
// that generation may have come since.
func (l *Lifecycle) kept(ctx context.Context, id string) (*view, *kept, error) {
	for seen := uint64(0); ; seen = l.looks.Load() {
		v, err := l.view(ctx, seen)
		if err != nil {
			return nil, nil, err
		}
		k := v.kept.Load()
		if k == nil {
			response := l.join(ctx, "kept "+strconv.FormatUint(v.number, 10), func(ctx context.Context) (any, error) {
				return l.listKept(ctx, v)
			})
			if k, err = wait[*kept](ctx, response); err != nil {
				return nil, nil, fmt.Errorf("listing generations: %w", err)
			}
		}
		if seen > 0 || id == "" || len(k.ids) > 0 && id <= k.ids[0] {
			return v, k, nil
		}
	}
}

// listKept lists the kept generations of v that are stored. If the live one is not, the next caller
// looks again.
func (l *Lifecycle) listKept(ctx context.Context, v *view) (*kept, error) {
	parts, err := l.storage.Parts(ctx, false)
	if err != nil {
		return nil, err
	}
	k := &kept{}
	for _, info := range l.list(parts, &v.Catalog) {
		if info.Sealed && info.Damaged == nil && l.reads(info.Name) == nil {
			g := index.Generation{
				Name: info.Name, CreatedAt: info.CreatedAt, Filings: info.Filings, Live: info.Live,
				Values: info.Values, Fresh: info.Fresh,
			}
			k.list, k.ids = append(k.list, g), append(k.ids, g.ID())
		}
	}
	if v.err == nil && v.Live != "" && !stored(parts, v.Live) {
		l.LookAgain()
	}
	v.kept.Store(k)
	return k, nil
}

// list describes the generations of which parts are stored.
func (l *Lifecycle) list(parts []Part, c *Catalog) (infos []Info) {
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
		infos = append(infos, g)
	}
	slices.SortFunc(infos, func(a, b Info) int { return strings.Compare(b.Name, a.Name) })
	return infos
}

// Pin implements index.Engine.
func (l *Lifecycle) Pin(ctx context.Context, id string) (index.Reader, error) {
	v, k, err := l.kept(ctx, id)
	if err != nil {
		return nil, err
	}
	i := slices.Index(k.ids, id)
	if i < 0 {
		return nil, fmt.Errorf("generation %s: %w", id, index.ErrGone)
	}
	name := k.list[i].Name
	switch {
	case name != v.Live:
	case v.err == nil:
		return v.live, nil
	case errors.Is(v.err, index.ErrChanged):
		return nil, v.err
	}
	if r := l.pins.use(name, l.Now()); r != nil {
		return r, nil
	}
	r, err := wait[index.Reader](ctx, l.join(ctx, "open "+name, func(ctx context.Context) (any, error) {
		r, err := l.open(ctx, &v.Catalog, name)
		if err == nil {
			now := l.Now()
			l.pins.add(r, now)
			l.pins.tidy(&v.Catalog, now)
		}
		return r, err
	}))
	if errors.Is(err, index.ErrNotFound) {
		err = fmt.Errorf("generation %s: %w: %w", id, index.ErrGone, err)
	}
	return r, err
}

// Open returns a Reader of a sealed generation, or index.ErrNotFound; index.ErrChanged if it was
// altered since.
func (l *Lifecycle) Open(ctx context.Context, name string) (index.Reader, error) {
	c, _, err := l.read(ctx)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", name, err)
	}
	return l.open(ctx, &c, name)
}

func (l *Lifecycle) open(ctx context.Context, c *Catalog, name string) (r index.Reader, err error) {
	defer index.Wrap(&err, "opening "+name)
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

// Damaged returns how many kept generations, the live one aside, calls have met damage in. Mostly
// there is none, and nothing is read.
func (l *Lifecycle) Damaged(ctx context.Context) (n int, err error) {
	names := l.pins.damaged()
	if names == nil {
		return 0, nil
	}
	_, k, err := l.kept(ctx, "")
	if err != nil {
		return 0, err
	}
	for _, g := range k.list {
		if !g.Live && slices.Contains(names, g.Name) {
			n++
		}
	}
	return n, nil
}

// Withdrawn implements index.Engine.
func (l *Lifecycle) Withdrawn(ctx context.Context, name string) (bool, error) {
	v, err := l.view(ctx, 0)
	if err != nil || name == "" || name > v.Purged {
		return false, err
	}
	e := v.find(name)
	return e == nil || e.State == Tombstoned, nil
}

// Changesets implements index.History.
func (l *Lifecycle) Changesets(ctx context.Context) ([]index.Changeset, error) {
	v, err := l.view(ctx, 0)
	if err != nil {
		return nil, err
	}
	return v.changesets(), nil
}

// Changes implements index.History.
func (l *Lifecycle) Changes(ctx context.Context, q index.ChangeQuery) (page index.ChangePage, err error) {
	defer index.Wrap(&err, "reading changes")
	for seen, missing := uint64(0), true; missing; seen = l.looks.Load() {
		v, err := l.view(ctx, seen)
		if err != nil {
			return page, err
		}
		missing = slices.ContainsFunc(q.Generations, func(name string) bool {
			e := v.find(name)
			return e == nil || !e.Promoted || e.Changes == nil
		})
		if missing && seen > 0 { // else they may have come since
			return page, index.ErrGone
		}
	}
	return sidecar.Page(ctx, l.storage, l.Cache, q)
}

// Sidecar returns the sidecar of a sealed generation.
func (l *Lifecycle) Sidecar(name string) sidecar.Source { return l.storage.Sidecar(name, sidecar.Kept) }

// Fingerprints implements Store.
func (l *Lifecycle) Fingerprints(ctx context.Context, name string) iter.Seq2[index.Fingerprint, error] {
	return sidecar.Fingerprints(ctx, l.Sidecar(name))
}

// Stored implements Store.
func (l *Lifecycle) Stored(ctx context.Context, name string) iter.Seq2[index.Stored, error] {
	return l.storage.Stored(ctx, name)
}
