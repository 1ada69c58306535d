package source

import (
	"context"
	"errors"
	"io"
	"os"
	"strconv"

	"filings/index/sorter"
	"filings/reindexer/record"
	"filings/reindexer/source/parquet"
	"filings/reindexer/source/xlsx"
)

// table is a spreadsheet or a Parquet file.
type table interface {
	// Columns are the names of the columns, of which a sheet may have more after a row that is
	// longer than its header.
	Columns() []string
	// Next returns the next row that is not empty, as values that jq has by the names of the
	// columns, or io.EOF. It is good until the next call.
	Next() (map[string]any, error)
	// Line is the number of the row that was read last, from 1; of a spreadsheet its number there.
	Line() int
	Close()
}

// tableRows are the rows of a table as records.
type tableRows struct {
	table
	cells []string // of a row of a sheet, reused
}

func (t *tableRows) Next() (Row, error) {
	object, err := t.table.Next()
	if err != nil {
		return Row{}, err
	}
	row, size := Row{Value: object, Line: t.Line(), columns: t.Columns()}, 0
	if s, isSheet := t.table.(*xlsx.Sheet); isSheet {
		t.cells = t.cells[:0]
		for _, name := range row.columns {
			text, _ := object[name].(string)
			t.cells = append(t.cells, text)
		}
		row.Again, row.Single = headerAgain(t.cells, row.columns), s.Single
	}
	for _, value := range object {
		n, valid := valueIsUTF8(value)
		if size += n; !valid {
			row.Fault = &record.Fault{Reason: "is not UTF-8"}
		}
	}
	if size > MaxLine {
		return Row{}, errLong
	}
	return row, nil
}

// openTable opens a spreadsheet or a Parquet file. The Reader ends with ctx, and with done.
func openTable(ctx context.Context, plain io.Reader, f Form, done func()) (*Reader, error) {
	return spool(ctx, plain, func(copied spooled, size int64) (*Reader, error) {
		if size == 0 {
			return nil, errors.New("it is empty")
		}
		var rows table
		var err error
		r := &Reader{explicit: f.HeaderRow != ""}
		if f.Format == XLSX {
			s, _ := ctx.Value(sourceKey{}).(Source)
			row, _ := strconv.Atoi(f.HeaderRow)
			r.sheet, err = xlsx.Open(copied, size, xlsx.Choice{Sheet: f.Sheet, Header: row, Names: s.Names})
			rows = r.sheet
		} else {
			rows, err = parquet.Open(copied, size)
		}
		if err != nil {
			return nil, err
		}
		r.records, r.Columns = &tableRows{table: rows}, rows.Columns()
		r.close = func() {
			rows.Close()
			done()
		}
		return r, nil
	})
}

// spool copies a table that is read from its end first, and may come compressed or from a network,
// to a temporary file, which open opens. The file has no name, so nothing of it is left behind.
func spool(
	ctx context.Context, stream io.Reader, open func(copied spooled, size int64) (*Reader, error),
) (*Reader, error) {
	file, err := sorter.Nameless("")
	if err != nil {
		return nil, err
	}
	var r *Reader
	s, _ := ctx.Value(sourceKey{}).(Source)
	space := s.space
	size, err := io.Copy(spooled{ctx, file, space}, stream)
	if err == nil {
		r, err = open(spooled{ctx, file, space}, size)
	}
	discard := func() {
		_ = sorter.Discard(file) // only read from by now
		space.Free(size)
	}
	if err != nil {
		discard()
		return nil, err
	}
	end := r.close
	r.close = func() {
		end()
		discard()
	}
	return r, nil
}

// spooled is a temporary file whose errors do not name it. It ends with its context: some contents,
// such as the shared texts of a spreadsheet, may take minutes before a first record.
type spooled struct {
	ctx   context.Context
	file  *os.File
	space *sorter.Space
}

func (s spooled) Write(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	if err := s.space.Take(int64(len(p))); err != nil {
		return 0, err
	}
	n, err := s.file.Write(p)
	s.space.Free(int64(len(p) - n))
	return n, sorter.Unnamed(err)
}

func (s spooled) ReadAt(p []byte, offset int64) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := s.file.ReadAt(p, offset)
	return n, sorter.Unnamed(err)
}
