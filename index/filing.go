package index

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"
)

// Filing is one public record as it was loaded. The zero Filing has no value in any field.
//
// A Filing carries valid values only: the reindexer checks the rules L3 and L4 before it makes one.
type Filing struct {
	ID         int64
	CreatedAt  time.Time // to the microsecond
	Categories []string

	text   [numFields]string
	number [numFields]float64
	set    uint64 // a bit a field that has a number
}

// Text returns the text, date or date range in f; "" is a missing value.
func (f *Filing) Text(field Field) string { return f.text[field] }

// SetText sets the text, date or date range in f; "" removes it.
func (f *Filing) SetText(field Field, v string) { f.text[field] = v }

// Number returns the number in f and whether there is one.
func (f *Filing) Number(field Field) (float64, bool) {
	return f.number[field], f.set&(1<<field) != 0
}

// SetNumber sets the number in f. Negative zero becomes zero, so that no engine tells them apart.
func (f *Filing) SetNumber(field Field, v float64) {
	if v == 0 {
		v = 0
	}
	f.number[field], f.set = v, f.set|1<<field
}

// Has reports whether f has a value.
func (f *Filing) Has(field Field) bool {
	switch field {
	case ID:
		return f.ID != 0
	case CreatedAt:
		return !f.CreatedAt.IsZero()
	case Categories:
		return len(f.Categories) > 0
	}
	return f.text[field] != "" || f.set&(1<<field) != 0
}

// Filled returns a bit, 1<<field, for each loaded field in which f has a value.
func (f *Filing) Filled() uint64 {
	filled := f.set
	for field := range f.text {
		if f.text[field] != "" {
			filled |= 1 << field
		}
	}
	for _, field := range []Field{ID, CreatedAt, Categories} {
		if f.Has(field) {
			filled |= 1 << field
		}
	}
	return filled
}

// Reset removes every value, so that one Filing can carry many records after each other.
func (f *Filing) Reset() { *f = Filing{Categories: f.Categories[:0]} }

// Record is a filing as the API shows it to the highest tier: a JSON object with every returned
// field in the order of the table, null where the filing lacks it (categories: []). The table is
// ordered by tier: the record of a lower tier is a prefix and a closing brace (cut.go).
type Record []byte

// AppendRecord appends the record of f to dst.
func AppendRecord(dst []byte, f *Filing) []byte {
	for field := ID; field < numFields && fields[field].Tier != Hidden; field++ {
		dst = append(dst, keys[field]...)
		dst = AppendValue(dst, f, field)
	}
	return append(dst, '}')
}

// keys holds the text before the value of each field: `{"id":`, `,"county":` and so on.
var keys = func() (k [numFields]string) {
	for f := range k {
		k[f] = `,"` + fields[f].Name + `":`
	}
	k[ID] = `{"id":`
	return k
}()

// AppendValue appends f's value of a loaded field as JSON: null if it is missing, [] for no
// categories.
func AppendValue(dst []byte, f *Filing, field Field) []byte {
	switch fields[field].Kind {
	case KindID:
		return strconv.AppendInt(dst, f.ID, 10)
	case KindCategories:
		dst = append(dst, '[')
		for i, c := range f.Categories {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendString(dst, c)
		}
		return append(dst, ']')
	case KindAmount, KindNumber, KindInteger, KindLatitude, KindLongitude:
		if v, ok := f.Number(field); ok {
			return AppendNumber(dst, v)
		}
	case KindTime:
		if f.Has(field) {
			return append(f.CreatedAt.UTC().AppendFormat(append(dst, '"'), time.RFC3339Nano), '"')
		}
	default:
		if s := f.Text(field); s != "" {
			return AppendString(dst, s)
		}
	}
	return append(dst, "null"...)
}

// AppendNumber appends v as a plain decimal, without an exponent. Negative zero is 0.
func AppendNumber(dst []byte, v float64) []byte {
	if v == 0 {
		v = 0
	}
	return strconv.AppendFloat(dst, v, 'f', -1, 64)
}

// AppendString appends s as a JSON string.
func AppendString(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= 0x7f {
			return appendQuoted(dst, s)
		}
	}
	dst = append(dst, '"')
	dst = append(dst, s...)
	return append(dst, '"')
}

func appendQuoted(dst []byte, s string) []byte {
	b := bytes.NewBuffer(dst)
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	return b.Bytes()[:b.Len()-1]
}

// AppendIDOnly appends the record of a filing of which the id alone is wanted (Query.IDsOnly).
func AppendIDOnly(dst []byte, id int64) []byte {
	return append(strconv.AppendInt(append(dst, keys[ID]...), id, 10), '}')
}
