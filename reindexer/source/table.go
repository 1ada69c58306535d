package source

import (
	"errors"
	"io"
	"os"

	"filings/index/sorter"
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

// openSpooled opens a form that is read from its end first, from a temporary file: what comes may be compressed, or come from
// a network. The file has no name, so that nothing of it is left behind. The Reader ends with done.
func openSpooled(plain io.Reader, f Form, done func()) (*Reader, error) {
	file, err := sorter.Nameless("")
	if err != nil {
		return nil, err
	}
	rows, err := openTable(file, plain, f)
	if err != nil {
		_ = sorter.Discard(file)
		return nil, err
	}
	return &Reader{Format: NDJSON, Columns: rows.Columns(), OtherSheets: rows.OtherSheets(), records: &tableRows{rows}, close: func() {
		rows.Close()
		_ = sorter.Discard(file) // only read from by now
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
