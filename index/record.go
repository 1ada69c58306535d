package index

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"
)

// Record is a filing as the API shows it to the highest tier: a JSON object with every returned field in the order of
// the table, null where the filing lacks it (categories: []). The table is ordered by tier, so that the record of a
// lower tier is a prefix of it and a closing brace.
type Record []byte

// AppendRecord appends the record of f to dst.
func AppendRecord(dst []byte, f *Filing) []byte {
	for field := ID; field < numFields && fields[field].Tier != Hidden; field++ {
		dst = append(dst, keys[field]...)
		dst = AppendValue(dst, f, field)
	}
	return append(dst, '}')
}

// keys holds what stands before the value of each field: `{"id":`, `,"county":` and so on.
var keys = func() (k [numFields]string) {
	for f := range k {
		k[f] = `,"` + fields[f].Name + `":`
	}
	k[ID] = `{"id":`
	return k
}()

// AppendValue appends what f has in a loaded field as JSON: null where it lacks it, [] for categories.
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

// AppendFor appends the part of r that tier t sees. A field's key cannot occur anywhere else in a record: within a
// string its quotes would be escaped, and behind a string's end no name can follow the comma's quote.
func (r Record) AppendFor(dst []byte, t Tier) []byte {
	if end, ok := firstAbove[t]; ok {
		if i := bytes.Index(r, end); i >= 0 {
			return append(append(dst, r[:i]...), '}')
		}
	}
	return append(dst, r...)
}

// AppendFields appends the members of r that tier t sees and set has, in the order of the record. It cuts runs of
// neighbouring members out, from one key to the next, and decodes nothing: see AppendFor. A record of the id alone
// (Query.IDsOnly) is good for a set of the id alone.
func (r Record) AppendFields(dst []byte, t Tier, set FieldSet) []byte {
	if set == 0 {
		return r.AppendFor(dst, t)
	}
	rest := r // begins at or before the key of f
	for f := ID; f < numFields && f.Returned(t); f++ {
		if !set.Has(f) {
			continue
		}
		start := bytes.Index(rest, []byte(keys[f]))
		if start < 0 {
			break
		}
		rest = rest[start:]
		for f+1 < numFields && (f + 1).Returned(t) && set.Has(f+1) {
			f++
		}
		end := len(rest) - 1 // before the closing brace
		if f+1 < numFields && fields[f+1].Tier != Hidden {
			if i := bytes.Index(rest, []byte(keys[f+1])); i >= 0 {
				end = i
			}
		}
		dst, rest = append(dst, rest[:end]...), rest[end:]
	}
	return append(dst, '}')
}

// AppendIDOnly appends the record of a filing of which the id alone is wanted (Query.IDsOnly).
func AppendIDOnly(dst []byte, id int64) []byte {
	return append(strconv.AppendInt(append(dst, keys[ID]...), id, 10), '}')
}

// firstAbove holds, for each tier but the highest, the key of the first field that it does not see.
var firstAbove = map[Tier][]byte{
	Free: []byte(keys[PropertyType]),
	Pro:  []byte(keys[OwnerPhonePrimary]),
}

// Values sets dst[f] to the JSON of each field f of r, up to last, as it stands in r: a part of r, which is not copied. It
// returns false where r is not a record as AppendRecord writes it.
func (r Record) Values(dst *[numReturned][]byte, last Field) bool {
	rest := []byte(r)
	for f := ID; f <= last; f++ {
		after, found := bytes.CutPrefix(rest, keyBytes[f])
		if !found {
			return false
		}
		end := valueEnd(after)
		if end <= 0 {
			return false
		}
		dst[f], rest = after[:end:end], after[end:]
	}
	return len(rest) > 0
}

// NumReturned is how many fields a record has.
const NumReturned = numReturned

const numReturned = OwnerEmailSecondary + 1

var keyBytes = func() (k [numFields][]byte) {
	for f, key := range keys {
		k[f] = []byte(key)
	}
	return k
}()

// valueEnd returns where the value ends that text begins with: a string, a number, null or a list of strings without
// brackets, which categories are. 0 or less: there is no end.
func valueEnd(text []byte) int {
	if len(text) == 0 {
		return 0
	}
	switch text[0] {
	case '"':
		for i := 1; i < len(text); {
			n := bytes.IndexByte(text[i:], '"')
			if n < 0 {
				return 0
			}
			i += n + 1
			escapes := 0
			for text[i-2-escapes] == '\\' {
				escapes++
			}
			if escapes%2 == 0 {
				return i
			}
		}
		return 0
	case '[':
		return bytes.IndexByte(text, ']') + 1
	}
	return bytes.IndexAny(text, ",}")
}
