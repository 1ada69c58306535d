package indextest

import (
	"slices"
	"testing"
	"time"

	"filings/index/generation"
)

// openMemory returns a harness of a store that is right.
func openMemory(t *testing.T) Harness {
	clock := NewClock(day("2026-02-01"))
	store := newMemory(clock.Now)
	return Harness{Store: store, Advance: clock.Advance, Again: func(*testing.T) generation.Store { return store }}
}

func TestRun_OnARightStore(t *testing.T) {
	t.Parallel()
	Run(t, openMemory)
}

func TestReal_OnARightStore(t *testing.T) {
	t.Parallel()
	Real(t, openMemory(t), slices.Values(wildFilings(2_000, 11)), 50)
}

func TestClock(t *testing.T) {
	t.Parallel()
	clock := NewClock(day("2026-02-01"))
	first := clock.Now()
	if second := clock.Now(); !second.After(first) {
		t.Errorf("%v is not after %v", second, first)
	}
	clock.Advance(time.Hour)
	if got := clock.Now().Sub(first); got < time.Hour {
		t.Errorf("an hour later it is %v later", got)
	}
}
