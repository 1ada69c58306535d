package source

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"filings/reindexer/record"
)

// csvRows are the rows of CSV as encoding/csv reads them, with their texts.
type csvRows struct {
	text    *window
	csv     *csv.Reader
	names   []string       // of the columns
	row     map[string]any // reused
	number  int            // of the last line
	notUTF8 string         // why a row is refused
}

// separatorLine is a first line that tells spreadsheet programs the delimiter of the cells.
var separatorLine = regexp.MustCompile(`^(?i)"?sep=([,;|\t])"?\r?\n`)

// openRows reads CSV.
func openRows(text *bufio.Reader, f Form, done func()) (*Reader, error) {
	start, _ := text.Peek(bufferSize) // an error comes again with the header
	if bytes.IndexByte(start, '\r') >= 0 && bytes.IndexByte(start, '\n') < 0 {
		text = bufio.NewReaderSize(carriages{text}, bufferSize)
		start, _ = text.Peek(bufferSize)
	}
	skip := 0
	if n, _ := strconv.Atoi(f.HeaderRow); n > 0 {
		skip = n - 1
	} else if sep := separatorLine.FindSubmatch(start); sep != nil {
		skip, f.Delimiter = 1, cmp.Or(f.Delimiter, string(sep[1]))
	}
	for range skip {
		for _, err := text.ReadSlice('\n'); err == bufio.ErrBufferFull; {
			_, err = text.ReadSlice('\n')
		}
	}
	start, _ = text.Peek(bufferSize)
	delimiter, err := f.delimiter(start)
	if err != nil {
		return nil, err
	}
	r := &csvRows{text: &window{r: text}, row: map[string]any{}, number: skip, notUTF8: f.notUTF8().Error()}
	r.csv = csv.NewReader(r.text)
	r.csv.Comma, r.csv.FieldsPerRecord, r.csv.ReuseRecord = rune(delimiter), -1, true
	row, header, err := r.read()
	switch {
	case err == io.EOF:
		err = errors.New("it is empty: a CSV file begins with a header")
	case err == nil && !utf8.ValidString(row.text):
		err = fmt.Errorf("its header %w", f.notUTF8())
	case err == nil && row.Fault != nil:
		err = fmt.Errorf("its header is not CSV: %w", row.Fault)
	}
	header = slices.Clone(header)
	r.names = record.ColumnNames(header)
	return &Reader{Format: CSV, Header: header, Columns: r.names, explicit: f.HeaderRow != "", records: r,
		close: done}, err
}

// Line is the number of the last line.
func (c *csvRows) Line() int { return c.number }

// Next returns the next row as an object of texts.
func (c *csvRows) Next() (Row, error) {
	row, cells, err := c.read()
	if err != nil || row.Fault != nil {
		return row.lines(), err
	}
	switch n := len(c.names); {
	case !utf8.ValidString(row.text):
		row.Fault = &record.Fault{Reason: c.notUTF8}
		return row.lines(), nil
	case len(cells) == 1 && n > 1:
		row.Fault = &record.Fault{Reason: fmt.Sprintf("has 1 cell; the header has %d, separated by %q, or by what "+
			"--delimiter says", n, c.csv.Comma)}
	case len(cells) != n:
		row.Fault = &record.Fault{Reason: fmt.Sprintf("has %d cells; the header has %d", len(cells), n)}
	default:
		row.Fault = c.swallowed(row, cells)
	}
	row.Again, row.Single = headerAgain(cells, c.names), c.single(cells)
	if len(cells) < len(c.names) && !c.text.ended {
		return Row{}, ErrUnfinished
	}
	object := c.row
	if row.Single || row.Again {
		object = map[string]any{}
	}
	clear(object)
	for i, cell := range cells[:min(len(cells), len(c.names))] {
		object[c.names[i]] = cell
	}
	row.Value = object
	return row.lines(), nil
}

// single reports whether one of the cells is not blank, under a header of three or more. A row of
// one cell that another delimiter would cut is not one.
func (c *csvRows) single(cells []string) bool {
	filled := 0
	for i := 0; i < len(cells) && filled < 2; i++ {
		if strings.TrimSpace(cells[i]) != "" {
			filled++
		}
	}
	return filled == 1 && len(c.names) > 2 && (len(cells) > 1 || !strings.ContainsAny(cells[0], delimiters))
}

// leastSwallowed is from how many delimiters on a cell is taken for rows, not for an address.
const leastSwallowed = 5

