package document

import (
	"cmp"
	"math"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"filings/index"
)

func TestNumberCode(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		v    float64
		want string
	}{
		{-math.MaxFloat64, "00100"},
		{-1, "400ff"},
		{math.Copysign(0, -1), "80000"},
		{0, "80000"},
		{math.SmallestNonzeroFloat64, "80000"},
		{1, "bff00"},
		{256, "c0700"},
		{257, "c0701"},
		{math.MaxFloat64, "ffeff"},
	} {
		if got := numberCode(test.v); got != test.want {
			t.Errorf("numberCode(%v) = %s, want %s", test.v, got, test.want)
		}
	}
}

func TestTextCode(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"": "", "a": "a", "abc": "abc", "abcd": "abc", "é東😀x": "é東😀", "😀😀": "😀😀"} {
		if got := textCode(in); got != want {
			t.Errorf("textCode(%q) = %q, want %q", in, got, want)
		}
	}
}

// Codes sort as their values do: this is what finding any offset rests on (rule P2).
func TestP2_CodesKeepTheOrder(t *testing.T) {
	t.Parallel()
	t.Run("numbers", rapid.MakeCheck(func(t *rapid.T) {
		a, b := rapid.Float64().Draw(t, "a"), rapid.Float64().Draw(t, "b")
		checkOrder(t, cmp.Compare(a, b), numberCode(a), numberCode(b))
	}))
	t.Run("amounts", rapid.MakeCheck(func(t *rapid.T) {
		amount := rapid.Map(rapid.Int64Range(-1e9, 1e9), func(cents int64) float64 { return float64(cents) / 100 })
		a, b := amount.Draw(t, "a"), amount.Draw(t, "b")
		checkOrder(t, cmp.Compare(a, b), numberCode(a), numberCode(b))
	}))
	t.Run("ids", rapid.MakeCheck(func(t *rapid.T) {
		a, b := rapid.Int64Min(1).Draw(t, "a"), rapid.Int64Min(1).Draw(t, "b")
		checkOrder(t, cmp.Compare(a, b), numberCode(float64(a)), numberCode(float64(b)))
	}))
	t.Run("owners", rapid.MakeCheck(func(t *rapid.T) {
		owner := rapid.StringOfN(rapid.RuneFrom([]rune("ab é東😀\U0010FFFF\u0001")), 0, 6, -1)
		a, b := index.Fold(owner.Draw(t, "a")), index.Fold(owner.Draw(t, "b"))
		checkOrder(t, cmp.Compare(a, b), textCode(a), textCode(b))
		if !utf8.ValidString(textCode(a)) {
			t.Fatalf("textCode(%q) is cut within a character", a)
		}
	}))
}

func checkOrder(t *rapid.T, order int, codeA, codeB string) {
	if c := cmp.Compare(codeA, codeB); c != 0 && c != order {
		t.Fatalf("codes %q and %q compare as %d, values as %d", codeA, codeB, c, order)
	}
}
