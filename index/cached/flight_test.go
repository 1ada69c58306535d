package cached

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
)

// TestFlight_AsksOnce: callers of one question that come while it is asked share the answer.
func TestFlight_AsksOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g flights
		release, calls := make(chan struct{}), 0
		f := func(context.Context) (any, error) { calls++; <-release; return 7, nil }
		const callers = 10
		joins, results := make(chan bool, callers), make(chan any, callers)
		for range callers {
			go func() {
				v, joined, err := g.do(t.Context(), "k", f)
				if err != nil {
					t.Error(err)
				}
				joins <- joined
				results <- v
			}()
		}
		synctest.Wait()
		close(release)
		joined := 0
		for range callers {
			if <-joins {
				joined++
			}
			if v := <-results; v != 7 {
				t.Errorf("got %v", v)
			}
		}
		if calls != 1 || joined != callers-1 || len(g.under) != 0 {
			t.Errorf("%d calls, %d joined, %d left behind", calls, joined, len(g.under))
		}
	})
}

// TestFlight_OneGivesUp: the first caller's end is not the others'.
func TestFlight_OneGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g flights
		release := make(chan struct{})
		f := func(ctx context.Context) (any, error) {
			select {
			case <-release:
				return 7, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		first, cancel := context.WithCancel(t.Context())
		gone, stays := make(chan error, 1), make(chan any, 1)
		go func() { _, _, err := g.do(first, "k", f); gone <- err }()
		synctest.Wait()
		go func() {
			v, joined, err := g.do(t.Context(), "k", f)
			if err != nil || !joined {
				t.Errorf("joined %v, %v", joined, err)
			}
			stays <- v
		}()
		synctest.Wait()
		cancel()
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Errorf("the caller that gave up got %v", err)
		}
		synctest.Wait()
		close(release)
		if v := <-stays; v != 7 {
			t.Errorf("the caller that stayed got %v", v)
		}
	})
}

// TestFlight_AllGiveUp: then the call ends too, and who comes next starts another.
func TestFlight_AllGiveUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g flights
		ended := make(chan struct{})
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			_, _, err := g.do(ctx, "k", func(ctx context.Context) (any, error) {
				<-ctx.Done()
				close(ended)
				return nil, ctx.Err()
			})
			if !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}()
		synctest.Wait()
		cancel()
		<-ended
		v, joined, err := g.do(t.Context(), "k", func(context.Context) (any, error) { return 8, nil })
		if v != 8 || joined || err != nil {
			t.Errorf("%v, %v, %v", v, joined, err)
		}
	})
}

func TestFlight_PanicIsAnError(t *testing.T) {
	t.Parallel()
	var g flights
	_, _, err := g.do(t.Context(), "k", func(context.Context) (any, error) { panic("ouch") })
	if err == nil || !strings.Contains(err.Error(), "ouch") {
		t.Errorf("got %v", err)
	}
}
