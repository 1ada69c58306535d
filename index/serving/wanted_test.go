package serving

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"filings/index"
	"filings/index/indextest"
)

// early returns a Reader whose request is not wanted before the channel is closed, and its engine.
func early(t *testing.T) (r *Reader, inner *counting, want chan struct{}) {
	inner, want = &counting{reader: indextest.NewOracle("g1", filings(24))}, make(chan struct{})
	r = live(t, mustNew(inner, 1<<20))
	r.Wanted = func(ctx context.Context) error {
		select {
		case <-want:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return r, inner, want
}

// TestWanted: the call is made before its request is wanted, and its result comes after that; the
// same Reader has it again, and so has the cache.
func TestWanted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, inner, want := early(t)
		results := make(chan error, 1)
		go func() { _, _, err := r.Page(t.Context(), newest); results <- err }()
		synctest.Wait()
		if n := inner.calls.Load(); n != 1 || len(results) != 0 {
			t.Fatalf("%d calls, %d results before it is wanted", n, len(results))
		}
		close(want)
		if err := <-results; err != nil {
			t.Fatal(err)
		}
		r.Wanted = nil
		for _, r := range []*Reader{r, live(t, r.engine)} {
			page, total, err := r.Page(t.Context(), newest)
			if len(page.Records) != 5 || total != 24 || err != nil || inner.calls.Load() != 1 {
				t.Errorf("%d rows of %d, %v, after %d calls", len(page.Records), total, err, inner.calls.Load())
			}
		}
		if _, hits, misses := r.Took(); hits != 1 || misses != 1 { // the page, and its total, which came with it
			t.Errorf("%d hits, %d misses", hits, misses)
		}
	})
}

// TestWanted_Failed: the call's failure is that of its request, which does not make it again.
func TestWanted_Failed(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		id   int64
		fail error
		want error
	}{
		"no such filing": {99, nil, index.ErrNotFound},
		"an outage":      {1, index.ErrUnavailable, index.ErrUnavailable},
	} {
		r, inner, want := early(t)
		inner.fail = tt.fail
		close(want)
		for range 2 {
			if _, err := index.OneFiling(t.Context(), r, tt.id); !errors.Is(err, tt.want) {
				t.Errorf("%s: %v", name, err)
			}
			r.Wanted = nil
		}
		if n := inner.calls.Load(); n != 1 {
			t.Errorf("%s: %d calls", name, n)
		}
	}
}

// TestWanted_Refused: what was read for a request that is refused is not kept; an equal request of
// its account that waits with it makes the call anew.
func TestWanted_Refused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, inner, _ := early(t)
		ctx, refuse := context.WithCancel(t.Context())
		refused, good := make(chan error, 1), make(chan error, 1)
		go func() { _, err := index.OneFiling(ctx, r, 3); refused <- err }()
		synctest.Wait()
		go func() { _, err := index.OneFiling(t.Context(), live(t, r.engine), 3); good <- err }()
		synctest.Wait()
		if n := inner.calls.Load(); n != 1 || len(good) != 0 {
			t.Errorf("%d calls, %d results before the refusal", n, len(good))
		}
		refuse()
		if err := <-refused; !errors.Is(err, context.Canceled) {
			t.Errorf("refused: %v", err)
		}
		if err := <-good; err != nil || inner.calls.Load() != 2 {
			t.Errorf("%v after %d calls", err, inner.calls.Load())
		}
	})
}

// TestWanted_OneCall: no other call is made before the request is wanted, neither after the first
// one nor at the same time.
func TestWanted_OneCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, inner, want := early(t)
		r.engine.many[shapeOf(newest)].Store(true) // it is counted beside the page
		results := make(chan error, 1)
		go func() { _, _, err := r.Page(t.Context(), newest); results <- err }()
		synctest.Wait()
		close(want)
		err := <-results
		if _, again := r.Count(t.Context(), index.Filter{}); err != nil || !errors.Is(again, context.Canceled) || inner.calls.Load() != 1 {
			t.Errorf("%v, and of another call %v, after %d calls", err, again, inner.calls.Load())
		}
		r.Wanted = nil
		if page, total, err := r.Page(t.Context(), newest); len(page.Records) != 5 || total != 24 || err != nil || inner.calls.Load() != 2 {
			t.Errorf("%d of %d, %v, after %d calls once it is wanted", len(page.Records), total, err, inner.calls.Load())
		}
	})
}

// TestWanted_Ended: the end of a part of the request is not the end of the request.
func TestWanted_Ended(t *testing.T) {
	t.Parallel()
	r, _, want := early(t)
	close(want)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := index.OneFiling(ctx, r, 3); err == nil {
		t.Error("it was read although it had ended")
	}
	r.Wanted = nil
	if _, err := index.OneFiling(t.Context(), r, 3); err != nil {
		t.Error(err)
	}
}
