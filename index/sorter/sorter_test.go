package sorter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"
	"pgregory.net/rapid"
)

type pair struct{ Key, Value string }

// sortedBy adds items to a sorter with so many bytes of memory and returns what comes out.
func sortedBy(t *rapid.T, dir string, limit int, items []pair) []pair {
	s := New(dir, limit)
	for _, i := range items {
		if err := s.Add([]byte(i.Key), []byte(i.Value)); err != nil {
			t.Fatal(err)
		}
	}
	var all []pair
	for item, err := range s.Items(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, pair{string(item.Key), string(item.Value)})
	}
	again := 0
	for item, err := range s.Items(context.Background()) {
		if err != nil || string(item.Key) != all[again].Key || string(item.Value) != all[again].Value {
			t.Fatalf("the second time: %q, %v, want %v", item, err, all[again])
		}
		again++
	}
	if err := errors.Join(s.Close(), s.Close()); err != nil || again != len(all) {
		t.Fatalf("%d of %d items the second time; %v", again, len(all), err)
	}
	return all
}

// Two loops at the same time see all items, from memory and merged.
func TestSorter_AtTheSameTime(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{100, 1 << 20} {
		s := New(t.TempDir(), limit)
		for i := range 1000 {
			if err := s.Add(fmt.Appendf(nil, "%03d", 999-i), nil); err != nil {
				t.Fatal(err)
			}
		}
		var group errgroup.Group
		for range 2 {
			group.Go(func() error {
				n := 0
				for item, err := range s.Items(t.Context()) {
					if want := fmt.Sprintf("%03d", n); err != nil || string(item.Key) != want {
						return fmt.Errorf("%q, %w, want %s", item.Key, err, want)
					}
					n++
				}
				if n != 1000 {
					return fmt.Errorf("%d items", n)
				}
				return nil
			})
		}
		if err := errors.Join(group.Wait(), s.Close()); err != nil {
			t.Errorf("with %d bytes: %v", limit, err)
		}
	}
}

func TestSorter_AnyItemsAnyMemory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.Custom(func(t *rapid.T) string { return string(rapid.SliceOfN(rapid.Byte(), 0, 30).Draw(t, "bytes")) })
		keys := rapid.SliceOfDistinct(text, rapid.ID[string]).Draw(t, "keys")
		var want []pair
		for _, key := range keys {
			want = append(want, pair{key, text.Draw(t, "value")})
		}
		got := sortedBy(t, dir, rapid.IntRange(1, 500).Draw(t, "limit"), want)
		slices.SortFunc(want, func(a, b pair) int { return cmp.Compare(a.Key, b.Key) })
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
	if left, err := os.ReadDir(dir); len(left) > 0 || err != nil {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestSorter_EndsWithContextOrLoop(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, limit := range []int{1, 1 << 20} { // merged, and from memory
		s := New(t.TempDir(), limit)
		for _, key := range []string{"b", "a"} {
			if err := s.Add([]byte(key), nil); err != nil {
				t.Fatal(err)
			}
		}
		n := 0
		for _, err := range s.Items(ctx) {
			if n++; !errors.Is(err, context.Canceled) {
				t.Errorf("with an ended context: %v", err)
			}
		}
		if n != 1 {
			t.Errorf("with an ended context %d items", n)
		}
		for range s.Items(t.Context()) {
			break // ends there
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestSorter_NoFolder(t *testing.T) {
	t.Parallel()
	s := New(t.TempDir()+"/missing", 1)
	err1 := s.Add([]byte("a"), nil)
	err2 := s.Add([]byte("b"), nil)
	if err1 != nil || err2 == nil {
		t.Errorf("%v, %v; want an error when it is needed", err1, err2)
	}
}

func TestNameless_NoTemporaryFolder(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	if _, err := Nameless(""); err == nil || !strings.Contains(err.Error(), "TMPDIR") {
		t.Errorf("got %v, want an error that names TMPDIR", err)
	}
}
