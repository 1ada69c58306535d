// Package reindexer loads filings: it reads sources, checks every record, builds a generation,
// verifies it and makes it live. It knows engines only as a generation.Store and never imports the
// service that reads its generations. Package source reads the sources, package record decides on
// the validity of records.
//
// # Reading
//
// A source yields the text of a record, a parser makes a filing of it or names the fault
// (reading.go). A fault of one record makes it a Reject; reading goes on, so one run names all of
// them. A fault that makes the rest of a source unknowable ends the run with ErrSource even if any
// number of rejects is allowed. The memory of reading does not depend on the size of a source: only
// one record is held, besides a bit for each id seen.
//
// # The run
//
// Run takes the lock of the store, and renews it, or fails at once and says who holds it. It
// deletes unsealed generations, which only the holder of the lock can know to be left behind by a
// run that died. It begins a generation, empty or as a copy of the live one, fills it, and counts
// the filings that it expects in the generation. The generation is sealed and then compared with
// these counts: counts in total, by county and by month, sums of amounts, a sample of filings read
// back whole, and a few searches. Then the run works out in which filings it differs from the live
// one (generations.go), and has the store keep that. It is made live in one step that fails if the
// lock was lost or if something else became live meanwhile. If anything fails before that step, the
// generation is deleted and the live one stays unchanged.
//
// Reading runs beside filling, by one channel of batches (load.go), although engines write in
// goroutines of their own: in the embedded engine reading half a million filings takes 2.0 s,
// encoding them 2.1, writing 1.4, so that one goroutine for the first two would make the load a
// fifth slower on two cores. An update looks up a batch at once.
//
// Old generations are pruned after the swap. The one that was live until then always stays until
// the next load, even if none is to be kept: requests that began before the swap still read it. The
// ones before it stopped being live before this run began; a reader that nevertheless still holds
// one gets index.ErrGone and opens the live one.
//
// # A load that died is not resumed
//
// A load starts from the beginning. To resume a dead one in Elasticsearch, the source would have to
// be read again all the same, and every stored filing be read back and compared, since the record
// may have changed in between; in the embedded engine an unsealed file has no journal and is worth
// nothing. With 525,682 filings on two cores reading back took 13 s, writing 44 s, merging and
// verifying 19 s. By that, a load killed at its very end would be done in half of the time of a new
// one, one that was killed at a random moment in three quarters. That is not worth a second path
// through the code in which a bug would mix two loads.
//
// # Updates
//
// An update applies its records one after the other, so the last one of an id wins. To know the
// filings of the result it reads those that it is about to replace or delete from the live
// generation, once for each id, and keeps some 150 bytes of each: an update needs memory in
// proportion to the number of its changes.
//
// Each phase is a span (package trace) within the one of ctx, if that has one.
//
// A dry run does all of the reading, compares the load's filings with the live ones (preview.go),
// and runs the guards. That of a full load goes on without the live generation and without the list
// of withheld filings where the store does not respond.
package reindexer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"filings/index"
	"filings/index/generation"
	"filings/index/sidecar"
	"filings/index/sorter"
)

// closeTimeout is how long a run that was cancelled or failed may take to clear up behind itself.
const closeTimeout = 30 * time.Second

// Run loads cfg.Inputs. If the error is nil a new generation is live, or the run would have built
// the live one again, or it was a dry run. After an error the store serves the same generation as
// before; the Report then says how far the run came.
func Run(ctx context.Context, cfg Config) (Report, error) {
	cfg, err := cfg.checked()
	if err != nil {
		return Report{IgnoredFields: map[string]int64{}}, err
	}
	started := cfg.Now()
	sources, err := cfg.sources(ctx)
	err = stopped(ctx, err)
	r := newRunning(ctx, cfg, sources, started)
	if err == nil {
		r.reading.programs, err = cfg.compile(started)
	}
	if err == nil {
		err = cfg.checkMayEmpty(sources)
	}
	if err == nil {
		err = r.prepareAndLoad(ctx)
	} else if !cfg.DryRun && !errors.Is(err, ErrUsage) {
		r.recordFailure(ctx, err)
	}
	return r.report(), err
}

// prepareAndLoad opens sources and files, which can fail, before the store is touched.
func (r *running) prepareAndLoad(ctx context.Context) (err error) {
	if r.rejects, err = openRejects(r.cfg, r.reading.sources); err != nil {
		return err
	}
	defer r.rejects.close()
	r.enter(PhasePreparing)
	defer r.enter("")
	if r.cfg.DryRun {
		return stopped(ctx, r.dryRun(ctx))
	}
	return r.underLock(ctx)
}

