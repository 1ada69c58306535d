package indextest

import (
	"sync"
	"testing"
	"time"

	"filings/index/generation"
)

// Harness is a fresh, empty store under test.
type Harness struct {
	// Store is the store. Its clock must be one that Advance moves.
	Store generation.Store
	// Advance moves the store's clock forward. Clock.Advance will do.
	Advance func(time.Duration)
	// Again opens the same data once more, as another process would. nil leaves out what needs it, and says so.
	Again func(t *testing.T) generation.Store
	// LockForLife is true where the engine can tell that the holder of a lock died, so that a lock lasts as long as its
	// holder, renewed or not.
	LockForLife bool
}

// Run runs the whole suite. It calls open for each part of it; what open makes it must also clean up (t.Cleanup).
// With -short the crawl over many ties is left out.
func Run(t *testing.T, open func(t *testing.T) Harness) {
	for _, part := range []struct {
		name string
		run  func(*testing.T, func(t *testing.T) Harness)
	}{
		{"Edges", testEdges},
		{"Random", testRandom},
		{"Crawl", testCrawl},
		{"Aggregates", testAggregates},
		{"Cells", testCells},
		{"Generations", testGenerations},
		{"Locks", testLocks},
	} {
		t.Run(part.name, func(t *testing.T) {
			t.Parallel()
			part.run(t, open)
		})
	}
}

// Clock is a clock for tests. It moves by a microsecond each time that it is read, so that no two moments are equal,
// and by Advance. It is safe for concurrent use.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock that shows start.
func NewClock(start time.Time) *Clock { return &Clock{now: start} }

// Now returns the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(time.Microsecond)
	return c.now
}

// Advance moves the clock forward by d.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
