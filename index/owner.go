package index

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// OwnerKeyOf returns the key of an owner's name (rule X25): names of one owner, as counties write
// them, have one key. "" is none, of a name without a letter or digit. If the rule leaves a
// choice:
//
//   - Of forms of equal length the first one in the name counts, and none is made of another one's
//     short form.
//   - "ltd liability comp" is a form too: otherwise the key of its key would be another one.
//   - A name with a form of step 3 has the form as a token, even if several tokens spell it: "Fern,
//     L.L.C." is no person.
//   - "tr" is the last token in the order in which the name is written.
//   - Of a name that is very long the first MaxText characters count, once marks are dropped:
//     engines have no longer terms.
//
// The key of a key is itself, unless the words after a comma came first and so spell a form with
// the words before it.
func OwnerKeyOf(name string) string { return keyOf(splitName(PlainText(name))) }

// FormerOwnerKeyOf returns the key that a name had before rule X61.
func FormerOwnerKeyOf(name string) string { return keyOf(splitName(FormerText(name))) }

// keyOf does the steps 3 to 5.
func keyOf(n ownerName) string {
	if tokens, found := legalForms(n.tokens); found {
		n.tokens = tokens
	} else if n.isPerson() {
		n.tokens = append(n.tokens[n.comma:len(n.tokens):len(n.tokens)], n.tokens[:n.comma]...)
	}
	return strings.Join(n.tokens, " ")
}

// ownerName is a name after the steps 1 and 2.
type ownerName struct {
	tokens []string
	commas int
	comma  int // how many tokens stand before the first one
}

// splitName does the rest of the steps 1 and 2 for the PlainText of a name.
func splitName(text string) (n ownerName) {
	n.tokens = make([]string, 0, 8)
	start := 0
	for i := range len(text) + 1 {
		separator := byte(' ')
		if i < len(text) {
			separator = text[i]
		}
		if separator != ' ' && separator != ',' && separator != '&' {
			continue
		}
		if i > start {
			n.tokens = append(n.tokens, text[start:i])
		}
		start = i + 1
		switch separator {
		case ',':
			if n.commas++; n.commas == 1 {
				n.comma = len(n.tokens)
			}
		case '&':
			n.tokens = append(n.tokens, "and")
		}
	}
	return n
}

// PlainText decomposes text and lowers it, drops marks, apostrophes and format characters, and
// leaves one separator of a kind: a space, a comma, or & for a later "and". It is in NFC.
func PlainText(text string) string {
	if len(text) <= MaxText {
		if plain, ok := plainASCII(text); ok {
			return plain
		}
	}
	return norm.NFC.String(decomposed(Typed(text), apostrophes))
}

// FormerText is PlainText as it was before rule X61: lists of withheld filings have digests that
// were made of it.
func FormerText(text string) string { return decomposed(text, "'’`") }

// Refolded reports whether the FormerText of a text is another than its PlainText.
func Refolded(text string) bool {
	typed, _ := formOf(text)
	return !typed && FormerText(text) != PlainText(text)
}

func decomposed(text, dropped string) string {
	characters := 0
	return strings.Map(func(r rune) rune {
		switch {
		case characters == MaxText, unicode.Is(unicode.M, r), strings.ContainsRune(dropped, r):
			return -1
		case r == '+':
			r = '&'
		case r != ',' && r != '&' && !unicode.IsLetter(r) && !unicode.IsDigit(r):
			r = ' '
		}
		characters++
		return unicode.ToLower(r)
	}, norm.NFKD.String(text))
}

// plainASCII is PlainText of ASCII, as nearly all names are: three times as fast. Without it and
// isSqueezed a load into the embedded engine takes 6 % more CPU. ok is false for any other text.
func plainASCII(text string) (_ string, ok bool) {
	plain := make([]byte, 0, 64)
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return "", false
		}
		if c := plainBytes[text[i]]; c != 0 {
			plain = append(plain, c)
		}
	}
	return string(plain), true
}

// PlainByte returns PlainText of a byte of ASCII, 0 if that drops it, and every other byte itself.
func PlainByte(c byte) byte { return plainBytes[c] }

var plainBytes = func() (table [256]byte) {
	for i := range table {
		switch c := byte(i); {
		case 'A' <= c && c <= 'Z':
			table[i] = c + 'a' - 'A'
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == ',', c == '&', c >= utf8.RuneSelf:
			table[i] = c
		case c == '+':
			table[i] = '&'
		case c != '\'' && c != '`':
			table[i] = ' '
		}
	}
	return table
}()

