package source

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
	stored, shown *excelize.Rows
	from1904      bool // days are counted from there
	names         []string
	number        int // of the last row
	buf           []byte
}

// newSheet begins to read the sheet of book with that name. Its first row that is not empty is its header.
func newSheet(book *excelize.File, name string) (*Reader, error) {
	sheets := book.GetSheetList()
	if name == "" && len(sheets) > 0 {
		name = sheets[0]
	}
	if !slices.Contains(sheets, name) {
		return nil, fmt.Errorf("it has no sheet %q; --sheet may be %s", name, strings.Join(quoteAll(sheets), ", "))
	}
	s := &sheet{}
	if properties, err := book.GetWorkbookProps(); err == nil && properties.Date1904 != nil {
		s.from1904 = *properties.Date1904
	}
	var err error
	if s.stored, err = book.Rows(name); err == nil {
		s.shown, err = book.Rows(name)
	}
	if err != nil {
		return nil, fmt.Errorf("sheet %q cannot be read: %w", name, err)
	}
	_, header, err := s.row()
	if err == io.EOF {
		return nil, fmt.Errorf("the sheet %q is empty: it begins with a header", name)
	}
	if err != nil {
		return nil, err
	}
	s.names = Names(header)
	return &Reader{Format: NDJSON, Columns: slices.Clone(s.names), records: s, close: func() { _ = book.Close() }}, nil
}

func quoteAll(names []string) []string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = strconv.Quote(name)
	}
	return quoted
}

func (s *sheet) Line() int { return s.number }

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
func (s *sheet) Next() (Record, error) {
	stored, shown, err := s.row()
	if err != nil {
		return Record{}, err
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
		s.buf = append(appendText(s.buf, []byte(s.names[i])), ':')
		as := ""
		if i < len(shown) {
			as = shown[i]
		}
		s.buf = s.appendCell(s.buf, cell, as)
	}
	s.buf = append(s.buf, '}')
	if len(s.buf) > MaxLine {
		return Record{Text: string(s.buf[:shownOfLong]), Line: s.number, Long: true}, nil
	}
	return Record{Text: string(s.buf), Line: s.number}, nil
}

// isDate matches how dates are shown: numbers or a month's name with something between them.
var isDate = regexp.MustCompile(`^(\pL+,? )?(\d{1,4}[-/. ]\d{1,2}([-/. ]\d{1,4})?|\d{1,2}[-/. ]?\pL{3,9}\.?[-/., ]*\d{0,4}|\pL{3,9}\.?[-/ ]\d{1,4}(, ?\d{2,4})?)([ T]\d{1,2}:\d{2}.*)?$`)

// jsonNumber matches what is a number in JSON.
var jsonNumber = regexp.MustCompile(`^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$`)

func (s *sheet) appendCell(dst []byte, stored, shown string) []byte {
	if !jsonNumber.MatchString(stored) || strings.TrimSpace(shown) == stored && len(stored) > 15 { // digits that are a text
		return appendText(dst, []byte(stored))
	}
	if v, err := strconv.ParseFloat(stored, 64); err == nil && shown != stored && isDate.MatchString(strings.TrimSpace(shown)) {
		if t, err := excelize.ExcelDateToTime(v, s.from1904); err == nil {
			return appendText(dst, []byte(t.Format(time.DateOnly)))
		}
	}
	return append(dst, stored...)
}

func unnamed(i int) string { return fmt.Sprintf("column_%d", i+1) }

// Names are the names by which records know columns: trimmed, a column without a name by its number, and the second of a
// name with _2 behind it.
func Names(header []string) []string {
	names, seen := make([]string, len(header)), map[string]int{}
	for i, name := range header {
		name = strings.TrimSpace(name)
		if name == "" {
			name = unnamed(i)
		}
		if seen[name]++; seen[name] > 1 {
			name = fmt.Sprintf("%s_%d", name, seen[name])
		}
		names[i] = name
	}
	return names
}
