package indextest

import (
	"sync"
	"time"
)

// Clock is a clock for tests that stands still until it is moved. It is safe for concurrent use.
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

// Advance moves c forward by d; back, if d is negative.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
