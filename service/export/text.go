package export

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"filings/index"
)

// ndjson writes each record on a line, byte for byte as the list shows it.
type ndjson struct {
	tier index.Tier
	set  index.FieldSet // 0: all that tier sees
}

func newNDJSON(fields []index.Field) *ndjson {
	e := &ndjson{}
	for _, f := range fields {
		e.tier = max(e.tier, f.Reveals())
	}
	if set := index.SetOf(fields...); set.Keys() || len(Fields(e.tier)) > len(fields) {
		e.set = set
	}
	return e
}

func (e *ndjson) Append(dst []byte, records []index.Record) (_ []byte, err error) {
	for _, r := range records {
		if dst, err = r.AppendFields(dst, e.tier, e.set); err != nil {
			return dst, err
		}
		dst = append(dst, '\n')
	}
	return dst, nil
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (e *ndjson) Close(dst []byte) ([]byte, error) { return dst, nil }

// geoJSON writes a FeatureCollection (RFC 7946), whose features are those of the list.
type geoJSON struct {
	*ndjson
	begun bool
}

func (e *geoJSON) Append(dst []byte, records []index.Record) ([]byte, error) {
	if len(records) == 0 {
		return dst, nil
	}
	start := len(dst)
	if !e.begun {
		dst = append(dst, collection...)
	}
	opens := len(dst)
	dst, err := index.Page{Records: records}.AppendFeatures(dst, e.tier, e.set)
	if err != nil {
		return dst[:start], err
	}
	if e.begun {
		dst[opens] = ','
	}
	e.begun = true
	return dst[:len(dst)-1], nil
}

func (e *geoJSON) Close(dst []byte) ([]byte, error) {
	if !e.begun {
		dst = append(append(dst, collection...), '[')
	}
	return append(dst, "]}\n"...), nil
}

const collection = `{"type":"FeatureCollection","features":`

// csvEncoder writes RFC 4180: a header of the fields' names, lines that end with CRLF, quotes where they are needed. A
// missing value is empty; categories are joined by semicolons. Values are exact, unless it escapes formulas.
type csvEncoder struct {
	fields  []index.Field
	headed  bool
	escapes bool
}

// isFormula reports whether a spreadsheet may take text for a formula, by its first character: also one that some read
// past, and the full-width forms that Japanese and Chinese ones take for the others.
func isFormula(text []byte) bool {
	first, _ := utf8.DecodeRune(text)
	return len(text) > 0 && strings.ContainsRune("=+-@\t\r\n＝＋－＠", first)
}

func (e *csvEncoder) Append(dst []byte, records []index.Record) ([]byte, error) {
	dst = e.head(dst)
	for _, r := range records {
		var values [index.NumKeyed][]byte
		if err := r.Values(values[:], e.fields[len(e.fields)-1]); err != nil {
			return dst, err
		}
		start := len(dst)
		for i, f := range e.fields {
			if i > 0 {
				dst = append(dst, ',')
			}
			var err error
			if dst, err = e.appendCell(dst, values[f]); err != nil {
				return dst, err
			}
		}
		if len(dst) == start { // a line without anything would be no row
			dst = append(dst, '"', '"')
		}
		dst = append(dst, '\r', '\n')
	}
	return dst, nil
}

// Close appends the header of a file without rows.
func (e *csvEncoder) Close(dst []byte) ([]byte, error) { return e.head(dst), nil }

func (e *csvEncoder) head(dst []byte) []byte {
	if e.headed {
		return dst
	}
	e.headed = true
	for i, f := range e.fields {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, f.String()...)
	}
	return append(dst, '\r', '\n')
}

// appendCell appends a JSON value as a cell.
func (e *csvEncoder) appendCell(dst, value []byte) ([]byte, error) {
	switch value[0] {
	case 'n': // null
		return dst, nil
	case '"', '[':
		text, err := textOf(value)
		if err != nil {
			return dst, err
		}
		if e.escapes && isFormula(text) {
			text = append([]byte{'\''}, text...)
		}
		return appendQuoted(dst, text), nil
	}
	return append(dst, value...), nil
}

func appendQuoted(dst, text []byte) []byte {
	if !bytes.ContainsAny(text, "\",\r\n") {
		return append(dst, text...)
	}
	dst = append(dst, '"')
	for {
		n := bytes.IndexByte(text, '"')
		if n < 0 {
			return append(append(dst, text...), '"')
		}
		dst = append(append(dst, text[:n]...), '"', '"')
		text = text[n+1:]
	}
}

// textOf returns a JSON string's text, or those of a list joined by semicolons. It is a part of
// value where that has it as it is.
func textOf(value []byte) ([]byte, error) {
	if value[0] == '[' {
		var joined []byte
		for i, item := range list(value) {
			if i > 0 {
				joined = append(joined, ';')
			}
			joined = append(joined, item...)
		}
		return joined, nil
	}
	if bytes.IndexByte(value, '\\') < 0 {
		return value[1 : len(value)-1], nil
	}
	var text string
	err := json.Unmarshal(value, &text)
	return []byte(text), err
}

// list returns the items of a list of strings that have nothing to escape, as categories are.
func list(value []byte) [][]byte {
	if len(value) <= 2 {
		return nil
	}
	return bytes.Split(value[2:len(value)-2], []byte(`","`))
}
