package reindexer

import (
	"context"
	"fmt"

	"filings/index"
	"filings/index/generation"
)

// load reads all sources into build, or only counts what that would do if build is nil.
func (r *running) load(ctx context.Context, live index.Reader, build generation.Build) error {
	fill, err := r.filler(ctx, live)
	if err != nil {
		return err
	}
	r.enter(PhaseLoading)
	err = r.pump(ctx, fill, build)
	r.count()
	if closing := r.rejects.close(); err == nil {
		err = closing
	}
	if err == nil && r.tooMany() {
		err = fmt.Errorf("%w: %d of %d; at most %d are allowed", ErrRejected,
			r.report.Rejected, r.report.Read, r.cfg.MaxRejects)
	}
	if err == nil {
		err = fill.finish(ctx)
	}
	return err
}

func (r *running) filler(ctx context.Context, live index.Reader) (_ filler, err error) {
	if !r.cfg.Update {
		return &full{state: r.state, expect: r.expect}, nil
	}
	r.expect.tally, err = tallyOf(ctx, live)
	return newUpdate(r.state, r.expect, live), err
}

// reject takes note of a reject.
func (r *running) reject(reject Reject) error {
	r.state.rejected.Add(1)
	return r.rejects.add(reject)
}

func (r *running) tooMany() bool { return r.state.rejected.Load() > int64(r.cfg.MaxRejects) }

// count puts the counts of the reading, which has ended, into the report.
func (r *running) count() {
	s := r.state
	r.report.Read, r.report.Rejected = r.reading.read.Load(), s.rejected.Load()
	r.report.Indexed, r.report.Updated = s.indexed.Load(), s.updated.Load()
	r.report.Deleted, r.report.Missing = s.deleted.Load(), s.missing.Load()
	r.report.Rounded, r.report.IgnoredFields = r.reading.rounded, r.reading.ignored
	r.report.Filings = r.expect.tally.Filings
}

// guard is the shrink guard (rule L10). It compares what the generation will hold, which verification makes sure of, so
// that nobody waits for the sealing of a generation that is refused.
func (r *running) guard(ctx context.Context, live index.Reader) error {
	now, err := live.Count(ctx, index.Filter{})
	if err != nil {
		return fmt.Errorf("counting the live filings: %w", err)
	}
	gone := now - r.expect.tally.Filings
	if float64(gone)*100 <= r.cfg.MaxShrink*float64(now) {
		return nil
	}
	return fmt.Errorf("%w: %d instead of %d, which is %.1f %% fewer; at most %v %% are allowed (--max-shrink)",
		ErrShrunk, r.expect.tally.Filings, now, float64(gone)*100/float64(now), r.cfg.MaxShrink)
}

// dryRun reads everything and builds nothing.
func (r *running) dryRun(ctx context.Context) error {
	beating, stop := r.heart.beat(ctx)
	defer stop()
	var live index.Reader = index.Empty{}
	if r.cfg.Update {
		var err error
		if live, err = r.liveReader(beating); err != nil {
			return err
		}
	}
	return r.load(beating, live, nil)
}
