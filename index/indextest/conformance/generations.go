package conformance

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"filings/index"
	"filings/index/generation"
	"filings/index/indextest"
	"filings/index/indextest/edges"
)

func testGenerations(t *testing.T, open func(t *testing.T) Harness) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, Harness)
	}{
		{"L7 before the first load", testNothingLoaded},
		{"L7 built, sealed, promoted", testLife},
		{"L7 swap and rollback", testSwap},
		{"L7 L8 update", testUpdate},
		{"L8 last action wins", testActions},
		{"L8 a failed check", testFailedCheck},
		{"X1 kept", testKept},
		{"X53 withheld", testWithheld},
		{"deleted and aborted", testDelete},
		{"L8 another process", testAgain},
		{"loaded by an older version", testOlder},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, open(t)) })
	}
}

func testNothingLoaded(t *testing.T, h Harness) {
	ctx := t.Context()
	r, err := h.Store.Live(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if r.Generation() != "" {
		t.Errorf("live is %q before the first load", r.Generation())
	}
	o := indextest.NewOracle("", nil)
	if err := compare(ctx, o, r, index.Filter{}, index.DefaultSort, firstPage); err != nil {
		t.Error(err)
	}
	sameStats(t, r, o)
	if _, err := index.OneFiling(ctx, r, 1); !errors.Is(err, index.ErrNotFound) {
		t.Errorf("a filing of nothing: want ErrNotFound, got %v", err)
	}
	checkUnknown(t, h.Store, "no-such-generation")
	all, err := h.Store.Generations(ctx)
	expect(t, []generation.Info(nil), all, err)
	run, err := indextest.Running(ctx, h.Store)
	if run != nil || err != nil {
		t.Errorf("running: %v, %v", run, err)
	}
	run, err = indextest.LastRun(ctx, h.Store)
	if run != nil || err != nil {
		t.Errorf("the last run: %v, %v", run, err)
	}
	name, err := indextest.Load(ctx, h.Store, slices.Values([]*index.Filing(nil)))
	if err != nil {
		t.Fatalf("a load of nothing: %v", err)
	}
	h.Advance(time.Second)
	r = live(t, h.Store, name)
	sameTotals(t, r, o)
}

// testLife follows one generation, with a Filing that is reused and a look at every step.
func testLife(t *testing.T, h Harness) {
	ctx, lock := t.Context(), mustLock(t, h.Store)
	begun := mustBegin(t, lock, "")
	want := index.NewCounts()
	all := edges.Fuzzed(200, 7)
	var f index.Filing
	for _, source := range all {
		categories := append(f.Categories[:0], source.Categories...)
		f = *source
		f.Categories = categories
		if err := begun.Put(ctx, &f); err != nil {
			t.Fatal(err)
		}
		want.Count(index.ValuesOf(&f), 1)
	}
	name := begun.Generation()
	expect(t, []state{{name, false, false}}, states(t, h.Store), nil)
	checkUnknown(t, h.Store, name)

	o := indextest.NewOracle(name, all)
	got, err := begun.Seal(ctx, func(_ context.Context, r index.Reader, holds index.Counts) error {
		if diff := want.Diff(holds); diff != nil {
			t.Errorf("counts that are checked: %q", diff)
		}
		check(t, r, o)
		expect(t, []state{{name, false, false}}, states(t, h.Store), nil)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := want.Diff(got); diff != nil {
		t.Errorf("counts: %q", diff)
	}
	expect(t, []state{{name, true, false}}, states(t, h.Store), nil)
	check(t, mustOpen(t, h.Store, name), o)
	h.Advance(time.Second)
	live(t, h.Store, "")

	if err := lock.Promote(ctx, "no-such-generation", name); !errors.Is(err, generation.ErrConflict) {
		t.Errorf("promote from what is not live: want ErrConflict, got %v", err)
	}
	expect(t, []state{{name, true, false}}, states(t, h.Store), nil)
	if err := lock.Promote(ctx, "", name); err != nil {
		t.Fatal(err)
	}
	expect(t, []state{{name, true, true}}, states(t, h.Store), nil)
	h.Advance(time.Second)
	check(t, live(t, h.Store, name), o)
	checkListed(t, h.Store, name, int64(len(all)))
	release(t, lock)
}

// testFailedCheck wants a generation whose check fails to stay unsealed, so that it cannot become live.
func testFailedCheck(t *testing.T, h Harness) {
	lock := mustLock(t, h.Store)
	begun := mustBegin(t, lock, "")
	mustPut(t, begun, edges.Fuzzed(10, 8)...)
	wrong := errors.New("not what was read")
	_, err := begun.Seal(t.Context(), func(context.Context, index.Reader, index.Counts) error { return wrong })
	if !errors.Is(err, wrong) {
		t.Errorf("seal: want the check's error, got %v", err)
	}
	expect(t, []state{{begun.Generation(), false, false}}, states(t, h.Store), nil)
	checkUnknown(t, h.Store, begun.Generation())
	if err := begun.Abort(t.Context()); err != nil {
		t.Error(err)
	}
	expect(t, []state(nil), states(t, h.Store), nil)
	release(t, lock)
}

// checkListed compares what Generations says of one that was just made.
func checkListed(t *testing.T, store generation.Store, name string, filings int64) {
	t.Helper()
	all, err := store.Generations(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range all {
		if g.Name != name {
			continue
		}
		if g.Filings != filings || g.Bytes <= 0 || g.CreatedAt.IsZero() {
			t.Errorf("%+v: want %d filings, a size and a time", g, filings)
		}
		return
	}
	t.Errorf("%q is not listed", name)
}

// testKept follows what a client may pin: through a build, a swap, a rollback and a deletion.
func testKept(t *testing.T, h Harness) {
	ctx := t.Context()
	kept(t, h.Store)
	filings := edges.Fuzzed(30, 9)
	first := mustLoad(t, h, filings[:20])
	second := mustLoad(t, h, filings)
	lock := mustLock(t, h.Store)
	begun := mustBegin(t, lock, "")
	kept(t, h.Store, index.Generation{Name: second, Filings: 30, Live: true}, index.Generation{Name: first, Filings: 20})
	if _, err := begun.Seal(ctx, nil); err != nil {
		t.Fatal(err)
	}
	third := begun.Generation()
	kept(t, h.Store, index.Generation{Name: third}, index.Generation{Name: second, Filings: 30, Live: true}, index.Generation{Name: first, Filings: 20})
	if err := h.Store.Swap(ctx, second, first); err != nil {
		t.Fatal(err)
	}
	kept(t, h.Store, index.Generation{Name: third}, index.Generation{Name: second, Filings: 30}, index.Generation{Name: first, Filings: 20, Live: true})
	check(t, mustOpen(t, h.Store, second), indextest.NewOracle(second, filings)) // whichever is live
	for _, name := range []string{second, third} {
		if err := lock.Delete(ctx, name); err != nil {
			t.Fatal(err)
		}
	}
	kept(t, h.Store, index.Generation{Name: first, Filings: 20, Live: true})
	checkUnknown(t, h.Store, second)
	release(t, lock)
}

// kept compares what Kept lists, and wants each one's time to be that of its id (rule X1).
func kept(t *testing.T, store generation.Store, want ...index.Generation) {
	t.Helper()
	store.LookAgain() // else the list may be a second late
	got, err := store.Kept(t.Context(), "")
	got = slices.Clone(got)
	for i, g := range got {
		if (g.Values == nil) != (g.Filings == 0) || g.Values != nil && g.Values[index.ID].Filled != g.Filings {
			t.Errorf("%s has the values %v (rule X38)", g.Name, g.Values)
		}
		got[i].Values = nil
		if !index.ValidGenerationID(g.ID()) || g.CreatedAt.UTC().Format(index.GenerationLayout) != g.ID() {
			t.Errorf("%s: id %q, begun at %v", g.Name, g.ID(), g.CreatedAt)
		}
		got[i].CreatedAt = time.Time{}
	}
	expect(t, want, got, err)
}

func testSwap(t *testing.T, h Harness) {
	ctx := t.Context()
	one, two := edges.Fuzzed(20, 1), edges.Fuzzed(30, 2)
	first := mustLoad(t, h, one)
	h.Advance(time.Second)
	old := live(t, h.Store, first)
	second := mustLoad(t, h, two)
	expect(t, []state{{second, true, true}, {first, true, false}}, states(t, h.Store), nil)
	check(t, old, indextest.NewOracle(first, one)) // as before: a reader is pinned
	h.Advance(time.Second)
	check(t, live(t, h.Store, second), indextest.NewOracle(second, two))

	for _, from := range []string{"", first, "no-such-generation"} {
		if err := h.Store.Swap(ctx, from, first); !errors.Is(err, generation.ErrConflict) {
			t.Errorf("swap from %q: want ErrConflict, got %v", from, err)
		}
	}
	if got := mustLive(t, h.Store); got != second {
		t.Errorf("%q is live after refused swaps", got)
	}
	if err := h.Store.Swap(ctx, second, first); err != nil {
		t.Fatalf("rollback: %v", err)
	}
	expect(t, []state{{second, true, false}, {first, true, true}}, states(t, h.Store), nil)
	h.Advance(time.Second)
	check(t, live(t, h.Store, first), indextest.NewOracle(first, one))
	if err := h.Store.Swap(ctx, first, second); err != nil {
		t.Fatalf("forward again: %v", err)
	}
	h.Advance(time.Second)
	check(t, live(t, h.Store, second), indextest.NewOracle(second, two))
}

// testOlder: what a program of an older version of the data has loaded is told by that, with its catalog and without. It is not
// read, and the next full load takes its place; which then tells the older program.
func testOlder(t *testing.T, h Harness) {
	older := h.Older(t)
	name, err := indextest.Load(t.Context(), older, slices.Values(edges.Fuzzed(50, 1)))
	if err != nil {
		t.Fatal(err)
	}
	now := h.Store
	for _, catalog := range []bool{true, false} {
		if !catalog {
			h.Lose(t)
			now = h.Again(t)
			h.Advance(time.Second)
		}
		wantVersion(t, now, name, "loaded by an older version")
		if all, err := now.Generations(t.Context()); err != nil || len(all) != 1 || !all[0].Live {
			t.Errorf("generations, with a catalog %t: %+v, %v", catalog, all, err)
		}
	}
	lock := mustLock(t, now)
	anew := mustBegin(t, lock, "")
	mustPut(t, anew, edges.Fuzzed(40, 2)...)
	if _, err := anew.Seal(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if err := lock.Promote(t.Context(), name, anew.Generation()); err != nil {
		t.Fatal(err)
	}
	release(t, lock)
	h.Advance(time.Second)
	live(t, now, anew.Generation())
	wantVersion(t, older, anew.Generation(), "loaded by a newer version")
}

// wantVersion checks that a store does not read a generation, which is live, and says why.
func wantVersion(t *testing.T, store generation.Store, name, why string) {
	t.Helper()
	_, live := store.Live(t.Context())
	_, open := store.Open(t.Context(), name)
	for what, err := range map[string]error{"live": live, "open": open} {
		if !errors.Is(err, generation.ErrVersion) || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v, want that it was %s", what, err, why)
		}
	}
}
