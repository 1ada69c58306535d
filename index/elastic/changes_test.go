package elastic

import (
	"context"
	"errors"
	"math"
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"filings/index"
	"filings/index/elastic/document"
	"filings/index/elastic/elastictest"
	"filings/index/generation"
	"filings/index/indextest"
	"filings/index/sidecar"
)

// ownedBy returns filings with the ids from 1 to n.
func ownedBy(owner string, n int64) (all []*index.Filing) {
	for id := range n {
		all = append(all, filing(id+1, owner))
	}
	return all
}

func sameChangeset(t *testing.T, want *indextest.History, got index.History, name string) {
	t.Helper()
	q := index.ChangeQuery{Generations: []string{name}, FieldGroups: index.AllFieldGroups, Limit: 1000}
	w, err1 := want.Changes(t.Context(), q)
	g, err2 := got.Changes(t.Context(), q)
	if diff := cmp.Diff(w, g); diff != "" || errors.Join(err1, err2) != nil {
		t.Errorf("%v, %v, changes of %s (-want +got):\n%s", err1, err2, name, diff)
	}
}

// TestX18_WithoutCopies: a changeset of many changes names them, and its generations stay for it when they are deleted.
func TestX18_WithoutCopies(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	s.MostCopied = 0
	var want indextest.History
	before, after := ownedBy("A", 30), ownedBy("B", 31)
	first, err1 := indextest.Load(t.Context(), s, slices.Values(before))
	second, err2 := indextest.Load(t.Context(), s, slices.Values(after))
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	want.Promote(first, before, second, after)
	sameChangeset(t, &want, s, second)
	lock := s.lock(t)
	if err := lock.Delete(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Open(t.Context(), first); !errors.Is(err, index.ErrNotFound) {
		t.Errorf("a deleted generation is opened: %v", err)
	}
	s.LookAgain() // else the list may be a second late
	if kept, err := s.Kept(t.Context(), ""); err != nil || len(kept) != 1 {
		t.Errorf("kept are %v, %v", kept, err)
	}
	sameChangeset(t, &want, s, second)
	// The indices are the catalog, the live one with its sidecar; changes, and the first one.
	for _, test := range []struct{ keep, indices int }{{1, 5}, {0, 3}} {
		if _, err := lock.Prune(t.Context(), "", math.MaxInt, test.keep); err != nil {
			t.Error(err)
		}
		if all, err := s.describe(t.Context(), s.alias+"*"); err != nil || len(all) != test.indices {
			t.Errorf("with %d changesets there are %d indices, %v; want %d", test.keep, len(all), err, test.indices)
		}
	}
}

// TestX53_LeftBehind: what a process that was killed had written anew of a changeset is gone from its segments, too,
// when filings are next taken out, though these are in it no more.
func TestX53_LeftBehind(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	_, err1 := indextest.Load(t.Context(), s, slices.Values(ownedBy("A", 3)))
	name, err2 := indextest.Load(t.Context(), s, slices.Values(ownedBy("B", 3)))
	changeset := document.SidecarIndex(name, sidecar.Changeset)
	w := &sidecarWriter{storage: s.storage, index: changeset}
	put := w.put(t.Context())
	err := errors.Join(err1, err2, put("x", 0, nil), w.flush(t.Context()), put("x", 0, nil), w.flush(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	if left, err := s.deletedDocuments(t.Context(), changeset); err != nil || left == 0 {
		t.Fatalf("%d deleted documents, %v: nothing to take out", left, err)
	}
	if err := s.Strip(t.Context(), name, func(v index.Version) index.Version { return v }); err != nil {
		t.Error(err)
	}
	if left, err := s.deletedDocuments(t.Context(), changeset); err != nil || left != 0 {
		t.Errorf("%d deleted documents are left, %v", left, err)
	}
}

// TestX19_FaultsWhileChangesetsAreWritten: Elasticsearch refuses for a moment, and the changeset is
// whole; or it is full, and then the generation is never sealed, and leaves nothing once it is
// deleted.
func TestX19_FaultsWhileChangesetsAreWritten(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	before, after := ownedBy("A", 30), ownedBy("B", 30)
	first, err := indextest.Load(t.Context(), s, slices.Values(before))
	if err != nil {
		t.Fatal(err)
	}
	net := &elastictest.Faults{}
	l := s.through(t, net).lock(t)
	build := func(faults ...elastictest.Fault) (generation.Build, error) {
		b, err := l.Begin(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range after {
			put(t, b, f)
		}
		_, err = b.Seal(t.Context(), func(ctx context.Context, r index.Reader, sum index.Counts) error {
			net.On(document.SidecarIndex(b.Generation(), sidecar.Changeset), faults...)
			return indextest.ChangesetFrom(s, first)(b)(ctx, r, sum)
		})
		return b, err
	}
	full := elastictest.Respond(http.StatusForbidden, `{"error":{"type":"cluster_block_exception",`+
		`"reason":"disk usage exceeded flood-stage watermark"}}`)
	b, err := build(full)
	if err == nil {
		t.Error("a changeset that was refused did not fail the load")
	}
	if err := b.Abort(t.Context()); err != nil {
		t.Fatal(err)
	}
	all, err := s.describe(t.Context(), s.alias+"*")
	if err != nil || len(all) != 3 {
		t.Errorf("%d indices are left, %v", len(all), err)
	}
	busy := elastictest.Respond(http.StatusTooManyRequests, `{"error":{"type":"es_rejected_execution_exception"}}`)
	if b, err = build(elastictest.CutAfter, busy, elastictest.CutBefore, busy); err != nil {
		t.Fatal(err)
	}
	if changesets, err := s.Changesets(t.Context()); err != nil || len(changesets) != 0 {
		t.Errorf("before the promotion: changesets %v, %v", changesets, err)
	}
	if err := l.Promote(t.Context(), first, b.Generation()); err != nil {
		t.Fatal(err)
	}
	var want indextest.History
	want.Promote(first, before, b.Generation(), after)
	sameChangeset(t, &want, s, b.Generation())
}

// TestX19_NothingToCompareWith: an update of a generation whose sidecar is missing fails: it would
// not know what it changes, nor the owners.
func TestX19_NothingToCompareWith(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	first, err := indextest.Load(t.Context(), s, slices.Values(ownedBy("A", 3)))
	if err != nil {
		t.Fatal(err)
	}
	s.remove(t, document.SidecarIndex(first, sidecar.Kept))
	b, err := s.lock(t).Begin(t.Context(), first)
	if err != nil {
		t.Fatal(err)
	}
	put(t, b, filing(2, "B"))
	if _, err := b.Seal(t.Context(), nil); !errors.Is(err, index.ErrNotFound) {
		t.Errorf("sealed: %v, want ErrNotFound", err)
	}
	for s, err := range s.Fingerprints(t.Context(), first) {
		if !errors.Is(err, index.ErrNotFound) {
			t.Errorf("fingerprint %+v, %v", s, err)
		}
	}
}
