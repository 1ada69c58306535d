package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"filings/index"
)

// ErrNoRecord is a response that does not hold the records that it should.
var ErrNoRecord = errors.New("a response without the records that it should hold")

// Records returns the sources of the hits in a search's response, as parts of it, not copies.
func Records(response []byte) ([]index.Record, error) {
	return hitRecords(response, sourceName, func(tail []byte) (index.Record, []byte, error) {
		end := sourceEnd(tail)
		record, err := Canonical(tail[:end])
		return record, tail[end:], err
	})
}

// hitRecords returns the records of the hits in a search's response. From the text after each mark,
// read reads one, and returns the rest.
func hitRecords(
	response, mark []byte, read func(tail []byte) (index.Record, []byte, error),
) (records []index.Record, err error) {
	if !bytes.HasSuffix(bytes.TrimRight(response, " \r\n\t"), endOfHits) {
		return nil, ErrNoRecord
	}
	for rest := response; ; {
		_, tail, found := bytes.Cut(rest, mark)
		if !found {
			return records, nil
		}
		var record index.Record
		if record, rest, err = read(tail); err != nil {
			return nil, err
		}
		records = append(records, record)
	}
}

// Total returns how many filings a search has found in all, if its response says so exactly:
// Elasticsearch counts no further than it was asked to.
func Total(response []byte) (n int64, exact bool) {
	_, tail, _ := bytes.Cut(response[:min(len(response), longestHead)], totalName)
	digits, tail, _ := bytes.Cut(tail, []byte(","))
	n, err := strconv.ParseInt(string(digits), 10, 64)
	if err != nil || !bytes.HasPrefix(tail, exactly) {
		return 0, false
	}
	return n, true
}

// longestHead is how many bytes stand before the first hit, at the most: a few counts of shards.
const longestHead = 1024

// Sorts returns the sort values of the first and the last hit in a search's response, as arrays;
// nil where there is no hit.
func Sorts(response []byte) (first, last []byte) {
	i := bytes.Index(response, afterSource)
	if i < 0 {
		return nil, nil
	}
	j := bytes.LastIndex(response, afterSource)
	return valueAt(response[i+len(afterSource)-1:]), valueAt(response[j+len(afterSource)-1:])
}

// valueAt returns the value that text begins with; nil where it is broken.
func valueAt(text []byte) []byte {
	d := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	value, _ := d.ReadValue()
	return value
}

// IDs returns records of the id alone for the hits in the response to a search that requested no
// source, only the column of ids.
func IDs(response []byte) ([]index.Record, error) {
	return hitRecords(response, idColumn, func(tail []byte) (index.Record, []byte, error) {
		text, rest, found := bytes.Cut(tail, []byte("]"))
		id, err := strconv.ParseInt(string(text), 10, 64)
		if !found || err != nil {
			return nil, nil, ErrNoRecord
		}
		return index.AppendIDOnly(nil, id), rest, nil
	})
}

// Record returns the source of the one document in a response, the last member there. It is a part
// of response, which is not copied.
func Record(response []byte) (index.Record, error) {
	_, tail, _ := bytes.Cut(bytes.TrimRight(response, " \r\n\t"), sourceName)
	if !bytes.HasSuffix(tail, endOfBoth) {
		return nil, ErrNoRecord
	}
	return Canonical(tail[:len(tail)-1])
}

var (
	endOfHits  = []byte("]}}")                       // of the hits, their object, and the response
	totalName  = []byte(`"hits":{"total":{"value":`) // before all hits; in no text: its quotes would be escaped
	exactly    = []byte(`"relation":"eq"}`)
	sourceName = []byte(`"_source":`)
	endOfBoth  = []byte("}}")               // of a source, and the response
	idColumn   = []byte(`"fields":{"id":[`) // in no text: its quotes would be escaped
	// derivedName is before the object x of a source that still has it: its last member, which ends
	// with an object. In no text either.
	derivedName, endOfDerived = []byte(`,"x":{`), []byte("}}}")
	// afterSource follows the source of a hit that was sorted.
	afterSource = []byte(`},"sort":[`)
)

// sourceEnd returns where the object ends that text begins with, 0 if it is none. The sort values
// that follow a hit's source cannot stand in it: within a string its quotes would be escaped, after
// a string's end no name can follow, and nothing follows an object in a source. So the end is
// looked for as one text: a third of the time of walking through it.
func sourceEnd(text []byte) int {
	if len(text) == 0 || text[0] != '{' {
		return 0
	}
	if n := bytes.Index(text, afterSource); n >= 0 {
		return n + 1
	}
	return len(valueAt(text))
}

// Canonical returns a source as index.AppendRecord writes it, without the object x, which it still
// has in OpenSearch.
//
// Elasticsearch writes a source anew when parts of it are excluded: members, nulls and their order
// stay, but large and small numbers get an exponent (12345678.91 becomes 1.234567891E7), and
// characters are escaped by other rules. Sources with either are rare; all others are passed on as
// they are.
func Canonical(source []byte) (index.Record, error) {
	if len(source) == 0 || source[0] != '{' {
		return nil, ErrNoRecord
	}
	if bytes.HasSuffix(source, endOfDerived) {
		if n := bytes.Index(source, derivedName); n >= 0 {
			// In memory of its own, so that a page that is kept is no larger than its records.
			source = slices.Concat(source[:n], []byte{'}'})
		}
	}
	if !suspicious(source) {
		return index.Record(source[:len(source):len(source)]), nil
	}
	if !json.Valid(source) {
		return nil, ErrNoRecord
	}
	var failure error
	record := scalars.ReplaceAllFunc(source, func(scalar []byte) []byte {
		switch {
		case scalar[0] == '"':
			var text string
			failure = errors.Join(failure, json.Unmarshal(scalar, &text))
			return index.AppendString(nil, text)
		case bytes.ContainsAny(scalar, "eE"):
			v, err := strconv.ParseFloat(string(scalar), 64)
			failure = errors.Join(failure, err)
			return index.AppendNumber(nil, v)
		}
		return scalar
	})
	if failure != nil {
		return nil, errors.Join(ErrNoRecord, failure)
	}
	return record, nil
}

// scalars matches the strings and numbers of valid JSON.
var scalars = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|-?[0-9][-+.0-9eE]*`)

// suspicious reports whether source may hold a number with an exponent, or a string that
// index.AppendString writes in another way: with \u escapes, U+2028 or U+2029.
func suspicious(source []byte) bool {
	return bytes.Contains(source, []byte(`\u`)) ||
		bytes.Contains(source, []byte("\u2028")) || bytes.Contains(source, []byte("\u2029")) ||
		hasExponent(source)
}

// hasExponent looks for an E, as Java writes it, between a digit and a digit or sign. Names and
// cities have it too (`1E5` in an address), which costs the long way but changes nothing.
func hasExponent(source []byte) bool {
	for {
		i := bytes.IndexByte(source, 'E')
		if i < 0 || i+1 == len(source) {
			return false
		}
		next := source[i+1]
		if i > 0 && isDigit(source[i-1]) && (isDigit(next) || next == '-' || next == '+') {
			return true
		}
		source = source[i+1:]
	}
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }
