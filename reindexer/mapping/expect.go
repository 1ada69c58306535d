package mapping

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/itchyny/gojq"
)

// Expectation is a test of a mapping: its result for a row.
type Expectation struct {
	Row    json.RawMessage `json:"row"`
	Record json.RawMessage `json:"record"` // with the members that are compared; null: no record
}

// ReadExpectations reads a JSON list of them.
func ReadExpectations(text []byte) (expectations []Expectation, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&expectations); err != nil {
		return nil, fmt.Errorf(`it has to be a list such as [{"row": {"Due": "$5"}, "record": {"filingAmount": 5}}]: %w`, err)
	}
	return expectations, nil
}

// Expect says which of some expectations p does not meet first.
func (p *Program) Expect(expectations []Expectation) error {
	for i, e := range expectations {
		if err := p.meets(e); err != nil {
			return fmt.Errorf("expectation %d of %s: %w", i+1, p.name, err)
		}
	}
	return nil
}

func (p *Program) meets(e Expectation) error {
	var row any
	var want map[string]any
	for text, target := range map[*json.RawMessage]any{&e.Row: &row, &e.Record: &want} {
		d := json.NewDecoder(bytes.NewReader(*text))
		d.UseNumber()
		if err := d.Decode(target); err != nil {
			return fmt.Errorf(`it has a "row" and a "record", an object or null: %w`, err)
		}
	}
	made, err := p.Run(row)
	switch {
	case err != nil:
		return err
	case want == nil && len(made) > 0:
		return fmt.Errorf("it makes a record, and none is expected: %s", shorten(made[0].Text()))
	case want == nil:
		return nil
	case len(made) != 1:
		return fmt.Errorf("it makes %d records, and one is expected", len(made))
	case len(want) == 0:
		return errors.New("its record names no field")
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got := made[0][name]; gojq.Compare(got, want[name]) != 0 {
			return fmt.Errorf("%s is %s, and %s is expected", name, gojq.Preview(got), gojq.Preview(want[name]))
		}
	}
	return nil
}
