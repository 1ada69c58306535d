package reindexer

import (
	"context"
	"fmt"
	"iter"

	"filings/index"
	"filings/index/sidecar"
)

// compare returns the differences of the live filings and a load's. untouched: filings that the
// load does not name stay.
func compare(
	ctx context.Context, live iter.Seq2[index.Fingerprint, error], load *sidecar.Actions, untouched bool,
) (*sidecar.Differences, error) {
	d := new(sidecar.Differences)
	for pair, err := range sidecar.Merge(live, load.Last(ctx)) {
		old, updated := pair[0], pair[1]
		switch {
		case err != nil:
			return nil, err
		case updated.ID == 0 && untouched:
			continue
		case sidecar.Removes(updated):
			updated = index.Fingerprint{}
		}
		d.Note(old, updated)
	}
	return d, nil
}

// wouldChange works out the changes of a dry run's load (rule X41).
func (r *running) wouldChange(ctx context.Context) error {
	d, err := compare(ctx, r.fingerprints(ctx), r.preview, r.cfg.Update)
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
	r.counties = byCounty(d)
	return nil
}
