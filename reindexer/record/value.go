package record

import (
	"strconv"
	"strings"
)

// value is one value of a record, in the types of JSON. A CSV cell becomes the type that its column needs.
type value struct {
	kind valueKind
	text string   // of a string; of a number or boolean as written
	list []string // of a list of strings

	// fault is what is wrong with v for any field, "" for nothing.
	fault string
}

// Faults of values.
const (
	faultLone     = "has a lone surrogate, which is no character"
	faultNotUTF8  = "has text that is not UTF-8"
	faultInfinite = "is infinite"
	faultNaN      = "is not a number: nan"
)

type valueKind uint8

const (
	kindNull valueKind = iota
	kindString
	kindNumber
	kindBool
	kindStrings // a list of nothing but strings
	kindList    // any other list
	kindObject
)

// missing reports whether v stands for no value: null, "" and an empty list do.
func (v *value) missing() bool {
	return v.kind == kindNull || v.kind == kindString && v.text == "" || v.kind == kindStrings && len(v.list) == 0
}

// describe says what v is, to begin a reason with.
func (v *value) describe() string {
	switch v.kind {
	case kindString:
		return "the text " + quote(v.text)
	case kindNumber:
		return "the number " + abbreviate(v.text)
	case kindBool:
		return "the boolean " + v.text
	case kindStrings, kindList:
		return "a list"
	case kindObject:
		return "an object"
	}
	return "null"
}

// shown is how many characters of a value a reason quotes.
const shown = 200

// quote puts s, of which it shows the beginning, into double quotes.
func quote(s string) string {
	head := abbreviate(s)
	if len(head) < len(s) {
		return strconv.Quote(strings.TrimSuffix(head, "…")) + "…"
	}
	return strconv.Quote(s)
}

// abbreviate returns s or its first characters and an ellipsis.
func abbreviate(s string) string {
	if len(s) <= shown {
		return s
	}
	n := 0
	for i := range s {
		if n == shown {
			return s[:i] + "…"
		}
		n++
	}
	return s
}
