package inspect

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"filings/reindexer/mapping"
	"filings/reindexer/source"
)

// File is the description of a source.
type File struct {
	name    string
	form    source.Form
	records int64
	cells   int64 // that are not blank
	bad     int64 // records that cannot be read
	reason  string
	notes   []string // of the source
	left    int64    // rows that are the header once more, or have one cell
	aside   string   // the last of these
	arrays  []array  // of a JSON document for which nothing said where its records are
	notUTF8 bool     // records are not UTF-8
	columns []*column
	byPath  map[string]*column
	more    bool   // there are columns after the first mostColumns
	rows    int    // of hashes
	lines   []int  // of these rows
	tail    []last // the last records
}

// last is a record at the end of a file, where sums stand.
type last struct {
	line, cells int
	sum         bool // a text in it says so
}

func look(ctx context.Context, s source.Source, today time.Time) (*File, error) {
	var read atomic.Int64
	rows, err := s.Open(ctx, &read)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	f := &File{name: s.Name, byPath: map[string]*column{}}
	for _, name := range rows.Columns {
		f.column(mapping.Member(name), name, today)
	}
	for {
		row, err := rows.Next()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == io.EOF {
			f.notes = append(rows.Notes(), f.sums()...)
			if cell := rows.Headless(); cell != "" {
				f.notes = append(f.notes, fmt.Sprintf("The first row has %q: has the file no header? Write one above it", cell))
			}
			if f.left > 0 {
				f.notes = append(f.notes, fmt.Sprintf("%d rows are the header once more, or have one cell: they are no records; "+
					"the last of them %s", f.left, f.aside))
			}
			return f, rows.Unchanged(nil)
		}
		if err != nil {
			return nil, s.Error(rows.Line(), err)
		}
		if row.Fault != nil {
			f.bad++
			f.notUTF8 = f.notUTF8 || row.Fault.Reason == source.ErrNotUTF8.Error()
			f.reason = fmt.Sprintf("%d: %s", row.Line, row.Fault)
			continue
		}
		if row.Again || row.Single {
			f.left++
			f.aside = fmt.Sprintf("%d: %s", row.Line, shorten(strings.Join(strings.Fields(row.Text()), " ")))
			continue
		}
		f.records++
		f.add(row.Value, row.Line, today)
	}
}

// add takes the values of a record that begins at a line.
func (f *File) add(v any, line int, today time.Time) {
	var row last
	f.walk(v, "", "", 0, func(path, name string, v any) {
		c := f.column(path, name, today)
		if c == nil {
			return
		}
		if c.add(v, f.rows, line); !mapping.Blank(v) {
			text, _ := v.(string)
			row.cells, row.sum = row.cells+1, row.sum || source.IsSum(text)
		}
	})
	row.line, f.cells = line, f.cells+int64(row.cells)
	f.tail = append(f.tail[max(0, len(f.tail)-2):], row)
	if f.rows < mostHashed {
		f.rows, f.lines = f.rows+1, append(f.lines, line)
	}
}

// sums says which of the last records look like sums, or notes: they have few cells, or say so.
func (f *File) sums() (notes []string) {
	for _, l := range f.tail {
		few := int64(l.cells)*2*f.records < f.cells
		if f.records > 3 && few || l.sum {
			notes = append(notes, fmt.Sprintf("Line %d is at the end and looks like no record (%d cells): where leaves it "+
				"out, as in where,COLUMN != Total", l.line, l.cells))
		}
	}
	return notes
}

// deepest is how deep columns are looked for in nested records.
const deepest = 4

// walk calls do for the values of a record that are no objects, and for points, with their paths.
func (f *File) walk(v any, path, name string, depth int, do func(path, name string, v any)) {
	object, ok := v.(map[string]any)
	if !ok || depth == deepest || object["type"] == "Point" {
		do(path, name, v)
		return
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		f.walk(object[key], path+mapping.Member(key), key, depth+1, do)
	}
}

// mostColumns is how many are told apart, some 30 KiB each: where names are data they never end.
const mostColumns = 2000

// column returns the column at path, which is new the first time; nil where there are too many.
func (f *File) column(path, name string, today time.Time) *column {
	c := f.byPath[path]
	if f.more = f.more || c == nil && len(f.columns) == mostColumns; c == nil && !f.more {
		c = newColumn(path, name, today)
		f.byPath[path] = c
		f.columns = append(f.columns, c)
	}
	return c
}
