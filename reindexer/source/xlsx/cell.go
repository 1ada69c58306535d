package xlsx

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"time"
)

const (
	// lastColumn and lastRow are the last ones that a sheet can have.
	lastColumn = 1 << 14
	lastRow    = 1 << 20
	// maxRow is how much of a row is read. What is beyond it is left out: such a row is too long to be a record.
	maxRow = 32 << 20
)

// Cell is a cell that is not empty.
type Cell struct {
	Column int    // from 0
	Text   []byte // a number as it is stored, such as 1E-3; a date as YYYY-MM-DD; true and false as TRUE and FALSE
	Number bool   // it is none of the others, which are texts
	end    int    // of Text in Rows.buf
}

// Rows reads a sheet.
type Rows struct {
	book   *Book
	texts  *texts
	part   io.ReadCloser
	in     *scanner
	t      token
	number int
	cells  []Cell
	buf    []byte // the texts of the cells
	value  []byte // of the cell that is being read
	inside bool   // the rows have begun

	uncomputed int64
}

// cell reads the cell that has just begun, whose column is next unless it says another one, and returns its column.
func (r *Rows) cell(next int) (column int, err error) {
	column = next
	var form, style string
	for _, a := range r.t.attrs {
		switch a.Name.Local {
		case "r":
			if column, err = columnOf(a.Value); err != nil {
				return 0, err
			}
		case "t":
			form = a.Value
		case "s":
			style = a.Value
		}
	}
	if column >= lastColumn || len(r.cells) == lastColumn {
		return 0, fmt.Errorf("it has more than %d cells", lastColumn)
	}
	kind, isDate := formOf(form), r.isDate(style)
	if err := r.read(kind); err != nil || len(r.value) == 0 || len(r.buf) > maxRow {
		return column, err
	}
	c, begin := Cell{Column: column}, len(r.buf)
	if err := r.put(&c, kind, isDate); err != nil {
		return 0, fmt.Errorf("column %d: %w", column+1, err)
	}
	if c.end = len(r.buf); c.end > begin {
		r.cells = append(r.cells, c)
	}
	return column, nil
}

// columnOf returns the column, from 0, of a cell with that name, such as AB12.
func columnOf(name string) (int, error) {
	column, letters := 0, 0
	for letters < len(name) && letters < 4 && name[letters] >= 'A' && name[letters] <= 'Z' {
		column = column*26 + int(name[letters]-'A') + 1
		letters++
	}
	if column < 1 || column > lastColumn {
		return 0, fmt.Errorf("it has a cell %.20q", name)
	}
	return column - 1, nil
}

// form is how a cell's value is stored.
type form uint8

const (
	number form = iota
	shared      // the number of a text
	boolean
	day   // as ISO 8601 has it
	plain // texts, and errors such as #N/A
)

func formOf(attr string) form {
	switch attr {
	case "", "n":
		return number
	case "s":
		return shared
	case "b":
		return boolean
	case "d":
		return day
	}
	return plain
}

func (r *Rows) isDate(style string) bool {
	if style == "" {
		return len(r.book.dates) > 0 && r.book.dates[0]
	}
	i, err := strconv.Atoi(style)
	return err == nil && i >= 0 && i < len(r.book.dates) && r.book.dates[i]
}

// read reads r.value, up to the end of the cell.
func (r *Rows) read(kind form) (err error) {
	r.value = r.value[:0]
	formula, valued := false, false
	for outside, within := r.in.depth-1, false; ; {
		if err := r.in.next(&r.t); err != nil {
			return err
		}
		switch {
		case r.t.kind == text && within:
			if r.value = append(r.value, r.t.text...); len(r.value) > maxText {
				return fmt.Errorf("it has a text of more than %d KiB", maxText>>10)
			}
		case r.t.kind == text:
		case r.t.kind == end && r.in.depth == outside:
			if formula && len(r.value) == 0 && (!valued || kind != plain) { // an empty text is a value
				r.uncomputed++
			}
			return nil
		case r.t.name == "f":
			formula = true
		case r.t.name == "v":
			within, valued = r.t.kind == start, true
		case r.t.name == "is" && r.t.kind == start:
			if r.value, err = r.in.stringOf(&r.t, r.value); err != nil {
				return err
			}
		}
	}
}

// put appends what r.value says to r.buf.
func (r *Rows) put(c *Cell, kind form, isDate bool) (err error) {
	switch kind {
	case shared:
		i, err := strconv.Atoi(string(bytes.TrimSpace(r.value)))
		if err != nil {
			return errNoText
		}
		r.buf, err = r.texts.appendTo(r.buf, i)
		return err
	case boolean:
		is := string(bytes.TrimSpace(r.value))
		r.buf = append(r.buf, map[bool]string{true: "TRUE", false: "FALSE"}[is == "1" || is == "true"]...)
	case day:
		r.buf = append(r.buf, r.value[:min(len(r.value), dateLength(r.value))]...)
	case number:
		r.putNumber(c, isDate)
	default:
		r.buf = append(r.buf, unescape(r.value)...)
	}
	return nil
}

// dateLength is how much of a moment in ISO 8601 is its date; all of what is none.
func dateLength(value []byte) int {
	if len(value) > len(time.DateOnly) && value[len(time.DateOnly)] == 'T' {
		return len(time.DateOnly)
	}
	return len(value)
}

func (r *Rows) putNumber(c *Cell, isDate bool) {
	value := bytes.TrimSpace(r.value)
	if isDate {
		if v, err := strconv.ParseFloat(string(value), 64); err == nil {
			if t, ok := dayOf(v, r.book.from1904); ok {
				r.buf = t.AppendFormat(r.buf, time.DateOnly)
				return
			}
		}
	}
	c.Number = true
	r.buf = append(r.buf, value...)
}
