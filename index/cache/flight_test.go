package cache

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// sevens starts that many callers that need 7, and returns a function that waits for them and says
// how many of them joined another one.
func sevens(t *testing.T, g *flights, callers int, f func(context.Context) (any, error)) (joined func() int) {
	joins := make(chan bool, callers)
	for range callers {
		go func() {
			v, joined, err := g.do(t.Context(), flightKey{value: Key{Text: "k"}}, f)
			if v != 7 || err != nil {
				t.Errorf("got %v, %v", v, err)
			}
			joins <- joined
		}()
	}
	return func() (n int) {
		for range callers {
			if <-joins {
				n++
			}
		}
		return n
	}
}

// TestFlight_CallsOnce: callers that come while an equal call is in progress share its result.
func TestFlight_CallsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g flights
		release, calls := make(chan struct{}), 0
		f := func(context.Context) (any, error) { calls++; <-release; return 7, nil }
		joined := sevens(t, &g, 10, f)
		synctest.Wait()
		close(release)
		if n := joined(); calls != 1 || n != 9 || len(g.inProgress) != 0 {
			t.Errorf("%d calls, %d joined, %d left behind", calls, n, len(g.inProgress))
		}
	})
}

// TestFlight_FirstGivesUp: the first caller's end is not the others'. One of them makes the call
// anew, and the rest share its result.
func TestFlight_FirstGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g flights
		release, calls := make(chan struct{}), 0
		f := func(ctx context.Context) (any, error) {
			calls++
			select {
			case <-release:
				return 7, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		first, cancel := context.WithCancel(t.Context())
		gone := make(chan error, 1)
		go func() { _, _, err := g.do(first, flightKey{value: Key{Text: "k"}}, f); gone <- err }()
		synctest.Wait()
		joined := sevens(t, &g, 5, f)
		synctest.Wait()
		cancel()
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Errorf("the caller that gave up got %v", err)
		}
		synctest.Wait()
		close(release)
		if n := joined(); calls != 2 || n != 4 || len(g.inProgress) != 0 {
			t.Errorf("%d calls, %d joined, %d left behind", calls, n, len(g.inProgress))
		}
	})
}

// TestFlight_FirstLeaves: the same where the call itself notices that its caller has left.
func TestFlight_FirstLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g flights
		left, calls := make(chan struct{}), 0
		f := func(context.Context) (any, error) {
			if calls++; calls > 1 {
				return 7, nil
			}
			<-left
			return nil, fmt.Errorf("left: %w", context.Canceled)
		}
		gone := make(chan error, 1)
		go func() { _, _, err := g.do(t.Context(), flightKey{value: Key{Text: "k"}}, f); gone <- err }()
		synctest.Wait()
		joined := sevens(t, &g, 5, f)
		synctest.Wait()
		close(left)
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Errorf("the caller that left got %v", err)
		}
		if joined(); calls < 2 {
			t.Error("the call was not made anew")
		}
	})
}

// TestFlight_JoinerGivesUp: its end is its own.
func TestFlight_JoinerGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g flights
		release, first := make(chan struct{}), make(chan any, 1)
		f := func(context.Context) (any, error) { <-release; return 7, nil }
		go func() { v, _, _ := g.do(t.Context(), flightKey{value: Key{Text: "k"}}, f); first <- v }()
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		gone := make(chan error, 1)
		go func() { _, _, err := g.do(ctx, flightKey{value: Key{Text: "k"}}, f); gone <- err }()
		synctest.Wait()
		cancel()
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Errorf("the caller that gave up got %v", err)
		}
		close(release)
		if v := <-first; v != 7 {
			t.Errorf("the caller that stayed got %v", v)
		}
	})
}

// TestFlight_Failure: a failure that is not the end of the request that met it is shared by all its callers.
func TestFlight_Failure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g flights
		release, calls := make(chan struct{}), 0
		broken := errors.New("broken")
		f := func(context.Context) (any, error) { calls++; <-release; return nil, broken }
		errs := make(chan error, 2)
		for range 2 {
			go func() { _, _, err := g.do(t.Context(), flightKey{value: Key{Text: "k"}}, f); errs <- err }()
		}
		synctest.Wait()
		close(release)
		for range 2 {
			if err := <-errs; !errors.Is(err, broken) {
				t.Errorf("got %v", err)
			}
		}
		if calls != 1 {
			t.Errorf("%d calls", calls)
		}
	})
}

func TestFlight_PanicIsAnError(t *testing.T) {
	t.Parallel()
	var g flights
	_, _, err := g.do(t.Context(), flightKey{value: Key{Text: "k"}}, func(context.Context) (any, error) { panic("ouch") })
	if err == nil || !strings.Contains(err.Error(), "ouch") {
		t.Errorf("got %v", err)
	}
}

// TestFlight_Cause: the context of a call says whether its caller's time was over, which is a sign of a slow engine, or
// whether the caller went away, which is not.
func TestFlight_Cause(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]error{"deadline": context.DeadlineExceeded, "cancelled": context.Canceled} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var g flights
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				if errors.Is(want, context.Canceled) {
					cancel()
				}
				cause := make(chan error, 1)
				_, _, err := g.do(ctx, flightKey{value: Key{Text: "k"}}, func(ctx context.Context) (any, error) {
					<-ctx.Done()
					cause <- context.Cause(ctx)
					return nil, ctx.Err()
				})
				if got := <-cause; !errors.Is(got, want) || !errors.Is(err, want) {
					t.Errorf("the call's cause is %v, its caller's error %v, want %v", got, err, want)
				}
			})
		})
	}
}
