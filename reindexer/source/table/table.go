// Package table reads the rows of Parquet files, and names the columns of whatever has some. It
// knows neither fields nor where the file comes from, and keeps no more of it in memory than a few
// rows.
package table

import (
	"fmt"
	"strings"
)

// Rows are the rows of one table.
type Rows interface {
	// Columns are the names of the columns, of which a sheet may have more after a row that is
	// longer than its header.
	Columns() []string
	// Next returns the next row that is not empty, as values that jq has by the names of the
	// columns, or io.EOF. It is good until the next call.
	Next() (map[string]any, error)
	// Line is the number of the row that was read last, from 1; of a spreadsheet the number that it
	// has there.
	Line() int
	Close()
}

// Names are the names by which records know columns: trimmed, a column without a name by its
// number, and the second of a name with _2 after it, or with the next number of which no column has
// the name.
func Names(header []string) []string {
	names, taken := make([]string, len(header)), make(map[string]bool, len(header))
	for i, name := range header {
		if names[i] = strings.TrimSpace(name); names[i] == "" {
			names[i] = unnamed(i)
		}
		taken[names[i]] = true
	}
	last := make(map[string]int, len(header)) // number after a name
	for i, name := range names {
		if last[name]++; last[name] == 1 {
			continue
		}
		for taken[names[i]] {
			names[i] = fmt.Sprintf("%s_%d", name, last[name])
			if taken[names[i]] {
				last[name]++
			}
		}
		taken[names[i]] = true
	}
	return names
}

func unnamed(i int) string { return fmt.Sprintf("column_%d", i+1) }
