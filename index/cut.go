package index

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
)

// ErrRecord is a record that is not written as AppendRecord writes it: with a member that is not
// its own, without one, with one twice, or in another order. Nothing of it may be sent, since where
// a tier's part of it ends is not known (rule X23).
var ErrRecord = errors.New("the engine returned a record with missing, extra or reordered fields")

// NumReturned is how many fields a record has.
const NumReturned = OwnerEmailSecondary + 1

// NumKeyed is how many fields a record with keys has.
const NumKeyed = AddressKey + 1

// lastOf holds the last field of the record that each tier sees.
var lastOf = [Hidden]Field{Free: PropertyType - 1, Pro: OwnerPhonePrimary - 1, Enterprise: NumReturned - 1}

// members sets starts[f] to where the member of each field f begins in r, up to last, and
// starts[last+1] to where that ends. It fails unless these are the first members of r, each once
// and in the order of the table, and the next one follows.
//
// Records are cut here alone, by the positions of their members and not by a search for names: text
// between two members would go with them.
func (r Record) members(starts *[NumKeyed + 1]int, last Field) error {
	start := 0
	for f := ID; f <= last; f++ {
		starts[f] = start
		key, rest := keys[f], r[start:]
		if len(rest) < len(key) || string(rest[:len(key)]) != key {
			return errMember(f)
		}
		n := valueEnd(f, rest[len(key):])
		if n == 0 {
			return errMember(f)
		}
		start += len(key) + n
	}
	starts[last+1] = start
	rest := r[start:]
	switch isEnd := last == ID || last+1 == NumReturned || last+1 == NumKeyed; { // ID: of the id alone, AppendIDOnly
	case isEnd && string(rest) == "}":
	case last+1 < NumKeyed && bytes.HasPrefix(rest, []byte(keys[last+1])):
	case isEnd && last != ID:
		return fmt.Errorf("%w: it does not end after %s", ErrRecord, last)
	default:
		return errMember(last + 1)
	}
	return nil
}

// errMember says which member is not there. It shows nothing of the record.
func errMember(f Field) error {
	return fmt.Errorf("%w: %s is not where it belongs, or its value is none of a record", ErrRecord, f)
}

// Values sets dst[f] to the JSON of each field f of r, up to last, as a part of r that is not
// copied. It returns ErrRecord where r is not a record as AppendRecord writes it, as
// far as that.
func (r Record) Values(dst [][]byte, last Field) error {
	var starts [NumKeyed + 1]int
	if err := r.members(&starts, last); err != nil {
		return err
	}
	for f := ID; f <= last; f++ {
		start, end := starts[f]+len(keys[f]), starts[f+1]
		dst[f] = r[start:end:end]
	}
	return nil
}

// AppendFields appends the members of r that tier t sees and set has, in the order of the record.
// If the members up to the last of these are not the record's own, it appends nothing and
// returns ErrRecord. A record of the id alone (Query.IDsOnly) is good for a set of the id alone,
// and one with keys for a set that has them.
func (r Record) AppendFields(dst []byte, t Tier, set FieldSet) ([]byte, error) {
	last := lastOf[t]
	if set.Keys() {
		set &= 1<<(last+1) - 1 | 1<<OwnerKey | 1<<AddressKey
		last = AddressKey
	}
	for !set.Has(last) {
		last--
	}
	var starts [NumKeyed + 1]int
	if err := r.members(&starts, last); err != nil {
		return dst, err
	}
	if set == 0 {
		return append(append(dst, r[:starts[last+1]]...), '}'), nil
	}
	for f := ID; f <= last; f++ {
		if !set.Has(f) {
			continue
		}
		start := starts[f]
		for f < last && set.Has(f+1) { // neighbors go together
			f++
		}
		dst = append(dst, r[start:starts[f+1]]...)
	}
	return append(dst, '}'), nil
}

// ID returns the id of r, or ErrRecord unless r is a whole record as AppendRecord writes it.
func (r Record) ID() (int64, error) {
	var values [NumReturned][]byte
	if err := r.Values(values[:], NumReturned-1); err != nil {
		return 0, err
	}
	return strconv.ParseInt(string(values[ID]), 10, 64)
}

