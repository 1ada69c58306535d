package reindexer

import (
	"context"
	"fmt"
	"slices"
	"unique"

	"filings/index"
	"filings/index/generation"
)

// update fills a copy of the live generation with changes.
type update struct {
	state  *state
	expect *expectation
	live   index.Reader
	// now has what the new generation holds under each id that was named so far.
	now map[int64]held
}

// held is the part of a filing that a tally counts; its zero value is no filing.
type held struct {
	there         bool
	county, month unique.Handle[string]
	amounts       bool
	amount        float64
}

func newUpdate(s *state, e *expectation, live index.Reader) *update {
	return &update{state: s, expect: e, live: live, now: map[int64]held{}}
}

func heldOf(f *index.Filing) held {
	h := held{there: true, county: unique.Make(f.Text(index.County))}
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

func (u *update) apply(ctx context.Context, changes []change, build generation.Build) error {
	if err := u.lookUp(ctx, changes); err != nil {
		return err
	}
	for i := range changes {
		c := &changes[i]
		was := u.now[c.filing.ID]
		if was.there {
			u.expect.tally.Remove(was.filing())
		}
		if err := u.change(ctx, c, was, build); err != nil {
			return err
		}
	}
	return nil
}

// change applies one change to a filing that, if it was there, is out of the tally already.
func (u *update) change(ctx context.Context, c *change, was held, build generation.Build) error {
	f := &c.filing
	switch {
	case c.deleted && !was.there:
		u.state.missing.Add(1)
		return nil
	case c.deleted:
		u.state.deleted.Add(1)
		u.now[f.ID] = held{}
		u.expect.sample.offer(f.ID, nil)
		if build == nil {
			return nil
		}
		return build.Remove(ctx, f.ID)
	case was.there:
		u.state.updated.Add(1)
	default:
		u.state.indexed.Add(1)
	}
	u.now[f.ID] = heldOf(f)
	u.expect.add(f)
	if build == nil {
		return nil
	}
	return build.Put(ctx, f)
}

// lookUp finds out what the live generation holds under the ids that were not named before.
func (u *update) lookUp(ctx context.Context, changes []change) error {
	var ids []int64
	for i := range changes {
		id := changes[i].filing.ID
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
	for i, record := range records {
		if record == nil {
			continue
		}
		if u.now[ids[i]], err = heldIn(record); err != nil {
			return err
		}
	}
	return nil
}

const (
	// untouchedPages and untouchedRows are how many pages of how many filings are taken from the live generation.
	untouchedPages, untouchedRows = 5, 20
)

// finish adds filings to the sample that the update did not name and that must therefore be as they were.
func (u *update) finish(ctx context.Context) error {
	total, err := u.live.Count(ctx, index.Filter{})
	if err != nil {
		return fmt.Errorf("counting the live filings: %w", err)
	}
	for page := range int64(untouchedPages) {
		rows, err := u.live.Rows(ctx, index.Query{
			Sort: index.DefaultSort, Offset: int(total * page / untouchedPages), Limit: untouchedRows,
		})
		if err != nil {
			return fmt.Errorf("reading live filings: %w", err)
		}
		for _, row := range rows {
			f, err := filingOf(row)
			if err != nil {
				return err
			}
			if _, named := u.now[f.ID]; !named {
				u.expect.sample.add(f.ID, slices.Clone(row))
			}
		}
	}
	return nil
}

// heldIn returns what a record of an engine counts as.
func heldIn(text index.Record) (held, error) {
	f, err := filingOf(text)
	if err != nil {
		return held{}, err
	}
	return heldOf(f), nil
}

// filingOf reads a record of an engine, which has the form of a load.
func filingOf(text index.Record) (*index.Filing, error) {
	f := new(index.Filing)
	r := record{rules: &rules{ignore: func(string) {}}}
	r.begin(0, string(text), f)
	_ = r.readJSON() // noted in r
	if r.reason != "" {
		return nil, fmt.Errorf("filing %d, as the store has it, cannot be read: %s %s", f.ID, r.field, r.reason)
	}
	return f, nil
}
