package servicetest

import (
	"testing"
	"time"
)

// Until waits until good holds, for at most five seconds: so fast must a service recover.
func Until(t testing.TB, what string, good func() bool) {
	t.Helper()
	timeout, tick := time.NewTimer(5*time.Second), time.NewTicker(5*time.Millisecond)
	defer timeout.Stop()
	defer tick.Stop()
	for !good() {
		select {
		case <-tick.C:
		case <-timeout.C:
			t.Fatalf("%s: not within 5 seconds", what)
		}
	}
}
