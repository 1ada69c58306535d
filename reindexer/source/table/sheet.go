package table

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"filings/reindexer/record"
	"filings/reindexer/source/xlsx"
)

// sheet reads the rows of a spreadsheet.
type sheet struct {
	rows   *xlsx.Rows
	others []string // sheets
	names  []string
	row    map[string]any // reused
}

// oleMark begins a file of Excel before 2007, and an XLSX file that is encrypted.
const oleMark = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

// OpenSheet opens a sheet of an XLSX file of that size; "" is the first one. Its texts take up
// space.
func OpenSheet(file io.ReaderAt, size int64, name string, space *xlsx.Space) (Rows, error) {
	start := make([]byte, len(oleMark))
	if _, err := file.ReadAt(start, 0); err == nil && string(start) == oleMark {
		return nil, errors.New("it is protected by a password, or made by Excel before 2007: save it as XLSX without " +
			"a password")
	}
	book, err := xlsx.Open(file, size, space)
	if err != nil {
		return nil, fmt.Errorf("it is no XLSX file, or damaged: %w", err)
	}
	return newSheet(book, name)
}

// newSheet begins to read the sheet of book with that name. Its header is its first row with more
// than one cell, so that titles above a table are left out; of a sheet with one column it is the
// first row that is not empty.
func newSheet(book *xlsx.Book, name string) (*sheet, error) {
	sheets := book.Sheets()
	if name == "" {
		name = sheets[0]
	}
	if !slices.Contains(sheets, name) {
		return nil, fmt.Errorf("it has no sheet %q; --sheet may be %s", name, list(sheets))
	}
	others := slices.DeleteFunc(sheets, func(s string) bool { return s == name })
	for _, cells := range []int{2, 1} {
		s, err := openSheet(book, name, cells)
		if err == nil {
			s.others = others
			return s, nil
		}
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

// openSheet begins to read the sheet. Its header is the first row with so many cells; without one
// it fails with io.EOF.
func openSheet(book *xlsx.Book, name string, filled int) (*sheet, error) {
	rows, err := book.Rows(name)
	if err != nil {
		return nil, err
	}
	for {
		cells, err := rows.Next()
		if err != nil {
			rows.Close()
			return nil, err
		}
		if cells = slices.DeleteFunc(cells, blank); len(cells) >= filled {
			var header []string
			for _, c := range cells { // in any order
				for len(header) <= c.Column {
					header = append(header, "")
				}
				header[c.Column] = string(c.Text)
			}
			return &sheet{rows: rows, names: Names(header), row: map[string]any{}}, nil
		}
	}
}

func blank(c xlsx.Cell) bool { return len(bytes.TrimSpace(c.Text)) == 0 }

// list returns names as a message has them.
func list(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = strconv.Quote(name)
	}
	return strings.Join(quoted, ", ")
}

func (s *sheet) Line() int             { return s.rows.Number() }
func (s *sheet) Columns() []string     { return s.names }
func (s *sheet) OtherSheets() []string { return s.others }
func (s *sheet) Uncomputed() int64     { return s.rows.Uncomputed() }
func (s *sheet) Close()                { s.rows.Close() }

// Next returns the next row: numbers as numbers, dates as YYYY-MM-DD, all else as text, and nothing
// for an empty cell.
func (s *sheet) Next() (map[string]any, error) {
	cells, err := s.rows.Next()
	for err == nil && !slices.ContainsFunc(cells, func(c xlsx.Cell) bool { return !blank(c) }) {
		cells, err = s.rows.Next()
	}
	if err != nil {
		return nil, err
	}
	clear(s.row)
	for _, c := range cells {
		if past := c.Column + 1 - len(s.names); past > 0 { // the header
			s.names = append(s.names, Names(append(slices.Clone(s.names), make([]string, past)...))[len(s.names):]...)
		}
		name, text := s.names[c.Column], string(c.Text)
		if _, twice := s.row[name]; twice {
			return nil, fmt.Errorf("its column %q has two cells in one row", name)
		}
		if s.row[name] = text; c.Number && isNumber(text) {
			s.row[name] = record.Number(text)
		}
	}
	return s.row, nil
}

// isNumber reports whether a text is a number in JSON.
func isNumber(text string) bool { return text[0] != '"' && text[0] <= '9' && json.Valid([]byte(text)) }
