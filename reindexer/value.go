package reindexer

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"filings/index"
)

// value is one value of a record, in the types of JSON. A CSV cell becomes the type that its column needs.
type value struct {
	kind valueKind
	text string   // of a string; of a number or boolean as written
	lone bool     // the text has half of a surrogate pair, which is no character
	list []string // of a list of strings
}

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

// missing tells whether v stands for no value: null, "" and an empty list do.
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

// setField checks a value that is not missing by the kind of its field (rules L3 and L4), and takes it.
func (r *record) setField(field index.Field, v *value) {
	info := field.Info()
	switch info.Kind {
	case index.KindID:
		r.setID(v)
	case index.KindCounty:
		r.setText(field, v, index.MaxText, isCounty, `is not "<County>, <ST>" with two capital letters for the state`)
	case index.KindText:
		r.setText(field, v, index.MaxText, nil, "")
	case index.KindLongText:
		r.setText(field, v, index.MaxLongText, nil, "")
	case index.KindDate:
		r.setText(field, v, index.MaxText, isDay, "is not a day YYYY-MM-DD from 1600 to 2999")
	case index.KindDateRange:
		r.setText(field, v, index.MaxText, isDayRange, `is not "YYYY-MM-DD to YYYY-MM-DD", the start first`)
	case index.KindTime:
		r.setTime(field, v)
	case index.KindCategories:
		r.setCategories(field, v)
	case index.KindAmount:
		r.setAmount(field, v)
	case index.KindNumber:
		r.setNumber(field, v, lowest(info), math.MaxFloat64, "is below 0")
	case index.KindLatitude:
		r.setNumber(field, v, -90, 90, "is not a latitude, -90 to 90")
	case index.KindLongitude:
		r.setNumber(field, v, -180, 180, "is not a longitude, -180 to 180")
	case index.KindInteger:
		r.setInteger(field, v)
	}
}

func lowest(info index.FieldInfo) float64 {
	if info.Signed {
		return -math.MaxFloat64
	}
	return 0
}

func (r *record) setID(v *value) {
	digits, ok := "", false
	if v.kind == kindNumber {
		digits, ok = integer(v.text)
	}
	id, err := strconv.ParseInt(digits, 10, 64)
	if !ok || err != nil || id < 1 {
		r.fail(index.ID.String(), v.describe()+" is not a whole number from 1 to 9223372036854775807")
		return
	}
	r.filing.ID = id
}

func (r *record) setText(field index.Field, v *value, longest int, valid func(string) bool, otherwise string) {
	switch {
	case v.kind != kindString:
		r.fail(field.String(), v.describe()+" is not text")
	case v.lone:
		r.fail(field.String(), "has half of a surrogate pair, which is no character")
	case strings.IndexByte(v.text, 0) >= 0:
		r.fail(field.String(), "has a NUL character")
	case len(v.text) > longest && utf8.RuneCountInString(v.text) > longest:
		r.fail(field.String(), "has "+strconv.Itoa(utf8.RuneCountInString(v.text))+
			" characters; at most "+strconv.Itoa(longest)+" are allowed")
	case valid != nil && !valid(v.text):
		r.fail(field.String(), quote(v.text)+" "+otherwise)
	default:
		r.filing.SetText(field, v.text)
	}
}

// isCounty refuses blanks at the ends of the name: no query could ever ask for such a county, since parameters are
// trimmed.
func isCounty(s string) bool {
	name, state := index.SplitCounty(s)
	return name != "" && strings.TrimSpace(name) == name && len(state) == 2 && isCapital(state[0]) && isCapital(state[1])
}

func isCapital(c byte) bool { return 'A' <= c && c <= 'Z' }

func (r *record) setTime(field index.Field, v *value) {
	var t time.Time
	if v.kind == kindString {
		// Unlike time.Parse, UnmarshalText takes nothing but RFC 3339.
		if err := t.UnmarshalText([]byte(v.text)); err != nil {
			t = time.Time{}
		}
	}
	t = t.UTC().Truncate(time.Microsecond)
	if t.Year() < firstYear || t.Year() > lastYear {
		r.fail(field.String(), v.describe()+" is not an RFC 3339 time such as 2024-01-31T23:59:59Z, years 1600 to 2999")
		return
	}
	r.filing.CreatedAt = t
}

func (r *record) setCategories(field index.Field, v *value) {
	if v.kind != kindStrings {
		r.fail(field.String(), v.describe()+" is not a list of texts")
		return
	}
	for _, c := range v.list {
		if !slices.Contains(index.CategoryValues, c) {
			r.fail(field.String(), quote(c)+" is not one of "+strings.Join(index.CategoryValues, ", "))
			return
		}
	}
	r.filing.Categories = append(r.filing.Categories[:0], v.list...)
}

func (r *record) setAmount(field index.Field, v *value) {
	if v.kind != kindNumber {
		r.fail(field.String(), v.describe()+" is not a number")
		return
	}
	amount, rounded, ok := cents(v.text)
	if !ok {
		r.fail(field.String(), v.describe()+" is too large")
		return
	}
	if rounded {
		r.rounded++
	}
	r.filing.SetNumber(field, amount)
}

func (r *record) setNumber(field index.Field, v *value, least, most float64, otherwise string) {
	if v.kind != kindNumber {
		r.fail(field.String(), v.describe()+" is not a number")
		return
	}
	n, err := strconv.ParseFloat(v.text, 64)
	switch {
	case err != nil:
		r.fail(field.String(), v.describe()+" is too large")
	case n < least || n > most:
		r.fail(field.String(), v.describe()+" "+otherwise)
	default:
		r.filing.SetNumber(field, n)
	}
}

// setInteger takes whole numbers up to 2^53, beyond which a float64 no longer tells neighbours apart.
func (r *record) setInteger(field index.Field, v *value) {
	digits, ok := "", false
	if v.kind == kindNumber {
		digits, ok = integer(v.text)
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if !ok || err != nil || n < 0 || n > 1<<53 {
		r.fail(field.String(), v.describe()+" is not a whole number from 0 to 9007199254740992, without decimals")
		return
	}
	r.filing.SetNumber(field, float64(n))
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
