package conformance

import (
	"slices"
	"testing"

	"filings/index"
	"filings/index/generation"
	"filings/index/indextest"
	"filings/index/indextest/edges"
)

// newMemory opens a store of nothing, whose readers are right.
func newMemory(clock *indextest.Clock) *indextest.MemoryStore {
	m := indextest.NewMemory()
	m.Read = func(o *indextest.Oracle) index.Reader { return newSelecting(o) }
	return m.Open(clock.Now, nil, nil)
}

// openMemory returns a harness of a store that is right.
func openMemory(*testing.T) Harness {
	return harness(func(m *memory) generation.Store { return m })
}

// harness returns a harness of a store in memory, after spoil.
func harness(spoil func(*memory) generation.Store) Harness {
	clock := indextest.NewClock(edges.Day("2026-02-01"))
	right := newMemory(clock)
	store := spoil(right)
	return Harness{
		Store: store, Advance: clock.Advance, Again: func(*testing.T) generation.Store { return store },
		Older: func(*testing.T) generation.Store {
			older := right.Memory.Open(clock.Now, nil, nil)
			older.Version--
			return older
		},
		Lose: func(*testing.T) { right.Memory.Document = generation.Document{} },
	}
}

func TestRun_OnARightStore(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("the embedded engine, which is right, runs the suite")
	}
	Run(t, openMemory)
}

func TestReal_OnARightStore(t *testing.T) {
	t.Parallel()
	queries := 50
	if testing.Short() {
		queries = 5
	}
	Real(t, openMemory(t), slices.Values(edges.Fuzzed(2_000, 11)), queries)
}
