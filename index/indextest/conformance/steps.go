package conformance

import (
	"errors"
	"slices"
	"testing"
	"time"

	"filings/index"
	"filings/index/generation"
	"filings/index/indextest"
)

// Harness is a fresh, empty store under test.
type Harness struct {
	// Store is the store. Its clock must be one that Advance moves.
	Store generation.Store
	// Advance moves the store's clock forward. Clock.Advance will do.
	Advance func(time.Duration)
	// Again opens the same data once more, as another process would. nil leaves out what needs it, and says so.
	Again func(t *testing.T) generation.Store
	// Older opens the same data as a program of the version before would.
	Older func(t *testing.T) generation.Store
	// Lose removes the catalog, as a fault would.
	Lose func(t *testing.T)
	// LockForLife is true where the engine can tell that the holder of a lock died, so that a lock lasts as long as its
	// holder, renewed or not.
	LockForLife bool
}

// Steps that the tests of generations and locks are made of. Each fails the test if the store does.

// state is what a test of generations looks at.
type state struct {
	Name         string
	Sealed, Live bool
}

func states(t *testing.T, store generation.Store) (all []state) {
	t.Helper()
	generations, err := store.Generations(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range generations {
		all = append(all, state{g.Name, g.Sealed, g.Live})
	}
	return all
}

// started is when the loads of these tests say that they started.
func started() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }

func mustLock(t *testing.T, store generation.Store) generation.Lock {
	t.Helper()
	lock, err := store.Lock(t.Context(), generation.Run{Holder: "first", Started: started(), Phase: "preparing"})
	if err != nil {
		t.Fatal(err)
	}
	return lock
}

func release(t *testing.T, lock generation.Lock) {
	t.Helper()
	if err := lock.Release(t.Context()); err != nil {
		t.Errorf("release: %v", err)
	}
}

func mustBegin(t *testing.T, lock generation.Lock, from string) generation.Build {
	t.Helper()
	b, err := lock.Begin(t.Context(), from)
	if err != nil {
		t.Fatalf("begin from %q: %v", from, err)
	}
	return b
}

func mustPut(t *testing.T, b generation.Build, filings ...*index.Filing) {
	t.Helper()
	for _, f := range filings {
		if err := b.Put(t.Context(), f); err != nil {
			t.Fatalf("put %d: %v", f.ID, err)
		}
	}
}

func mustRemove(t *testing.T, b generation.Build, id int64) {
	t.Helper()
	if err := b.Remove(t.Context(), id); err != nil {
		t.Fatalf("remove %d: %v", id, err)
	}
}

// mustSeal seals b and compares its counts with those of what it must hold.
func mustSeal(t *testing.T, b generation.Build, want []*index.Filing) string {
	t.Helper()
	got, err := b.Seal(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	counts := index.NewCounts()
	for _, f := range want {
		counts.Count(index.ValuesOf(f), 1)
	}
	if diff := counts.Diff(got); diff != nil {
		t.Errorf("counts of %s: %q", b.Generation(), diff)
	}
	return b.Generation()
}

func mustLoad(t *testing.T, h Harness, filings []*index.Filing) string {
	t.Helper()
	h.Advance(time.Second) // generations are named by their time, to a microsecond
	name, err := indextest.Load(t.Context(), h.Store, slices.Values(filings))
	if err != nil {
		t.Fatal(err)
	}
	return name
}

func mustOpen(t *testing.T, store generation.Store, name string) index.Reader {
	t.Helper()
	r, err := store.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func mustLive(t *testing.T, store generation.Store) string {
	t.Helper()
	name, err := indextest.LiveName(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// live wants Live to return a reader of a generation.
func live(t *testing.T, store generation.Store, want string) index.Reader {
	t.Helper()
	r, err := store.Live(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r.Generation() != want {
		t.Errorf("%q is live, want %q", r.Generation(), want)
	}
	return r
}

// opened loads filings into a store and opens the generation.
func opened(t *testing.T, store generation.Store, filings []*index.Filing) index.Reader {
	t.Helper()
	name, err := indextest.Load(t.Context(), store, slices.Values(filings))
	if err != nil {
		t.Fatal(err)
	}
	r, err := store.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	if r.Generation() != name {
		t.Errorf("the reader of %q calls itself %q", name, r.Generation())
	}
	return r
}

// checkUnknown wants Open and Swap to know no generation of that name, and Swap to leave things as they are.
func checkUnknown(t *testing.T, store generation.Store, name string) {
	t.Helper()
	if _, err := store.Open(t.Context(), name); !errors.Is(err, index.ErrNotFound) {
		t.Errorf("open %q: want ErrNotFound, got %v", name, err)
	}
	before := mustLive(t, store)
	if err := store.Swap(t.Context(), before, name); err == nil {
		t.Errorf("swap to %q: no error", name)
	}
	if after := mustLive(t, store); after != before {
		t.Errorf("a refused swap made %q live", after)
	}
}

// checkLocked wants a second load to be refused by an error that names the holder.
func checkLocked(t *testing.T, store generation.Store, holder string) {
	t.Helper()
	_, err := store.Lock(t.Context(), generation.Run{Holder: "second", Started: started()})
	var locked *generation.LockedError
	if !errors.As(err, &locked) || !errors.Is(err, generation.ErrLocked) {
		t.Fatalf("a second lock: want a *LockedError, got %v", err)
	}
	if locked.Run.Holder != holder || !locked.Run.Started.Equal(started()) {
		t.Errorf("a second lock: the holder is %q since %v", locked.Run.Holder, locked.Run.Started)
	}
}
