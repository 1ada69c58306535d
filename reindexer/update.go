package reindexer

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"
	"unique"

	"filings/index"
	"filings/index/generation"
	"filings/reindexer/record"
	"filings/reindexer/sieve"
)

// update applies changes to a copy of the live generation.
type update struct {
	run  *running
	live index.Reader
	// now has what the new generation holds under each id that was named so far.
	now map[int64]held
}

// held is the part of a filing that a checksum counts, and when it was added; its zero value is no filing.
type held struct {
	there         bool
	replaced      bool  // of a county that is replaced, and not named yet
	named         bool  // by a record before: added says when it was added, in microseconds
	added         int64 // of a filing that is there
	values        index.Held
	county, month unique.Handle[string]
	live          unique.Handle[string] // its county in the live generation; the zero one: it is not there
	amounts       bool
	amount        float64
}

func heldOf(f *index.Filing) held {
	h := held{there: true, values: index.HeldOf(f), county: unique.Make(f.Text(index.County))}
	date := f.Text(index.FilingDate)
	h.month = unique.Make(date[:min(7, len(date))])
	h.amount, h.amounts = f.Number(index.FilingAmount)
	return h
}

// filing returns a filing that counts as the one that h was made of.
func (h held) filing() *index.Filing {
	f := new(index.Filing)
	f.SetText(index.County, h.county.Value())
	f.SetText(index.FilingDate, h.month.Value())
	if h.amounts {
		f.SetNumber(index.FilingAmount, h.amount)
	}
	return f
}

// newUpdate expects the copy to hold what is live.
func newUpdate(ctx context.Context, r *running, live index.Reader) (*update, error) {
	checksum, err := generation.ChecksumOf(ctx, live)
	if err != nil {
		return nil, fmt.Errorf("counting the live filings: %w", err)
	}
	r.expect.checksum = checksum
	if r.live != nil {
		r.figures = r.live.clone()
	}
	maps.Copy(r.loaded, r.liveLoaded)
	if !r.cfg.DryRun {
		r.values = r.liveValues
	}
	u := &update{run: r, live: live, now: map[int64]held{}}
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

// lookUp finds out what the live generation holds under the ids that were not named before.
func (u *update) lookUp(ctx context.Context, batch []change) error {
	var ids []int64
	for i := range batch {
		id := batch[i].filing.ID
		if _, known := u.now[id]; !known {
			u.now[id] = held{}
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 || u.live.Generation() == "" {
		return nil
	}
	records, err := u.live.Filings(ctx, ids)
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
		h := heldOf(f)
		h.live = h.county
		u.now[ids[i]] = h
	}
	return nil
}

func (u *update) change(ctx context.Context, c *change, build generation.Build) error {
	f, r := &c.filing, u.run
	was := u.now[f.ID]
	if err := u.setAdded(ctx, c, was); err != nil {
		return err
	}
	if was.there {
		r.expect.checksum.Remove(was.filing())
		r.count(was.county.Value(), was.values, -1)
		if !was.named { // it is live
			r.exempt(was, c.withheld)
		}
	}
	gone := c.deleted || c.withheld == sieve.Whole
	switch {
	case c.withheld == sieve.Whole:
		r.withheld.Add(1)
	case c.deleted && was.there:
		r.deleted.Add(1)
	case c.deleted:
		r.missing.Add(1)
	case was.there:
		r.updated.Add(1)
	default:
		r.indexed.Add(1)
	}
	switch {
	case gone && !was.there:
		return nil
	case gone:
		u.now[f.ID] = held{named: true, live: was.live}
		r.expect.sample.offer(f.ID, nil)
		if build == nil || r.tooMany() {
			return nil
		}
		return build.Remove(ctx, f.ID)
	}
	now := heldOf(f)
	now.named, now.added, now.live = true, f.CreatedAt.UnixMicro(), was.live
	u.now[f.ID] = now
	return r.put(ctx, f, build)
}

// countMoves counts the filings whose county is another one than in the live generation, however many records have led there.
func (u *update) countMoves() {
	var none unique.Handle[string]
	var ids []int64
	for id, h := range u.now {
		if h.there && h.live != none && h.live != h.county && index.Fold(h.live.Value()) != index.Fold(h.county.Value()) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	u.run.moves = len(ids)
	for _, id := range ids[:min(len(ids), shownRefusals)] {
		h := u.now[id]
		u.run.moved = append(u.run.moved, fmt.Sprintf("%d of %s comes as one of %s", id, h.live.Value(), h.county.Value()))
	}
}

// setAdded gives a record that does not say when it was added what an earlier record of this update did, or else the live
// generation; a filing that this update deleted before is new.
func (u *update) setAdded(ctx context.Context, c *change, was held) error {
	switch f := &c.filing; {
	case c.deleted || c.withheld == sieve.Whole || f.Has(index.CreatedAt):
		return nil
	case was.named && was.there:
		f.CreatedAt = time.UnixMicro(was.added).UTC()
	case was.named:
		f.CreatedAt = u.run.newlyAdded()
	default:
		return u.run.setAdded(ctx, f)
	}
	return nil
}

const (
	// untouchedPages and untouchedRows are how many pages of how many filings are taken from the live generation.
	untouchedPages, untouchedRows = 5, 20
)

// sampleUntouched adds filings to the sample that the update did not name and that must therefore be as they were.
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
				u.run.expect.sample.add(f.ID, slices.Clone(row))
			}
		}
	}
	return nil
}

// takenAtOnce is how many filings are looked up at once that are taken out.
const takenAtOnce = 256

// takeOut applies to the copy what is withheld of the live generation. That is no load of a county.
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
