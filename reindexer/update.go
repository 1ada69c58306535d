package reindexer

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"filings/index"
	"filings/index/generation"
	"filings/reindexer/record"
	"filings/reindexer/sieve"
)

// update applies changes to a copy of the live generation.
type update struct {
	run  *running
	live index.Reader
	// now has the filing of each id that was named so far, as the new generation has it.
	now map[int64]previous
}

// previous has the values that an update must subtract when it replaces or deletes a filing; the
// zero FilingValues for none.
type previous struct {
	index.FilingValues
	live     string // its county in the live generation; "": it is not there
	added    int64  // when it was, in microseconds, if named
	named    bool   // by a record before
	replaced bool   // of a county that is replaced, and not named yet
}

func (p previous) exists() bool { return p.Filled != 0 }

// liveFiling returns the previous of a filing in the live generation.
func liveFiling(f *index.Filing) previous {
	h := index.ValuesOf(f)
	return previous{FilingValues: h, live: h.County}
}

// newUpdate expects the copy to hold the live filings.
func newUpdate(ctx context.Context, r *running, live index.Reader) (*update, error) {
	counts, err := index.CountsOf(ctx, live)
	if err != nil {
		return nil, fmt.Errorf("counting the live filings: %w", err)
	}
	if r.liveCounts != nil {
		counts.SetFields(*r.liveCounts)
		*r.liveCounts = index.NewCounts()
		r.liveCounts.Add(counts, 1)
	}
	r.counts = counts
	for county, fresh := range r.live.Fresh {
		r.loaded[county] = fresh.Loaded
	}
	if !r.cfg.DryRun {
		r.values = r.live.Values
	}
	u := &update{run: r, live: live, now: map[int64]previous{}}
	return u, u.holdReplaced(ctx)
}

// apply applies changes in order.
func (u *update) apply(ctx context.Context, batch []change, build generation.Build) error {
	if err := u.lookUp(ctx, batch); err != nil {
		return err
	}
	for i := range batch {
		if err := u.change(ctx, &batch[i], build); err != nil {
			return err
		}
	}
	return nil
}

// lookUp reads the live filings of the ids that were not named before.
func (u *update) lookUp(ctx context.Context, batch []change) error {
	var ids []int64
	for i := range batch {
		id := batch[i].filing.ID
		if _, known := u.now[id]; !known {
			u.now[id] = previous{}
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 || u.live.Generation() == "" {
		return nil
	}
	var records []index.Record
	err := u.run.cfg.Store.Retry(ctx, func(ctx context.Context) (err error) {
		records, err = u.live.Filings(ctx, ids)
		return err
	})
	if err != nil {
		return fmt.Errorf("reading live filings: %w", err)
	}
	for i, text := range records {
		if text == nil {
			continue
		}
		f, err := record.Decode(text)
		if err != nil {
			return err
		}
		u.now[ids[i]] = liveFiling(f)
	}
	return nil
}

func (u *update) change(ctx context.Context, c *change, build generation.Build) error {
	f, r := &c.filing, u.run
	old := u.now[f.ID]
	if err := u.setAdded(ctx, c, old); err != nil {
		return err
	}
	if old.exists() {
		r.count(old.FilingValues, -1)
		if !old.named { // it is live
			r.exempt(old.FilingValues, c.withheld)
		}
	}
	gone := c.deleted || c.withheld == sieve.Whole
	switch {
	case c.withheld == sieve.Whole:
		r.withheld.Add(1)
	case c.deleted && old.exists():
		r.deleted.Add(1)
	case c.deleted:
		r.missing.Add(1)
	case old.exists():
		r.updated.Add(1)
	default:
		r.indexed.Add(1)
	}
	switch {
	case gone && !old.exists():
		return nil
	case gone:
		u.now[f.ID] = previous{named: true, live: old.live}
		r.sample.offer(f.ID, nil)
		if r.preview != nil {
			r.preview.Remove(f.ID)
			return nil
		}
		if !r.mayPromote(build) {
			return nil
		}
		return build.Remove(ctx, f.ID)
	}
	now := index.ValuesOf(f)
	u.now[f.ID] = previous{FilingValues: now, named: true, added: f.CreatedAt.UnixMicro(), live: old.live}
	return r.put(ctx, f, now, build)
}

// noteMoves notes the filings whose county is another one than in the live generation, however
// many records have led there.
func (u *update) noteMoves() {
	var ids []int64
	for id, p := range u.now {
		if p.exists() && p.live != "" && p.live != p.County && index.Fold(p.live) != index.Fold(p.County) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		u.run.moved = append(u.run.moved, fmt.Sprintf("%d of %s comes as one of %s", id, u.now[id].live, u.now[id].County))
	}
}

// setAdded gives a record that does not say when it was added the time of an earlier record of this
// update, or else of the live generation; a filing that this update deleted before is new.
func (u *update) setAdded(ctx context.Context, c *change, old previous) error {
	switch f := &c.filing; {
	case c.deleted || c.withheld == sieve.Whole || f.Has(index.CreatedAt):
		return nil
	case old.named && old.exists():
		f.CreatedAt = time.UnixMicro(old.added).UTC()
	case old.named:
		f.CreatedAt = u.run.newlyAdded()
	default:
		return u.run.setAdded(ctx, f)
	}
	return nil
}

// untouchedPages and untouchedRows are how many pages of how many live filings are taken.
const untouchedPages, untouchedRows = 5, 20

// sampleUntouched samples filings that the update did not name: they must be as they were.
func (u *update) sampleUntouched(ctx context.Context) error {
	total, err := u.live.Count(ctx, index.Filter{})
	if err != nil {
		return fmt.Errorf("counting the live filings: %w", err)
	}
	for n := range int64(untouchedPages) {
		page, err := u.live.Rows(ctx, index.Query{
			Sort: index.DefaultSort, Offset: int(total * n / untouchedPages), Limit: untouchedRows,
		})
		if err != nil {
			return fmt.Errorf("reading live filings: %w", err)
		}
		for _, row := range page.Records {
			f, err := record.Decode(row)
			if err != nil {
				return err
			}
			if _, named := u.now[f.ID]; !named {
				u.run.sample.add(f.ID, slices.Clone(row))
			}
		}
	}
	return nil
}

// takenAtOnce is how many filings are looked up at once that are taken out.
const takenAtOnce = 256

// takeOut takes withheld filings of the live generation out of the copy. That loads no county.
func (u *update) takeOut(ctx context.Context, build generation.Build) error {
	r := u.run
	if len(r.takes) == 0 {
		return nil
	}
	loaded := maps.Clone(r.loaded)
	if build != nil {
		build.Erase()
	}
	for batch := range slices.Chunk(r.takes, takenAtOnce) {
		r.sift(batch)
		if err := u.apply(ctx, batch, build); err != nil {
			return err
		}
	}
	r.loaded = loaded
	r.updated.Store(0)
	r.withheld.Store(0)
	r.contacts.Store(0)
	return nil
}
