package index

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Fold returns s as it is compared wherever case is ignored: lower-cased character by character.
func Fold(s string) string { return strings.ToLower(s) }

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

// SearchText returns s as substring search compares it (rule P16): folded, white space squeezed. Values and terms both
// pass through it. Trimming values loses nothing, since a term never starts or ends with a blank.
func SearchText(s string) string { return Squeeze(Fold(s)) }

// SplitCounty splits "Orange, FL" into name and state. Without a ", ST" at its end the whole is the name.
func SplitCounty(county string) (name, state string) {
	if i := len(county) - 4; i >= 0 && county[i:i+2] == ", " {
		return county[:i], county[i+2:]
	}
	return county, ""
}

// Distance returns the number of characters to insert, delete or replace to turn a into b.
func Distance(a, b string) int {
	to := []rune(b)
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range []rune(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range to {
			substitute := diagonal
			if r != to[j] {
				substitute++
			}
			diagonal = row[j+1]
			row[j+1] = min(substitute, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(to)]
}
