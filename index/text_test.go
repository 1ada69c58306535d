package index_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"filings/index"
)

func TestSearchText_P16(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, in, want string }{
		{"nothing", "", ""},
		{"white space only", " \t\u00a0 ", ""},
		{"trimmed", "  Birch ", "birch"},
		{"a run is one blank", "A \t\r\n\v\f B", "a b"},
		{"all of unicode.IsSpace", "a\u0085b\u00a0c\u1680d\u2003e\u2028f\u2029g\u202fh\u205fi\u3000j", "a b c d e f g h i j"},
		{"no white space", "a\u200bb\ufeffc\x1fd\x01e", "a\u200bb\ufeffc\x1fd\x01e"},
		{"ordinary characters", `*?%_\"'`, `*?%_\"'`},
		{"İ is i", "İSTANBUL", "istanbul"},
		{"ẞ is ß, ß is not ss", "STRAẞE Straße", "straße straße"},
		{"Σ is σ at the end too", "ΟΔΟΣ", "οδοσ"},
		{"beyond the BMP", "𐐀 😀", "𐐨 😀"},
		{"ligatures and accents stay", "ﬁ e\u0301 é", "ﬁ e\u0301 é"},
		{"Kelvin is k", "\u212a", "k"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := index.SearchText(test.in); got != test.want {
				t.Errorf("%q: want %q, got %q", test.in, test.want, got)
			}
		})
	}
}

// A term is found in a value whenever it was cut out of it, which is why values may be trimmed.
func TestSearchText_P16_Properties(t *testing.T) {
	t.Parallel()
	text := rapid.StringOf(rapid.OneOf(rapid.Rune(), rapid.SampledFrom([]rune(" \t\u3000İßΣ😀aB*"))))
	rapid.Check(t, func(t *rapid.T) {
		runes := []rune(text.Draw(t, "value"))
		start := rapid.IntRange(0, len(runes)).Draw(t, "start")
		end := rapid.IntRange(start, len(runes)).Draw(t, "end")
		value, term := index.SearchText(string(runes)), index.SearchText(string(runes[start:end]))
		if !strings.Contains(value, term) {
			t.Errorf("%q does not contain %q", value, term)
		}
		if again := index.SearchText(value); again != value {
			t.Errorf("%q becomes %q", value, again)
		}
		if strings.TrimFunc(value, unicode.IsSpace) != value || strings.Contains(value, "  ") {
			t.Errorf("%q has white space left", value)
		}
		if got, want := utf8.RuneCountInString(index.Fold(string(runes))), len(runes); got != want {
			t.Errorf("folding made %d characters of %d", got, want)
		}
	})
}

func TestSplitCounty(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ in, name, state string }{
		{"Orange, FL", "Orange", "FL"},
		{"orange, fl", "orange", "fl"},
		{"St. John's, FL", "St. John's", "FL"},
		{"Doña Ana, NM", "Doña Ana", "NM"},
		{"Orange, Old, FL", "Orange, Old", "FL"},
		{"Orange", "Orange", ""},
		{"Orange,FL", "Orange,FL", ""},
		{"Orange, Florida", "Orange, Florida", ""},
		{"FL", "FL", ""},
		{"", "", ""},
	} {
		if name, state := index.SplitCounty(test.in); name != test.name || state != test.state {
			t.Errorf("%q: want %q and %q, got %q and %q", test.in, test.name, test.state, name, state)
		}
	}
}

func TestCompareCounties_A5(t *testing.T) {
	t.Parallel()
	// A blank is less than a comma, and beyond ASCII comes behind it.
	sorted(t, index.CompareCounties, []string{
		"Adams, WA", "Orange Park, FL", "Orange, CA", "ORANGE, FL", "Orange, FL", "Zoo, AA", "Île, ZZ"})
}

func TestCompareByState_A6(t *testing.T) {
	t.Parallel()
	sorted(t, index.CompareByState, []string{"Zoo, AA", "Lake, CA", "Orange, CA", "alpha, FL", "LAKE, FL", "Lake, FL", "Lake (old), FL", "Lake!, FL", "Adams, WA"})
}

// sorted sorts want from every rotation of it.
func sorted(t *testing.T, compare func(a, b string) int, want []string) {
	t.Helper()
	for n := range want {
		got := slices.Concat(want[n:], want[:n])
		slices.SortFunc(got, compare)
		if !slices.Equal(got, want) {
			t.Errorf("want %q, got %q", want, got)
		}
	}
	for _, a := range want {
		if compare(a, a) != 0 {
			t.Errorf("%q differs from itself", a)
		}
	}
}

// What is squeezed already, as nearly all names are, stays where it is: a search compares its term with each county's name.
func TestSqueeze_AllocatesNothing(t *testing.T) {
	name := "st. lucie county, fl"
	if n := testing.AllocsPerRun(100, func() { name = index.Squeeze(name) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestCutRun(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"":                          nil,
		"abc 123 a1b2":              nil,
		"12 main st, ocoee fl":      {"ocoee"},
		"smith2nd":                  {"smith"},
		"o'neill-jones\xffétés\x00": {"neill", "jones"},
		"étés étésé":                {"étésé"}, // six bytes, four letters
	} {
		var got []string
		for run, rest := index.CutRun(text); run != ""; run, rest = index.CutRun(rest) {
			got = append(got, run)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Each text that contains a term has, for each run of the term, one that it may have instead; and where the term is a run, no other has.
func TestRuns_LeaveNoTextOut(t *testing.T) {
	t.Parallel()
	letters := rapid.RuneFrom([]rune("abé 7"))
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(letters, 0, 40, -1).Draw(t, "text")
		term := rapid.StringOfN(letters, 1, 12, -1).Draw(t, "term")
		if start := rapid.IntRange(0, 30).Draw(t, "start"); start < len(text) && rapid.Bool().Draw(t, "of the text") {
			term = string([]rune(text)[min(start, len([]rune(text))-1):])
		}
		runs, all := index.Runs(term), true
		for _, run := range runs {
			some := false
			for of, rest := index.CutRun(text); of != ""; of, rest = index.CutRun(rest) {
				some = some || run.IsIn(of)
			}
			all = all && some
		}
		is := strings.Contains(text, term)
		if is && !all || !is && all && len(runs) == 1 && runs[0].Text == term {
			t.Fatalf("%q in %q: %v, by runs %v", term, text, is, all)
		}
	})
}
