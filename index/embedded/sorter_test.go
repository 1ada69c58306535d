package embedded

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"filings/index"
)

type item struct{ Key, Value string }

// sortedBy adds items to a sorter with so many bytes of memory and returns what comes out.
func sortedBy(t *rapid.T, dir string, limit int, items []item) []item {
	s := newSorter(dir, limit)
	for _, i := range items {
		if err := s.add([]byte(i.Key), []byte(i.Value)); err != nil {
			t.Fatal(err)
		}
	}
	var all []item
	err := s.each(context.Background(), func(key, value []byte) error {
		all = append(all, item{string(key), string(value)})
		return nil
	})
	if err := errors.Join(err, s.close(), s.close()); err != nil {
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
		var want []item
		for _, key := range keys {
			want = append(want, item{key, text.Draw(t, "value")})
		}
		got := sortedBy(t, dir, rapid.IntRange(1, 500).Draw(t, "limit"), want)
		slices.SortFunc(want, func(a, b item) int { return cmp.Compare(a.Key, b.Key) })
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
	if left, err := os.ReadDir(dir); len(left) > 0 || err != nil {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestSorter_StopsWhenToldTo(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	enough := errors.New("enough")
	for _, limit := range []int{1, 1 << 20} { // merged, and from memory
		s := newSorter(t.TempDir(), limit)
		for _, key := range []string{"b", "a"} {
			if err := s.add([]byte(key), nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.each(ctx, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("with an ended context: %v", err)
		}
		if err := s.each(t.Context(), func(_, _ []byte) error { return enough }); !errors.Is(err, enough) {
			t.Errorf("with an error: %v", err)
		}
		if err := s.close(); err != nil {
			t.Error(err)
		}
	}
}

func TestSorter_NoFolder(t *testing.T) {
	t.Parallel()
	s := newSorter(t.TempDir()+"/missing", 1)
	err1 := s.add([]byte("a"), nil)
	err2 := s.add([]byte("b"), nil)
	if err1 != nil || err2 == nil {
		t.Errorf("%v, %v; want an error when it is needed", err1, err2)
	}
}

// Sort keys must compare as the oracle compares filings.
func TestP17_SortKeys(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawFacts(t, 1), drawFacts(t, 2)
		for _, sort := range allOrders() {
			ka, err1 := appendSortKey(nil, &a, sort)
			kb, err2 := appendSortKey(nil, &b, sort)
			if err := errors.Join(err1, err2); err != nil {
				t.Fatal(err)
			}
			if got, want := bytes.Compare(ka, kb), compareFacts(&a, &b, sort); got != want {
				t.Fatalf("%v: keys compare %d, want %d", sort, got, want)
			}
		}
	})
}

func drawFacts(t *rapid.T, id int64) (f facts) {
	var filing index.Filing
	filing.ID = id
	filing.SetText(index.Owner, rapid.SampledFrom([]string{"", "a", "A", "ab", "a b", "é", "😀", "\x01", "～"}).Draw(t, "owner"))
	filing.SetText(index.FilingDate, rapid.SampledFrom([]string{"", "1600-01-01", "2024-02-29", "2999-12-31"}).Draw(t, "date"))
	if rapid.Bool().Draw(t, "has an amount") {
		filing.SetNumber(index.FilingAmount, rapid.SampledFrom([]float64{0, 0.01, -0.01, 5, -5, 1e300, -1e300}).Draw(t, "amount"))
	}
	if rapid.Bool().Draw(t, "has a time") {
		filing.CreatedAt = noon().AddDate(rapid.IntRange(-1900, 900).Draw(t, "years"), 0, 0)
	}
	if err := f.read(appendFacts(nil, &filing)); err != nil {
		t.Fatal(err)
	}
	return f
}

// compareFacts is the rule, spelled out: the present before the missing, in the direction of s.
func compareFacts(a, b *facts, s index.Sort) int {
	compare := func(missingA, missingB bool, order int) int {
		switch {
		case missingA || missingB:
			return cmp.Compare(btoi(missingA), btoi(missingB))
		case s.Ascending:
			return order
		}
		return -order
	}
	switch s.By {
	case index.Owner:
		return compare(len(a.owner) == 0, len(b.owner) == 0, bytes.Compare(a.owner, b.owner))
	case index.FilingDate:
		x, y := a.words[codedDate], b.words[codedDate]
		return compare(len(x) == 0, len(y) == 0, bytes.Compare(x, y))
	case index.CreatedAt:
		return compare(a.created == noTime, b.created == noTime, cmp.Compare(a.created, b.created))
	}
	n, _ := numberOf(s.By)
	x, y := a.numbers[n], b.numbers[n]
	return compare(x != x, y != y, cmp.Compare(x, y))
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
