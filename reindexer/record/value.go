package record

import (
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"filings/index"
)

// value is one value of a record, in the types of JSON.
type value struct {
	kind valueKind
	text string   // of a string; of a number or boolean as written
	list []string // of a list of strings

	// fault is the fault of v for any field, "" for none.
	fault string
}

// Faults of values.
const (
	twice         = "appears twice"
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

// set makes v of a value of jq.
func (v *value) set(x any) {
	*v = value{list: v.list[:0]}
	switch x := x.(type) {
	case string:
		v.kind, v.text = kindString, x
		v.check(x)
	case bool:
		v.kind, v.text = kindBool, strconv.FormatBool(x)
	case int:
		v.kind, v.text = kindNumber, strconv.Itoa(x)
	case float64:
		v.kind, v.text = kindNumber, floatText(x)
		switch { // jq writes these as null and as the largest number
		case math.IsNaN(x):
			v.fault = faultNaN
		case math.IsInf(x, 0):
			v.fault = faultInfinite
		}
	case *big.Int:
		v.kind, v.text = kindNumber, x.String()
	case json.Number:
		v.kind, v.text = kindNumber, x.String()
	case []any:
		v.ofList(x)
	case map[string]any:
		v.kind = kindObject
	}
}

func (v *value) ofList(items []any) {
	v.kind = kindStrings
	for _, item := range items {
		s, ok := item.(string)
		if !ok {
			v.kind = kindList
			return
		}
		v.list = append(v.list, s)
		v.check(s)
	}
}

// check finds text that is not UTF-8, which a program can make.
func (v *value) check(text string) {
	if !utf8.ValidString(text) {
		v.fault = faultNotUTF8
	}
}

// floatText writes a number as jq does.
func floatText(f float64) string {
	if size := math.Abs(f); size != 0 && size < 1e-6 || size >= 1e21 {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// typed makes a cell of CSV the type that the field of that name needs, if it can be read so; else
// it stays a text, which the draft then refuses.
func (v *value) typed(name string) {
	field, known := index.ByName(name)
	switch {
	case v.text == "":
	case name == deletedName && (v.text == "true" || v.text == "false"):
		v.kind = kindBool
	case !known:
	case field.Info().Kind == index.KindCategories:
		v.kind, v.list = kindStrings, strings.Split(v.text, ";")
	case isNumeric(field.Info().Kind) && isNumber(v.text):
		v.kind = kindNumber
	}
}

func isNumeric(kind index.Kind) bool {
	switch kind {
	case index.KindID, index.KindAmount, index.KindNumber, index.KindInteger, index.KindLatitude, index.KindLongitude:
		return true
	}
	return false
}

// missing reports whether v stands for no value: null, "", a text of format characters alone and an empty list do.
func (v *value) missing() bool {
	switch v.kind {
	case kindString:
		return v.text == "" || v.text[0] >= utf8.RuneSelf && index.Typed(v.text) == ""
	case kindStrings:
		return len(v.list) == 0
	}
	return v.kind == kindNull
}

// describe names the kind of v, to begin a reason with.
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
