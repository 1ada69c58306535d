package index

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Portfolio is the filings of one OwnerKey (rule X27).
type Portfolio struct {
	Name                            string // the most frequent writing, then the first by code point
	Filings                         int64
	Writings                        int64           // different ones
	Counties                        []CountyFilings // the first MaxOwnerCounties by falling filings, then by name
	Amounts                         int64           // filings that have a FilingAmount
	SumCents                        float64
	FirstFilingDate, LastFilingDate string // of those that have one; "" for none
}

// CountyFilings is how many filings there are in a county, as written on the records.
type CountyFilings struct {
	County  string
	Filings int64
}

// MaxOwnerCounties is how many counties a Portfolio lists.
const MaxOwnerCounties = 20

// OwnerQuery requests portfolios. A condition is on the owner: its figures are of all its filings.
type OwnerQuery struct {
	Tokens     []string // each begins some token of the OwnerKey; there may be none
	Where      Filter   // the owner has a filing whose county, and nothing else of it, is selected
	MinFilings int64
	Sort       OwnerSort
	Ascending  bool
	Offset     int
	Limit      int
}

// OwnerSort is a value by which owners are sorted. Ties are by OwnerKey, rising in both directions.
type OwnerSort uint8

// Sorts of owners.
const (
	OwnersByFilings OwnerSort = iota
	OwnersByAmount            // the sum
	OwnersByName              // folded
)

// OwnerSorts are the names of all sorts in the API, each at its position.
var OwnerSorts = []string{OwnersByFilings: "filings", OwnersByAmount: "amount", OwnersByName: "name"}

// Text returns the canonical text of q.
func (q OwnerQuery) Text() string {
	return fmt.Sprintf("owners %q filings %d sort %s ascending %t offset %d limit %d %s",
		q.Tokens, q.MinFilings, OwnerSorts[q.Sort], q.Ascending, q.Offset, q.Limit, q.Where)
}

// InCounty reports whether q is about owners with a filing in a county, as written.
func (q OwnerQuery) InCounty(county string) bool {
	f := Filing{}
	f.SetText(County, county)
	return q.Where.Holds(&f)
}

// Owners is a page of owners, and how many there are in all.
type Owners struct {
	Total int64
	List  []Portfolio
}

// NameTokens returns the tokens of a name without step 3 and 4 of rule X25, for a name that is
// still being typed.
func NameTokens(name string) []string { return splitName(PlainText(name)).tokens }

// CutWord returns the first word of a folded text, letters and digits side by side, and the rest of
// the text; "" if there is none.
func CutWord[T string | []byte](text T) (word, rest T) {
	return cutOf(text, &wordCharacters, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// wordCharacters are those of a folded text's words that are ASCII.
var wordCharacters = func() (set [utf8.RuneSelf]bool) {
	for c := range set {
		set[c] = 'a' <= c && c <= 'z' || '0' <= c && c <= '9'
	}
	return set
}()

// cutOf returns the first run of characters of a kind in a text, and the rest of the text.
func cutOf[T string | []byte](text T, ascii *[utf8.RuneSelf]bool, inKind func(rune) bool) (run, rest T) {
	start := -1
	for i := 0; i < len(text); {
		ofKind, size := false, 1
		if c := text[i]; c < utf8.RuneSelf {
			ofKind = ascii[c]
		} else {
			var r rune
			r, size = utf8.DecodeRuneInString(string(text[i:min(len(text), i+utf8.UTFMax)]))
			ofKind = inKind(r)
		}
		switch {
		case ofKind && start < 0:
			start = i
		case !ofKind && start >= 0:
			return text[start:i], text[i:]
		}
		i += size
	}
	if start < 0 {
		return text[:0], text[:0]
	}
	return text[start:], text[:0]
}

// Words returns the different words of a text, folded, in their order.
func Words(text string) (words []string) {
	word, rest := CutWord(Fold(text))
	for ; word != ""; word, rest = CutWord(rest) {
		if !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return words
}

// Reach is the largest distance of a word from the typed one (rule X29); 0 if the typed word has a
// digit or is short: it is never corrected.
func Reach(word string) int {
	switch n := utf8.RuneCountInString(word); {
	case n < 5 || strings.ContainsFunc(word, unicode.IsDigit):
		return 0
	case n <= 8:
		return 1
	}
	return 2
}

// MaxNearest is how many words are taken for one that was typed.
const MaxNearest = 10
