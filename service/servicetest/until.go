package servicetest

import (
	"context"
	"testing"
	"time"
)

// Poll waits until a condition holds, and reports whether it came to hold before the end of ctx.
func Poll(ctx context.Context, holds func() bool) bool {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// Until waits until a condition holds, for at most five seconds: so fast must a service recover.
func Until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if !Poll(ctx, holds) {
		t.Fatalf("%s: not within 5 seconds", what)
	}
}
