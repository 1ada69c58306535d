// Package address knows when two addresses are one, however they are written (rule X55). It does no
// I/O, and looks nothing up: whether there is such an address it does not know.
package address

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Parser has the functions of its user with which addresses are read.
type Parser struct {
	// Plain returns a text in lower case, without marks and apostrophes. Other characters than
	// letters, digits, commas and & become spaces.
	Plain   func(text string) string
	IsState func(code string) bool // of two capital letters
}

// Key is an address as it is compared: in all writings of an address that Publication 28 of the
// USPS knows, its parts are the same texts. A part that the address does not name is "". Where the
// rule leaves a choice:
//
//   - A house number begins an address: "12", "12-14", "5b", "7 1/2". Zeros before it do not count.
//     An address without one, or without a street, has no key.
//   - Each word of a street is shortened that can be a suffix or a direction, even if it is neither
//     there: "Court St" and "Ct Street" are one.
//   - "st" is a saint where a word follows that is neither: "St Johns Ave", "Old St Augustine Rd".
//   - The name of a unit does not count: "Apt 4", "Unit 04" and "#4" are one.
//   - The city stands after a comma. In an address without commas that ends with a state or a ZIP
//     it begins after the suffix of the street.
//
// Nothing is guessed: "14539 Indiana" and "14539 Indiana Ave" are two addresses.
type Key struct{ Number, Street, Unit, ZIP, City, State string }

// KeyOf returns the key of an address, the zero Key where it has none. city and state are those of
// its record, "" for none: the city goes before the one in the address, the state after it.
func (p Parser) KeyOf(address, city, state string) (k Key) {
	var partArray [8]string
	parts := cutParts(partArray[:0], address)
	if len(parts) == 0 || !k.takeNumber(&parts[0]) {
		return Key{}
	}
	parts = k.takeEnd(parts, p)
	var wordArray [24]word // few addresses have more: they need no memory of their own
	buffer := wordArray[:0]
	var street, town, named []word // named are the words of city
	var unit []string
	for i, text := range parts {
		first := len(buffer)
		buffer = p.appendWords(buffer, text)
		plain := buffer[first:]
		if text == city { // as nearly always: a key takes a tenth less time
			named = plain
		}
		words, numbers := cutUnit(plain, max(0, 1-i))
		if unit = append(unit, numbers...); i == 0 {
			street = words
		} else if len(words) > 0 {
			town = words // the last one: a building or a neighborhood may stand before it
		}
	}
	if len(parts) == 1 && k.ZIP+k.State != "" {
		street, town = cutTown(street)
	}
	if city != "" {
		if town = named; town == nil {
			first := len(buffer)
			buffer = p.appendWords(buffer, city)
			town = buffer[first:]
		}
		if n := len(street) - len(town); len(parts) == 1 && n > 0 && slices.Equal(street[n:], town) {
			street = street[:n]
		}
	}
	if k.Street = streetKey(street); k.Street == "" {
		return Key{}
	}
	if k.State == "" {
		k.State = strings.ToLower(state)
	}
	k.Unit, k.City = strings.Join(unit, " "), townKey(town)
	return k
}

// cutParts appends the parts of an address to dst, each with one word or more.
func cutParts(dst []string, address string) []string {
	for rest, more := address, true; more; {
		part := rest
		i := strings.IndexAny(rest, ",;\n\r")
		if more = i >= 0; more {
			part, rest = rest[:i], rest[i+1:]
		}
		if strings.IndexByte(part, '#') >= 0 {
			part = strings.ReplaceAll(part, "#", " unit ")
		}
		if len(part) > 1_000 { // of a long text Plain leaves the beginning, in which blanks do not count
			part = strings.Join(strings.Fields(part), " ")
		}
		if part = strings.TrimSpace(part); part != "" {
			dst = append(dst, part)
		}
	}
	return dst
}

// word is a word of a Plain text, and the forms of others that it can be.
type word struct {
	text string
	*forms
}

// appendWords appends the words of a text to dst, without marks, dots and hyphens.
func (p Parser) appendWords(dst []word, text string) []word {
	for w := range strings.FieldsSeq(p.Plain(text)) {
		dst = append(dst, word{w, formsOf(w)})
	}
	return dst
}

// takeNumber takes the house number off the beginning, if there is one and something follows it.
func (k *Key) takeNumber(text *string) bool {
	first, rest := cutFirst(*text)
	if rest == "" {
		return false
	}
	numbers, more := strings.ToLower(first), true
	for i := 0; more; i++ {
		var end string
		end, numbers, more = strings.Cut(numbers, "-")
		digits := strings.TrimRight(end, "abcdefghijklmnopqrstuvwxyz")
		if digits == "" || !isDigits(digits) || len(end)-len(digits) > 1 {
			return false // no number, or an ordinal
		}
		if i > 0 {
			k.Number += "-"
		}
		k.Number += strings.TrimLeft(end, "0")
	}
	second, last := cutFirst(rest)
	if top, bottom, fraction := strings.Cut(second, "/"); fraction && isDigits(top+bottom) && last != "" {
		k.Number, rest = k.Number+" "+second, last
	}
	*text = rest
	return k.Number != "" && isDigits(k.Number[:1])
}

