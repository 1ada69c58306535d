package xlsx

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Rows begins to read the sheet with that name, which there has to be. Its texts are in a temporary file until
// Close.
func (b *Book) Rows(name string) (_ *Rows, err error) {
	i := slices.IndexFunc(b.sheets, func(s sheet) bool { return s.name == name })
	if i < 0 {
		return nil, fmt.Errorf("it has no sheet %q", name)
	}
	r := &Rows{book: b}
	defer func() {
		if err != nil {
			r.Close()
		}
	}()
	if b.texts != "" {
		if size := b.parts[b.texts].UncompressedSize64; size > maxTexts {
			return nil, fmt.Errorf("its part %s: %w", b.texts, errTexts(int64(min(size, math.MaxInt64))))
		}
		in, err := b.open(b.texts)
		if err != nil {
			return nil, err
		}
		defer in.Close()
		if r.texts, err = readTexts(in, r.book.space); err != nil {
			return nil, fmt.Errorf("its part %s: %w", b.texts, err)
		}
	}
	if r.part, err = b.open(b.sheets[i].part); err != nil {
		return nil, err
	}
	r.in = newScanner(r.part)
	return r, nil
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
