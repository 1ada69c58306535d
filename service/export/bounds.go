package export

import (
	"bytes"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// The end of a Parquet file says of every page and every row group between which values its own
// lie, and until then parquet-go keeps these values whole. A text may have 100,000 characters: the
// kept bytes would grow with the file. By recording date every row group has texts of all kinds, so
// that such bounds help no reader. So none of texts are kept.

// withoutBounds returns the options that keep no bounds of texts.
func withoutBounds(s *parquet.Schema) (options []parquet.WriterOption) {
	for _, path := range s.Columns() {
		if leaf, _ := s.Lookup(path...); leaf.Node.Type().Kind() == parquet.ByteArray {
			options = append(options, parquet.SkipPageBounds(path...))
		}
	}
	return options
}

// textsApart is a node whose texts are of type text.
type textsApart struct{ parquet.Node }

// Fields implements parquet.Node.
func (n textsApart) Fields() []parquet.Field {
	fields := n.Node.Fields()
	for i, f := range fields {
		fields[i] = field{f, textsApart{f}}
	}
	return fields
}

// field is a parquet.Field whose texts are of type text.
type field struct {
	parquet.Field
	node textsApart
}

// Fields implements parquet.Node.
func (f field) Fields() []parquet.Field { return f.node.Fields() }

// Type implements parquet.Node.
func (f field) Type() parquet.Type {
	t := f.Field.Type()
	if f.Leaf() && t.Kind() == parquet.ByteArray {
		t = text{t}
	}
	return t
}

// text is a type whose index of pages has bounds that hold for every text: where a page has none of its own, parquet-go
// would write the empty text for both, and a reader that trusts it would find nothing.
type text struct{ parquet.Type }

// NewColumnIndexer implements parquet.Type.
func (text) NewColumnIndexer(int) parquet.ColumnIndexer { return &everyText{} }

// everyText is the index of a column's pages.
type everyText struct{ index format.ColumnIndex }

// afterAll is greater than the texts that there are: no text begins with that many of the last character of Unicode.
var afterAll = bytes.Repeat([]byte("\U0010FFFF"), 16)

// Reset implements parquet.ColumnIndexer.
func (i *everyText) Reset() { i.index = format.ColumnIndex{} }

// IndexPage implements parquet.ColumnIndexer.
func (i *everyText) IndexPage(values, nulls int64, _, _ parquet.Value) {
	greatest := afterAll
	if values == nulls {
		greatest = nil
	}
	i.index.NullPages = append(i.index.NullPages, values == nulls)
	i.index.NullCounts = append(i.index.NullCounts, nulls)
	i.index.MinValues = append(i.index.MinValues, nil)
	i.index.MaxValues = append(i.index.MaxValues, greatest)
}

// ColumnIndex implements parquet.ColumnIndexer.
func (i *everyText) ColumnIndex() format.ColumnIndex { return i.index }
