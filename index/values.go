package index

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

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

// Filing returns the filing that v is of, with its city, and without the time at which it was added.
func (v Version) Filing() (*Filing, error) {
	var values [numReturned][]byte
	if !v.Record.Values(&values, numReturned-1) {
		return nil, errors.New("not a record as AppendRecord writes it")
	}
	f := &Filing{}
	for field, value := range values {
		if err := f.setJSON(Field(field), value); err != nil {
			return nil, fmt.Errorf("%s of a record: %w", Field(field), err)
		}
	}
	f.SetText(City, v.City)
	return f, nil
}

// setJSON sets what AppendValue wrote.
func (f *Filing) setJSON(field Field, value []byte) (err error) {
	switch {
	case fields[field].Kind == KindID:
		f.ID, err = strconv.ParseInt(string(value), 10, 64)
	case fields[field].Kind == KindCategories:
		err = json.Unmarshal(value, &f.Categories)
	case value[0] == '"':
		err = json.Unmarshal(value, &f.text[field])
	case value[0] != 'n': // null
		var v float64
		if v, err = strconv.ParseFloat(string(value), 64); err == nil {
			f.SetNumber(field, v)
		}
	}
	return err
}
