// Package record makes a filing of the values of one row, or names its fault. It owns the rules of
// loads from L2 to L4: names, required fields, values. It knows neither the source of a row nor the
// use of its filing, and guesses nothing: a value of another type than its field's is a fault.
//
// # Design
//
// A row is a map of values as jq has them, from any source: JSON (json.go), the cells of a table,
// or a mapping. A Parser takes them as values of JSON's types (value.go), in the order of the table
// of fields, one case a kind (field.go), and keeps the first fault. It reads on after that, so that
// a reject can name the id. Texts of a filing are those of its row.
package record

import (
	"fmt"
	"slices"

	"filings/index"
)

// Parser reads records. It is reused from record to record, by one goroutine.
type Parser struct {
	draft
	cells  bool
	fields []index.Field
	value  value // reused
}

// New returns a Parser of records.
func New(rules Rules) *Parser {
	fields := slices.DeleteFunc(index.Fields(), func(field index.Field) bool { return !field.Loaded() })
	return &Parser{draft: draft{rules: rules}, fields: fields}
}

// NewCells returns a Parser of rows of CSV: a cell has its field's type, if it can.
func NewCells(rules Rules) *Parser {
	p := New(rules)
	p.cells = true
	return p
}

// Parse reads a row into f, which is valid if there is no Reason. f also has the values that can be
// read of a row with a fault, such as its id. A fault in a member that is no field does not matter.
func (p *Parser) Parse(row any, fault *Fault, f *index.Filing) Result {
	p.begin(f)
	object, isObject := row.(map[string]any)
	if !isObject && fault == nil {
		p.value.set(row)
		fault = &Fault{Reason: p.value.describe() + " is no record, which is an object {…}"}
	}
	if fault != nil {
		if _, known := index.ByName(fault.Member); known || fault.Member == "" || fault.Reason == twice {
			p.fail(abbreviate(fault.Member), fault.Reason)
		}
	}
	if isObject {
		p.members(object)
	}
	return p.result
}

// members takes the values of a row, in the order of the table of fields.
func (p *Parser) members(object map[string]any) {
	known := 0
	for _, field := range p.fields {
		if p.read(object, field.String()) {
			if known++; !p.value.missing() {
				p.setField(field, &p.value)
			}
		}
	}
	if p.read(object, deletedName) {
		if known++; !p.value.missing() {
			p.setDeleted(&p.value)
		}
	}
	if known < len(object) {
		p.setOthers(object)
	}
	p.finish()
}

// read reads the value of that name, and reports whether the row has one.
func (p *Parser) read(object map[string]any, name string) bool {
	v, ok := object[name]
	if ok {
		p.value.set(v)
	}
	if ok && p.cells {
		p.value.typed(name)
	}
	return ok
}

// Decode reads a record of an engine, which has the form of a load.
func Decode(text index.Record) (*index.Filing, error) {
	f := new(index.Filing)
	row, fault := NewJSON().Value(string(text))
	if r := New(Rules{Stored: true}).Parse(row, fault, f); r.Reason != "" {
		return nil, fmt.Errorf("filing %d, as the store has it, cannot be read: %s %s", f.ID, r.Field, r.Reason)
	}
	return f, nil
}
