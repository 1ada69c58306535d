// Package record makes a filing of the text of one record, or says what is wrong with it. It owns the rules of loads from
// L2 to L4: names, required fields, values. It knows neither where a record comes from nor where its filing goes, and
// guesses nothing: a value of another type than its field's is a fault.
//
// # Design
//
// A Parser reads the members of a JSON object (json.go) or the cells of a row of CSV (csv.go) as named values of JSON's
// types (value.go). A draft takes these by their names (members.go) and the table of fields, one case a kind (field.go),
// and keeps the first fault. It reads on after that, so that a reject can name the id. Texts of a filing are parts of its
// record's text.
//
// JSON is read by a scanner of our own, for flat objects. jsontext was tried instead: reading takes half as much CPU
// again, and a load of 525,771 records into the embedded engine 8.4 s of CPU instead of 7.6 (`filings reindex`, four times
// each in turns, two cores). Rows of CSV are split by our own forty lines, since encoding/csv takes twice as long (5.0
// against 2.4 µs for a row of 34 cells).
package record

import (
	"fmt"
	"strconv"
	"unicode/utf8"

	"filings/index"
)

// Parser reads records of one form. It is reused from record to record, by one goroutine.
type Parser struct {
	draft
	header    []string // of CSV; nil for JSON
	delimiter byte     // of CSV
	cells     []string
	value     value    // reused
	names     []string // of the members of an object, reused
}

// New returns a Parser of JSON objects.
func New(rules Rules) *Parser { return &Parser{draft: draft{rules: rules}} }

// NewCSV returns a Parser of the rows of CSV that stand under a header. It fails if that lacks what every record needs.
func NewCSV(rules Rules, header string, delimiter byte) (*Parser, error) {
	names, fault := Split(header, delimiter, nil)
	if fault != "" {
		return nil, fmt.Errorf("its header is not CSV: %s", fault)
	}
	p := New(rules)
	p.header, p.delimiter = names, delimiter
	return p, CheckNames("its header", names)
}

// Parse reads a record into f, which is valid if there is no Reason. What can be read of a record with a fault, such as
// its id, is in f nevertheless.
func (p *Parser) Parse(text string, f *index.Filing) Result {
	p.begin(f)
	switch {
	case !utf8.ValidString(text):
		p.fail("", "not UTF-8 at byte "+strconv.Itoa(firstInvalid(text)+1))
	case p.header != nil:
		p.readRow(text)
	default:
		s := scanner{text: text}
		if err := s.object(&p.value, p.set); err == nil {
			p.finish()
		} else { // instead of what was wrong with the values before it
			p.result.Field, p.result.Reason, p.result.Cut = "", err.Error(), err == ErrCut
		}
	}
	return p.result
}

// firstInvalid returns where text stops to be UTF-8.
func firstInvalid(text string) int {
	for at, c := range text {
		if c == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(text[at:]); size == 1 {
				return at
			}
		}
	}
	return len(text)
}

func (p *Parser) readRow(text string) {
	var fault string
	if p.cells, fault = Split(text, p.delimiter, p.cells[:0]); fault != "" {
		p.fail("", fault)
		return
	}
	if len(p.cells) != len(p.header) {
		p.result.Cut = len(p.cells) < len(p.header)
		p.fail("", fmt.Sprintf("has %d cells; the header has %d", len(p.cells), len(p.header)))
	}
	for i, cell := range p.cells[:min(len(p.cells), len(p.header))] {
		p.value.typed(p.header[i], cell)
		p.set(p.header[i], &p.value)
	}
	p.finish()
}

// Decode reads a record of an engine, which has the form of a load.
func Decode(text index.Record) (*index.Filing, error) {
	f := new(index.Filing)
	if r := New(Rules{Stored: true}).Parse(string(text), f); r.Reason != "" {
		return nil, fmt.Errorf("filing %d, as the store has it, cannot be read: %s %s", f.ID, r.Field, r.Reason)
	}
	return f, nil
}
