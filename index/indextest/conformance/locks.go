package conformance

import (
	"errors"
	"testing"
	"time"

	"filings/index/generation"
	"filings/index/indextest"
	"filings/index/indextest/edges"
)

func testLocks(t *testing.T, open func(t *testing.T) Harness) {
	t.Run("one load at a time", func(t *testing.T) { testExclusion(t, open(t)) })
	t.Run("not renewed in time", func(t *testing.T) { testExpiry(t, open(t)) })
}

func testExclusion(t *testing.T, h Harness) {
	ctx, lock := t.Context(), mustLock(t, h.Store)
	checkLocked(t, h.Store, "first")
	checkRunning(t, h.Store, "preparing", 0)
	renewed := generation.Run{Holder: "first", Started: started(), Phase: "loading", Generation: "g", Read: 12, Indexed: 11, Rejected: 1}
	for range 5 { // longer than a lock holds unless renewed
		h.Advance(generation.LockTTL / 2)
		if err := lock.Renew(ctx, renewed); err != nil {
			t.Fatalf("renew: %v", err)
		}
		checkLocked(t, h.Store, "first")
	}
	checkRunning(t, h.Store, "loading", 12)
	b := mustBegin(t, lock, "")
	filings := edges.Fuzzed(10, 1)
	mustPut(t, b, filings...)
	name := mustSeal(t, b, filings)
	if err := lock.Promote(ctx, "", name); err != nil {
		t.Errorf("promote under a renewed lock: %v", err)
	}
	renewed.Outcome = generation.OutcomePromoted
	if err := lock.Renew(ctx, renewed); err != nil {
		t.Fatalf("renew: %v", err)
	}
	release(t, lock)
	if run, err := indextest.Running(ctx, h.Store); run != nil || err != nil {
		t.Errorf("running after the release: %v, %v", run, err)
	}
	if run, err := indextest.LastRun(ctx, h.Store); err != nil || run == nil || run.Outcome != generation.OutcomePromoted || run.Read != 12 {
		t.Errorf("the last run: %+v, %v", run, err)
	}
	release(t, mustLock(t, h.Store))
}

func checkRunning(t *testing.T, store generation.Store, phase string, read int64) {
	t.Helper()
	run, err := indextest.Running(t.Context(), store)
	if err != nil || run == nil {
		t.Fatalf("running: %v, %v", run, err)
	}
	if run.Phase != phase || run.Read != read {
		t.Errorf("running: %+v, want phase %q, %d read", *run, phase, read)
	}
}

// testExpiry lets a lock expire. Where locks last as long as their holders it must still be held; elsewhere a second
// load takes it, and the first one can change nothing more.
func testExpiry(t *testing.T, h Harness) {
	ctx, one := t.Context(), edges.Fuzzed(10, 1)
	first := mustLoad(t, h, one)
	lock := mustLock(t, h.Store)
	h.Advance(time.Second)
	b := mustBegin(t, lock, "")
	mustPut(t, b, one...)
	late := mustSeal(t, b, one)
	h.Advance(generation.LockTTL + time.Second)
	if h.LockForLife {
		checkLocked(t, h.Store, "first")
		if err := lock.Promote(ctx, first, late); err != nil {
			t.Errorf("promote under a lock for life: %v", err)
		}
		release(t, lock)
		return
	}
	second, err := h.Store.Lock(ctx, generation.Run{Holder: "second", Started: started(), Phase: "preparing"})
	if err != nil {
		t.Fatalf("lock after the first one expired: %v", err)
	}
	before := states(t, h.Store)
	_, begin := lock.Begin(ctx, "")
	for what, err := range map[string]error{
		"renew":   lock.Renew(ctx, generation.Run{Holder: "first"}),
		"begin":   begin,
		"promote": lock.Promote(ctx, first, late),
		"delete":  lock.Delete(ctx, late),
		"release": lock.Release(ctx),
	} {
		if !errors.Is(err, generation.ErrLockLost) {
			t.Errorf("%s under a lost lock: want ErrLockLost, got %v", what, err)
		}
	}
	expect(t, before, states(t, h.Store), nil)
	if run, err := indextest.Running(ctx, h.Store); err != nil || run == nil || run.Holder != "second" {
		t.Errorf("running: %v, %v; want the second load", run, err)
	}
	if err := second.Promote(ctx, first, late); err != nil {
		t.Errorf("promote under the second lock: %v", err)
	}
	release(t, second)
}
