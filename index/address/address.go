// Package address knows when two addresses are one, however they are written (rule X55). It does no I/O,
// and looks nothing up: whether there is such an address it does not know.
package address

import (
	"slices"
	"strings"
)

// Parser is what addresses are read with, as their users know it.
type Parser struct {
	// Plain returns a text in lower case, without marks and apostrophes; of what is no letter, digit, comma
	// or & it leaves blanks.
	Plain   func(text string) string
	IsState func(code string) bool // of two capital letters
}

// Key is an address as it is compared: in all writings of an address that Publication
// 28 of the USPS knows, its parts are the same texts. A part that the address does not name is "". Where
// the rule leaves a choice:
//
//   - A house number is what an address begins with: "12", "12-14", "5b", "7 1/2". Zeros before it do
//     not count. An address without one, or without a street, has no key.
//   - Each word of a street is shortened that can be a suffix or a direction, whatever it is there:
//     "Court St" and "Ct Street" are one.
//   - "st" is a saint where a word follows that is neither: "St Johns Ave", "Old St Augustine Rd".
//   - What a unit is called does not count: "Apt 4", "Unit 04" and "#4" are one.
//   - The city stands after a comma. In an address without commas that ends with a state or a ZIP, it
//     begins after the suffix of the street.
//
// Nothing is guessed: "14539 Indiana" and "14539 Indiana Ave" are two addresses.
type Key struct{ Number, Street, Unit, ZIP, City, State string }

// KeyOf returns the key of an address, the zero Key where it has none. city and state are
// those of its record, "" for none: the city goes before the one in the address, the state after it.
func (p Parser) KeyOf(address, city, state string) (k Key) {
	all, parts := make([]string, 0, 16), make([][]string, 0, 8) // one array of words: a key takes a tenth less time
	separates := func(r rune) bool { return r == ',' || r == ';' || r == '\n' || r == '\r' }
	for part := range strings.FieldsFuncSeq(address, separates) {
		first := len(all)
		for w := range strings.FieldsSeq(strings.ReplaceAll(part, "#", " unit ")) {
			all = append(all, w)
		}
		if len(all) > first {
			parts = append(parts, all[first:])
		}
	}
	if len(parts) == 0 || len(parts[0]) < 2 || !k.takeNumber(&parts[0]) {
		return Key{}
	}
	parts = k.takeEnd(parts, p)
	var street, unit, town, named []string // named are the words of city
	for i, words := range parts {
		text := strings.Join(words, " ")
		plain := p.plainWords(text)
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
			town = p.plainWords(city)
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
	for i := range town {
		if long := townWords[town[i]]; long != "" {
			town[i] = long
		}
	}
	k.Unit, k.City = strings.Join(unit, " "), strings.Join(town, " ")
	return k
}

// plainWords returns the words of a text in lower case, without marks, dots and hyphens.
func (p Parser) plainWords(text string) []string { return strings.Fields(p.Plain(text)) }

// takeNumber takes the house number off the beginning, if there is one.
func (k *Key) takeNumber(words *[]string) bool {
	w := *words
	ends := strings.Split(strings.ToLower(w[0]), "-")
	for i, end := range ends {
		digits := strings.TrimRight(end, "abcdefghijklmnopqrstuvwxyz")
		if digits == "" || !isDigits(digits) || len(end)-len(digits) > 1 {
			return false // no number, or an ordinal
		}
		ends[i] = strings.TrimLeft(end, "0")
	}
	k.Number, w = strings.Join(ends, "-"), w[1:]
	if above, below, fraction := strings.Cut(w[0], "/"); fraction && isDigits(above+below) && len(w) > 1 {
		k.Number, w = k.Number+" "+w[0], w[1:]
	}
	*words = w
	return k.Number != "" && isDigits(k.Number[:1])
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
func (k *Key) takeEnd(parts [][]string, p Parser) [][]string {
	for len(parts) > 0 {
		words := parts[len(parts)-1]
		last := len(words) - 1
		end := strings.ToLower(strings.Trim(words[last], "."))
		zip, more, _ := strings.Cut(end, "-")
		switch {
		case k.ZIP+k.State == "" && len(zip) == 5 && isDigits(zip+more) && (len(parts) > 1 || last > 1):
			k.ZIP = zip
		case k.State == "" && p.IsState(strings.ToUpper(end)) &&
			(len(parts) > 1 || k.ZIP != "" && last > 0 || p.namesTown(words[:last])):
			k.State = end
		default:
			return parts
		}
		if parts[len(parts)-1] = words[:last]; last == 0 {
			parts = parts[:len(parts)-1]
		}
	}
	return parts
}

// namesTown reports whether a city follows a street: then what follows is a state, and no part of the street.
func (p Parser) namesTown(words []string) bool {
	_, town := cutTown(p.plainWords(strings.Join(words, " ")))
	return len(town) > 0
}

// cutUnit cuts a unit off the words from a position on: before it stands what a street begins with, which
// is none, as in "Front St" or "Ste Marie Rd".
func cutUnit(words []string, from int) (rest, unit []string) {
	for i := from; i < len(words); i++ {
		end := i
		switch lone := loneUnits[words[i]]; {
		case i == len(words)-1 && lone != "":
			end, unit = i+1, []string{lone}
		case i == len(words)-1 || units[words[i]] == "" || !isUnitNumber(words[i+1]):
			continue
		}
		for ; end < len(words) && (units[words[end]] != "" || isUnitNumber(words[end])); end++ {
			if units[words[end]] == "" {
				unit = append(unit, trimZeros(words[end]))
			}
		}
		for ; i > from && units[words[i-1]] != ""; i-- { // "Apt #4"
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

// cutTown cuts what follows the suffix of a street, and the direction after that.
func cutTown(words []string) (street, town []string) {
	for i := 1; i < len(words)-1; i++ {
		next := words[i+1]
		ends := suffixes[words[i]] != "" && !isSaint(words, i) ||
			directions[words[i]] != "" && suffixes[words[i-1]] != "" && i > 1
		goesOn := suffixes[next] != "" && (next != "st" || i+2 == len(words)) || directions[next] != ""
		if ends && !goesOn {
			return words[:i+1], words[i+1:]
		}
	}
	return words, nil
}

// isSaint reports whether a word is "st" for a saint within a street: a suffix comes after the name.
func isSaint(words []string, i int) bool {
	isSuffix := func(w string) bool { return suffixes[w] != "" }
	return words[i] == "st" && slices.ContainsFunc(words[min(i+2, len(words)):], isSuffix)
}

// streetKey joins the words of a street in their short forms.
func streetKey(words []string) string {
	var all []string
	for i, w := range words {
		named := i+1 < len(words) && suffixes[words[i+1]] == "" && directions[words[i+1]] == ""
		switch {
		case (w == "st" || w == "ste") && named:
			w = townWords[w]
		case suffixes[w] != "":
			w = suffixes[w]
		case directions[w] != "":
			w = directions[w]
		case ordinals[w] != "":
			w = ordinals[w]
		default:
			w = trimZeros(w)
		}
		if n := len(all); n > 0 && (w == "e" || w == "w") && (all[n-1] == "n" || all[n-1] == "s") {
			all[n-1] += w // "N E" is northeast
		} else {
			all = append(all, w)
		}
	}
	return strings.Join(all, " ")
}
