package index

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold returns s as it is compared wherever case is ignored (rule X61): as it is typed, lower-cased
// character by character, in NFC. It is so before, too, where an "İ" is no I with a dot above, and
// after, since there is a "ẖ" in lower case alone.
func Fold(s string) string {
	switch typed, lower := formOf(s); {
	case lower:
		return s
	case typed:
		return strings.ToLower(s)
	}
	return norm.NFC.String(strings.ToLower(norm.NFC.String(Typed(s))))
}

// Typed returns s as a keyboard has it: without format characters, such as soft hyphens and those
// without a width, with "-" for each dash and "'" for each apostrophe.
func Typed(s string) string {
	if typed, _ := formOf(s); typed {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(apostrophes, r):
			return '\''
		case unicode.Is(unicode.Dash, r):
			return '-'
		case unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, s)
}

// formOf reports whether s is ASCII without anything to replace, as nearly all texts are, and if
// so, whether it has no capitals either.
func formOf(s string) (typed, lower bool) {
	lower = true
	for i := range len(s) {
		c := s[i]
		if c >= utf8.RuneSelf || c == '`' {
			return false, false
		}
		lower = lower && (c < 'A' || 'Z' < c)
	}
	return true, lower
}

// apostrophes are the characters that people use for one. The last two are others of them in NFC.
const apostrophes = "'`´‘’ʻʼ′\u1fef\u1ffd"

// Trim cuts white space and format characters off the ends of s. If s has no others, it returns "".
func Trim(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || s[0] < utf8.RuneSelf && s[len(s)-1] < utf8.RuneSelf { // as nearly always
		return s
	}
	return strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) })
}

// Squeeze trims s and turns each run of white space (unicode.IsSpace) into one blank.
func Squeeze(s string) string {
	if isSqueezed(s) {
		return s
	}
	return strings.Join(strings.FieldsFunc(s, unicode.IsSpace), " ")
}

// isSqueezed reports whether s is ASCII without anything to squeeze, as nearly all names are.
func isSqueezed(s string) bool {
	blank := true // before s: it must not begin with one
	for i := range len(s) {
		c := s[i]
		if c >= utf8.RuneSelf || c < ' ' || c == ' ' && blank {
			return false
		}
		blank = c == ' '
	}
	return !blank || s == ""
}

// SearchText returns s as substring search compares it (rule P16): folded, white space squeezed.
// Values and terms both pass through it. Trimming values loses nothing, since a term never starts
// or ends with a blank.
func SearchText(s string) string { return Squeeze(Fold(s)) }

// SplitCounty splits "Orange, FL" into name and state. Without a ", ST" at its end the whole is the
// name.
func SplitCounty(county string) (name, state string) {
	if i := len(county) - 4; i >= 0 && county[i:i+2] == ", " {
		return county[:i], county[i+2:]
	}
	return county, ""
}

// Distance returns the number of characters to insert, delete or replace to turn a into b; with
// swaps also to exchange with their neighbor, none of them twice: the optimal string alignment
// distance.
func Distance(a, b []rune, swaps bool) int {
	width := len(b) + 1
	rows := make([]int, 3*width)
	penultimate, last, row := rows[:width], rows[width:2*width], rows[2*width:]
	for j := range last {
		last[j] = j
	}
	for i := range a {
		row[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if swaps && i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], penultimate[j-1]+1)
			}
		}
		penultimate, last, row = last, row, penultimate
	}
	return last[len(b)]
}

// Nearest returns up to `most` of some texts by rising Distance with swaps, and then by position.
// The distance of text i is the least one of the pairs.
func Nearest(texts []string, most int, pairs func(i int) [][2]string) (nearest []string) {
	type candidate struct{ text, distance int }
	best := make([]candidate, 0, most+1)
	for i := range texts {
		least := math.MaxInt
		for _, pair := range pairs(i) {
			a, b := []rune(pair[0]), []rune(pair[1])
			// otherwise it is no nearer
			if apart := max(len(a)-len(b), len(b)-len(a)); len(best) < most || apart < best[most-1].distance {
				least = min(least, Distance(a, b, true))
			}
		}
		place := len(best)
		for place > 0 && best[place-1].distance > least {
			place--
		}
		if place < most {
			best = slices.Insert(best, place, candidate{i, least})[:min(len(best)+1, most)]
		}
	}
	for _, c := range best {
		nearest = append(nearest, texts[c.text])
	}
	return nearest
}

// MinRun is how many letters the shortest run has. Nothing shorter is ever corrected (Reach), and
// engines would have to know of far more.
const MinRun = 5

// CutRun returns the first run of a SearchText, and the rest after it; "" where there is none. A
// run is a word: letters (unicode.IsLetter) side by side, as many as there are, MinRun or more.
// Letters that a text contains lie within one of its words, and a text has fewer words than
// substrings. So engines index words.
func CutRun[T string | []byte](text T) (run, rest T) {
	for rest = text; ; {
		run, rest = cutOf(rest, &lowerLetters, unicode.IsLetter)
		switch n := len(run); {
		case n == 0, n >= MinRun*utf8.UTFMax, n >= MinRun && utf8.RuneCountInString(string(run)) >= MinRun:
			return run, rest
		}
	}
}

var lowerLetters = func() (lower [utf8.RuneSelf]bool) {
	for c := range lower {
		lower[c] = 'a' <= c && c <= 'z'
	}
	return lower
}()

// Run is a run of a term that is searched for.
type Run struct {
	Text                 string
	StartsWord, EndsWord bool // in the term, and so in each match, another character precedes it, or follows it
}

// Runs returns the runs of a term.
func Runs(term string) (runs []Run) {
	for run, rest := CutRun(term); run != ""; run, rest = CutRun(rest) {
		end := len(term) - len(rest)
		runs = append(runs, Run{run, end > len(run), rest != ""})
	}
	return runs
}

// Allows reports whether run can be the word of a matching text that r is a part of.
func (r Run) Allows(run string) bool {
	switch {
	case r.StartsWord && r.EndsWord:
		return run == r.Text
	case r.StartsWord:
		return strings.HasPrefix(run, r.Text)
	case r.EndsWord:
		return strings.HasSuffix(run, r.Text)
	}
	return strings.Contains(run, r.Text)
}
