package export

import (
	"bytes"
	"testing"

	"github.com/parquet-go/parquet-go"

	"filings/index"
)

// TestX5_ParquetBounds: what the end of a file says of the values of a page holds for each of them,
// and nothing in it is as long as a text may be.
func TestX5_ParquetBounds(t *testing.T) {
	t.Parallel()
	all := records(2000)
	data := encode(t, newEncoder(t, Parquet, Fields(index.Enterprise)), all)
	file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	texts := 0
	for _, group := range file.RowGroups() {
		for _, chunk := range group.ColumnChunks() {
			bounds, err := chunk.ColumnIndex()
			if err != nil {
				t.Fatal(err)
			}
			pages, kind := chunk.Pages(), chunk.Type()
			for i := range bounds.NumPages() {
				page, err := pages.ReadPage()
				if err != nil {
					t.Fatal(err)
				}
				least, greatest, ok := page.Bounds()
				if ok == bounds.NullPage(i) || ok && (kind.Compare(bounds.MinValue(i), least) > 0 ||
					kind.Compare(bounds.MaxValue(i), greatest) < 0) {
					t.Errorf("column %d, page %d: from %v to %v, has %v to %v", chunk.Column(), i, bounds.MinValue(i),
						bounds.MaxValue(i), least, greatest)
				}
				if kind.Kind() == parquet.ByteArray && ok {
					texts++
					if n := len(bounds.MinValue(i).ByteArray()) + len(bounds.MaxValue(i).ByteArray()); n > 100 {
						t.Errorf("column %d, page %d: bounds of %d bytes", chunk.Column(), i, n)
					}
				}
			}
			_ = pages.Close()
		}
	}
	if texts == 0 {
		t.Error("no page of texts")
	}
}
