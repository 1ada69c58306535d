package indextest

import (
	"context"
	"fmt"

	"filings/index"
	"filings/index/changes"
)

// Copy is what a client has of the filings, which it keeps as they are by changes (rule X18).
type Copy struct {
	Where   index.Filter
	Tier    index.Tier
	Since   string           // the public id of the generation that it is of
	Records map[int64]string // by id, as the tier sees them
}

// Export makes c a new copy of the generation with that public id, which has these filings.
func (c *Copy) Export(generation string, filings []*index.Filing) {
	c.Since, c.Records = generation, c.fresh(filings)
}

func (c *Copy) fresh(filings []*index.Filing) map[int64]string {
	records := map[int64]string{}
	for _, f := range filings {
		if e := NewEntry(f); e.matches(c.Where) {
			records[f.ID] = Seen(f, c.Tier)
		}
	}
	return records
}

// Diff says where c is not what a fresh export of these filings gives; "": nowhere.
func (c *Copy) Diff(filings []*index.Filing) string {
	fresh := c.fresh(filings)
	for id, want := range fresh {
		if got := c.Records[id]; got != want {
			return fmt.Sprintf("filing %d\nwant %q\ngot  %q", id, want, got)
		}
	}
	for id := range c.Records {
		if _, ok := fresh[id]; !ok {
			return fmt.Sprintf("filing %d should have been removed", id)
		}
	}
	return ""
}

// Follow brings c to a generation by pages of a limit. It fails with index.ErrGone where c has to be exported anew, and
// where a change is none, or not in order.
func (c *Copy) Follow(ctx context.Context, h index.History, until string, limit int) error {
	if c.Since == until {
		return nil
	}
	changesets, err := h.Changesets(ctx)
	if err != nil {
		return err
	}
	path, ok := changes.Find(changesets, c.Since, until)
	if !ok {
		return index.ErrGone
	}
	q := changes.Query{Where: c.Where, Tier: c.Tier, Limit: limit}
	for last := int64(0); ; {
		page, err := changes.Read(ctx, h, path, q)
		if err != nil {
			return err
		}
		if len(page.Changes) == 0 && q.LastID != 0 { // there is no filter here that leaves out so many that a page has none
			return fmt.Errorf("a page said that there is more after %d, and there is none", q.LastID)
		}
		if len(page.Changes) > limit {
			return fmt.Errorf("%d changes, want at most %d", len(page.Changes), limit)
		}
		for _, change := range page.Changes {
			if change.ID <= last {
				return fmt.Errorf("%d comes after %d", change.ID, last)
			}
			last = change.ID
			if err := c.Apply(change); err != nil {
				return err
			}
		}
		if page.End == 0 {
			c.Since = until
			return nil
		}
		if page.End < last || page.End <= q.LastID {
			return fmt.Errorf("the page after %d ends at %d, with %d on it", q.LastID, page.End, last)
		}
		q.LastID = page.End
	}
}

// Apply applies a change, which must be one: what is added was not there, what is changed differs.
func (c *Copy) Apply(change changes.Change) error {
	had, ok := c.Records[change.ID]
	if ok == (change.Op == changes.Added) || ok && had == string(change.Filing) {
		return fmt.Errorf("%d is %s, and the copy has %q", change.ID, change.Op, had)
	}
	if change.Op == changes.Removed {
		delete(c.Records, change.ID)
		return nil
	}
	c.Records[change.ID] = string(change.Filing)
	return nil
}
