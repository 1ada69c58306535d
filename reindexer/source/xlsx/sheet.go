package xlsx

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"filings/reindexer/record"
)

// Sheet reads the rows of a sheet, whose header is its first row with more than one cell, so that
// titles above a table are left out; of a sheet with one column it is the first row that is not
// empty.
type Sheet struct {
	// Uncomputed is how many cells were read so far that have a formula and no value: the program
	// that wrote the file computed none. They count as empty.
	Uncomputed int64

	others []string // names of the workbook's other sheets
	book   *book
	part   io.ReadCloser
	xml    *elements
	number int
	names  []string       // of the columns
	row    map[string]any // reused
}

// oleMark begins a file of Excel before 2007, and an XLSX file that is encrypted.
const oleMark = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

// Open opens a sheet of an XLSX file of that size; "" is the first one.
func Open(file io.ReaderAt, size int64, name string) (*Sheet, error) {
	begin := make([]byte, len(oleMark))
	if _, err := file.ReadAt(begin, 0); err == nil && string(begin) == oleMark {
		return nil, errors.New("it is protected by a password, or made by Excel before 2007: save it as XLSX without " +
			"a password")
	}
	b, err := openBook(file, size)
	if err != nil {
		return nil, fmt.Errorf("it is no XLSX file, or damaged: %w", err)
	}
	var names []string
	for _, s := range b.sheets {
		names = append(names, s.name)
	}
	if name == "" {
		name = names[0]
	}
	if !slices.Contains(names, name) {
		return nil, fmt.Errorf("it has no sheet %q; --sheet may be %s", name, list(names))
	}
	part := b.sheets[slices.Index(names, name)].part
	others := slices.DeleteFunc(names, func(s string) bool { return s == name })
	for _, filled := range []int{2, 1} {
		s := &Sheet{others: others, book: b, row: map[string]any{}}
		if err = s.begin(part, filled); err == nil {
			return s, nil
		}
		s.Close()
		if err != io.EOF {
			return nil, fmt.Errorf("sheet %q cannot be read: %w", name, err)
		}
	}
	problem := fmt.Sprintf("the sheet %q is empty: it has no header", name)
	if len(others) > 0 {
		problem += "; --sheet may be " + list(others)
	}
	return nil, errors.New(problem)
}

// Notes says what somebody should know of the sheet, once it was read.
func (s *Sheet) Notes() (notes []string) {
	if len(s.others) > 0 {
		notes = append(notes, "Its other sheets, which --sheet reads, here and in load: "+list(s.others))
	}
	if s.Uncomputed > 0 {
		notes = append(notes, fmt.Sprintf("%d cells have a formula that no program has computed: they are empty here. "+
			"A spreadsheet program that saves the file computes them", s.Uncomputed))
	}
	return notes
}

// list returns names as a message has them.
func list(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = strconv.Quote(name)
	}
	return strings.Join(quoted, ", ")
}

// begin reads up to the header, the first row with so many cells; without one it fails with io.EOF.
func (s *Sheet) begin(part string, filled int) (err error) {
	if s.part, err = s.book.open(part); err != nil {
		return err
	}
	s.xml = newElements(s.part)
	for {
		cells, err := s.cells()
		switch {
		case err == io.EOF, s.number == 0:
			return err
		case err != nil:
			return fmt.Errorf("row %d: %w", s.number, err)
		}
		if cells = slices.DeleteFunc(cells, placed.blank); len(cells) < filled {
			continue
		}
		var header []string
		for _, c := range cells { // in any order
			header = append(header, make([]string, max(0, c.column+1-len(header)))...)
			header[c.column] = fmt.Sprint(c.value)
		}
		s.names = record.ColumnNames(header)
		return nil
	}
}

// Line is the number of the row that was read last, as its sheet has it, from 1.
func (s *Sheet) Line() int { return s.number }

// Columns returns the names of the columns, of which there are more after a row that is longer than
// the header.
func (s *Sheet) Columns() []string { return s.names }

// Close ends the reading.
func (s *Sheet) Close() {
	if s.part != nil {
		_ = s.part.Close() // only read from
	}
}

// Next returns the next row that is not empty, or io.EOF. It is good until the next call.
func (s *Sheet) Next() (map[string]any, error) {
	cells, err := s.cells()
	for err == nil && !slices.ContainsFunc(cells, func(c placed) bool { return !c.blank() }) {
		cells, err = s.cells()
	}
	if err != nil {
		return nil, err
	}
	clear(s.row)
	for _, c := range cells {
		if past := c.column + 1 - len(s.names); past > 0 { // the header
			s.names = record.ColumnNames(append(slices.Clone(s.names), make([]string, past)...))
		}
		name := s.names[c.column]
		if _, twice := s.row[name]; twice {
			return nil, fmt.Errorf("its column %q has two cells in one row", name)
		}
		s.row[name] = c.value
	}
	return s.row, nil
}

// placed is the value of a cell that is not empty.
type placed struct {
	column int // from 0
	value  any
}

func (c placed) blank() bool {
	text, is := c.value.(string)
	return is && strings.TrimSpace(text) == ""
}

// cells returns those of the next row that are not empty, or io.EOF.
func (s *Sheet) cells() (all []placed, err error) {
	row, err := s.xml.next("row", "sheetData")
	if row == nil && err == nil {
		_, err = s.xml.next("", "") // to the end of the part, where its checksum is compared
	}
	if err != nil {
		return nil, err
	}
	number := strconv.Itoa(s.number + 1)
	for _, a := range row.Attr {
		if a.Name.Local == "r" {
			number = a.Value
		}
	}
	if s.number, err = strconv.Atoi(number); err != nil || s.number < 1 || s.number > lastRow {
		return nil, fmt.Errorf("it has a row %.20q", number)
	}
	for column, count, size := -1, 0, 0; ; count++ {
		begun, err := s.xml.next("c", "row")
		if begun == nil && err == nil {
			return all, nil
		}
		c := placed{column: column + 1}
		if err == nil {
			err = s.cell(begun, &c)
		}
		if column = c.column; c.value != nil {
			all = append(all, c)
			text, _ := c.value.(string)
			size += len(text)
		}
		switch {
		case err != nil:
		case count == lastColumn || column >= lastColumn:
			err = fmt.Errorf("it has more than %d cells", lastColumn)
		case size > maxRow:
			err = fmt.Errorf("it has more than %d MiB", maxRow>>20)
		}
		if err != nil {
			return nil, err
		}
	}
}

// cell reads the cell that has just begun into c, which is the next one unless it says another.
func (s *Sheet) cell(begun *xml.StartElement, c *placed) (err error) {
	var stored cell
	if err = s.xml.decode(begun, &stored); err == nil && stored.Name != "" {
		c.column, err = columnOf(stored.Name)
	}
	if err != nil {
		return err
	}
	if c.value, err = s.book.value(&stored); err != nil {
		return fmt.Errorf("column %d: %w", c.column+1, err)
	}
	// An empty text is a value.
	if c.value == nil && stored.Formula != nil && (stored.Stored == nil || stored.Form != "str") {
		s.Uncomputed++
	}
	return nil
}
