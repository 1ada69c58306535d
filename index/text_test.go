package index_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
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
		{"no white space", "a\u200bb\ufeffc\x1fd\x01e", "abc\x1fd\x01e"},
		{"between white space", "a \u200b b", "a b"},
		{"ordinary characters", `*?%_\"'`, `*?%_\"'`},
		{"İ is i", "İSTANBUL", "istanbul"},
		{"ẞ is ß, ß is not ss", "STRAẞE Straße", "straße straße"},
		{"Σ is σ at the end too", "ΟΔΟΣ", "οδοσ"},
		{"beyond the BMP", "𐐀 😀", "𐐨 😀"},
		{"ligatures and accents stay", "ﬁ é", "ﬁ é"},
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

// A term is found in a value whenever it was cut out of it between characters, which is why values may be trimmed.
func TestSearchText_P16_Properties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		runes := []rune(anyText.Draw(t, "value"))
		start := boundary(runes, rapid.IntRange(0, len(runes)).Draw(t, "start"))
		end := boundary(runes, rapid.IntRange(start, len(runes)).Draw(t, "end"))
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
	})
}

var anyText = rapid.StringOf(rapid.OneOf(rapid.Rune(), rapid.SampledFrom([]rune(" \t\u3000İßΣ😀aBIHe*'’ʻ´-–\u0301\u0307\u0323\u0331\u200b\u00ad\ufeff가각\u1100\u1161"))))

// boundary returns the first position from i on before which a text may be cut: no mark follows that
// belongs to what is before it.
func boundary(text []rune, i int) int {
	for rest := ""; i < len(text); i++ {
		if rest = index.Typed(string(text[i:])); rest == "" || norm.NFC.PropertiesString(rest).BoundaryBefore() {
			break
		}
	}
	return i
}

func TestFold_X61(t *testing.T) {
	t.Parallel()
	for want, writings := range map[string][]string{
		"":     {"", "\u200b", "\ufeff\u00ad\u2060\u200d"},
		"peña": {"PEÑA", "pen\u0303a", "PEN\u0303A", "Pen\u200b\u0303a", "\ufeffPe\u00adña"},
		"2026-tl-17": {"2026-TL-17", "2026‐TL‐17", "2026\u2011TL\u201117", "2026–TL—17", "2026−TL﹣17",
			"2026－tl⸺17", "2026-TL-17\u200b", "\u206720\u200e26-TL-17"},
		"o'brien": {"O'Brien", "O’BRIEN", "O‘Brien", "OʻBrien", "OʼBrien", "O´Brien", "O`Brien",
			"O′Brien", "O\u1fefBrien", "O\u1ffdBrien", "O\u200d’Brien"},
		"istanbul": {"İstanbul", "I\u0307STANBUL"},
		"í":        {"İ\u0301", "I\u0307\u0301", "Í"},
		"ẖ":        {"H\u0331", "h\u0331", "ẖ"},
		"ệ":        {"E\u0302\u0323", "e\u0323\u0302", "Ệ"},
		"각":        {"\u1100\u1161\u11a8", "가\u11a8"},
		"k ω å":    {"\u212a \u2126 \u212b"},
		"a_b·c,d":  {"A_B·C,D"}, // connectors and dots are no dashes
		"\"″“”":    {"\"″“”"},   // and quotes no apostrophes
		"ﬁ ² ½ ａ":  {"ﬁ ² ½ Ａ"}, // NFC is not NFKC
	} {
		for _, s := range writings {
			if got := index.Fold(s); got != want {
				t.Errorf("%q (%+[1]q): %q, want %q", s, got, want)
			}
		}
	}
}

// TestFold_X61_Properties: Fold and PlainText are done once for all, and equal of what Unicode takes for one text, wherever format
// characters stand in it. What Trim leaves nothing of is folded to nothing.
func TestFold_X61_Properties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { checkFolded(t, anyText.Draw(t, "text"), rapid.IntRange(0, 40).Draw(t, "at")) })
}

func FuzzFold_X61(f *testing.F) {
	for _, text := range []string{"peña", "\u1fef\u1ffd`´", "İ\u0301", "e\u200d\u0301", strings.Repeat("\u0301", 40), "\u0149″", "\xff\u0301"} {
		f.Add(text, 1)
	}
	f.Fuzz(func(t *testing.T, text string, at int) { checkFolded(t, text, at) })
}

func checkFolded(t interface{ Errorf(string, ...any) }, text string, at int) {
	if !utf8.ValidString(text) || at < 0 {
		return // no load and no request has such a one
	}
	runes := []rune(text)
	at = min(at, len(runes))
	pasted := string(runes[:at]) + "\u200b\u00ad\ufeff" + string(runes[at:])
	for name, fold := range map[string]func(string) string{
		"Fold": index.Fold, "SearchText": index.SearchText, "PlainText": index.PlainText,
	} {
		folded := fold(text)
		for _, same := range []string{folded, norm.NFC.String(text), norm.NFD.String(text), pasted} {
			if name == "PlainText" && utf8.RuneCountInString(norm.NFKD.String(text)) > index.MaxText {
				continue // it is cut
			}
			if got := fold(same); got != folded {
				t.Errorf("%s of %q is %q, but of %q it is %q", name, text, folded, same, got)
			}
		}
		if !norm.NFC.IsNormalString(folded) || strings.ContainsFunc(folded, func(r rune) bool { return unicode.Is(unicode.Cf, r) }) {
			t.Errorf("%s of %q: %q", name, text, folded)
		}
	}
	trimmed, searched := index.Trim(text), index.SearchText(text)
	if (trimmed == "") != (searched == "") || index.SearchText(trimmed) != searched {
		t.Errorf("%q is %q, trimmed %q", text, index.SearchText(text), index.SearchText(trimmed))
	}
}

// ASCII in lower case, as most values that are asked for, is folded where it is.
func TestFold_AllocatesNothing(t *testing.T) {
	name := "st. lucie county, fl"
	if n := testing.AllocsPerRun(100, func() { name = index.Fold(name) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkFold(b *testing.B) {
	for _, text := range []string{"Orange, FL", "MAPLEBROOK TRUSTY PROPERTIES INC", "maplebrook trusty properties inc", "PEÑA, ROSA", "O’BRIEN, ROSA"} {
		b.Run(text, func(b *testing.B) {
			for range b.N {
				index.Fold(text)
			}
		})
	}
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

// A squeezed name, as nearly all are, stays where it is: a search compares its term with each county's name.
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
				some = some || run.Allows(of)
			}
			all = all && some
		}
		is := strings.Contains(text, term)
		if is && !all || !is && all && len(runs) == 1 && runs[0].Text == term {
			t.Fatalf("%q in %q: %v, by runs %v", term, text, is, all)
		}
	})
}
