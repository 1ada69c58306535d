package cached

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestFlight_SaysWhyItEnded: a call that all have left hears from its context whether their time was over, which tells
// of a slow engine, or whether they went away, which does not.
func TestFlight_SaysWhyItEnded(t *testing.T) {
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
				_, _, err := g.do(ctx, "k", func(ctx context.Context) (any, error) {
					<-ctx.Done()
					cause <- context.Cause(ctx)
					return nil, ctx.Err()
				})
				if got := <-cause; !errors.Is(got, want) || !errors.Is(err, want) {
					t.Errorf("the call hears %v, its caller %v, want %v", got, err, want)
				}
			})
		})
	}
}
