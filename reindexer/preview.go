package reindexer

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"filings/index"
	"filings/index/sidecar"
)

// compare returns the differences of what is live and what a load makes of it, and counts the filings that are
// added and changed by county. untouched: filings that the load does not name stay.
func compare(
	ctx context.Context, live iter.Seq2[index.Fingerprint, error], load *sidecar.Actions, untouched bool,
) (*sidecar.Differences, map[string]*Changes, error) {
	d, counties := new(sidecar.Differences), map[string]*Changes{}
	for pair, err := range sidecar.Merge(live, load.Last(ctx)) {
		before, after := pair[0], pair[1]
		switch {
		case err != nil:
			return nil, nil, err
		case after.ID == 0 && untouched:
			continue
		case sidecar.Removes(after):
			after = index.Fingerprint{}
		}
		was := *d
		if d.Note(before, after); after.ID == 0 || len(d.List) == len(was.List) {
			continue
		}
		county := counties[after.Facts.County]
		if county == nil {
			county = &Changes{}
			counties[strings.Clone(after.Facts.County)] = county
		}
		county.Added += d.Added - was.Added
		county.Changed += d.Changed - was.Changed
	}
	return d, counties, nil
}

// wouldChange works out what the load of a dry run would change (rule X41).
func (r *running) wouldChange(ctx context.Context, live index.Reader) error {
	d, counties, err := compare(ctx, r.fingerprints(ctx), r.preview, r.cfg.Update)
	if r.liveErr != nil { // its records may not be those that its fingerprints are of
		err = r.liveErr
	}
	switch {
	case r.liveErr != nil, r.noBaseline(err):
		r.warn("what would change is not known: %v", err)
		return nil
	case err != nil:
		return fmt.Errorf("working out what would change: %w", err)
	}
	r.changes = &Changes{d.Added, d.Changed, d.Removed}
	if err := r.countChanges(ctx, d, live, nil, counties); err != nil {
		r.warn("what would change was not counted by county: %v", err)
	}
	return nil
}
