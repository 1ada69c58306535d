package indextest

import (
	"sync"
	"testing"
	"time"
)

func TestClock(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	clock := NewClock(start)
	if got := clock.Now(); !got.Equal(start) || clock.Now() != got {
		t.Errorf("%v, then %v, want %v", got, clock.Now(), start)
	}
	var hours sync.WaitGroup
	for range 24 {
		hours.Go(func() { clock.Advance(time.Hour) })
	}
	hours.Wait()
	if got, want := clock.Now(), start.AddDate(0, 0, 1); !got.Equal(want) {
		t.Errorf("24 hours later it is %v, want %v", got, want)
	}
	clock.Advance(-24 * time.Hour)
	if got := clock.Now(); !got.Equal(start) {
		t.Errorf("moved back it is %v, want %v", got, start)
	}
}
