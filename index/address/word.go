package address

import (
	"cmp"
	"slices"
	"strings"
)

// separator stands between the parts of a word, and anything for each text of a part in a pattern. No part has them.
const separator, anything = "\x00", "*"

// Word returns k as one text, by which engines find its filings: number and street, unit, ZIP, city and state;
// "" for the zero Key.
func (k Key) Word() string {
	if k.Number == "" {
		return ""
	}
	return join(k.Unit, k.ZIP, k.City, k.State, k)
}

func join(unit, zip, city, state string, of Key) string {
	return of.Number + " " + of.Street + separator + unit + separator + zip + separator + city + separator + state
}

// Patterns returns patterns of the words that have all parts of k; nil for the zero Key. Where k has a ZIP and a city,
// a word has this ZIP, or no ZIP and this city.
func (k Key) Patterns() []string {
	part := func(text string) string { return cmp.Or(text, anything) }
	unit, city, state := part(k.Unit), part(k.City), part(k.State)
	switch {
	case k.Number == "":
		return nil
	case k.ZIP == "" || k.City == "":
		return []string{join(unit, part(k.ZIP), city, state, k)}
	}
	return []string{join(unit, k.ZIP, anything, anything, k), join(unit, "", city, state, k)}
}

// Terms returns the parts of a word, each behind the number of its place: a filing is found by them. Of a pattern
// it returns those that are not any text, so a pattern matches the words that have all its terms.
func Terms(pattern string) (terms []string) {
	if pattern == "" {
		return nil
	}
	place := '0'
	for part := range strings.SplitSeq(pattern, separator) {
		if part != anything {
			terms = append(terms, string(place)+part)
		}
		place++
	}
	return terms
}

// Matches reports whether a word matches a pattern.
func Matches(pattern, word string) bool {
	return slices.EqualFunc(strings.Split(pattern, separator), strings.Split(word, separator),
		func(part, text string) bool { return part == anything || part == text })
}

// Text returns the key of a word as clients see it: without the city where there is a ZIP; "" for "".
func Text(word string) string {
	parts := strings.Split(word, separator)
	if len(parts) < 5 {
		return ""
	}
	text := parts[0]
	for unit := range strings.FieldsSeq(parts[1]) {
		text += ", " + unitName + unit
	}
	place := parts[2:3]
	if place[0] == "" {
		place = parts[3:]
	}
	for _, name := range place {
		if name != "" {
			text += ", " + name
		}
	}
	return text
}

// OfText returns the key whose Text a text is, the zero Key where it is none. KeyOf may read it in
// another way: at its end "ct" is a state, and a city follows a suffix.
func OfText(text string) (k Key) {
	parts := strings.Split(text, ", ")
	k.Number, k.Street, _ = strings.Cut(parts[0], " ")
	parts = parts[1:]
	var units []string
	for len(parts) > 0 && strings.HasPrefix(parts[0], unitName) {
		units, parts = append(units, parts[0][len(unitName):]), parts[1:]
	}
	k.Unit = strings.Join(units, " ")
	if n := len(parts); n == 1 && len(parts[0]) == 5 && isDigits(parts[0]) {
		k.ZIP = parts[0]
	} else if n > 0 {
		k.City, k.State = strings.Join(parts[:n-1], ", "), parts[n-1]
	}
	if Text(k.Word()) != text || text == "" || !isDigits(text[:1]) {
		return Key{}
	}
	return k
}

const unitName = "unit "