// swallowed says that a quote went on over lines that look like rows: each has as many delimiters as
// a row has. It is nil where none does.
func (c *csvRows) swallowed(row Row, cells []string) *record.Fault {
	if strings.IndexByte(row.text, '\n') < 0 {
		return nil
	}
	begins, last := row.Line, len(cells)-1
	for i, cell := range cells {
		lines := strings.Split(cell, "\n")
		looks := len(lines) > 1 && (len(lines)-1)*last >= leastSwallowed
		for k, line := range lines {
			want := last
			if k == 0 {
				want -= i
			} else if k == len(lines)-1 {
				want = i
			}
			looks = looks && strings.Count(line, string(c.csv.Comma)) == want
		}
		if looks {
			return &record.Fault{Reason: fmt.Sprintf("has a quote in line %d that goes on for %d lines that look like rows",
				begins, len(lines)-1)}
		}
		begins += len(lines) - 1
	}
	return nil
}

// read returns the next row that is not blank, and its cells, which are good until the next call.
func (c *csvRows) read() (row Row, cells []string, err error) {
	for row.text == "" {
		cells, err = c.csv.Read()
		if err == io.EOF {
			return Row{}, nil, err
		}
		var wrong *csv.ParseError
		if err != nil && !errors.As(err, &wrong) {
			return Row{}, nil, c.broken(err)
		}
		raw := c.text.take(c.csv.InputOffset())
		text := raw[blankLines([]byte(raw)):]
		row.Line = c.number + strings.Count(raw[:len(raw)-len(text)], "\n") + 1
		c.number += strings.Count(raw, "\n")
		if !c.text.ended {
			c.number++
		}
		text = strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
		if strings.TrimSpace(strings.TrimRight(text, endOfFile)) == "" {
			continue
		}
		if last := len(cells) - 1; last >= 0 && !c.text.ended {
			cells[last] = strings.TrimRight(cells[last], endOfFile)
		}
		row.text = text
		if wrong != nil {
			row.Fault, err = c.fault(row, wrong)
		}
	}
	return row, cells, err
}

// blankLines returns how many bytes of text are lines without anything before its row.
func blankLines(text []byte) (n int) {
	for bytes.HasPrefix(text[n:], []byte("\n")) || bytes.HasPrefix(text[n:], []byte("\r\n")) {
		n += bytes.IndexByte(text[n:], '\n') + 1
	}
	return n
}

// fault returns the fault of a row; an error is that a quote is open at the end of the source.
func (c *csvRows) fault(row Row, wrong *csv.ParseError) (*record.Fault, error) {
	last := row.text[strings.LastIndexByte(row.text, '\n')+1:]
	switch {
	case wrong.Column > len(last):
		return nil, fmt.Errorf("%w: the quote that line %d leaves open is never closed", ErrUnfinished, row.Line)
	case wrong.Err == csv.ErrBareQuote && strings.HasSuffix(last[:wrong.Column-1], string(c.csv.Comma)+" "):
		return &record.Fault{Reason: fmt.Sprintf("has a blank before the quote at byte %d of its line: without it the "+
			"cell begins with one", wrong.Column)}, nil
	case wrong.Err == csv.ErrBareQuote:
		return &record.Fault{Reason: fmt.Sprintf("has a quote at byte %d of its line, in a cell that does not begin with one",
			wrong.Column)}, nil
	}
	return &record.Fault{Reason: fmt.Sprintf("has text at byte %d of its line, after the closing quote of a cell",
		wrong.Column+1)}, nil
}

// broken returns the error that ends the reading, with the line in which it came.
func (c *csvRows) broken(err error) error {
	begun := c.text.kept[blankLines(c.text.kept):]
	begins := c.number + bytes.Count(c.text.kept[:len(c.text.kept)-len(begun)], []byte{'\n'}) + 1
	more := bytes.Count(begun, []byte{'\n'})
	c.number = begins + more
	if err == errLong && more > 0 {
		return fmt.Errorf("the quote that line %d leaves open is not closed within %d MiB", begins, MaxLine>>20)
	}
	return err
}

// window keeps the bytes that were read of r since the present row began.
type window struct {
	r     io.Reader
	kept  []byte
	begin int64 // offset of kept
	ended bool  // the last row, by a line end
}

func (w *window) Read(p []byte) (int, error) {
	if len(w.kept) > MaxLine {
		return 0, errLong
	}
	n, err := w.r.Read(p)
	w.kept = append(w.kept, p[:n]...)
	return n, err
}

// take returns the bytes up to an offset, which are kept no longer.
func (w *window) take(offset int64) string {
	n := int(offset - w.begin)
	text := string(w.kept[:n])
	w.kept, w.begin = append(w.kept[:0], w.kept[n:]...), offset
	w.ended = strings.HasSuffix(text, "\n")
	return text
}

// carriages gives each CR as LF, for texts whose lines end in CR alone, as spreadsheets on a
// Macintosh write them.
type carriages struct{ r io.Reader }

func (c carriages) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	for i := range p[:n] {
		if p[i] == '\r' {
			p[i] = '\n'
		}
	}
	return n, err
}
