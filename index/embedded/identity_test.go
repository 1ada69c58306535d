package embedded

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"filings/index"
)

// replaceFile puts a copy of one file in place of another: by a rename, or by writing over it.
func replaceFile(t *testing.T, from, to string, rename bool) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	at := to
	if rename {
		at += ".copy"
	}
	if err := os.WriteFile(at, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if rename {
		if err := os.Rename(at, to); err != nil {
			t.Fatal(err)
		}
	}
}

// TestX24_FileSwapped: a valid file of another generation in place of the live one's is noticed, by a running process and by
// one that starts; other generations are served, and the right file repairs it.
func TestX24_FileSwapped(t *testing.T) {
	t.Parallel()
	for _, rename := range []bool{true, false} {
		t.Run(fmt.Sprintf("rename %t", rename), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			running := openStore(t, dir)
			older := load(t, running, synthetics(20, 1))
			live := load(t, running, synthetics(30, 2))
			path, backup := running.storage.files.sealed(live), dir+"/backup"
			replaceFile(t, path, backup, false)
			before := liveReader(t, running)
			if again := liveReader(t, running); again != before {
				t.Error("the same file got a new Reader")
			}
			replaceFile(t, running.storage.files.sealed(older), path, rename)
			for who, s := range map[string]*Store{"running": running, "starting": openStore(t, dir)} {
				_, err := s.Live(t.Context())
				if !errors.Is(err, index.ErrLost) || !errors.Is(err, index.ErrChanged) || errors.Is(err, index.ErrUnavailable) ||
					!strings.Contains(err.Error(), "sealed with "+live+", has "+older) || !strings.Contains(err.Error(), "filings rollback") {
					t.Errorf("%s: %v, want an error that says what differs and what to do", who, err)
				}
				if _, err := s.Open(t.Context(), live); !errors.Is(err, index.ErrChanged) {
					t.Errorf("%s: opened: %v, want ErrChanged", who, err)
				}
				if r, err := s.Open(t.Context(), older); err != nil || index.Probe(t.Context(), r) != nil {
					t.Errorf("%s: the older generation: %v", who, err)
				}
				if all, err := s.Generations(t.Context()); err != nil || len(all) != 2 || all[0].Damaged == nil || all[1].Damaged != nil {
					t.Errorf("%s: listed %+v, %v", who, all, err)
				}
			}
			if kept, err := openStore(t, dir).Kept(t.Context(), ""); err != nil || len(kept) != 1 || kept[0].Name != older {
				t.Errorf("kept: %+v, %v, want the older one alone", kept, err)
			}
			replaceFile(t, backup, path, rename)
			if r := liveReader(t, running); r == before {
				t.Error("the Reader of the replaced file is used on")
			} else if err := index.Probe(t.Context(), r); err != nil {
				t.Errorf("repaired: %v", err)
			}
		})
	}
}

// TestX24_NoFalseAlarm: a copy of the folder, a file that was touched and an update are no difference.
func TestX24_NoFalseAlarm(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir)
	live := load(t, s, synthetics(20, 1))
	liveReader(t, s)
	if err := os.Chtimes(s.storage.files.sealed(live), noon(), noon()); err != nil {
		t.Fatal(err)
	}
	if r := liveReader(t, s); index.Probe(t.Context(), r) != nil || r.Generation() != live {
		t.Error("touched")
	}
	l := lockStore(t, s)
	b := begin(t, l, live, synthetics(5, 2)...)
	if _, err := b.Seal(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if err := l.Promote(t.Context(), live, b.Generation()); err != nil {
		t.Fatal(err)
	}
	copied := t.TempDir()
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]*Store{"an update": s, "a copy": openStore(t, copied)} {
		if r := liveReader(t, s); index.Probe(t.Context(), r) != nil || r.Generation() != b.Generation() {
			t.Errorf("%s: %s", name, r.Generation())
		}
	}
}
