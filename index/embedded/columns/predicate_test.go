package columns

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"filings/index"
	"filings/index/cache"
)

// Terms are found where they are, in the rows of all blocks, and never across two values.
func TestP16_NeverAcrossTwoValues(t *testing.T) {
	t.Parallel()
	letters := rapid.RuneFrom([]rune("ab é😀\x01\x7f"))
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfN(rapid.SliceOfN(rapid.StringOfN(letters, 1, 6, -1), 0, 3), 1, 2*rowsABlock).Draw(t, "rows")
		term := rapid.StringOfN(letters, 1, 4, -1).Draw(t, "term")
		empty := rapid.IntRange(0, 2*rowsABlock).Draw(t, "rows without texts before them")
		rows = append(make([][]string, empty), rows...)
		bits := make([]uint64, ChunkRows/64)
		table := textTable(t, rows)
		holds := conjunction(table.inBlocks([]byte(term)), table.inTexts([][]byte{[]byte(term)}))
		if err := holds(context.Background(), 0, bits); err != nil {
			t.Fatal(err)
		}
		for row, values := range rows {
			want := false
			for _, v := range values {
				want = want || strings.Contains(v, term)
			}
			if got := bits[row/64]>>(row%64)&1 == 1; got != want {
				t.Fatalf("row %d %q contains %q: %v, want %v", row, values, term, got, want)
			}
		}
	})
}

// The index of runs finds the rows whose texts have the term: of runs all, of other terms those
// that are read.
func TestRuns_Rows(t *testing.T) {
	t.Parallel()
	letters := rapid.RuneFrom([]rune("ab é7"))
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfN(rapid.SliceOfN(rapid.StringOfN(letters, 1, 15, -1), 0, 3), 1, 2*rowsABlock).Draw(t, "rows")
		term := rapid.StringOfN(letters, 3, 9, -1).Draw(t, "term")
		if all := slices.Concat(rows...); len(all) > 0 && rapid.Bool().Draw(t, "of a text") {
			around := rapid.SampledFrom([]string{"", "a", "b", "7 ", " "}) // what the text may lack there
			term = around.Draw(t, "before") + rapid.SampledFrom(all).Draw(t, "text") + around.Draw(t, "behind")
		}
		bits := make([]uint64, (len(rows)+63)/64)
		table := textTable(t, rows)
		holds, isRun, err := table.ofRuns(context.Background(), term)
		if err == nil && !isRun {
			holds = conjunction(holds, table.inTexts([][]byte{[]byte(term)}))
		}
		if err = errors.Join(err, holds(context.Background(), 0, bits)); err != nil {
			t.Fatal(err)
		}
		for row, values := range rows {
			want := slices.ContainsFunc(values, func(v string) bool { return strings.Contains(v, term) })
			if got := bits[row/64]>>(row%64)&1 == 1; got != want {
				t.Fatalf("row %d %q contains %q: %v, want %v", row, values, term, got, want)
			}
		}
	})
}

// textTable returns a table of one chunk that has search texts alone.
func textTable(t interface{ Fatal(...any) }, rows [][]string) *Table {
	chunks := &stored{chunks: map[cache.Key][]byte{}}
	c := newTextColumn(chunks.put)
	for _, values := range rows {
		var texts []byte
		for _, v := range values {
			texts = append(append(texts, v...), textEnd)
		}
		if err := c.add(texts); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.finish(); err != nil {
		t.Fatal(err)
	}
	return Open("test", int64(len(rows)), chunks.get, cache.New(1<<20))
}

// A term that the rules exclude must not find the separators of values.
func TestP16_TermsThatAreNoText(t *testing.T) {
	t.Parallel()
	table := newTable(t, synthetics(50, 1))
	for term, want := range map[string]int64{"": 50, "\xff": 0, "\x00": 0, "a\xff": 0} {
		if got, err := table.Count(t.Context(), index.Where(index.Contains{Text: term})); got != want || err != nil {
			t.Errorf("contains %q: %d, %v, want %d", term, got, err, want)
		}
	}
}

// The texts of counties, of which the country has 3,000, are made for the first term and kept for
// the others.
func TestContains_KeepsTheTextsOfCounties(t *testing.T) {
	t.Parallel()
	table := newTable(t, synthetics(50, 1))
	first, err := table.countyTexts(t.Context())
	if err != nil || !slices.Contains(first, "orange, fl") {
		t.Fatal(first, err)
	}
	if again, err := table.countyTexts(t.Context()); err != nil || &again[0] != &first[0] {
		t.Error("they were made again", err)
	}
}
