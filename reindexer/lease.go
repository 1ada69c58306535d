package reindexer

import (
	"context"
	"errors"
	"sync"
	"time"

	"filings/index/generation"
)

const (
	// showEvery is often enough for a bar to look alive.
	showEvery = 250 * time.Millisecond
	// renewEvery leaves three tries to renew a lock before it expires.
	renewEvery = generation.LockTTL / 4
)

// renewing shows the state of the run and renews its lock, beside the run, until stop is called. The context that it
// returns ends with ctx, or with generation.ErrLockLost as its cause as soon as the lock is known to be lost.
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

// renew renews the lock. A failure is not the end: the lock holds for some time yet, and if it is lost after all, the
// store refuses to promote.
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
