package xlsx

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"time"
	"unicode/utf8"
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
}

// Close ends the reading.
func (r *Rows) Close() {
	r.texts.close()
	if r.part != nil {
		_ = r.part.Close() // only read from
	}
}

// Number is the number of the row that was read last, as its sheet has it, from 1.
func (r *Rows) Number() int { return r.number }

// Next returns the cells of the next row that are not empty, or io.EOF. They are good until the next call.
func (r *Rows) Next() ([]Cell, error) {
	for {
		if err := r.in.next(&r.t); err != nil { // to the end, where the checksum is compared
			return nil, err
		}
		switch {
		case r.t.name == "sheetData":
			r.inside = r.t.kind == start && !r.t.empty
		case r.inside && r.t.kind == start && r.t.name == "row":
			return r.row()
		}
	}
}

// row reads the row that has just begun.
func (r *Rows) row() ([]Cell, error) {
	r.number++
	r.cells, r.buf = r.cells[:0], r.buf[:0]
	for attrs := r.t.attrs; ; {
		name, value, others := attribute(attrs)
		if len(name) == 0 {
			break
		}
		if string(name) == "r" {
			n, err := strconv.Atoi(string(value))
			if err != nil || n < 1 || n > lastRow {
				return nil, fmt.Errorf("it has a row %q", value)
			}
			r.number = n
		}
		attrs = others
	}
	for column, open := -1, !r.t.empty; open; {
		if err := r.in.next(&r.t); err != nil {
			return nil, err
		}
		if r.t.kind == end && r.t.name == "row" {
			break
		}
		if r.t.kind == start && r.t.name == "c" {
			var err error
			if column, err = r.cell(column + 1); err != nil {
				return nil, fmt.Errorf("row %d: %w", r.number, err)
			}
		}
	}
	begin := 0
	for i := range r.cells {
		c := &r.cells[i]
		c.Text, begin = r.buf[begin:c.end], c.end
	}
	return r.cells, nil
}

// cell reads the cell that has just begun, whose column is next unless it says another one, and returns its column.
func (r *Rows) cell(next int) (column int, err error) {
	column = next
	var form, style []byte
	for attrs := r.t.attrs; ; {
		name, value, others := attribute(attrs)
		if len(name) == 0 {
			break
		}
		switch string(name) {
		case "r":
			if column, err = columnOf(value); err != nil {
				return 0, err
			}
		case "t":
			form = value
		case "s":
			style = value
		}
		attrs = others
	}
	if column >= lastColumn {
		return 0, fmt.Errorf("it has more than %d cells", lastColumn)
	}
	kind, isDate := formOf(form), r.isDate(style)
	if err := r.read(); err != nil || len(r.value) == 0 || len(r.buf) > maxRow {
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
func columnOf(name []byte) (int, error) {
	column, letters := 0, 0
	for letters < len(name) && letters < 4 && name[letters] >= 'A' && name[letters] <= 'Z' {
		column = column*26 + int(name[letters]-'A') + 1
		letters++
	}
	if column < 1 || column > lastColumn {
		return 0, fmt.Errorf("it has a cell %q", name)
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

func formOf(attr []byte) form {
	switch string(attr) {
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

func (r *Rows) isDate(style []byte) bool {
	if len(style) == 0 {
		return len(r.book.dates) > 0 && r.book.dates[0]
	}
	i, err := strconv.Atoi(string(style))
	return err == nil && i >= 0 && i < len(r.book.dates) && r.book.dates[i]
}

// read reads r.value, up to the end of the cell.
func (r *Rows) read() (err error) {
	r.value = r.value[:0]
	if r.t.empty {
		return nil
	}
	for outside, within := r.in.depth-1, false; ; {
		if err := r.in.next(&r.t); err != nil {
			return err
		}
		switch {
		case r.t.kind == text && within:
			if r.value, err = r.t.appendText(r.value); err != nil {
				return err
			}
			if len(r.value) > maxText {
				return fmt.Errorf("it has a text of more than %d KiB", maxText>>10)
			}
		case r.t.kind == text:
		case r.t.kind == end && r.in.depth == outside:
			return nil
		case r.t.name == "v":
			within = r.t.kind == start && !r.t.empty
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
		r.buf = append(r.buf, unescape(r.value, 0)...)
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

// unescape replaces, behind begin, what stands for characters that XML cannot hold: _x000D_ is a carriage return, and _x005F_
// the underscore before an x.
func unescape(text []byte, begin int) []byte {
	const form = "_x000D_"
	for at := begin; ; {
		i := bytes.Index(text[at:], []byte("_x"))
		if i < 0 || at+i+len(form) > len(text) {
			return text
		}
		at += i
		c, err := strconv.ParseUint(string(text[at+2:at+6]), 16, 32)
		if err != nil || text[at+6] != '_' || !utf8.ValidRune(rune(c)) {
			at++
			continue
		}
		behind := text[at+len(form):]
		text = append(utf8.AppendRune(text[:at], rune(c)), behind...)
		at += utf8.RuneLen(rune(c))
	}
}
