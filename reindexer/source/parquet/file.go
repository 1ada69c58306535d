// Package parquet reads the rows of a Parquet file as values. It knows neither fields nor where the
// file comes from, and keeps no more of it in memory than a few rows.
//
// # Design
//
// The rows are those that parquet-go reads (file.go); column.go has the JSON of each value. The
// library believes a file's description of itself, so that is checked first (limits.go): its
// length, the sizes that it announces, the size of the pages.
package parquet

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"filings/reindexer/record"
)

// Rows reads the rows of a Parquet file, a row group after the other.
type Rows struct {
	groups  []parquet.RowGroup
	rows    parquet.Rows // of the first group; nil: it is not open
	got     int64        // of them
	columns []column     // of the values of a row
	names   []string
	page    []parquet.Row
	left    []parquet.Row // of page
	number  int
	row     map[string]any // reused
}

// Open opens a Parquet file of that size.
func Open(file io.ReaderAt, size int64) (_ *Rows, err error) {
	defer func() {
		if p := recover(); p != nil { // the library does so on some damaged files
			err = fmt.Errorf("it is a damaged Parquet file: %v", p)
		}
	}()
	if err := footerFits(file, size); err != nil {
		return nil, err
	}
	f, err := parquet.OpenFile(file, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("it is no Parquet file, or damaged: %w", err)
	}
	if err := pagesFit(file, f.Metadata(), maxPages, maxItems); err != nil {
		return nil, err
	}
	return newRows(f)
}

func newRows(f *parquet.File) (*Rows, error) {
	if err := unsupported(f.Metadata()); err != nil {
		return nil, err
	}
	p := &Rows{groups: f.RowGroups(), page: make([]parquet.Row, 256), row: map[string]any{}}
	rows := int64(0)
	for _, g := range p.groups {
		rows += g.NumRows()
	}
	if rows != f.NumRows() {
		return nil, fmt.Errorf("the Parquet file is damaged: its groups have %d of %d rows", rows, f.NumRows())
	}
	// The library cannot read a group without rows, but a table without any is written as one.
	p.groups = slices.DeleteFunc(slices.Clone(p.groups), func(g parquet.RowGroup) bool { return g.NumRows() == 0 })
	isGroup := func(e format.SchemaElement) bool { return !e.Type.Valid }
	leaves := slices.DeleteFunc(slices.Clone(f.Metadata().Schema), isGroup)
	for _, c := range f.Root().Columns() {
		p.names = append(p.names, c.Name())
		leaf := valuesOf(c)
		// the box that GeoParquet has beside a shape
		if leaf == nil && c.Name() == "bbox" && c.MaxRepetitionLevel() == 0 && !slices.ContainsFunc(c.Columns(), isNested) {
			p.names = p.names[:len(p.names)-1]
			for range c.Columns() {
				p.columns = append(p.columns, column{place: -1})
			}
			continue
		}
		if leaf == nil {
			return nil, fmt.Errorf("its column %s is nested; values and lists of values are read: unnest it first", c.Name())
		}
		element := leaves[leaf.Index()]
		decimal, _ := element.LogicalType.Value.(*format.DecimalType)
		if _, half := element.LogicalType.Value.(*format.Float16Type); half { // to the library it is bytes
			return nil, fmt.Errorf("its column %s has numbers of 16 bits (float16), which are not read: write it as float32",
				c.Name())
		}
		if decimal != nil && decimal.Scale > maxScale || element.Scale.V > maxScale {
			return nil, fmt.Errorf("its column %s has decimals of more than %d places, which are not read", c.Name(), maxScale)
		}
		item := leaf.MaxDefinitionLevel()
		if leaf.Optional() {
			item--
		}
		p.columns = append(p.columns, column{place: len(p.names) - 1, list: leaf.MaxRepetitionLevel() > 0, kind: leaf.Type(),
			item: item})
	}
	p.names = record.ColumnNames(p.names)
	return p, nil
}

func isNested(c *parquet.Column) bool { return !c.Leaf() }

