package reindexer

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"filings/index"
	"filings/index/generation"
)

// renewals is a lock that can only be renewed.
type renewals struct {
	generation.Lock
	n    atomic.Int64
	err  atomic.Pointer[error]
	last atomic.Pointer[generation.Run]
}

func (l *renewals) Renew(_ context.Context, run generation.Run) error {
	l.n.Add(1)
	l.last.Store(&run)
	if err := l.err.Load(); err != nil {
		return *err
	}
	return nil
}

// shows counts what is shown.
type shows struct {
	noProgress
	n int
}

func (s *shows) Show(Status) { s.n++ }

func TestRenewing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lock, shown := &renewals{}, &shows{}
		r := newRunning(t.Context(), Config{Holder: "me", Now: time.Now, Progress: shown, Log: slog.New(slog.DiscardHandler)}, nil, time.Now())
		r.lock = lock
		ctx, stop := r.renewing(t.Context())
		defer stop()

		pass(generation.LockTTL + time.Millisecond)
		if n := lock.n.Load(); n != 4 {
			t.Errorf("renewed %d times in a LockTTL, want 4", n)
		}
		if shown.n != 120 {
			t.Errorf("shown %d times in 30 seconds, want 4 a second", shown.n)
		}
		r.builds("g")
		r.enter(PhaseSealing)
		synctest.Wait()
		if run := lock.last.Load(); lock.n.Load() != 5 || run.Phase != PhaseSealing || run.Generation != "g" || run.Holder != "me" {
			t.Errorf("after a change of phase %d renewals, the last %+v", lock.n.Load(), run)
		}
		lock.err.Store(&index.ErrUnavailable)
		pass(generation.LockTTL)
		if ctx.Err() != nil {
			t.Error("a renewal that fails ends the run, although the store still decides who may promote")
		}
		lock.err.Store(&generation.ErrLockLost)
		pass(renewEvery)
		if !errors.Is(context.Cause(ctx), generation.ErrLockLost) {
			t.Errorf("cause %v, want ErrLockLost", context.Cause(ctx))
		}
	})
}

// pass lets time pass on the clock of a synctest bubble, which takes none.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}