// stoppedError is the error of a run that was stopped, in words for the operator.
type stoppedError struct{ error }

func (e stoppedError) Error() string { return "the load was stopped, and promoted nothing" }
func (e stoppedError) Unwrap() error { return e.error }

// stopped says that the run was stopped if that is why err came.
func stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.Cause(ctx))) {
		return stoppedError{err}
	}
	return err
}

// recordFailure has the catalog keep that this load failed before it took the lock, such as when a
// source was not there.
func (r *running) recordFailure(ctx context.Context, err error) {
	r.end(ctx, err)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	lock, failed := r.cfg.Store.Lock(ctx, r.run())
	if failed == nil {
		failed = lock.Release(ctx)
	}
	if failed != nil {
		r.cfg.Log.Warn("that the load failed could not be kept", "error", failed)
	}
}

// dryRun reads everything, compares it with the live generation, and builds nothing.
func (r *running) dryRun(ctx context.Context) error {
	ctx, stop := r.renewing(ctx)
	defer stop()
	live, err := r.lookLive(ctx)
	if err != nil && r.cfg.Update {
		return err
	}
	read, failed := r.lookWithheld(ctx, r.live.Name)
	switch {
	case failed != nil:
		return failed
	case err != nil && read: // else neither is read, which one warning says
		r.warn("what is live could not be read, and nothing is compared with it: %v", err)
	}
	if err != nil || !read {
		live, r.live, r.liveCounts = index.Empty{}, generation.Info{}, nil
	}
	if r.previous = r.live.Name; r.previous != "" {
		r.preview = sidecar.NewActions()
		defer r.preview.Close()
	}
	if !r.cfg.Update || len(r.cfg.Replace) > 0 {
		r.spread = &valueSorter{sorter.New("", spreadMemory)}
		defer r.spread.Close()
	}
	if err := r.load(ctx, live, nil); err != nil || r.cfg.Head > 0 {
		return err
	}
	if r.preview != nil {
		if err := r.wouldChange(ctx); err != nil {
			return err
		}
	}
	if err = r.refused(r.guard(), r.guardValues(ctx, live, nil)); err != nil && !r.cfg.Update {
		r.warn("a load would be refused: %v", err)
		err = nil
	}
	return err
}

// lookLive opens the live generation for a dry run. That of a full load, which may be tried
// anywhere, waits for it a moment.
func (r *running) lookLive(ctx context.Context) (index.Reader, error) {
	if !r.cfg.Update {
		if r.cfg.Store == nil || r.cfg.Head > 0 {
			return index.Empty{}, nil
		}
		limited, cancel := context.WithTimeout(ctx, storeTime)
		defer cancel()
		ctx = limited
	}
	generations, err := r.generations(ctx)
	if err != nil {
		return nil, err
	}
	return r.open(ctx, liveOf(generations))
}

// underLock takes the lock for the rest of the run.
func (r *running) underLock(ctx context.Context) (err error) {
	if r.lock, err = r.cfg.Store.Lock(ctx, r.run()); err != nil {
		return err
	}
	locked, stop := r.renewing(ctx)
	err = r.replace(locked)
	if cause := context.Cause(locked); err != nil && errors.Is(cause, generation.ErrLockLost) {
		err = cause
	}
	stop()
	err = stopped(ctx, err)
	r.end(ctx, err)
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	_ = r.renew(closing) // publishes the outcome; a failure is logged
	if failed := r.lock.Release(closing); failed != nil && !errors.Is(failed, generation.ErrLockLost) {
		r.cfg.Log.Warn("the lock of the load could not be released; it expires by itself", "error", failed)
	}
	return err
}

// replace builds a generation and makes it live.
func (r *running) replace(ctx context.Context) error {
	if hold, err := r.cfg.Store.Hold(ctx); err != nil {
		return err
	} else if hold != nil && r.cfg.Withhold == nil { // promoting would fail
		return hold
	}
	previous, err := r.prepare(ctx)
	if err != nil {
		return err
	}
	live, err := r.open(ctx, previous)
	if err != nil {
		return err
	}
	if err := r.readWithheld(ctx, previous.Name); err != nil {
		return err
	}
	if same, err := r.unchanged(ctx, previous); err != nil {
		return err
	} else if same {
		fresh := maps.Clone(previous.Fresh)
		if r.noteChecked(fresh); len(fresh) > 0 {
			err = r.lock.Refresh(ctx, previous.Name, fresh)
		}
		return errors.Join(err, r.purge(ctx, previous.Name))
	}
	r.previous = previous.Name
	parent := ""
	if r.cfg.Update {
		parent = previous.Name
	}
	build, err := r.lock.Begin(ctx, parent)
	if err != nil {
		return fmt.Errorf("beginning a generation: %w", err)
	}
	r.builds(build.Generation())
	if err := r.build(ctx, live, build); err != nil {
		r.clearUp(ctx, build)
		return err
	}
	r.enter(PhasePromoting)
	if err := r.promote(ctx, previous.Name, build.Generation()); err != nil {
		r.clearUp(ctx, build)
		return err
	}
	r.promoted = true
	r.enter(PhasePruning)
	if r.cfg.Withhold == nil { // which has brought nothing new
		r.prune(ctx, previous.Name)
	}
	return r.purge(ctx, build.Generation())
}

