package table

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// parquetRows reads the rows of a Parquet file, a row group after the other.
type parquetRows struct {
	groups  []parquet.RowGroup
	rows    parquet.Rows // of the first group; nil: it is not open
	got     int64        // of them
	columns []parquetColumn
	names   []string
	page    []parquet.Row
	left    []parquet.Row // of page
	number  int
	row     map[string]any // reused
}

// OpenParquet opens a Parquet file of that size.
func OpenParquet(file io.ReaderAt, size int64) (_ Rows, err error) {
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
	return newParquet(f)
}

const (
	// maxPages is how much the largest pages of the columns of a group may take, decompressed. One
	// of each is in memory at a time, and some KB compressed may be GBs of them.
	maxPages = 512 << 20
	// maxItems is how many values the lists of a column may have in a group, all of which may be of
	// one row: as many as a JSON document.
	maxItems = 32 << 20
)

func pagesFit(file io.ReaderAt, meta *format.FileMetaData, most, items int64) error {
	for _, group := range meta.RowGroups {
		all := int64(0)
		for _, c := range group.Columns {
			largest, values, err := sizesOf(file, &c.MetaData)
			if err != nil {
				return err
			}
			if all += largest; values-group.NumRows > items {
				return fmt.Errorf("its column %s has lists of more than %d values in %d rows: write it with smaller row groups",
					strings.Join(c.MetaData.PathInSchema, "."), items, group.NumRows)
			}
		}
		if all > most {
			return fmt.Errorf("the largest pages of its columns take %d MiB, more than the %d MiB that are read: write "+
				"it with smaller row groups, "+
				"or a smaller data_page_size", all>>20, most>>20)
		}
	}
	return nil
}

// sizesOf returns the size of the largest page of a column, decompressed, and how many values all
// have, as the pages say it. It refuses what the library would follow at any cost; what is damaged
// otherwise ends it: the library reads the same and says so.
func sizesOf(file io.ReaderAt, c *format.ColumnMetaData) (largest, values int64, _ error) {
	begin := cmp.Or(c.DictionaryPageOffset, c.DataPageOffset)
	pages, protocol := io.NewSectionReader(file, begin, c.TotalCompressedSize), new(thrift.CompactProtocol)
	for in, at := bufio.NewReaderSize(nil, 1<<10), int64(0); at < c.TotalCompressedSize; {
		if _, err := pages.Seek(at, io.SeekStart); err != nil {
			break
		}
		in.Reset(pages)
		if err := described(in); err != nil {
			return 0, 0, err
		}
		if _, err := pages.Seek(at, io.SeekStart); err != nil {
			break
		}
		in.Reset(pages)
		page := new(format.PageHeader)
		if err := thrift.NewDecoder(protocol.NewReader(in)).Decode(page); err != nil {
			break
		}
		count := page.DataPageHeader.V.NumValues + page.DataPageHeaderV2.V.NumValues // it has one of them
		if page.CompressedPageSize < 0 || page.UncompressedPageSize < 0 || count < 0 {
			return 0, 0, errors.New("it is a damaged Parquet file: a page says that it has less than nothing")
		}
		largest, values = max(largest, int64(page.UncompressedPageSize)), values+int64(count)
		end, _ := pages.Seek(0, io.SeekCurrent)
		at = end - int64(in.Buffered()) + int64(page.CompressedPageSize)
	}
	return largest, values, nil
}

func newParquet(f *parquet.File) (*parquetRows, error) {
	if err := unread(f.Metadata()); err != nil {
		return nil, err
	}
	p := &parquetRows{groups: f.RowGroups(), page: make([]parquet.Row, 256), row: map[string]any{}}
	rows := int64(0)
	for _, g := range p.groups {
		rows += g.NumRows()
	}
	if rows != f.NumRows() {
		return nil, fmt.Errorf("the Parquet file is damaged: its groups have %d of %d rows", rows, f.NumRows())
	}
	// The library cannot read a group without rows, which is what a table without any is written
	// as.
	p.groups = slices.DeleteFunc(slices.Clone(p.groups), func(g parquet.RowGroup) bool { return g.NumRows() == 0 })
	isGroup := func(e format.SchemaElement) bool { return !e.Type.Valid }
	values := slices.DeleteFunc(slices.Clone(f.Metadata().Schema), isGroup)
	for _, c := range f.Root().Columns() {
		p.names = append(p.names, c.Name())
		leaf := valuesOf(c)
		if leaf == nil {
			return nil, fmt.Errorf("its column %s is nested; values and lists of values are read: unnest it first", c.Name())
		}
		item := leaf.MaxDefinitionLevel()
		if leaf.Optional() {
			item--
		}
		_, half := values[leaf.Index()].LogicalType.Value.(*format.Float16Type)
		list := leaf.MaxRepetitionLevel() > 0
		p.columns = append(p.columns, parquetColumn{list: list, kind: leaf.Type(), half: half, item: item})
	}
	p.names = Names(p.names)
	return p, nil
}

// unread returns what says why the values of a file are not read, or nil. The library (parquet-go
// 0.32.0) gives other values than were written, without an error: of LZ4 it may drop what it
// decompressed, and go on with what its buffer held before (its issue 608); a run of booleans in
// RLE it takes for one value and seven times false.
func unread(meta *format.FileMetaData) error {
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
// they are nested otherwise. Former writers name what is repeated "array" or "_tuple" where lists
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
func (p *parquetRows) Columns() []string { return p.names }

// Close ends the reading.
func (p *parquetRows) Close() {
	if p.rows != nil {
		_ = p.rows.Close() // only read from
	}
}

// Line is the number of the row that was read last.
func (p *parquetRows) Line() int { return p.number }

// Next returns the next row.
func (p *parquetRows) Next() (_ map[string]any, err error) {
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
		p.row[p.names[column]] = p.columns[column].of(values)
		whole++
		return true
	})
	if whole < len(p.columns) {
		return nil, fmt.Errorf("the Parquet file is damaged: column %s has no value", p.names[whole])
	}
	return p.row, nil
}

// read fills p.left, or returns io.EOF.
func (p *parquetRows) read() error {
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