// Check returns ErrRecord unless r is a whole record as AppendRecord writes it.
func (r Record) Check() error {
	var starts [NumKeyed + 1]int
	return r.members(&starts, NumReturned-1)
}

// Check returns ErrRecord unless every record of p is a whole one as AppendRecord writes it. A page
// that is sent more than once is looked at once: AppendRecords then knows where to cut, and takes a
// sixteenth of the time (`go test -bench X23_Cut ./index`). Its records must not change after that.
func (p *Page) Check() error {
	cuts := make([][Hidden]int, len(p.Records))
	for i, r := range p.Records {
		var starts [NumKeyed + 1]int
		if err := r.members(&starts, NumReturned-1); err != nil {
			return err
		}
		for t, last := range lastOf {
			cuts[i][t] = starts[last+1]
		}
	}
	p.cuts = cuts
	return nil
}

// AppendRecords appends the records of p as an array, each as tier t sees it, with the fields of
// set; or returns ErrRecord.
func (p Page) AppendRecords(dst []byte, t Tier, set FieldSet) (_ []byte, err error) {
	dst = append(dst, '[')
	for i := range p.Records {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = p.appendRecord(dst, i, t, set); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}

func (p Page) appendRecord(dst []byte, i int, t Tier, set FieldSet) ([]byte, error) {
	if set == 0 && p.cuts != nil {
		return append(append(dst, p.Records[i][:p.cuts[i][t]]...), '}'), nil
	}
	return p.Records[i].AppendFields(dst, t, set)
}

// AppendFeatures is AppendRecords in GeoJSON: each record is the properties of a Feature. The
// geometry is included whatever set says, because RFC 7946 reads a missing geometry as "no
// location". Every tier may see it.
func (p Page) AppendFeatures(dst []byte, t Tier, set FieldSet) ([]byte, error) {
	dst = append(dst, '[')
	for i, r := range p.Records {
		if i > 0 {
			dst = append(dst, ',')
		}
		var values [NumReturned][]byte
		err := r.Values(values[:], Longitude)
		if err != nil {
			return dst, err
		}
		dst = append(append(append(dst, `{"type":"Feature","id":`...), values[ID]...), `,"geometry":`...)
		if latitude, longitude := values[Latitude], values[Longitude]; latitude[0] == 'n' || longitude[0] == 'n' {
			dst = append(dst, "null"...)
		} else {
			dst = append(append(append(dst, `{"type":"Point","coordinates":[`...), longitude...), ',')
			dst = append(append(dst, latitude...), "]}"...)
		}
		if dst, err = p.appendRecord(append(dst, `,"properties":`...), i, t, set); err != nil {
			return dst, err
		}
		dst = append(dst, '}')
	}
	return append(dst, ']'), nil
}

// valueEnd returns where the value of f ends that text begins with: a string, a number or null, of
// categories a list of strings. 0: it begins with nothing of these, or there is no end.
func valueEnd(f Field, text []byte) int {
	if len(text) < 2 {
		return 0
	}
	switch c := text[0]; {
	case f == Categories:
		return listEnd(text)
	case c == 'n':
		if len(text) >= 4 && string(text[:4]) == "null" {
			return 4
		}
	case c == '"':
		if n := bytes.IndexByte(text[1:], '"'); n >= 0 && text[n] != '\\' {
			return n + 2
		}
		return stringEnd(text)
	case c == '-' || c >= '0' && c <= '9':
		for i := 1; i < len(text); i++ {
			if c := text[i]; c > '9' || c < '0' && c != '.' {
				return i
			}
		}
	}
	return 0
}

// stringEnd returns where the string ends that text begins with, 0 if nowhere.
func stringEnd(text []byte) int {
	for i := 1; ; {
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
}

// listEnd returns where the list of strings ends that text begins with, 0 if nowhere. text has two
// bytes or more.
func listEnd(text []byte) int {
	if text[0] != '[' {
		return 0
	}
	if text[1] == ']' {
		return 2
	}
	for i := 1; i < len(text) && text[i] == '"'; i++ {
		n := stringEnd(text[i:])
		if i += n; n == 0 || i >= len(text) {
			return 0
		}
		switch text[i] {
		case ']':
			return i + 1
		case ',':
		default:
			return 0
		}
	}
	return 0
}