// build fills a generation, verifies it and seals it.
func (r *running) build(ctx context.Context, live index.Reader, build generation.Build) error {
	if err := r.load(ctx, live, build); err != nil {
		return err
	}
	if err := r.guard(); err != nil {
		return err
	}
	r.enter(PhaseSealing)
	var refused error
	_, err := build.Seal(ctx, func(ctx context.Context, reader index.Reader, holds index.Counts) (err error) {
		r.enter(PhaseVerifying)
		if err := r.verify(ctx, holds, reader); err != nil {
			return err
		}
		if r.values == nil || !r.values.Known() {
			if r.values, err = countAgain(ctx, reader); err != nil {
				return err
			}
		}
		build.Keep(kept{Made: r.cfg.inputDigest(r.reading.sources, r.reading.states, r.active)}.encode(r.counts), r.values,
			r.freshNow())
		r.enter(PhaseComparing)
		if err := r.compare(ctx, build); err != nil {
			return err
		}
		refused = r.guardValues(ctx, live, reader)
		return refused
	})
	return cmp.Or(refused, err)
}

// promote makes a generation live. An error may mean that only the response was lost: then the
// store names the live generation, so a load whose filings are served does not fail.
func (r *running) promote(ctx context.Context, previous, next string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := r.lock.Promote(ctx, previous, next)
	if err == nil {
		return nil
	}
	err = fmt.Errorf("promoting the new generation: %w", err)
	if errors.Is(err, generation.ErrConflict) || errors.Is(err, generation.ErrLockLost) {
		return err
	}
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	generations, failed := r.cfg.Store.Generations(closing)
	another := func(g generation.Info) bool { return g.Live && g.Name != next } // both: something else has moved the alias
	if failed == nil && liveOf(generations).Name == next && !slices.ContainsFunc(generations, another) {
		r.cfg.Log.Warn("the new generation is live, although promoting it reported an error", "error", err)
		return nil
	}
	if failed != nil { // not that the load was stopped alone, since it may have promoted
		return fmt.Errorf("%s; whether it is live could not be read: %w", err, failed)
	}
	return err
}

// clearUp deletes the generation that the run began. Even if that fails the live one is right, and
// the next run deletes it.
func (r *running) clearUp(ctx context.Context, build generation.Build) {
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	if err := build.Abort(closing); err != nil {
		r.cfg.Log.Warn("the unfinished generation could not be deleted; the next load does it", "error", err)
	}
}

const (
	// showEvery is often enough for a bar to look alive.
	showEvery = 250 * time.Millisecond
	// renewEvery leaves three tries to renew a lock before it expires.
	renewEvery = generation.LockTTL / 4
)

// renewing shows the state of the run and renews its lock, beside the run, until stop is called.
// The context that it returns ends with ctx, or with generation.ErrLockLost as its cause as soon as
// the lock is known to be lost.
func (r *running) renewing(ctx context.Context) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	var done sync.WaitGroup
	done.Go(func() {
		show, renew := time.NewTicker(showEvery), time.NewTicker(renewEvery)
		defer show.Stop()
		defer renew.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-show.C:
				r.show()
				continue
			case <-r.changed:
			case <-renew.C:
			}
			if err := r.renew(ctx); errors.Is(err, generation.ErrLockLost) {
				cancel(err)
			}
		}
	})
	return ctx, func() {
		cancel(nil)
		done.Wait()
	}
}

// renew renews the lock. A failure is not the end: the lock holds for some time yet, and if it is
// lost after all, the store refuses to promote.
func (r *running) renew(ctx context.Context) error {
	if r.lock == nil {
		return nil
	}
	err := r.lock.Renew(ctx, r.run())
	if err != nil && ctx.Err() == nil {
		r.cfg.Log.Warn("the lock of the load could not be renewed", "error", err)
	}
	return err
}
