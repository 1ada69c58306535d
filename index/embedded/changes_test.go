package embedded

import (
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"filings/index"
	"filings/index/indextest"
)

// threeLoads loads three generations, each of which differs from the one before in every filing, and returns their names and
// what their steps must be.
func threeLoads(t *testing.T, s *Store) (names []string, want *indextest.History) {
	t.Helper()
	want = new(indextest.History)
	var before []*index.Filing
	for seed := range uint64(3) {
		after := synthetics(40+int(seed), seed)
		names = append(names, load(t, s, after))
		if seed > 0 {
			want.Promote(names[seed-1], before, names[seed], after)
		}
		before = after
	}
	return names, want
}

func sameSteps(t *testing.T, want, got index.History, names ...string) {
	t.Helper()
	for after := int64(0); ; {
		q := index.ChangeQuery{Generations: names, FieldGroups: index.AllFieldGroups, Limit: 9, LastID: after}
		w, err1 := want.Changes(t.Context(), q)
		g, err2 := got.Changes(t.Context(), q)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		order := func(a, b index.Change) int { return strings.Compare(a.Generation, b.Generation) }
		for _, page := range []index.ChangePage{w, g} {
			slices.SortStableFunc(page.Changes, order)
		}
		if diff := cmp.Diff(w, g); diff != "" {
			t.Fatalf("behind %d (-want +got):\n%s", after, diff)
		}
		if !w.More {
			return
		}
		for _, c := range w.Changes {
			after = max(after, c.ID)
		}
	}
}

// TestX18_WithoutCopies: a step of many changes names them, and its generations stay for it when they are deleted.
func TestX18_WithoutCopies(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir())
	s.MostCopied = 0
	names, want := threeLoads(t, s)
	lock := lockStore(t, s)
	for i := range 2 {
		sameSteps(t, want, s, names[1:]...)
		if err := lock.Delete(t.Context(), names[i]); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Open(t.Context(), names[i]); !errors.Is(err, index.ErrNotFound) {
			t.Errorf("a deleted generation is opened: %v", err)
		}
	}
	if kept, err := s.Kept(t.Context(), ""); err != nil || len(kept) != 1 {
		t.Errorf("kept are %v, %v", kept, err)
	}
	sameSteps(t, want, s, names[1:]...)
	for _, test := range []struct{ keep, files int }{{1, 3}, {0, 1}} { // the live one, a step, and the generation before it
		if _, err := lock.Prune(t.Context(), "", math.MaxInt, test.keep); err != nil {
			t.Error(err)
		}
		entries, err := os.ReadDir(s.storage.files.generations())
		if err != nil || len(entries) != test.files {
			t.Errorf("with %d steps there are %v, %v; want %d files", test.keep, entries, err, test.files)
		}
		if test.keep == 1 {
			sameSteps(t, want, s, names[2])
		}
	}
}

// TestX18_DamagedSteps: whatever byte of a step is changed, its changes are the right ones, or an error.
func TestX18_DamagedSteps(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir)
	names, want := threeLoads(t, s)
	path := s.storage.files.changes(names[1])
	sound, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	q := index.ChangeQuery{Generations: names[1:2], FieldGroups: index.AllFieldGroups, Limit: 100}
	right, err := want.Changes(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for at := 0; at < len(sound); at += 1 + len(sound)/150 {
		damaged := slices.Clone(sound)
		damaged[at] ^= 0x10
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		s = openStore(t, dir) // as another process
		got, err := s.Changes(t.Context(), q)
		switch {
		case errors.Is(err, index.ErrUnavailable) || errors.Is(err, index.ErrGone):
			refused++
		case err != nil:
			t.Errorf("byte %d: %v", at, err)
		case cmp.Diff(right, got) != "":
			t.Errorf("byte %d: other changes", at)
		}
	}
	if refused < 100 {
		t.Errorf("only %d damages were seen", refused)
	}
}
