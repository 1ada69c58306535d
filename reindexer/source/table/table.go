// Package table reads the rows of spreadsheets and of Parquet files as JSON objects. It knows neither fields nor where the
// file comes from, and keeps no more of it in memory than a few rows.
package table

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/xuri/excelize/v2"
)

// Rows are the rows of one table.
type Rows interface {
	// Columns are the names of the columns, as objects have them.
	Columns() []string
	// Next returns the next row that is not empty as a JSON object, which is good until the next call, or io.EOF.
	Next() ([]byte, error)
	// Line is the number of the row that was read last, from 1; of a spreadsheet the number that it has there.
	Line() int
	Close()
}

// oleMark begins a file of Excel before 2007, and an XLSX file that is encrypted.
const oleMark = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

// OpenSheet opens a sheet of an XLSX file; "" is the first one.
func OpenSheet(file *os.File, name string) (Rows, error) {
	start := make([]byte, len(oleMark))
	if _, err := file.ReadAt(start, 0); err == nil && string(start) == oleMark {
		return nil, errors.New("it is protected by a password, or made by Excel before 2007: save it as XLSX without a password")
	}
	book, err := excelize.OpenFile(file.Name(), excelize.Options{UnzipXMLSizeLimit: 1 << 20, ShortDatePattern: "yyyy-mm-dd"})
	if err != nil {
		return nil, fmt.Errorf("it is no XLSX file, or damaged: %w", err)
	}
	s, err := newSheet(book, name)
	if err != nil {
		_ = book.Close()
		return nil, err
	}
	return s, nil
}

// OpenParquet opens a Parquet file of that size.
func OpenParquet(file *os.File, size int64) (_ Rows, err error) {
	defer func() {
		if p := recover(); p != nil { // the library does so on some damaged files
			err = fmt.Errorf("it is a damaged Parquet file: %v", p)
		}
	}()
	f, err := parquet.OpenFile(file, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("it is no Parquet file, or damaged: %w", err)
	}
	return newParquet(f)
}

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

func unnamed(i int) string { return fmt.Sprintf("column_%d", i+1) }

// AppendText appends a text as JSON. It leaves what is not UTF-8 as it is: the record is rejected for it then.
func AppendText(dst, value []byte) []byte {
	if !utf8.Valid(value) {
		return append(append(append(dst, '"'), value...), '"')
	}
	b := bytes.NewBuffer(dst)
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(string(value)) // a string always encodes
	return b.Bytes()[:b.Len()-1]
}
