package reindexer

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"filings/index"
)

// csvRows reads rows of comma-separated cells as RFC 4180 describes them, under a header (rule L1). Unlike encoding/csv
// it keeps the text of each row to show in rejects, goes on after a bad one, and holds no more than maxLine of a row
// whose closing quote is missing.
type csvRows struct {
	lines  lines
	begins int // line where the last row begins
	header []string
	cells  []string // reused
	value  value    // reused
}

// newCSV reads the header.
func newCSV(l lines) (*csvRows, error) {
	c := &csvRows{lines: l}
	row, err := c.row()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("it is empty: a CSV file begins with a header")
	}
	if err != nil {
		return nil, err
	}
	if row.long {
		return nil, fmt.Errorf("its header is longer than %d MiB", maxLine>>20)
	}
	var wrong string
	if c.header, wrong = split(row.text, nil); wrong != "" {
		return nil, errors.New("its header is not CSV: " + wrong)
	}
	return c, checkNames("its header", c.header)
}

// checkNames checks the names that all records of an input have, which were given in what.
func checkNames(what string, names []string) error {
	given := map[string]bool{}
	for _, name := range names {
		if given[name] {
			return errors.New(what + " has " + quote(name) + " twice")
		}
		given[name] = true
	}
	need := []string{index.ID.String(), index.County.String()}
	for _, name := range need {
		if !given[name] && !(name == need[1] && given[deletedName]) {
			return errors.New(what + " lacks " + name + "; it is " + abbreviate(strings.Join(names, ",")))
		}
	}
	return nil
}

func (c *csvRows) place() int { return c.lines.number }

func (c *csvRows) next(r *record, filing *index.Filing) error {
	row, err := c.row()
	if err != nil {
		return err
	}
	r.begin(c.begins, row.text, filing)
	if row.long {
		r.failLong()
		return nil
	}
	if !r.readable() {
		return nil
	}
	var wrong string
	if c.cells, wrong = split(row.text, c.cells[:0]); wrong != "" {
		r.fail("", wrong)
		return nil
	}
	if len(c.cells) < len(c.header) && !row.ended {
		return errUnfinished
	}
	c.take(r)
	return nil
}

// take gives the cells to r.
func (c *csvRows) take(r *record) {
	if len(c.cells) != len(c.header) {
		r.fail("", fmt.Sprintf("has %d cells; the header has %d", len(c.cells), len(c.header)))
	}
	for i, cell := range c.cells[:min(len(c.cells), len(c.header))] {
		c.typed(c.header[i], cell)
		r.set(c.header[i], &c.value)
	}
	r.finish()
}

// typed makes c.value of a cell: of the type that the column's kind wants if it can be read so, else a text, which the
// record then refuses.
func (c *csvRows) typed(name, cell string) {
	c.value = value{kind: kindString, text: cell, list: c.value.list[:0]}
	if cell == "" {
		return
	}
	if name == deletedName && (cell == "true" || cell == "false") {
		c.value.kind = kindBool
		return
	}
	field, ok := index.ByName(name)
	if !ok {
		return
	}
	switch field.Info().Kind {
	case index.KindID, index.KindAmount, index.KindNumber, index.KindInteger, index.KindLatitude, index.KindLongitude:
		if isNumber(cell) {
			c.value.kind = kindNumber
		}
	case index.KindCategories:
		c.value.kind = kindStrings
		for item := range strings.SplitSeq(cell, ";") {
			c.value.list = append(c.value.list, item)
		}
	}
}

// textRow is the text of a row, without its line end.
type textRow struct {
	text  string
	ended bool // by a line end, not by the end of the text
	long  bool // longer than maxLine: text is its beginning
}

// row returns the next row that is not blank. It goes on over line ends for as long as a quote is open; there CRLF
// becomes LF.
func (c *csvRows) row() (textRow, error) {
	l, err := c.lines.next()
	for err == nil && l.blank() {
		l, err = c.lines.next()
	}
	if err != nil {
		return textRow{}, err
	}
	c.begins = c.lines.number
	if l.long || !open(false, l.text) {
		return textRow{string(l.text), l.ended, l.long}, nil
	}
	return c.longRow(l)
}

// longRow reads the other lines of a row whose first line leaves a quote open.
func (c *csvRows) longRow(l line) (textRow, error) {
	var b strings.Builder
	b.Write(l.text)
	for quoted := true; quoted; quoted = open(quoted, l.text) {
		if !l.ended {
			return textRow{}, fmt.Errorf("%w: the quote that line %d leaves open is never closed", errUnfinished, c.begins)
		}
		var err error
		if l, err = c.lines.next(); errors.Is(err, io.EOF) {
			return textRow{}, fmt.Errorf("%w: the quote that line %d leaves open is never closed", errUnfinished, c.begins)
		}
		if err != nil {
			return textRow{}, err
		}
		if l.long || b.Len()+len(l.text) > maxLine {
			return textRow{}, fmt.Errorf("the quote that line %d leaves open is not closed within %d MiB",
				c.begins, maxLine>>20)
		}
		b.WriteByte('\n')
		b.Write(l.text)
	}
	return textRow{b.String(), l.ended, false}, nil
}
