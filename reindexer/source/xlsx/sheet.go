package xlsx

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"filings/reindexer/record"
)

// Sheet reads the rows of a sheet.
type Sheet struct {
	// Uncomputed is how many cells were read so far that have a formula and no value: the program
	// that wrote the file computed none. They count as empty.
	Uncomputed int64
	// Hidden is how many rows were read so far that the sheet does not show.
	Hidden int64
	// Single: the row that was read last has one cell, under a header of three or more.
	Single bool
	// Fitting are the names of the other sheets that have a header with all names of the Choice.
	Fitting []string

	name     string
	siblings []sheet // of the workbook
	book     *book
	part     io.ReadCloser
	xml      *elements
	number   int
	hidden   bool     // the row that was read last
	names    []string // of the columns
	named    int      // cells of the header
	merged   ranges
	row      map[string]any // reused
}

// Notes returns notes on the sheet, once it was read.
func (s *Sheet) Notes() (notes []string) {
	if len(s.siblings) > 0 {
		notes = append(notes, "Its other sheets, which --sheet reads, here and in load: "+list(s.siblings))
	}
	notes = append(notes, s.Warnings()...)
	if s.Uncomputed > 0 {
		notes = append(notes, fmt.Sprintf("%d cells have a formula that no program has computed: they are empty here. "+
			"A spreadsheet program that saves the file computes them", s.Uncomputed))
	}
	return notes
}

// Warnings returns warnings of a sheet that is loaded, once it was read.
func (s *Sheet) Warnings() (warnings []string) {
	if s.Hidden > 0 {
		warnings = append(warnings,
			fmt.Sprintf("%d rows are hidden in the sheet %q, and are read as the others", s.Hidden, s.name))
	}
	if len(s.Fitting) > 0 {
		warnings = append(warnings, fmt.Sprintf("the sheet %q is read, and %q has the same columns; --sheet chooses", s.name,
			s.Fitting[0]))
	}
	return warnings
}

// list returns the names of sheets as a message has them.
func list(sheets []sheet) string {
	quoted := make([]string, len(sheets))
	for i, s := range sheets {
		if quoted[i] = strconv.Quote(s.name); s.hidden {
			quoted[i] += " (hidden)"
		}
	}
	return strings.Join(quoted, ", ")
}

// begin reads up to the header, which is the row of that number.
func (s *Sheet) begin(part string, row int) (err error) {
	if s.part, err = s.book.open(part); err != nil {
		return err
	}
	s.xml = newElements(s.part)
	for s.number < row {
		cells, err := s.cells()
		if err != nil {
			return s.failed(err)
		}
		s.setHeader(cells)
	}
	s.merged = s.book.merges(part, s.number)
	return nil
}

// setHeader takes the names of the columns of a row.
func (s *Sheet) setHeader(cells []placed) {
	var header []string
	for _, c := range cells { // in any order
		header = append(header, make([]string, max(0, c.column+1-len(header)))...)
		header[c.column] = fmt.Sprint(c.value)
	}
	s.names, s.named = record.ColumnNames(header), len(cells)
}

// failed says in which row the reading failed.
func (s *Sheet) failed(err error) error {
	if err == io.EOF || s.number == 0 {
		return err
	}
	return fmt.Errorf("row %d: %w", s.number, err)
}

// Line is the number of the row that was read last, as its sheet has it, from 1.
func (s *Sheet) Line() int { return s.number }

// Columns returns the names of the columns, of which a row longer than the header makes more.
func (s *Sheet) Columns() []string { return s.names }

// Close ends the reading.
func (s *Sheet) Close() {
	if s.part != nil {
		_ = s.part.Close() // only read from
	}
}

// Next returns the next row that is not empty, or io.EOF. It is good until the next one that is not
// Single.
func (s *Sheet) Next() (map[string]any, error) {
	cells, err := s.cells()
	for err == nil && filled(cells) == 0 {
		cells, err = s.cells()
	}
	if err != nil {
		return nil, err
	}
	if s.hidden {
		s.Hidden++
	}
	own := filled(cells)
	cells, inherited := s.merged.fill(cells, s.number, len(s.names))
	s.Single = own+inherited == 1 && s.named > 2
	row := s.row
	if s.Single { // the row before it stays good
		row = map[string]any{}
	}
	clear(row)
	for _, c := range cells {
		if missing := c.column + 1 - len(s.names); missing > 0 { // the header
			s.names = record.ColumnNames(append(slices.Clone(s.names), make([]string, missing)...))
		}
		name := s.names[c.column]
		if _, twice := row[name]; twice {
			return nil, fmt.Errorf("its column %q has two cells in one row", name)
		}
		row[name] = c.value
	}
	return row, nil
}

// cells returns those of the next row that are not empty, or io.EOF.
func (s *Sheet) cells() (cells []placed, err error) {
	row, err := s.xml.next("row", "sheetData")
	if row == nil && err == nil {
		_, err = s.xml.next("", "") // to the end of the part, where its checksum is compared
	}
	if err != nil {
		return nil, err
	}
	number := strconv.Itoa(s.number + 1)
	s.hidden = false
	for _, a := range row.Attr {
		switch a.Name.Local {
		case "r":
			number = a.Value
		case "hidden":
			s.hidden, _ = strconv.ParseBool(a.Value)
		}
	}
	if s.number, err = strconv.Atoi(number); err != nil || s.number < 1 || s.number > lastRow {
		return nil, fmt.Errorf("it has a row %.20q", number)
	}
	for column, count, size := -1, 0, 0; ; count++ {
		begun, err := s.xml.next("c", "row")
		if begun == nil && err == nil {
			return cells, nil
		}
		c := placed{column: column + 1}
		if err == nil {
			err = s.cell(begun, &c)
		}
		if column = c.column; c.value != nil {
			cells = append(cells, c)
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
