package source

import (
	"errors"
	"io"
	"os"

	"filings/reindexer/source/table"
)

// tableRows are the rows of a table as records.
type tableRows struct{ table.Rows }

func (t *tableRows) Next() (Record, error) {
	row, err := t.Rows.Next()
	if len(row) > MaxLine {
		return Record{Text: string(row[:shownOfLong]), Line: t.Line(), Long: true}, err
	}
	return Record{Text: string(row), Line: t.Line()}, err
}

// openSpooled opens a form that is read from its end first, from a file of its own: what comes may be compressed, or come
// from a network. The Reader ends with done.
func openSpooled(plain io.Reader, f Form, done func()) (*Reader, error) {
	file, err := os.CreateTemp("", "filings-reindex-*")
	if err != nil {
		return nil, err
	}
	remove := func() {
		_ = file.Close() // only read from by now
		_ = os.Remove(file.Name())
	}
	rows, err := openTable(file, plain, f)
	if err != nil {
		remove()
		return nil, err
	}
	return &Reader{Format: NDJSON, Columns: rows.Columns(), records: &tableRows{rows}, close: func() {
		rows.Close()
		remove()
		done()
	}}, nil
}

func openTable(file *os.File, plain io.Reader, f Form) (table.Rows, error) {
	size, err := io.Copy(file, plain)
	switch {
	case err != nil:
		return nil, err
	case size == 0:
		return nil, errors.New("it is empty")
	case f.Format == XLSX:
		return table.OpenSheet(file, size, f.Sheet)
	}
	return table.OpenParquet(file, size)
}