// isPerson reports whether n is written as "Surname, Given" (step 4). No token is a legal form.
func (n *ownerName) isPerson() bool {
	return n.commas == 1 && 1 <= n.comma && n.comma <= 2 && n.comma < len(n.tokens) &&
		!slices.ContainsFunc(n.tokens, func(token string) bool { return slices.Contains(noPersons, token) })
}

// noPersons are the words of names, apart from legal forms, that no person has.
var noPersons = []string{"and", "estate", "bank", "church", "city", "county", "of"}

// legalForms does step 3, and reports whether there was a form.
func legalForms(tokens []string) (_ []string, found bool) {
	most := 1
	for _, token := range tokens {
		most = max(most, forms[token].most)
	}
	for length := most; length > 0; length-- {
		for i := 0; i+length <= len(tokens); i++ {
			form := forms[tokens[i]]
			if length > 1 {
				if form.most < length {
					continue
				}
				form = forms[strings.Join(tokens[i:i+length], " ")]
			}
			if form.short != "" {
				tokens, found = slices.Replace(tokens, i, i+length, form.short), true
			}
		}
	}
	if last := len(tokens) - 1; last >= 0 && tokens[last] == "tr" {
		tokens[last], found = "trust", true
	}
	return tokens, found
}

// form says whether some tokens are a legal form, the beginning of one, or both.
type form struct {
	short string // the form as keys have it; "" for none
	most  int    // tokens of the longest form that begins so
}

// forms are the legal forms, and the first token of each.
var forms = func() map[string]form {
	table := map[string]form{}
	add := func(tokens, short string) {
		f := table[tokens]
		f.short = short
		table[tokens] = f
		first, _, _ := strings.Cut(tokens, " ")
		f = table[first]
		f.most = max(f.most, 1+strings.Count(tokens, " "))
		table[first] = f
	}
	for short, long := range map[string][]string{
		"llc": {"limited liability company", "limited liability co", "limited liability comp",
			"ltd liability co", "ltd liability company", "ltd liability comp", "l l c"},
		"inc":     {"incorporated", "incorp"},
		"corp":    {"corporation"},
		"co":      {"company", "comp"},
		"ltd":     {"limited"},
		"lp":      {"limited partnership", "l p"},
		"llp":     {"limited liability partnership", "l l p"},
		"lllp":    {"l l l p"},
		"pllc":    {"p l l c"},
		"plc":     {"p l c"},
		"pc":      {"p c"},
		"pa":      {"p a"},
		"na":      {"n a"},
		"assn":    {"association", "assoc"},
		"trust":   {"trst"},
		"trustee": {"trustees", "ttee", "trs"},
	} {
		add(short, short)
		for _, tokens := range long {
			add(tokens, short)
		}
	}
	return table
}()

// OwnerMark returns a hash of an owner's key without working that out, in a quarter of the time:
// names with the same key have the same mark, as has that key. It sums up the tokens that are in no
// legal form, which a key has in any order.
func OwnerMark(name string, seed uint64) (mark uint64) {
	if typed, _ := formOf(name); len(name) > MaxText || !typed {
		name = PlainText(name)
	}
	token := MarkStart
	for i := range len(name) + 1 {
		c := byte(' ')
		if i < len(name) {
			c = name[i]
		}
		switch c = plainBytes[c]; c {
		case 0:
			continue
		case ' ', ',', '&':
		default:
			token = MarkByte(token, c)
			continue
		}
		if !formMarks[token] {
			mark += token * (seed | 1)
		}
		if token = MarkStart; c == '&' {
			mark += andMark * (seed | 1)
		}
	}
	return mark
}

// MarkStart is the hash of no bytes, and MarkByte that of some bytes and one more (FNV-1a).
const MarkStart uint64 = 14695981039346656037

// MarkByte adds a byte to a hash.
func MarkByte(mark uint64, c byte) uint64 { return (mark ^ uint64(c)) * 1099511628211 }

func markOf(token string) uint64 {
	mark := MarkStart
	for i := range len(token) {
		mark = MarkByte(mark, token[i])
	}
	return mark
}

var andMark = markOf("and")

// formMarks are those of the tokens of legal forms, and of no token.
var formMarks = func() map[uint64]bool {
	marks := map[uint64]bool{MarkStart: true, markOf("tr"): true}
	for form := range forms {
		for token := range strings.FieldsSeq(form) {
			marks[markOf(token)] = true
		}
	}
	return marks
}()
