package conformance

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"filings/index"
	"filings/index/generation"
	"filings/index/indextest"
	"filings/index/indextest/edges"
	"filings/index/sidecar"
)

func testChanges(t *testing.T, open func(t *testing.T) Harness) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, Harness)
	}{
		{"X19 fingerprints", testFingerprints},
		{"X19 differences of an update", testDifferences},
		{"X19 X28 the sidecar", testSidecar},
		{"X16 pages of a changeset", testPages},
		{"X16 several changesets", testChangesets},
		{"X16 undone changes", testUndone},
		{"X19 only what was promoted", testPromoted},
		{"X19 kept longer than generations", testForget},
		{"X18 a copy", testCopy},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, open(t)) })
	}
}

// mustUpdate makes an update live: filings are added or replaced, and some removed.
func mustUpdate(t *testing.T, h Harness, filings []*index.Filing, removed ...int64) string {
	t.Helper()
	h.Advance(time.Second)
	name, err := indextest.Update(t.Context(), h.Store, slices.Values(filings), removed)
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// mustSwap makes a generation live that was, or could have been.
func mustSwap(t *testing.T, h Harness, to string) {
	t.Helper()
	h.Advance(time.Second)
	if err := h.Store.Swap(t.Context(), mustLive(t, h.Store), to); err != nil {
		t.Fatal(err)
	}
}

// testFingerprints wants the fingerprints of a build, and of a generation made from another one, to
// be those of its filings.
func testFingerprints(t *testing.T, h Harness) {
	ctx := t.Context()
	filings := edges.Fuzzed(300, 19)
	first := mustLoad(t, h, filings)
	checkFingerprints(t, h.Store, first, filings)
	changed := edges.Clone(filings[0])
	changed.SetText(index.City, "Elsewhere")
	filings = append([]*index.Filing{changed}, filings[2:]...)
	lock := mustLock(t, h.Store)
	b := mustBegin(t, lock, first)
	mustPut(t, b, changed)
	mustRemove(t, b, edges.Fuzzed(300, 19)[1].ID)
	if _, err := b.Seal(ctx, func(ctx context.Context, _ index.Reader, _ index.Counts) error {
		return sameFingerprints(b.Fingerprints(ctx), filings)
	}); err != nil {
		t.Fatal(err)
	}
	checkFingerprints(t, h.Store, b.Generation(), filings)
	for _, err := range h.Store.Fingerprints(ctx, "no-such-generation") {
		if !errors.Is(err, index.ErrNotFound) {
			t.Errorf("fingerprints of no generation: %v", err)
		}
	}
	release(t, lock)
}

// testDifferences wants those of a generation made from another one to be its filings that are not
// as they were, whatever was put and removed, and however often.
func testDifferences(t *testing.T, h Harness) {
	filings := edges.Fuzzed(40, 23)
	first := mustLoad(t, h, filings)
	other := func(i int, text index.Field) *index.Filing {
		f := edges.Clone(filings[i])
		f.SetText(text, "ANOTHER")
		return f
	}
	owner, holder := other(5, index.Owner), other(3, index.FilingHolder)
	added, early := edges.Clone(filings[0]), edges.Clone(filings[9])
	added.ID = 1 << 40
	early.CreatedAt = early.CreatedAt.Add(-time.Hour) // when it was added is not compared
	lock := mustLock(t, h.Store)
	b := mustBegin(t, lock, first)
	for _, f := range []*index.Filing{
		added, owner, filings[1], other(2, index.Owner), filings[2], holder, filings[6], early, other(7, index.Owner),
	} {
		mustPut(t, b, f)
	}
	mustRemove(t, b, 1<<41) // is not there
	for _, i := range []int{4, 6, 7} {
		mustRemove(t, b, filings[i].ID)
	}
	mustPut(t, b, filings[6])
	want := []sidecar.Difference{
		{ID: filings[3].ID, FieldGroups: groupsOf(filings[3], holder), Earlier: true, Later: true},
		{ID: filings[4].ID, FieldGroups: index.AllFieldGroups, Earlier: true},
		{ID: filings[5].ID, FieldGroups: groupsOf(filings[5], owner), Earlier: true, Later: true},
		{ID: filings[7].ID, FieldGroups: index.AllFieldGroups, Earlier: true},
		{ID: added.ID, FieldGroups: index.AllFieldGroups, Later: true},
	}
	slices.SortFunc(want, func(a, b sidecar.Difference) int { return cmp.Compare(a.ID, b.ID) })
	if _, err := b.Seal(t.Context(), func(ctx context.Context, _ index.Reader, _ index.Counts) error {
		differences, err := b.Differences(ctx)
		if err != nil {
			return err
		}
		if got := differences.List; !slices.Equal(want, got) {
			return fmt.Errorf("want the differences %+v, got %+v", want, got)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	release(t, lock)
}

// testSidecar wants each chunk beside a generation to be byte for byte the one of its filings,
// whichever engine stores it, and whether it was loaded or made from another one.
func testSidecar(t *testing.T, h Harness) {
	filings := edges.Fuzzed(200, 29)
	first := mustLoad(t, h, filings)
	checkSidecar(t, h.Store, first, filings)
	changed, added := edges.Clone(filings[0]), edges.Clone(filings[1])
	changed.SetText(index.Owner, "SOMEBODY ELSE")
	changed.SetText(index.County, "Elsewhere, TX")
	added.ID = 1 << 40
	lock := mustLock(t, h.Store)
	b := mustBegin(t, lock, first)
	mustPut(t, b, changed)
	mustPut(t, b, added)
	mustRemove(t, b, filings[2].ID)
	if _, err := b.Seal(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	checkSidecar(t, h.Store, b.Generation(), append([]*index.Filing{changed, filings[1], added}, filings[3:]...))
	release(t, lock)
}

func checkSidecar(t *testing.T, store generation.Store, name string, filings []*index.Filing) {
	t.Helper()
	actions := sidecar.NewActions()
	for _, f := range filings {
		actions.Put(indextest.FingerprintOf(f))
	}
	chunks, from := 0, store.(interface {
		Sidecar(name string) sidecar.Source
	}).Sidecar(name)
	err := sidecar.Write(t.Context(), nil, actions, nil, func(section string, chunk int, want []byte) error {
		chunks++
		got, err := from(t.Context(), section, []int{chunk})
		if err == nil && !bytes.Equal(got[0], want) {
			t.Errorf("chunk %d of %s beside %s has %d bytes that are not its filings'", chunk, section, name, len(got[0]))
		}
		return err
	})
	if err := errors.Join(err, actions.Close()); err != nil || chunks < 8 {
		t.Errorf("%d chunks, %v", chunks, err)
	}
}

func checkFingerprints(t *testing.T, store generation.Store, name string, filings []*index.Filing) {
	t.Helper()
	if err := sameFingerprints(store.Fingerprints(t.Context(), name), filings); err != nil {
		t.Errorf("fingerprints of %s: %v", name, err)
	}
	checkStored(t, store, name, filings)
}

// checkStored checks that a generation yields each of its filings once, with all that a load knows of it.
func checkStored(t *testing.T, store generation.Store, name string, filings []*index.Filing) {
	t.Helper()
	left := map[string]bool{}
	for _, f := range filings {
		s := index.Stored{Version: indextest.VersionOf(f), Created: indextest.FingerprintOf(f).Created}
		left[string(s.AppendLoad(nil))] = true
	}
	for s, err := range store.Stored(t.Context(), name) {
		text := string(s.AppendLoad(nil))
		if err != nil || !left[text] {
			t.Fatalf("error %v, and %s, which was not put or came before", err, text)
		}
		delete(left, text)
	}
	if len(left) > 0 {
		t.Errorf("%d filings were not yielded", len(left))
	}
	for range store.Stored(t.Context(), name) {
		return // which has to end it
	}
}

// groupsOf returns the field groups in which two filings differ.
func groupsOf(a, b *index.Filing) index.FieldGroups {
	return indextest.FieldGroupsOf(indextest.VersionOf(a), indextest.VersionOf(b))
}

func sameFingerprints(all func(func(index.Fingerprint, error) bool), filings []*index.Filing) error {
	var want, got []index.Fingerprint
	for _, f := range filings {
		want = append(want, indextest.FingerprintOf(f))
	}
	slices.SortFunc(want, func(a, b index.Fingerprint) int { return cmp.Compare(a.ID, b.ID) })
	for s, err := range all {
		if err != nil {
			return err
		}
		got = append(got, s)
	}
	for i := range min(len(want), len(got)) {
		if want[i] != got[i] {
			return fmt.Errorf("fingerprint %d: want %+v, got %+v", i, want[i], got[i])
		}
	}
	if len(want) != len(got) {
		return fmt.Errorf("want %d fingerprints, got %d", len(want), len(got))
	}
	return nil
}

// testPages reads a changeset in which everything differs somewhere, by pages, for each choice of parts.
func testPages(t *testing.T, h Harness) {
	before := edges.Fuzzed(1_500, 16)
	var after []*index.Filing
	for i, f := range before {
		f = edges.Clone(f)
		switch i % 6 {
		case 0:
			continue
		case 1:
			f.ID = 5_000_000 + int64(i)
		case 2:
			f.SetText(index.Owner, "Changed")
		case 3:
			f.SetText(index.AISummary, "Changed.")
		case 4:
			f.SetText(index.OwnerEmailSecondary, "changed@example.com")
		case 5:
			f.SetText([]index.Field{index.City, index.ZIP}[i%12/6], "10001")
		}
		after = append(after, f)
	}
	first, second := mustLoad(t, h, before), mustLoad(t, h, after)
	var right indextest.History
	right.Promote(first, before, second, after)
	want, _ := right.Changesets(t.Context())
	got, err := h.Store.Changesets(t.Context())
	expect(t, want, got, err)
	for parts := index.FieldGroups(1); parts <= index.AllFieldGroups; parts++ {
		sameChanges(t, h.Store, &right, index.ChangeQuery{Generations: []string{second}, FieldGroups: parts, Limit: 400})
	}
	sameChanges(t, h.Store, &right, index.ChangeQuery{
		Generations: []string{second}, FieldGroups: index.ProFields, Limit: 400, LaterOnly: true,
	})
	for _, limit := range []int{1, 7, 1000, 10_000} {
		q := index.ChangeQuery{Generations: []string{second}, FieldGroups: index.AllFieldGroups, Limit: limit}
		if limit == 1 {
			q.LastID = 5_001_450
		}
		sameChanges(t, h.Store, &right, q)
	}
}

// testChangesets reads changesets together in which the same filings differ.
func testChangesets(t *testing.T, h Harness) {
	var right indextest.History
	filings := edges.Fuzzed(60, 17)
	live := mustLoad(t, h, filings)
	var changesets []string
	random := rand.New(rand.NewPCG(16, 16))
	for n := range 4 {
		before := slices.Clone(filings)
		var changed []*index.Filing
		for range 20 {
			i := random.IntN(len(filings))
			filings[i] = edges.Clone(filings[i])
			filings[i].SetText(index.Owner, fmt.Sprintf("Owner %d", n))
			changed = append(changed, filings[i])
		}
		next := mustUpdate(t, h, changed)
		right.Promote(live, before, next, filings)
		live, changesets = next, append(changesets, next)
	}
	want, _ := right.Changesets(t.Context())
	got, err := h.Store.Changesets(t.Context())
	expect(t, want, got, err)
	for _, limit := range []int{4, 5, 11, 200} {
		sameChanges(t, h.Store, &right, index.ChangeQuery{Generations: changesets, FieldGroups: index.FreeFields, Limit: limit})
		sameChanges(t, h.Store, &right, index.ChangeQuery{Generations: []string{changesets[3], changesets[1]}, FieldGroups: index.AllFieldGroups, Limit: limit})
	}
	_, err = h.Store.Changes(t.Context(), index.ChangeQuery{Generations: append(changesets, "no-such-generation"), FieldGroups: 1, Limit: 10})
	if !errors.Is(err, index.ErrGone) {
		t.Errorf("a changeset that there is not: want ErrGone, got %v", err)
	}
}

// testUndone wants no page to say that there is more where all that follows was undone.
func testUndone(t *testing.T, h Harness) {
	filings := edges.Fuzzed(12, 22)
	slices.SortFunc(filings, func(a, b *index.Filing) int { return cmp.Compare(a.ID, b.ID) })
	first := mustLoad(t, h, filings)
	changed := func(i int) []*index.Filing {
		f := edges.Clone(filings[i])
		f.SetText(index.Owner, "Changed")
		return []*index.Filing{f}
	}
	mustUpdate(t, h, changed(2))
	mustUpdate(t, h, changed(9))
	last := mustUpdate(t, h, filings[9:10])
	for limit := 1; limit <= 3; limit++ {
		c := &indextest.Copy{}
		c.Export(index.GenerationID(first), filings)
		if err := c.Follow(t.Context(), h.Store, index.GenerationID(last), limit); err != nil { // where a page but the first has nothing, too
			t.Errorf("limit %d: %v", limit, err)
		}
		if diff := c.Diff(slices.Replace(slices.Clone(filings), 2, 3, changed(2)...)); diff != "" {
			t.Errorf("limit %d: %s", limit, diff)
		}
	}
}

// sameChanges reads all changes that q selects, page by page, and compares them.
func sameChanges(t *testing.T, got, want index.History, q index.ChangeQuery) {
	t.Helper()
	all := func(h index.History, q index.ChangeQuery) (changes []index.Change) {
		for {
			page, err := h.Changes(t.Context(), q)
			if err != nil {
				t.Fatalf("%+v: %v", q, err)
			}
			if n := len(page.Changes); n > q.Limit || n == 0 && page.More {
				t.Fatalf("%+v: a page of %d, more: %v", q, n, page.More)
			}
			changes = append(changes, page.Changes...)
			if !page.More {
				break
			}
			if last := page.Changes[len(page.Changes)-1].ID; last <= q.LastID {
				t.Fatalf("%+v: the page ends at %d", q, last)
			} else {
				q.LastID = last
			}
		}
		if !slices.IsSortedFunc(changes, func(a, b index.Change) int { return cmp.Compare(a.ID, b.ID) }) {
			t.Errorf("%+v: not by id", q)
		}
		slices.SortFunc(changes, func(a, b index.Change) int {
			return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Generation, b.Generation))
		})
		return changes
	}
	whole := q
	whole.Limit = 1 << 20
	wanted, found := all(want, whole), all(got, q)
	for i := range min(len(wanted), len(found)) {
		if w, f := looked(wanted[i], q.LaterOnly), looked(found[i], q.LaterOnly); w.ID != f.ID ||
			w.Generation != f.Generation || !same(w.Earlier, f.Earlier) || !same(w.Later, f.Later) {
			t.Fatalf("%+v, change %d:\nwant %s\ngot  %s", q, i, text(w), text(f))
		}
	}
	if len(wanted) != len(found) {
		t.Errorf("%+v: want %d changes, got %d", q, len(wanted), len(found))
	}
}

// looked returns c without what may stay unread.
func looked(c index.Change, laterOnly bool) index.Change {
	if laterOnly && c.Earlier.Record != nil {
		c.Earlier = index.Version{Record: index.Record{}}
	}
	return c
}

func same(a, b index.Version) bool {
	return (a.Record == nil) == (b.Record == nil) && bytes.Equal(a.Record, b.Record) && a.City == b.City && a.ZIP == b.ZIP
}

func text(c index.Change) string {
	return fmt.Sprintf("%d by %s: %q, %s to %q, %s", c.ID, c.Generation, c.Earlier.City, c.Earlier.Record,
		c.Later.City, c.Later.Record)
}

// testPromoted wants changesets to be those of promoted generations, from what was live then, whatever else was built.
func testPromoted(t *testing.T, h Harness) {
	ctx := t.Context()
	filings := edges.Fuzzed(30, 20)
	first := mustLoad(t, h, filings)
	expectChangesets(t, h.Store)
	second := mustLoad(t, h, filings[:20])
	expectChangesets(t, h.Store, index.Changeset{Generation: second, Parent: first, Removed: 10})

	lock := mustLock(t, h.Store)
	h.Advance(time.Second)
	b := mustBegin(t, lock, "")
	mustPut(t, b, filings[:25]...)
	check := indextest.ChangesetFrom(h.Store, second)(b)
	if _, err := b.Seal(ctx, check); err != nil {
		t.Fatal(err)
	}
	sealed := b.Generation()
	h.Advance(time.Second)
	failed, wrong := mustBegin(t, lock, second), errors.New("not what was read")
	mustRemove(t, failed, filings[0].ID)
	if _, err := failed.Seal(ctx, func(ctx context.Context, r index.Reader, holds index.Counts) error {
		return errors.Join(indextest.ChangesetFrom(h.Store, second)(failed)(ctx, r, holds), wrong)
	}); !errors.Is(err, wrong) {
		t.Fatalf("seal: %v", err)
	}
	expectChangesets(t, h.Store, index.Changeset{Generation: second, Parent: first, Removed: 10})
	for _, name := range []string{sealed, failed.Generation(), first} {
		if _, err := h.Store.Changes(ctx, index.ChangeQuery{Generations: []string{name}, FieldGroups: 1, Limit: 1}); !errors.Is(err, index.ErrGone) {
			t.Errorf("changes of %s: want ErrGone, got %v", name, err)
		}
	}
	if err := failed.Abort(ctx); err != nil {
		t.Error(err)
	}
	if err := lock.Promote(ctx, second, sealed); err != nil {
		t.Fatal(err)
	}
	release(t, lock)
	third := index.Changeset{Generation: sealed, Parent: second, Added: 5}
	expectChangesets(t, h.Store, third, index.Changeset{Generation: second, Parent: first, Removed: 10})

	mustSwap(t, h, first) // a rollback makes no changeset, and what is loaded then has its origin there
	fourth := mustUpdate(t, h, nil, filings[29].ID)
	mustSwap(t, h, second)
	expectChangesets(t, h.Store, index.Changeset{Generation: fourth, Parent: first, Removed: 1}, third,
		index.Changeset{Generation: second, Parent: first, Removed: 10})
}

// expectChangesets compares the changesets that a store lists, the newest first.
func expectChangesets(t *testing.T, store generation.Store, want ...index.Changeset) {
	t.Helper()
	store.LookAgain() // else the list may be a second late
	got, err := store.Changesets(t.Context())
	expect(t, want, got, err)
}

// testForget wants changesets to outlive their generations, and to be forgotten from the oldest on.
func testForget(t *testing.T, h Harness) {
	ctx := t.Context()
	filings := edges.Fuzzed(40, 21)
	var right indextest.History
	names := []string{mustLoad(t, h, filings)}
	for n := 1; n <= 4; n++ {
		names = append(names, mustLoad(t, h, filings[n*3:]))
		right.Promote(names[n-1], filings[(n-1)*3:], names[n], filings[n*3:])
	}
	lock := mustLock(t, h.Store)
	for _, name := range names[:4] {
		if err := lock.Delete(ctx, name); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := lock.Prune(ctx, "", math.MaxInt, 30); err != nil {
		t.Fatal(err)
	}
	expect(t, []state{{names[4], true, true}}, states(t, h.Store), nil)
	kept(t, h.Store, index.Generation{Name: names[4], Filings: 28, Live: true})
	sameChanges(t, h.Store, &right, index.ChangeQuery{Generations: names[1:], FieldGroups: index.AllFieldGroups, Limit: 5})
	if h.Again != nil {
		sameChanges(t, h.Again(t), &right, index.ChangeQuery{Generations: names[1:], FieldGroups: index.AllFieldGroups, Limit: 50})
	}
	if _, err := lock.Prune(ctx, "", math.MaxInt, 2); err != nil {
		t.Fatal(err)
	}
	right.Keep(2)
	want, _ := right.Changesets(ctx)
	expectChangesets(t, h.Store, want...)
	sameChanges(t, h.Store, &right, index.ChangeQuery{Generations: names[3:], FieldGroups: index.AllFieldGroups, Limit: 5})
	if _, err := h.Store.Changes(ctx, index.ChangeQuery{Generations: names[2:], FieldGroups: 1, Limit: 5}); !errors.Is(err, index.ErrGone) {
		t.Errorf("changes of a forgotten changeset: want ErrGone, got %v", err)
	}
	release(t, lock)
}
