package servicetest

import (
	"sync"
	"testing"
	"time"
)

// Clock is a clock that stands still until it is moved.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a Clock that shows start.
func NewClock(start time.Time) *Clock { return &Clock{now: start} }

// Now returns the time that c shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves c forward by d.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

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
