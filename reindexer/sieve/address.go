package sieve

import (
	"strings"
	"unicode/utf8"

	"filings/index"
	"filings/index/address"
)

// addressMark returns a hash of the house number of k and of a word of its street that each address with this key
// has as it stands there: the longest one that is no number and that no table knows; "" where there is none.
func addressMark(k address.Key, seed uint64) uint64 {
	word := ""
	for w := range strings.SplitSeq(k.Street, " ") {
		if len(w) > len(word) && (w[0] < '0' || '9' < w[0]) && !address.IsShort(w) {
			word = w
		}
	}
	mark := numberMark(leadingDigits(k.Number), seed)
	for i := range len(word) {
		mark = index.MarkByte(mark, word[i])
	}
	return mark
}

func leadingDigits(s string) string { return s[:len(s)-len(strings.TrimLeft(s, "0123456789"))] }

func numberMark(number string, seed uint64) uint64 {
	mark := index.MarkStart ^ seed
	for i := range len(number) {
		mark = index.MarkByte(mark, number[i])
	}
	return index.MarkByte(mark, ' ')
}

// mayHaveAddress reports whether the key of an address may have a mark that is known, in a fifth of the time that
// the key takes: true where it may, false where the address has another key, or none.
func mayHaveAddress(text string, seed uint64, known func(mark uint64) bool) bool {
	if len(text) > index.MaxText {
		return true
	}
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			text = index.PlainText(text)
			break
		}
	}
	rest := strings.TrimLeft(text, " \t\n\v\f\r,;")
	number := leadingDigits(rest)
	rest = rest[len(number):]
	if number = strings.TrimLeft(number, "0"); number == "" {
		return false
	}
	start := numberMark(number, seed)
	if known(start) {
		return true
	}
	word := start
	for i := range len(rest) + 1 {
		c := byte(' ')
		if i < len(rest) {
			c = rest[i]
		}
		switch c = index.PlainByte(c); {
		case c == 0:
		case c != ' ' && c != ',':
			word = index.MarkByte(word, c)
		case word != start:
			if known(word) {
				return true
			}
			word = start
		}
	}
	return false
}
