package parquet

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/itchyny/gojq"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// readParquet returns the rows of a file, one a line, or the error that ended them.
func readParquet(content []byte) (string, error) {
	rows, err := Open(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return "", err
	}
	defer rows.Close()
	var all strings.Builder
	for {
		row, err := rows.Next()
		if err == io.EOF {
			return all.String(), nil
		}
		if err != nil {
			return all.String(), err
		}
		all.WriteString(inOrder(rows.Columns(), row) + "\n")
	}
}

// inOrder returns a row as JSON, its members in the order of the columns.
func inOrder(columns []string, row map[string]any) string {
	var members []string
	for _, name := range columns {
		if v, has := row[name]; has {
			text, _ := gojq.Marshal(v) // of what jq has
			members = append(members, strconv.Quote(name)+":"+string(text))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

// TestX21_ParquetAsPyarrow: each type, codec, version of pages and encoding is read as pyarrow reads it, or refused by its name.
// testdata/parquet.py makes the files, and random ones that TEST_PARQUET may name the folder of.
func TestX21_ParquetAsPyarrow(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/*.parquet")
	if err != nil || len(paths) < 30 {
		t.Fatalf("%d files, %v", len(paths), err)
	}
	others, err := filepath.Glob(filepath.Join(os.Getenv("TEST_PARQUET"), "*.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(paths, others...) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".parquet"), func(t *testing.T) {
			t.Parallel()
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(strings.TrimSuffix(path, "parquet") + "txt")
			if err != nil {
				t.Fatal(err)
			}
			got, err := readParquet(content)
			if err != nil {
				got += err.Error() + "\n"
			}
			lines, wanted := strings.Split(got, "\n"), strings.Split(string(want), "\n")
			for i := range max(len(lines), len(wanted)) {
				if i >= len(lines) || i >= len(wanted) || lines[i] != wanted[i] {
					t.Fatalf("%d rows, want %d; row %d is\n%s\nwant\n%s", len(lines)-1, len(wanted)-1, i+1, at(lines, i), at(wanted, i))
				}
			}
		})
	}
}

// TestX21_ParquetDamaged: a file with a flipped byte has as many rows as it says, each with all of its columns, or it is an error.
func TestX21_ParquetDamaged(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("testdata/none-2.0.parquet")
	if err != nil {
		t.Fatal(err)
	}
	for i := len(content) - 1300; i < len(content); i++ { // what the file says of itself
		damaged := bytes.Clone(content)
		damaged[i] ^= 0x55
		got, err := readParquet(damaged)
		if err != nil {
			continue
		}
		file, err := parquet.OpenFile(bytes.NewReader(damaged), int64(len(damaged)), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
		if err != nil {
			t.Fatal(err)
		}
		columns, rows := len(file.Root().Columns()), strings.Split(strings.TrimSuffix(got, "\n"), "\n")
		for _, row := range rows {
			var object map[string]any
			if err := json.Unmarshal([]byte(row), &object); err != nil || len(object) != columns || int64(len(rows)) != file.NumRows() {
				t.Errorf("byte %d: %d of %d columns, %d of %d rows, %v", i, len(object), columns, len(rows), file.NumRows(), err)
			}
		}
	}
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "none"
}

// TestX21_ParquetLargePages: pages that are large in memory, however small in the file, are refused by what they say before any is read.
func TestX21_ParquetLargePages(t *testing.T) {
	t.Parallel()
	type row struct {
		A string `parquet:"a,zstd"`
		B string `parquet:"b,zstd"`
	}
	long := strings.Repeat("x", 1<<20)
	fit := func(most int64, statistics bool) error {
		var b bytes.Buffer
		w := parquet.NewGenericWriter[row](&b, parquet.DataPageStatistics(statistics))
		for _, r := range []row{{long, "b"}, {"a", long}, {"a", "b"}} {
			if _, err := w.Write([]row{r}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		file, err := parquet.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
		if err != nil {
			t.Fatal(err)
		}
		return pagesFit(bytes.NewReader(b.Bytes()), file.Metadata(), most, 0)
	}
	if err := fit(3<<20, false); err != nil {
		t.Error(err)
	}
	if err := fit(3<<20, true); err == nil || !strings.Contains(err.Error(), "has more than the 1024 KiB that are read: write it without statistics") {
		t.Error(err)
	}
	err := fit(2<<20, false) // both columns have one of more than 1 MiB
	if err == nil || !strings.Contains(err.Error(), "take 2 MiB, more than the 2 MiB that are read") {
		t.Error(err)
	}
}

// TestX21_ParquetLongLists: lists whose values are many, however small their pages, are refused by what the pages say.
func TestX21_ParquetLongLists(t *testing.T) {
	t.Parallel()
	type row struct {
		A int64   `parquet:"a"`
		L []int64 `parquet:"l,dict"`
	}
	var b bytes.Buffer
	if err := parquet.Write(&b, []row{{1, make([]int64, 3000)}, {2, nil}, {3, make([]int64, 2000)}}, parquet.PageBufferSize(100)); err != nil {
		t.Fatal(err)
	}
	file, err := parquet.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if err := pagesFit(bytes.NewReader(b.Bytes()), file.Metadata(), maxPages, 4998); err != nil { // a row without values has an entry, too
		t.Error(err)
	}
	err = pagesFit(bytes.NewReader(b.Bytes()), file.Metadata(), maxPages, 4997)
	if err == nil || err.Error() != "its column l has lists of more than 4997 values in 3 rows: write it with smaller row groups" {
		t.Error(err)
	}
}

// TestX74_ParquetAnnounced: what a file announces takes memory only where it is there: its footer, the items of a list, the bytes of a
// text, the values of a page. The process would have ended without a word, since no memory is left to say one.
func TestX74_ParquetAnnounced(t *testing.T) {
	t.Parallel()
	footer := func(content, length string) string { return "PAR1" + content + length + "PAR1" }
	schema := "\x15\x02\x19\x2c\x48\x06schema\x15\x02\x00\x15\x04\x48\x02id\x00"
	for name, test := range map[string]struct{ content, want string }{
		"nine bytes":           {"PAR1xPAR1", "its footer is to have 2016498241 bytes, and the file has 9"},
		"twelve bytes":         {footer("", "\x01\x00\x00\x00"), "its footer is to have 1 bytes, and the file has 12"},
		"all ones":             {footer("", "\xff\xff\xff\xff"), "its footer is to have 4294967295 bytes, and the file has 12"},
		"encrypted":            {"PARExPARE", "encrypted"},
		"encrypted footer":     {"PAR1\xff\xff\xff\xffPARE", "encrypted"},
		"nothing but its end":  {"\x00\x00\x00\x00PAR1", "its footer is to have 0 bytes, and the file has 8"},
		"long footer":          {footer(strings.Repeat("\x00", maxDescription+1), "\x01\x00\x10\x00"), "has 1025 KiB, and up to 1024 KiB are read"},
		"columns":              {footer("\x15\x02\x19\xfc\xff\xff\xff\xff\x07", "\x09\x00\x00\x00"), "is not whole"},
		"columns of a byte":    {footer("\x15\x02\x19\xfc\xff\xff\x1f"+strings.Repeat("\x00", 1<<19), "\x07\x00\x08\x00"), "more than 262144 structs"},
		"text":                 {footer("\x15\x02\x28\xff\xff\xff\xff\x07", "\x08\x00\x00\x00"), "is not whole"},
		"cut within a footer":  {footer(schema[:9], "\x09\x00\x00\x00"), "is not whole"},
		"a type there is not":  {footer("\x1e\x00", "\x02\x00\x00\x00"), "unsupported thrift type 14"},
		"a map of its members": {footer("\x1b\xff\xff\xff\xff\x07\x88", "\x07\x00\x00\x00"), "is not whole"},
	} {
		if _, err := readParquet([]byte(test.content)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}

// TestX21_ParquetNesting: what is nested without end is refused before the library follows it, which would end the process.
func TestX21_ParquetNesting(t *testing.T) {
	t.Parallel()
	file := func(pages, footer []byte) []byte {
		content := append(append([]byte("PAR1"), pages...), footer...)
		return append(binary.LittleEndian.AppendUint32(content, uint32(len(footer))), "PAR1"...)
	}
	meta := func(m any) []byte {
		text, err := thrift.Marshal(new(thrift.CompactProtocol), m)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	leaf := format.SchemaElement{Name: "id", Type: thrift.New(format.Int64)}
	var chain []format.SchemaElement
	for range 30_000 {
		chain = append(chain, format.SchemaElement{Name: "group", NumChildren: thrift.New[int32](1)})
	}
	column := format.ColumnChunk{MetaData: format.ColumnMetaData{Type: format.Int64, PathInSchema: []string{"id"}, NumValues: 1, DataPageOffset: 4, TotalCompressedSize: 4_000_000}}
	flat := format.FileMetaData{Version: 1, NumRows: 1,
		Schema:    []format.SchemaElement{{Name: "schema", NumChildren: thrift.New[int32](1)}, leaf},
		RowGroups: []format.RowGroup{{Columns: []format.ColumnChunk{column}, NumRows: 1}}}
	const tooMany, long = "more than 262144 structs and lists", "up to 1024 KiB are read: write it with fewer and larger row groups"
	for name, test := range map[string]struct {
		content []byte
		want    string
	}{
		"structs":         {file(nil, bytes.Repeat([]byte("\x1c"), maxDescription)), tooMany},
		"lists":           {file(nil, bytes.Repeat([]byte("\x19"), maxDescription)), tooMany},
		"maps":            {file(nil, append([]byte("\x1b"), bytes.Repeat([]byte("\x01\x3b\x00"), maxDescription/4)...)), tooMany},
		"a long footer":   {file(nil, bytes.Repeat([]byte("\x1c"), maxDescription+1)), long},
		"header of pages": {file(bytes.Repeat([]byte("\x1c"), 4_000_000), meta(&flat)), tooMany},
		"text of a page":  {file([]byte("\x18\xff\xff\xff\xff\x07"), meta(&flat)), "is not whole"},
		"size of a page":  {file(meta(&format.PageHeader{UncompressedPageSize: -1}), meta(&flat)), "less than nothing"},
		"values of a page": {file(meta(&format.PageHeader{DataPageHeader: thrift.New(format.DataPageHeader{NumValues: -1})}), meta(&flat)),
			"less than nothing"},
		"decimals": {file(nil, meta(&format.FileMetaData{Version: 1, Schema: []format.SchemaElement{{Name: "schema", NumChildren: thrift.New[int32](1)},
			{Name: "d", Type: thrift.New(format.Int64), LogicalType: format.LogicalType{Value: &format.DecimalType{Scale: 1 << 30, Precision: 1 << 30}}}}})),
			"column d has decimals of more than 1024 places"},
		"columns": {file(nil, meta(&format.FileMetaData{Version: 1, Schema: append(chain, leaf)})), "column group is nested"},
	} {
		if _, err := readParquet(test.content); err == nil || !strings.Contains(err.Error(), test.want) || len(err.Error()) > 200 {
			t.Errorf("%s: %.300v, want %q", name, err, test.want)
		}
	}
}
