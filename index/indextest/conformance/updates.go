package conformance

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"filings/index"
	"filings/index/indextest"
	"filings/index/indextest/edges"
)

// testUpdate builds a generation from a copy of the live one: filings are replaced, added and removed.
func testUpdate(t *testing.T, h Harness) {
	ctx := t.Context()
	before := edges.Fuzzed(300, 8)
	first := mustLoad(t, h, before)
	h.Advance(time.Second)
	old, lock := live(t, h.Store, first), mustLock(t, h.Store)
	if _, err := lock.Begin(ctx, "no-such-generation"); !errors.Is(err, index.ErrNotFound) {
		t.Errorf("begin from an unknown generation: want ErrNotFound, got %v", err)
	}
	b := mustBegin(t, lock, first)
	replaced, removed, kept := before[0], before[1], before[2:]
	replacement := edges.Filing(replaced.ID, edges.Values{index.County: "Replaced, ZZ", index.FilingDate: "2025-05-05"})
	added := edges.Filing(77_777, edges.Values{index.Owner: "Added", index.FilingAmount: 1.5})
	mustPut(t, b, replacement, added)
	mustRemove(t, b, removed.ID)
	mustRemove(t, b, 88_888) // is not there: no error
	after := append([]*index.Filing{replacement, added}, kept...)
	second := mustSeal(t, b, after)
	check(t, mustOpen(t, h.Store, second), indextest.NewOracle(second, after))
	h.Advance(time.Second)
	live(t, h.Store, first) // sealed is not promoted
	if err := lock.Promote(ctx, first, second); err != nil {
		t.Fatal(err)
	}
	release(t, lock)
	h.Advance(time.Second)
	check(t, live(t, h.Store, second), indextest.NewOracle(second, after))
	for _, r := range []index.Reader{old, mustOpen(t, h.Store, first)} {
		check(t, r, indextest.NewOracle(first, before)) // the generation that was copied is as it was
	}
}

// testActions mixes puts and removals of few ids: whatever an engine does at once, the last action of an id counts.
func testActions(t *testing.T, h Harness) {
	lock := mustLock(t, h.Store)
	b := mustBegin(t, lock, "")
	random := rand.New(rand.NewPCG(9, 9))
	last := map[int64]*index.Filing{}
	for n := range 5_000 {
		id := int64(1 + random.IntN(40))
		if random.IntN(4) == 0 {
			mustRemove(t, b, id)
			delete(last, id)
			continue
		}
		f := edges.Filing(id, edges.Values{index.FilingAmount: n, index.FilingDate: "2024-01-01"})
		mustPut(t, b, f)
		last[id] = f
	}
	want := slices.Collect(func(yield func(*index.Filing) bool) {
		for _, f := range last {
			if !yield(f) {
				return
			}
		}
	})
	name := mustSeal(t, b, want)
	check(t, mustOpen(t, h.Store, name), indextest.NewOracle(name, want))
	release(t, lock)
}

func testDelete(t *testing.T, h Harness) {
	ctx := t.Context()
	one := edges.Fuzzed(20, 1)
	first, second := mustLoad(t, h, one), mustLoad(t, h, edges.Fuzzed(20, 2))
	old := mustOpen(t, h.Store, first)
	lock := mustLock(t, h.Store)
	if err := lock.Delete(ctx, second); err == nil {
		t.Error("the live generation was deleted")
	}
	h.Advance(time.Second)
	aborted := mustBegin(t, lock, "")
	mustPut(t, aborted, one...)
	if err := aborted.Abort(ctx); err != nil {
		t.Errorf("abort: %v", err)
	}
	h.Advance(time.Second)
	left := mustBegin(t, lock, second)
	mustPut(t, left, one...)
	release(t, lock) // as a load that died
	lock = mustLock(t, h.Store)
	if err := lock.Delete(ctx, left.Generation()); err != nil {
		t.Errorf("delete what was left behind: %v", err)
	}
	_ = left.Abort(ctx) // ends what it runs; its generation is gone already
	if err := lock.Delete(ctx, first); err != nil {
		t.Errorf("delete: %v", err)
	}
	expect(t, []state{{second, true, true}}, states(t, h.Store), nil)
	for _, name := range []string{first, aborted.Generation(), left.Generation()} {
		checkUnknown(t, h.Store, name)
	}
	// A reader of what was deleted may go on, but it may not be wrong.
	err := compare(ctx, indextest.NewOracle(first, one), old, index.Filter{}, index.DefaultSort, firstPage)
	if err != nil && !errors.Is(err, index.ErrGone) {
		t.Errorf("a reader of a deleted generation: %v", err)
	}
	release(t, lock)
}

// testAgain looks at the data from a second store, as another process would.
func testAgain(t *testing.T, h Harness) {
	if h.Again == nil {
		t.Skip("left out: this harness opens its data only once")
	}
	one, two := edges.Fuzzed(20, 1), edges.Fuzzed(30, 2)
	first := mustLoad(t, h, one)
	other := h.Again(t)
	check(t, live(t, other, first), indextest.NewOracle(first, one))
	second := mustLoad(t, h, two)
	h.Advance(time.Second)
	check(t, live(t, other, second), indextest.NewOracle(second, two))
	lock := mustLock(t, h.Store)
	checkLocked(t, other, "first")
	release(t, lock)
	if err := other.Swap(t.Context(), second, first); err != nil {
		t.Fatal(err)
	}
	h.Advance(time.Second)
	live(t, h.Store, first)
}