// cutFirst cuts the first word off a text that begins with one.
func cutFirst(text string) (word, rest string) {
	i := strings.IndexFunc(text, unicode.IsSpace)
	if i < 0 {
		return text, ""
	}
	return text[:i], strings.TrimLeftFunc(text[i:], unicode.IsSpace)
}

// cutLast cuts the last word off a text that ends with one.
func cutLast(text string) (rest, word string) {
	i := max(0, strings.LastIndexFunc(text, unicode.IsSpace))
	return strings.TrimRightFunc(text[:i], unicode.IsSpace), strings.TrimLeftFunc(text[i:], unicode.IsSpace)
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || '9' < s[i] {
			return false
		}
	}
	return true
}

// takeEnd takes ZIP and state off the end.
func (k *Key) takeEnd(parts []string, p Parser) []string {
	for len(parts) > 0 {
		rest, last := cutLast(parts[len(parts)-1])
		last = strings.Trim(last, ".")
		zip, more, _ := strings.Cut(last, "-")
		switch {
		case k.ZIP+k.State == "" && len(zip) == 5 && isDigits(zip) && isDigits(more) &&
			(len(parts) > 1 || strings.ContainsFunc(rest, unicode.IsSpace)):
			k.ZIP = zip
		case k.State == "" && p.isState(last) &&
			(len(parts) > 1 || k.ZIP != "" && rest != "" || p.namesTown(rest)):
			k.State = strings.ToLower(last)
		default:
			return parts
		}
		if parts[len(parts)-1] = rest; rest == "" {
			parts = parts[:len(parts)-1]
		}
	}
	return parts
}

// isState reports whether a word is the code of a state, in any case.
func (p Parser) isState(word string) bool {
	return utf8.RuneCountInString(word) == 2 && p.IsState(strings.ToUpper(strings.ToLower(word)))
}

// namesTown reports whether a city follows a street: then the word after the city is a state, and
// not part of the street.
func (p Parser) namesTown(text string) bool {
	_, town := cutTown(p.appendWords(nil, text))
	return len(town) > 0
}

// cutUnit cuts a unit off the words from a position on: the words before it begin a street and are
// no unit, as in "Front St" or "Ste Marie Rd".
func cutUnit(words []word, first int) (rest []word, unit []string) {
	for i := first; i < len(words); i++ {
		end := i
		switch lone := words[i].lone; {
		case i == len(words)-1 && lone != "":
			end, unit = i+1, []string{lone}
		case i == len(words)-1 || words[i].unit == "" || !isUnitNumber(words[i+1].text):
			continue
		}
		for ; end < len(words) && (words[end].unit != "" || isUnitNumber(words[end].text)); end++ {
			if words[end].unit == "" {
				unit = append(unit, trimZeros(words[end].text))
			}
		}
		for ; i > first && words[i-1].unit != ""; i-- { // "Apt #4"
		}
		return slices.Concat(words[:i], words[end:]), unit
	}
	return words, nil
}

func isUnitNumber(word string) bool { return len(word) < 2 || strings.ContainsAny(word, "0123456789") }

// trimZeros drops zeros before a number.
func trimZeros(word string) string {
	if short := strings.TrimLeft(word, "0"); short != "" && isDigits(short[:1]) {
		return short
	}
	return word
}

// cutTown cuts the words after the suffix of a street and the direction that may follow it.
func cutTown(words []word) (street, town []word) {
	for i := 1; i < len(words)-1; i++ {
		next := words[i+1]
		ends := words[i].suffix != "" && !isSaint(words, i) ||
			words[i].direction != "" && words[i-1].suffix != "" && i > 1
		goesOn := next.suffix != "" && (next.text != "st" || i+2 == len(words)) || next.direction != ""
		if ends && !goesOn {
			return words[:i+1], words[i+1:]
		}
	}
	return words, nil
}

// isSaint reports whether a word is "st" for a saint in a street: a suffix comes after the name.
func isSaint(words []word, i int) bool {
	isSuffix := func(w word) bool { return w.suffix != "" }
	return words[i].text == "st" && slices.ContainsFunc(words[min(i+2, len(words)):], isSuffix)
}

// streetKey joins the words of a street in their short forms.
func streetKey(words []word) string {
	key, last := make([]byte, 0, 64), ""
	for i, w := range words {
		short := cmp.Or(w.suffix, w.direction, w.ordinal)
		if (w.text == "st" || w.text == "ste") &&
			i+1 < len(words) && words[i+1].suffix == "" && words[i+1].direction == "" {
			short = w.town
		} else if short == "" {
			short = trimZeros(w.text)
		}
		if goesOn := (short == "e" || short == "w") && (last == "n" || last == "s"); len(key) > 0 && !goesOn {
			key = append(key, ' ') // but "N E" is northeast
		}
		key, last = append(key, short...), short
	}
	return string(key)
}

// townKey joins the words of a city in their long forms.
func townKey(words []word) string {
	key := make([]byte, 0, 64)
	for i, w := range words {
		if i > 0 {
			key = append(key, ' ')
		}
		key = append(key, cmp.Or(w.town, w.text)...)
	}
	return string(key)
}
