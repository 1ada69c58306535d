package columns

import (
	"context"
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
		rows := rapid.SliceOfN(rapid.SliceOfN(rapid.StringOfN(letters, 1, 6, -1), 0, 3), 1, 2*trigramRows).Draw(t, "rows")
		term := rapid.StringOfN(letters, 1, 4, -1).Draw(t, "term")
		empty := rapid.IntRange(0, 2*trigramRows).Draw(t, "rows without texts before them")
		rows = append(make([][]string, empty), rows...)
		bits := make([]uint64, ChunkRows/64)
		if err := textTable(t, rows).inTexts([]byte(term))(context.Background(), 0, bits); err != nil {
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

// Texts are read only where the trigrams of a term are.
func TestContains_ReadsCandidatesOnly(t *testing.T) {
	t.Parallel()
	rows := make([][]string, ChunkRows)
	for i := range rows {
		rows[i] = []string{"smith john", "12 main st"}
	}
	rows[5*trigramRows] = []string{"quincy"}
	rows[ChunkRows-1] = []string{"quinn"}
	x, err := textTable(t, rows).trigrams(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	for term, want := range map[string][]int{
		"quin": {0, 1}, "quinc": {0}, "nn": {1}, "q": {0, 1}, "z": {}, "zz": {}, "zzz": {}, "st": nil, "smith j": nil,
	} {
		var got []int
		b := x.candidates([]byte(term))
		for i, block := range []int{5, ChunkRows/trigramRows - 1} {
			if b[block/64]>>(block%64)&1 == 1 {
				got = append(got, i)
			}
		}
		others := b[0] & 1
		if want == nil {
			if others == 0 {
				t.Errorf("%q is no candidate where it is", term)
			}
		} else if others == 1 || !slices.Equal(got, want) {
			t.Errorf("%q: candidates %v, others %v, want %v alone", term, got, others == 1, want)
		}
	}
}

// textTable returns a table of one chunk that has search texts alone.
func textTable(t interface{ Fatal(...any) }, rows [][]string) *Table {
	chunks := map[string][]byte{}
	c := newTextColumn(func(name string, _ int, data []byte) error {
		chunks[name] = slices.Clone(data)
		return nil
	})
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
	return Open("test", int64(len(rows)), func(_ context.Context, name string, _ int) ([]byte, error) {
		return chunks[name], nil
	}, cache.New(1<<20))
}

// What a term cannot be by the rules must not find what separates values.
func TestP16_TermsThatAreNoText(t *testing.T) {
	t.Parallel()
	table := newTable(t, synthetics(50, 1))
	for term, want := range map[string]int64{"": 50, "\xff": 0, "\x00": 0, "a\xff": 0} {
		if got, err := table.Count(t.Context(), index.Where(index.Contains{Text: term})); got != want || err != nil {
			t.Errorf("contains %q: %d, %v, want %d", term, got, err, want)
		}
	}
}
