package sorter

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
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
	err := s.Each(context.Background(), func(key, value []byte) error {
		all = append(all, pair{string(key), string(value)})
		return nil
	})
	if err := errors.Join(err, s.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	return all
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

func TestSorter_EndsWithContextOrError(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	enough := errors.New("enough")
	for _, limit := range []int{1, 1 << 20} { // merged, and from memory
		s := New(t.TempDir(), limit)
		for _, key := range []string{"b", "a"} {
			if err := s.Add([]byte(key), nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Each(ctx, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("with an ended context: %v", err)
		}
		if err := s.Each(t.Context(), func(_, _ []byte) error { return enough }); !errors.Is(err, enough) {
			t.Errorf("with an error: %v", err)
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
