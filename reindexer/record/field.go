package record

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"filings/index"
)

// draft is a filing whose values are being read. It keeps the first fault, and reads on.
type draft struct {
	rules  Rules
	filing *index.Filing
	result Result
}

// begin makes d ready for a record. Its values go to filing.
func (d *draft) begin(filing *index.Filing) {
	filing.Reset()
	*d = draft{rules: d.rules, filing: filing}
}

// fail notes a fault, unless there is one already.
func (d *draft) fail(field, reason string) {
	if d.result.Reason == "" {
		d.result.Field, d.result.Reason = field, reason
	}
}

// setField checks a value that is not missing by the kind of its field (rules L3 and L4), and takes
// it.
func (d *draft) setField(field index.Field, v *value) {
	if v.fault != "" {
		d.fail(field.String(), v.fault)
		return
	}
	info := field.Info()
	switch info.Kind {
	case index.KindID:
		d.setID(v)
	case index.KindCounty:
		d.setText(field, v, index.MaxText, isCounty, `is not "<County>, <ST>" with two capital letters for the state`)
		if _, state := index.SplitCounty(v.text); !d.rules.Stored && !index.IsState(state) {
			d.fail(field.String(), quote(v.text)+" ends with "+state+", which is no code of a state as the USPS has them")
		}
	case index.KindText:
		d.setText(field, v, index.MaxText, nil, "")
	case index.KindLongText:
		d.setText(field, v, index.MaxLongText, nil, "")
	case index.KindDate:
		d.setText(field, v, index.MaxText, isDay, "is not a day YYYY-MM-DD from 1600 to 2999")
	case index.KindDateRange:
		d.setText(field, v, index.MaxText, isDayRange, `is not "YYYY-MM-DD to YYYY-MM-DD", the start first`)
	case index.KindTime:
		d.setTime(field, v)
	case index.KindCategories:
		d.setCategories(field, v)
	case index.KindAmount:
		d.setAmount(field, v)
	case index.KindNumber:
		least := 0.
		if info.Signed {
			least = -math.MaxFloat64
		}
		d.setNumber(field, v, least, math.MaxFloat64, "is below 0")
	case index.KindLatitude:
		d.setNumber(field, v, -90, 90, "is not a latitude, -90 to 90")
	case index.KindLongitude:
		d.setNumber(field, v, -180, 180, "is not a longitude, -180 to 180")
	case index.KindInteger:
		d.setInteger(field, v)
	}
}

func (d *draft) setID(v *value) {
	id, ok := v.integer()
	if !ok || id < 1 {
		d.fail(index.ID.String(), v.describe()+" is not an integer from 1 to 9223372036854775807")
		return
	}
	d.filing.ID = id
}

// setText takes a text in NFC (rule X61).
func (d *draft) setText(field index.Field, v *value, longest int, valid func(string) bool, otherwise string) {
	text := norm.NFC.String(v.text)
	switch {
	case v.kind != kindString:
		d.fail(field.String(), v.describe()+" is not text")
	case strings.IndexByte(text, 0) >= 0:
		d.fail(field.String(), "has a NUL character")
	case len(text) > longest && utf8.RuneCountInString(text) > longest:
		d.fail(field.String(), "has "+strconv.Itoa(utf8.RuneCountInString(text))+
			" characters; at most "+strconv.Itoa(longest)+" are allowed")
	case valid != nil && !valid(text):
		d.fail(field.String(), quote(text)+" "+otherwise)
	default:
		d.filing.SetText(field, text)
		if text != v.text {
			d.result.Normalized++
		}
	}
}

// isCounty refuses a name that has nothing to be seen, or blanks at its ends: no query could ever select such a
// county, since parameters are trimmed.
func isCounty(s string) bool {
	name, state := index.SplitCounty(s)
	name = index.Typed(name)
	return name != "" && strings.TrimSpace(name) == name && len(state) == 2 && isCapital(state[0]) && isCapital(state[1])
}

// IsCounty reports whether a load takes s for a county (rule X42): "County, ST" is a form that was
// not filled in.
func IsCounty(s string) bool {
	_, state := index.SplitCounty(s)
	return isCounty(s) && index.IsState(state)
}

func isCapital(c byte) bool { return 'A' <= c && c <= 'Z' }

func (d *draft) setTime(field index.Field, v *value) {
	var t time.Time
	if v.kind == kindString {
		// Unlike time.Parse, UnmarshalText takes nothing but RFC 3339.
		if err := t.UnmarshalText([]byte(v.text)); err != nil {
			t = time.Time{}
		}
	}
	t = t.UTC().Truncate(time.Microsecond)
	if t.Year() < firstYear || t.Year() > lastYear {
		d.fail(field.String(), v.describe()+" is not an RFC 3339 time such as 2024-01-31T23:59:59Z, years 1600 to 2999")
		return
	}
	d.filing.CreatedAt = t
}

func (d *draft) setCategories(field index.Field, v *value) {
	if v.kind != kindStrings {
		d.fail(field.String(), v.describe()+" is not a list of texts")
		return
	}
	for _, c := range v.list {
		if !slices.Contains(index.CategoryValues, c) {
			d.fail(field.String(), quote(c)+" is not one of "+strings.Join(index.CategoryValues, ", "))
			return
		}
	}
	d.filing.Categories = append(d.filing.Categories[:0], v.list...)
}

func (d *draft) setAmount(field index.Field, v *value) {
	if v.kind != kindNumber {
		d.fail(field.String(), v.describe()+" is not a number")
		return
	}
	amount, rounded, ok := cents(v.text)
	if !ok {
		d.fail(field.String(), v.describe()+" is too large")
		return
	}
	if rounded {
		d.result.Rounded++
	}
	d.filing.SetNumber(field, amount)
}

func (d *draft) setNumber(field index.Field, v *value, least, most float64, otherwise string) {
	if v.kind != kindNumber {
		d.fail(field.String(), v.describe()+" is not a number")
		return
	}
	n, err := strconv.ParseFloat(v.text, 64)
	switch {
	case err != nil:
		d.fail(field.String(), v.describe()+" is too large")
	case n < least || n > most:
		d.fail(field.String(), v.describe()+" "+otherwise)
	default:
		d.filing.SetNumber(field, n)
	}
}

// setInteger takes integers up to 2^53, beyond which a float64 cannot hold all of them.
func (d *draft) setInteger(field index.Field, v *value) {
	n, ok := v.integer()
	if !ok || n < 0 || n > 1<<53 {
		d.fail(field.String(), v.describe()+" is not an integer from 0 to 9007199254740992, without decimals")
		return
	}
	d.filing.SetNumber(field, float64(n))
}
