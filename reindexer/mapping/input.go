package mapping

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"filings/reindexer/record"
	"filings/reindexer/source"
	"filings/reindexer/source/table"
)

// ErrLong is why a record is not read.
var ErrLong = fmt.Errorf("is longer than %d MiB; only its beginning is shown", source.MaxLine>>20)

// Inputs reads the records of one source as values that a program takes.
type Inputs struct {
	names     []string // of the cells of a row; nil: records are JSON
	delimiter byte
	cells     []string
	row       map[string]any // reused, since a program keeps nothing
	notUTF8   error
}

// NewInputs returns what reads the records of in.
func NewInputs(in *source.Reader) (*Inputs, error) {
	i := &Inputs{row: map[string]any{}, notUTF8: in.NotUTF8()}
	if in.Format != source.CSV {
		return i, nil
	}
	if !utf8.ValidString(in.Header) {
		return nil, fmt.Errorf("its header %w", i.notUTF8)
	}
	header, fault := record.Split(in.Header, in.Delimiter, nil)
	if fault != "" {
		return nil, fmt.Errorf("its header is not CSV: %s", fault)
	}
	i.names, i.delimiter = table.Names(header), in.Delimiter
	return i, nil
}

// Names returns the names of the columns of CSV, in their order; nil for all else.
func (i *Inputs) Names() []string { return i.names }

// short is what is wrong with a row that lacks cells, as one does that is cut off.
type short string

func (s short) Error() string     { return string(s) }
func (s short) Is(err error) bool { return err == record.ErrCut }

// Value returns the value of a record, which is good until the next call, or says why it has none. The error is record.ErrCut if
// the record may go on after the end of its source.
func (i *Inputs) Value(text string) (any, error) {
	if !utf8.ValidString(text) {
		return nil, i.notUTF8
	}
	if i.names == nil {
		clear(i.row)
		return record.Values(text, i.row)
	}
	var fault string
	if i.cells, fault = record.Split(text, i.delimiter, i.cells[:0]); fault != "" {
		return nil, errors.New(fault)
	}
	switch {
	case len(i.cells) == 1 && len(i.names) > 1:
		return nil, short(fmt.Sprintf("has 1 cell; the header has %d, separated by %q, or by what --delimiter says", len(i.names), i.delimiter))
	case len(i.cells) < len(i.names):
		return nil, short(fmt.Sprintf("has %d cells; the header has %d", len(i.cells), len(i.names)))
	case len(i.cells) > len(i.names):
		return nil, fmt.Errorf("has %d cells; the header has %d", len(i.cells), len(i.names))
	}
	for at, cell := range i.cells {
		i.row[i.names[at]] = cell
	}
	return i.row, nil
}
