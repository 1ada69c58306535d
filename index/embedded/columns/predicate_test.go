package columns

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"filings/index"
)

func TestP16_NeverAcrossTwoValues(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("ab é😀\x01\x7f")), 1, 6, -1)
		rows := rapid.SliceOfN(rapid.SliceOfN(text, 0, 3), 1, 150).Draw(t, "rows")
		term := rapid.StringOfN(rapid.RuneFrom([]rune("ab é😀\x01\x7f")), 1, 4, -1).Draw(t, "term")
		var texts []byte
		var ends []uint32
		for _, values := range rows {
			for _, v := range values {
				texts = append(append(texts, v...), textEnd)
			}
			ends = append(ends, uint32(len(texts)))
		}
		bits := make([]uint64, (len(rows)+63)/64)
		find(texts, ends, []byte(term), bits)
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
