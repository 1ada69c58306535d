package table

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"
)

// sheet reads the rows of a spreadsheet. Its cells are read twice: as they are stored, and as a person sees them, which alone
// says that a number is a date.
type sheet struct {
	book          *excelize.File
	stored, shown *excelize.Rows
	from1904      bool // days are counted from there
	names         []string
	number        int // of the last row
	buf           []byte
}

// newSheet begins to read the sheet of book with that name. Its header is its first row with more than one cell, so that
// titles above a table are left out; of a sheet with one column it is the first row that is not empty.
func newSheet(book *excelize.File, name string) (*sheet, error) {
	sheets := book.GetSheetList()
	if name == "" && len(sheets) > 0 {
		name = sheets[0]
	}
	if !slices.Contains(sheets, name) {
		return nil, fmt.Errorf("it has no sheet %q; --sheet may be %s", name, strings.Join(quoteAll(sheets), ", "))
	}
	s := &sheet{book: book}
	if properties, err := book.GetWorkbookProps(); err == nil && properties.Date1904 != nil {
		s.from1904 = *properties.Date1904
	}
	for _, cells := range []int{2, 1} {
		header, err := s.header(name, cells)
		if err == nil {
			s.names = Names(header)
			return s, nil
		}
		if err != io.EOF {
			return nil, fmt.Errorf("sheet %q cannot be read: %w", name, err)
		}
	}
	return nil, fmt.Errorf("the sheet %q is empty: it begins with a header", name)
}

// header begins to read the sheet, and returns its first row with so many cells that are not empty, or io.EOF.
func (s *sheet) header(name string, cells int) (header []string, err error) {
	s.number = 0
	if s.stored, err = s.book.Rows(name); err == nil {
		s.shown, err = s.book.Rows(name)
	}
	if err != nil {
		return nil, err
	}
	for filled := 0; filled < cells; {
		if _, header, err = s.row(); err != nil {
			return nil, err
		}
		filled = 0
		for _, cell := range header {
			if strings.TrimSpace(cell) != "" {
				filled++
			}
		}
	}
	return header, nil
}

func quoteAll(names []string) []string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = strconv.Quote(name)
	}
	return quoted
}

func (s *sheet) Line() int         { return s.number }
func (s *sheet) Columns() []string { return slices.Clone(s.names) }
func (s *sheet) Close()            { _ = s.book.Close() } // only read from

// row returns the next row with a cell that is not empty: its cells as they are stored, and as they are shown.
func (s *sheet) row() (stored, shown []string, err error) {
	for s.stored.Next() && s.shown.Next() {
		s.number++
		if stored, err = s.stored.Columns(excelize.Options{RawCellValue: true}); err != nil {
			return nil, nil, err
		}
		if shown, err = s.shown.Columns(); err != nil {
			return nil, nil, err
		}
		if slices.ContainsFunc(stored, func(cell string) bool { return strings.TrimSpace(cell) != "" }) {
			return stored, shown, nil
		}
	}
	if err := s.stored.Error(); err != nil {
		return nil, nil, err
	}
	return nil, nil, io.EOF
}

// Next returns the next row as a JSON object: numbers as numbers, dates as YYYY-MM-DD, all else as text, and nothing for an
// empty cell.
func (s *sheet) Next() ([]byte, error) {
	stored, shown, err := s.row()
	if err != nil {
		return nil, err
	}
	for i := len(s.names); i < len(stored); i++ { // beyond the header
		s.names = append(s.names, unnamed(i))
	}
	s.buf = append(s.buf[:0], '{')
	for i, cell := range stored {
		if cell == "" {
			continue
		}
		if len(s.buf) > 1 {
			s.buf = append(s.buf, ',')
		}
		s.buf = append(AppendText(s.buf, []byte(s.names[i])), ':')
		as := ""
		if i < len(shown) {
			as = shown[i]
		}
		s.buf = s.appendCell(s.buf, cell, as)
	}
	s.buf = append(s.buf, '}')
	return s.buf, nil
}

// isDate matches how dates are shown: numbers or a month's name with something between them.
var isDate = regexp.MustCompile(`^(\pL+,? )?(\d{1,4}[-/. ]\d{1,2}([-/. ]\d{1,4})?|\d{1,2}[-/. ]?\pL{3,9}\.?[-/., ]*\d{0,4}|\pL{3,9}\.?[-/ ]\d{1,4}(, ?\d{2,4})?)([ T]\d{1,2}:\d{2}.*)?$`)

// jsonNumber matches what is a number in JSON.
var jsonNumber = regexp.MustCompile(`^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$`)

func (s *sheet) appendCell(dst []byte, stored, shown string) []byte {
	if !jsonNumber.MatchString(stored) || strings.TrimSpace(shown) == stored && len(stored) > 15 { // digits that are a text
		return AppendText(dst, []byte(stored))
	}
	if v, err := strconv.ParseFloat(stored, 64); err == nil && shown != stored && isDate.MatchString(strings.TrimSpace(shown)) {
		if t, err := excelize.ExcelDateToTime(v, s.from1904); err == nil {
			return AppendText(dst, []byte(t.Format(time.DateOnly)))
		}
	}
	return append(dst, stored...)
}
