package conformance

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"filings/index"
	"filings/index/generation"
	"filings/index/indextest"
	"filings/index/indextest/edges"
)

// testWithheld takes filings out of all that a store keeps, as package reindexer does (rule X53): then it is as one that never had them,
// by all that reads it; what had them is deleted, and says so to who still reads it.
func testWithheld(t *testing.T, h Harness) {
	ctx := t.Context()
	var rest []*index.Filing
	var gone []int64
	all := edges.Fuzzed(200, 53)
	for i, f := range all {
		if i%7 == 3 {
			gone = append(gone, f.ID)
		} else {
			rest = append(rest, f)
		}
	}
	first := mustLoad(t, h, rest)
	second := mustUpdate(t, h, all)
	changed := edges.Clone(rest[0])
	changed.SetText(index.City, "Elsewhere")
	third := mustUpdate(t, h, []*index.Filing{changed})
	now := append([]*index.Filing{changed}, rest[1:]...)
	h.Advance(time.Second)

	lock := mustLock(t, h.Store)
	b := mustBegin(t, lock, third)
	b.Erase()
	for _, id := range gone {
		mustRemove(t, b, id)
	}
	name := b.Generation()
	_, err := b.Seal(ctx, indextest.ChangesetFrom(h.Store, third)(b))
	if err == nil {
		err = lock.Promote(ctx, third, name)
	}
	if err != nil {
		t.Fatal(err)
	}
	purged, err := lock.Purge(ctx, name, func(ctx context.Context, name string) (bool, error) {
		for s, err := range h.Store.Stored(ctx, name) {
			if f, failed := s.Filing(); err != nil || failed != nil || slices.Contains(gone, f.ID) {
				return true, errors.Join(err, failed)
			}
		}
		return false, nil
	}, func(v index.Version) index.Version {
		if f, err := v.Filing(); err == nil && slices.Contains(gone, f.ID) {
			return index.Version{Record: index.AppendIDOnly(nil, f.ID), Withheld: true}
		}
		return v
	})
	if slices.Sort(purged); err != nil || !slices.Equal(purged, []string{second, third}) {
		t.Errorf("purged %q, %v; want %q and %q", purged, err, second, third)
	}
	release(t, lock)
	h.Advance(time.Second)

	oracle := indextest.NewOracle(name, now)
	check(t, live(t, h.Store, name), oracle)
	checkQueries(t, live(t, h.Store, name), oracle, newGenerator(53, all), 50)
	checkStored(t, h.Store, name, now)
	checkFingerprints(t, h.Store, name, now)
	check(t, mustOpen(t, h.Store, first), indextest.NewOracle(first, rest))
	for _, old := range []string{second, third} {
		checkUnknown(t, h.Store, old)
	}
	for of, want := range map[string]bool{first: false, second: true, third: true, name: false} {
		if is, err := h.Store.Withdrawn(ctx, of); err != nil || is != want {
			t.Errorf("%s is withdrawn: %v, %v", of, is, err)
		}
	}
	wantStripped(t, h.Store, gone)
	mustSwap(t, h, first)
	check(t, live(t, h.Store, first), indextest.NewOracle(first, rest))
}

// wantStripped wants changesets to have nothing of filings with these ids but the ids.
func wantStripped(t *testing.T, store generation.Store, gone []int64) {
	t.Helper()
	changesets, err := store.Changesets(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range changesets {
		q := index.ChangeQuery{Generations: []string{s.Generation}, FieldGroups: index.AllFieldGroups, Limit: 1000}
		page, err := store.Changes(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range page.Changes {
			for _, v := range []index.Version{c.Earlier, c.Later} {
				if slices.Contains(gone, c.ID) && v.Record != nil && (!v.Withheld || string(v.Record) != string(index.AppendIDOnly(nil, c.ID))) {
					t.Errorf("the changeset of %s has %s", s.Generation, v.Record)
				}
			}
		}
	}
}
