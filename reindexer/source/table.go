package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/parquet-go/parquet-go"
	"github.com/xuri/excelize/v2"
)

// openSpooled opens a form that is read from its end first, from a file of its own: what comes may be compressed, or come
// from a network.
func openSpooled(ctx context.Context, plain io.Reader, f Form, done func()) (*Reader, error) {
	file, err := os.CreateTemp("", "filings-reindex-*")
	if err != nil {
		return nil, err
	}
	closed := func() {
		_ = file.Close() // only read from by now
		_ = os.Remove(file.Name())
		done()
	}
	r, err := openTable(file, plain, f)
	if err != nil {
		_ = file.Close()
		_ = os.Remove(file.Name())
		return nil, err
	}
	forget := r.close
	r.close = func() { forget(); closed() }
	return r, ctx.Err()
}

func openTable(file *os.File, plain io.Reader, f Form) (*Reader, error) {
	size, err := io.Copy(file, plain)
	if err != nil {
		return nil, err
	}
	if size == 0 {
		return nil, errors.New("it is empty")
	}
	if f.Format == XLSX {
		return openSheet(file, size, f.Sheet)
	}
	return openParquet(file, size)
}

// oleMark begins a file of Excel before 2007, and an XLSX file that is encrypted.
const oleMark = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

// openSheet opens a sheet of an XLSX file; "" is the first one.
func openSheet(file *os.File, size int64, name string) (*Reader, error) {
	start := make([]byte, len(oleMark))
	if _, err := file.ReadAt(start, 0); err == nil && string(start) == oleMark {
		return nil, errors.New("it is protected by a password, or made by Excel before 2007: save it as XLSX without a password")
	}
	book, err := excelize.OpenFile(file.Name(), excelize.Options{UnzipXMLSizeLimit: 1 << 20, ShortDatePattern: "yyyy-mm-dd"})
	if err != nil {
		return nil, fmt.Errorf("it is no XLSX file, or damaged: %w", err)
	}
	r, err := newSheet(book, name)
	if err != nil {
		_ = book.Close()
	}
	return r, err
}

// openParquet opens a Parquet file.
func openParquet(file *os.File, size int64) (_ *Reader, err error) {
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
