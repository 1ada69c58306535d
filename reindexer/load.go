package reindexer

import (
	"context"
	"fmt"

	"filings/index"
	"filings/index/generation"
)

// load reads all sources into build, or only counts what that would do if build is nil. Once there are more rejects than
// allowed, reading goes on to find all of them, but nothing is put into build any more.
func (r *running) load(ctx context.Context, live index.Reader, build generation.Build) error {
	var changes *update
	if r.cfg.Update {
		var err error
		if changes, err = newUpdate(ctx, r, live); err != nil {
			return err
		}
	}
	r.enter(PhaseLoading)
	allowed := func() generation.Build {
		if r.tooMany() {
			return nil
		}
		return build
	}
	err := r.reading.each(ctx, func(f *index.Filing, deleted bool) error {
		if changes != nil {
			return changes.add(ctx, f, deleted, allowed())
		}
		r.indexed.Add(1)
		return r.put(ctx, f, allowed())
	})
	if err == nil && changes != nil {
		err = changes.apply(ctx, allowed())
	}
	if closing := r.rejects.close(); err == nil {
		err = closing
	}
	if err == nil && r.tooMany() {
		err = fmt.Errorf("%w: %d of %d; at most %d are allowed", ErrRejected,
			r.rejected.Load(), r.reading.read.Load(), r.cfg.MaxRejects)
	}
	if err == nil && changes != nil {
		err = changes.sampleUntouched(ctx)
	}
	return err
}

// guard is the shrink guard (rule L10). It compares what the generation will hold, which verification makes sure of, so
// that a generation that is refused is not sealed first.
func (r *running) guard(ctx context.Context, live index.Reader) error {
	now, err := live.Count(ctx, index.Filter{})
	if err != nil {
		return fmt.Errorf("counting the live filings: %w", err)
	}
	gone := now - r.expect.checksum.Filings
	if float64(gone)*100 <= r.cfg.MaxShrink*float64(now) {
		return nil
	}
	return fmt.Errorf("%w: %d instead of %d, which is %.1f %% fewer; at most %v %% are allowed (--max-shrink)",
		ErrShrunk, r.expect.checksum.Filings, now, float64(gone)*100/float64(now), r.cfg.MaxShrink)
}
