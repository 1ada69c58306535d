package source

// Record is the text of one record.
type Record struct {
	Text string // without its line end; a row of a query is JSON
	Line int    // where it begins, from 1; of a query the number of the row
	Last bool   // no line end follows: the record may be cut off
	Long bool   // longer than MaxLine: Text is its beginning
}

// Reader reads the records of one source.
type Reader struct {
	Format    string   // NDJSON or CSV; the rows of all others are NDJSON
	Header    string   // the first row of CSV
	Delimiter byte     // between the cells of CSV
	Columns   []string // the names of a query's columns, or a spreadsheet's

	records
	close func()
}

// records is where a Reader's records come from.
type records interface {
	// Next returns the next record that is not blank, or io.EOF after the last. After any other error nothing can be read
	// any more.
	Next() (Record, error)
	// Line is the line, or row, that was read last.
	Line() int
}

// Close ends the reading, finished or not.
func (r *Reader) Close() { r.close() }