// unsupported returns why the values of a file are not read, or nil. The library (parquet-go
// 0.32.0) gives other values than were written, without an error: of LZ4 it may drop decompressed
// bytes, and go on with the former bytes of its buffer (its issue 608); a run of booleans in RLE it
// takes for one value and seven times false.
func unsupported(meta *format.FileMetaData) error {
	for _, group := range meta.RowGroups {
		for _, c := range group.Columns {
			switch codec := c.MetaData.Codec; codec {
			case format.Uncompressed, format.Snappy, format.Gzip, format.Brotli, format.Zstd:
			default:
				name := strings.TrimSuffix(strings.ToLower(codec.String()), "_raw") // as programs that write it have it
				return fmt.Errorf("compression=%q is not read: write it with zstd or snappy", name)
			}
			if inRuns(&c.MetaData) {
				return fmt.Errorf("its column %s has booleans in the encoding RLE, which is not read: write it in PLAIN, "+
					`as data_page_version="1.0" does, or as integers`, strings.Join(c.MetaData.PathInSchema, "."))
			}
		}
	}
	return nil
}

// inRuns reports whether a column has booleans in the encoding RLE. Levels are in it too, so that
// it is told by that there is no other one, unless the column says which its pages have.
func inRuns(c *format.ColumnMetaData) bool {
	if c.Type != format.Boolean || c.NumValues == 0 {
		return false
	}
	for _, s := range c.EncodingStats {
		if s.PageType != format.DictionaryPage && s.Encoding == format.RLE {
			return true
		}
	}
	return !slices.Contains(c.Encoding, format.Plain)
}

// valuesOf returns the column of the values of c, which are its own or those of its lists; nil if
// they are nested otherwise. Former writers name the repeated group "array" or "_tuple" if lists
// are of objects, of one value too.
func valuesOf(c *parquet.Column) *parquet.Column {
	if logical := c.Type().LogicalType(); !c.Leaf() && logical != nil && len(c.Columns()) == 1 {
		if _, list := logical.Value.(*format.ListType); !list {
			return nil
		}
		name := c.Name()
		c = c.Columns()[0]
		if !c.Leaf() && len(c.Columns()) == 1 && c.Name() != "array" && c.Name() != name+"_tuple" {
			c = c.Columns()[0]
		}
	}
	if !c.Leaf() || c.MaxRepetitionLevel() > 1 {
		return nil
	}
	return c
}

// Columns returns the names of the columns.
func (p *Rows) Columns() []string { return p.names }

// Close ends the reading.
func (p *Rows) Close() {
	if p.rows != nil {
		_ = p.rows.Close() // only read from
	}
}

// Line is the number of the row that was read last.
func (p *Rows) Line() int { return p.number }

// Next returns the next row.
func (p *Rows) Next() (_ map[string]any, err error) {
	defer func() {
		if damage := recover(); damage != nil { // the library does so on some damaged files
			err = fmt.Errorf("the Parquet file is damaged: %v", damage)
		}
	}()
	for len(p.left) == 0 {
		if err := p.read(); err != nil {
			return nil, err
		}
	}
	row := p.left[0]
	p.left = p.left[1:]
	p.number++
	clear(p.row)
	whole := 0
	row.Range(func(column int, values []parquet.Value) bool {
		if column >= len(p.columns) || values[0].Column() != column { // the library would give it the next column's
			return false
		}
		if c := p.columns[column]; c.place >= 0 {
			p.row[p.names[c.place]] = c.valueIn(values)
		}
		whole++
		return true
	})
	if whole < len(p.columns) {
		return nil, fmt.Errorf("the Parquet file is damaged: column %s has no value", p.names[max(0, p.columns[whole].place)])
	}
	return p.row, nil
}

// read fills p.left, or returns io.EOF.
func (p *Rows) read() error {
	if len(p.groups) == 0 {
		return io.EOF
	}
	if p.rows == nil {
		p.rows = p.groups[0].Rows()
	}
	n, err := p.rows.ReadRows(p.page)
	p.left = p.page[:n]
	p.got += int64(n)
	switch {
	case err == nil || n > 0 && errors.Is(err, io.EOF):
		return nil
	case !errors.Is(err, io.EOF):
		return fmt.Errorf("the Parquet file is damaged: %w", err)
	case p.got != p.groups[0].NumRows():
		return fmt.Errorf("the Parquet file is damaged: it has %d of %d rows of a group", p.got, p.groups[0].NumRows())
	}
	err = p.rows.Close()
	p.rows, p.groups, p.got = nil, p.groups[1:], 0
	return err
}
