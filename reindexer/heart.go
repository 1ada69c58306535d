package reindexer

import (
	"context"
	"errors"
	"log/slog"
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

// heart shows the state of a run and renews its lock, beside the run.
type heart struct {
	state    *state
	lock     generation.Lock // nil: none to renew
	log      *slog.Logger
	mu       sync.Mutex // Progress has one caller at a time
	progress Progress
}

func (h *heart) show() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.progress.Show(h.state.status())
}

func (h *heart) reject(r Reject) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.progress.Reject(r)
}

// beat starts the heart. The context that it returns ends with ctx, or with index.ErrLockLost as its cause as soon as
// the lock is known to be lost. Before the run goes on without the heart it has to call stop.
func (h *heart) beat(ctx context.Context) (beating context.Context, stop func()) {
	beating, cancel := context.WithCancelCause(ctx)
	var done sync.WaitGroup
	done.Go(func() {
		showing, renewing := time.NewTicker(showEvery), time.NewTicker(renewEvery)
		defer showing.Stop()
		defer renewing.Stop()
		for {
			select {
			case <-beating.Done():
				return
			case <-showing.C:
				h.show()
				continue
			case <-h.state.changed:
			case <-renewing.C:
			}
			if err := h.renew(beating); errors.Is(err, generation.ErrLockLost) {
				cancel(err)
			}
		}
	})
	return beating, func() {
		cancel(nil)
		done.Wait()
	}
}

// renew renews the lock. A failure is not the end: the lock holds for some time yet, and if it is lost after all, the
// store refuses to promote.
func (h *heart) renew(ctx context.Context) error {
	if h.lock == nil {
		return nil
	}
	err := h.lock.Renew(ctx, h.state.run())
	if err != nil && ctx.Err() == nil {
		h.log.Warn("the lock of the load could not be renewed", "error", err)
	}
	return err
}
