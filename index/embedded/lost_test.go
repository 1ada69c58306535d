package embedded

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"filings/index"
)

// wantLost checks what a service learns: a running one, and one that starts now.
func wantLost(t *testing.T, dir, when string, want bool, running ...*Store) {
	t.Helper()
	for _, store := range append(running, openStore(t, dir)) {
		r, err := store.Live(t.Context())
		switch {
		case want && (!errors.Is(err, index.ErrLost) || errors.Is(err, index.ErrUnavailable) || !strings.Contains(err.Error(), "filings rollback")):
			t.Errorf("%s: %v, %v, want an error that says what to do", when, r, err)
		case !want && err != nil:
			t.Errorf("%s: %v", when, err)
		}
	}
}

// A generation that was live and is gone is no folder that never had one.
func TestL7_LostDataAreNotNoData(t *testing.T) {
	t.Parallel()
	for _, lost := range []struct {
		name string
		lose func(dir, live string) error
	}{
		{"the catalog", func(dir, _ string) error { return os.Remove(filepath.Join(dir, "filings.catalog")) }},
		{"the live file", func(dir, live string) error { return os.Remove(filepath.Join(dir, "generations", live+".db")) }},
		{"the generations", func(dir, _ string) error { return os.RemoveAll(filepath.Join(dir, "generations")) }},
	} {
		t.Run(lost.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			running := openStore(t, dir)
			wantLost(t, dir, "before the first load", false, running)
			l := lockStore(t, running)
			b := begin(t, l, "", synthetics(5, 1)...)
			if _, err := b.Seal(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			wantLost(t, dir, "before the first promotion", false, running)
			if err := l.Promote(t.Context(), "", b.Generation()); err != nil {
				t.Fatal(err)
			}
			wantLost(t, dir, "promoted", false, running)
			if err := l.Release(t.Context()); err != nil {
				t.Fatal(err)
			}

			live := b.Generation()
			if err := lost.lose(dir, live); err != nil {
				t.Fatal(err)
			}
			wantLost(t, dir, "lost", true, running)
			again := openStore(t, dir)
			if all, err := again.Generations(t.Context()); err != nil {
				t.Fatal(err)
			} else if len(all) > 0 {
				if err := again.Swap(t.Context(), "", live); err != nil {
					t.Errorf("rollback: %v", err)
				}
				all, err := again.Generations(t.Context())
				if err != nil || all[0].Filings != 5 {
					t.Errorf("%+v, %v after a rollback, want 5 filings", all, err)
				}
				wantLost(t, dir, "after a rollback", false, running)
			}
			if lost.name != "the catalog" { // which is back
				load(t, again, synthetics(5, 2))
			}
			wantLost(t, dir, "after a load", false, running)

			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
			wantLost(t, dir, "everything was removed", false)
		})
	}
}

// A damaged generation is listed, so that another one can be made live in its place.
func TestGenerations_Damaged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir)
	a := load(t, s, synthetics(5, 1))
	b := load(t, s, synthetics(5, 2))
	if err := os.WriteFile(filepath.Join(dir, "generations", b+".db"), []byte("no database"), 0o600); err != nil {
		t.Fatal(err)
	}
	all, err := s.Generations(t.Context())
	if err != nil || len(all) != 2 || all[0].Damaged == nil || !all[0].Live || all[1].Damaged != nil || all[1].Filings != 5 {
		t.Errorf("%+v, %v, want the damaged live one and the other", all, err)
	}
	if err := s.Swap(t.Context(), b, a); err != nil {
		t.Error(err)
	}
}

// A file of another version of the data has another form, and is not damaged: who goes back to that program finds it whole.
func TestGenerations_OtherVersion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir)
	load(t, s, synthetics(5, 1))
	old := "filings-20200101-000000.000000-v5"
	if err := os.WriteFile(filepath.Join(dir, "generations", old+".db"), []byte("of another form"), 0o600); err != nil {
		t.Fatal(err)
	}
	all, err := s.Generations(t.Context())
	if err != nil || len(all) != 2 || all[1].Name != old || all[1].Damaged != nil {
		t.Errorf("%+v, %v, want the old one, not damaged", all, err)
	}
}
