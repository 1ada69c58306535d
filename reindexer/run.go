package reindexer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"filings/index"
	"filings/index/generation"
)

// parting is how long a run that was cancelled or failed may take to clear up behind itself.
const parting = 30 * time.Second

// Run loads cfg.Sources. If the error is nil a new generation is live, or it was a dry run. After an error the store
// serves what it served before; the Report then says how far the run came.
func Run(ctx context.Context, cfg Config) (Report, error) {
	cfg, err := cfg.checked()
	if err != nil {
		return Report{IgnoredFields: map[string]int64{}}, err
	}
	r := &running{cfg: cfg, report: Report{IgnoredFields: map[string]int64{}}, started: cfg.Now()}
	err = r.run(ctx)
	r.report.Seconds = seconds(cfg.Now().Sub(r.started))
	return r.report, err
}

// running is one run.
type running struct {
	cfg     Config
	started time.Time
	report  Report

	state   *state
	heart   *heart
	rejects *rejects
	reading *reading
	expect  *expectation
}

// run prepares everything that can fail before the store is touched.
func (r *running) run(ctx context.Context) error {
	all, err := inputs(r.cfg)
	if err != nil {
		return err
	}
	r.reading = newReading(all, r.cfg.Update, r.cfg.Strict, r.started, r.reject)
	r.state = newState(r.cfg, r.started, r.reading)
	r.heart = &heart{state: r.state, log: r.cfg.Log, progress: r.cfg.Progress}
	r.expect = newExpectation()
	if r.rejects, err = openRejects(r.cfg.Rejects, all, r.heart.reject); err != nil {
		return err
	}
	defer r.rejects.close()
	r.enter(PhasePreparing)
	defer r.enter("")
	if r.cfg.DryRun {
		return r.dryRun(ctx)
	}
	return r.underLock(ctx)
}

// enter begins a phase.
func (r *running) enter(phase string) {
	r.state.enter(phase)
	r.heart.show()
}

// underLock takes the lock for the rest of the run.
func (r *running) underLock(ctx context.Context) error {
	lock, err := r.cfg.Store.Lock(ctx, r.state.run())
	if err != nil {
		return err
	}
	r.heart.lock = lock
	beating, stop := r.heart.beat(ctx)
	err = r.replace(beating, lock)
	if cause := context.Cause(beating); err != nil && errors.Is(cause, generation.ErrLockLost) {
		err = cause
	}
	stop()
	r.state.end(err)
	leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), parting)
	defer cancel()
	_ = r.heart.renew(leaving) // publishes the outcome; a failure is logged
	if failed := lock.Release(leaving); failed != nil && !errors.Is(failed, generation.ErrLockLost) {
		r.cfg.Log.Warn("the lock of the load could not be released; it expires by itself", "error", failed)
	}
	return err
}

// replace builds a generation and makes it live.
func (r *running) replace(ctx context.Context, lock generation.Lock) error {
	live, err := r.prepare(ctx, lock)
	if err != nil {
		return err
	}
	from := ""
	if r.cfg.Update {
		from = live.Generation()
	}
	build, err := lock.Begin(ctx, from)
	if err != nil {
		return fmt.Errorf("beginning a generation: %w", err)
	}
	r.state.builds(build.Generation())
	if err := r.build(ctx, live, build); err != nil {
		r.clearUp(ctx, build.Abort)
		return err
	}
	r.enter(PhasePromoting)
	if err := r.promote(ctx, lock, live.Generation(), build.Generation()); err != nil {
		r.clearUp(ctx, func(ctx context.Context) error { return lock.Delete(ctx, build.Generation()) })
		return err
	}
	r.report.Generation, r.report.Promoted = build.Generation(), true
	r.enter(PhasePruning)
	r.prune(ctx, lock, live.Generation())
	return nil
}

// build fills a generation, verifies it and seals it.
func (r *running) build(ctx context.Context, live index.Reader, build generation.Build) error {
	if err := r.load(ctx, live, build); err != nil {
		return err
	}
	if err := r.guard(ctx, live); err != nil {
		return err
	}
	r.enter(PhaseSealing)
	_, err := build.Seal(ctx, func(ctx context.Context, reader index.Reader, holds generation.Checksum) error {
		r.enter(PhaseVerifying)
		return r.expect.verify(ctx, holds, reader)
	})
	if err != nil {
		return fmt.Errorf("sealing the new generation: %w", err)
	}
	return nil
}

// promote makes a generation live. An error may mean that only the answer was lost: then the store is asked what is
// live, so that nobody is told that a load failed whose filings are being served.
func (r *running) promote(ctx context.Context, lock generation.Lock, from, to string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := lock.Promote(ctx, from, to)
	if err == nil {
		return nil
	}
	err = fmt.Errorf("promoting the new generation: %w", err)
	if errors.Is(err, generation.ErrConflict) || errors.Is(err, generation.ErrLockLost) {
		return err
	}
	asking, cancel := context.WithTimeout(context.WithoutCancel(ctx), parting)
	defer cancel()
	generations, failed := r.cfg.Store.Generations(asking)
	if failed == nil && liveOf(generations) == to {
		r.cfg.Log.Warn("the new generation is live, although promoting it reported an error", "error", err)
		return nil
	}
	return err
}

// clearUp deletes what the run began. Even if that fails nothing is wrong with what is live, and the next run deletes
// it.
func (r *running) clearUp(ctx context.Context, remove func(context.Context) error) {
	leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), parting)
	defer cancel()
	if err := remove(leaving); err != nil {
		r.cfg.Log.Warn("the unfinished generation could not be deleted; the next load does it", "error", err)
	}
}
