package elastic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"filings/index"
)

// errAnswer is an answer that is none: it may be that of a proxy which has lost Elasticsearch.
var errAnswer = fmt.Errorf("%w: elasticsearch answered with something else than was asked for", index.ErrUnavailable)

// scanHits returns the sources of the hits in a search's answer. They are parts of answer, which is not copied.
func scanHits(answer []byte) ([]index.Record, error) {
	var records []index.Record
	c := cursor{b: answer}
	found := c.find("hits")
	found = found && c.find("hits") && c.enter('[') // a list within the object of that name
	for found && c.next(']') {
		if !c.find("_source") {
			break
		}
		record, err := canonical(c.source())
		if err != nil {
			return nil, err
		}
		records = append(records, record)
		c.leave()
	}
	if !found || c.bad {
		return nil, errAnswer
	}
	return records, nil
}

// source steps over the source of a hit and returns it. What follows it, which is what its hit was sorted by, cannot stand
// in it: within a string its quotes would be escaped, behind a string's end no name can follow, and no object in a source
// has members of its own. So the end is looked for as one text: a third of the time of walking through it.
func (c *cursor) source() []byte {
	if n := bytes.Index(c.b[c.i:], behindSource); n >= 0 && !c.bad && c.peek() == '{' {
		start := c.i
		c.i += n + 1
		return c.b[start:c.i]
	}
	return c.skip()
}

var behindSource = []byte(`},"sort":[`)

// scanDocument returns the source of the one document in answer.
func scanDocument(answer []byte) (index.Record, error) {
	c := cursor{b: answer}
	if !c.find("_source") {
		return nil, errAnswer
	}
	source := c.skip()
	if c.bad {
		return nil, errAnswer
	}
	return canonical(source)
}

// canonical returns a source as index.AppendRecord writes it. Elasticsearch writes a source anew when parts of it are
// excluded: members, nulls and their order stay, but large and small numbers get an exponent (12345678.91 becomes
// 1.234567891E7), and characters are escaped by other rules. Sources with either are rare; all others are passed on as
// they are.
func canonical(source []byte) (index.Record, error) {
	if len(source) == 0 || source[0] != '{' {
		return nil, errAnswer
	}
	if !suspicious(source) {
		return index.Record(source[:len(source):len(source)]), nil
	}
	out := make([]byte, 0, len(source)+64)
	for i := 0; i < len(source); {
		switch b := source[i]; {
		case b == '"':
			c := cursor{b: source, i: i}
			c.str()
			var text string
			if c.bad || json.Unmarshal(source[i:c.i], &text) != nil {
				return nil, errAnswer
			}
			out, i = index.AppendString(out, text), c.i
		case b == '-' || b >= '0' && b <= '9':
			c := cursor{b: source, i: i}
			c.scalar()
			var err error
			if out, err = appendPlain(out, source[i:c.i]); err != nil {
				return nil, err
			}
			i = c.i
		default:
			out, i = append(out, b), i+1
		}
	}
	return out, nil
}

// appendPlain appends a number, without its exponent if it has one.
func appendPlain(dst, number []byte) ([]byte, error) {
	if !bytes.ContainsAny(number, "eE") {
		return append(dst, number...), nil
	}
	v, err := strconv.ParseFloat(string(number), 64)
	if err != nil {
		return nil, errAnswer
	}
	return index.AppendNumber(dst, v), nil
}

// suspicious reports whether source may hold a number with an exponent, or a string that index.AppendString writes in
// another way: with \u escapes, or with the line separators U+2028 and U+2029, which it escapes.
func suspicious(source []byte) bool {
	return bytes.Contains(source, []byte(`\u`)) ||
		bytes.Contains(source, []byte("\u2028")) || bytes.Contains(source, []byte("\u2029")) ||
		hasExponent(source)
}

// hasExponent looks for an E, as Java writes it, between a digit and a digit or sign. Names and cities have it
// too (`1E5` in an address), which costs the long way but changes nothing.
func hasExponent(source []byte) bool {
	for {
		i := bytes.IndexByte(source, 'E')
		if i < 0 || i+1 == len(source) {
			return false
		}
		after := source[i+1]
		if i > 0 && isDigit(source[i-1]) && (isDigit(after) || after == '-' || after == '+') {
			return true
		}
		source = source[i+1:]
	}
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }
