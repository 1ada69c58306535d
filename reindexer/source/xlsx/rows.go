package xlsx

import (
	"fmt"
	"io"
	"strconv"
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

// Close ends the reading.
func (r *Rows) Close() {
	r.texts.close()
	if r.part != nil {
		_ = r.part.Close() // only read from
	}
}

// Number is the number of the row that was read last, as its sheet has it, from 1.
func (r *Rows) Number() int { return r.number }

// Uncomputed is how many cells were read so far that have a formula and no value: the program that wrote the file computed none.
// They count as empty.
func (r *Rows) Uncomputed() int64 { return r.uncomputed }

// Next returns the cells of the next row that are not empty, or io.EOF. They are good until the next call.
func (r *Rows) Next() ([]Cell, error) {
	for {
		if err := r.in.next(&r.t); err != nil { // to the end, where the checksum is compared
			return nil, err
		}
		switch {
		case r.t.name == "sheetData":
			r.inside = r.t.kind == start
		case r.inside && r.t.kind == start && r.t.name == "row":
			return r.row()
		}
	}
}

// row reads the row that has just begun.
func (r *Rows) row() ([]Cell, error) {
	r.number++
	r.cells, r.buf = r.cells[:0], r.buf[:0]
	for _, a := range r.t.attrs {
		if a.Name.Local == "r" {
			n, err := strconv.Atoi(a.Value)
			if err != nil || n < 1 || n > lastRow {
				return nil, fmt.Errorf("it has a row %.20q", a.Value)
			}
			r.number = n
		}
	}
	for column := -1; ; {
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
