package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/xuri/excelize/v2"

	"filings/reindexer/bound"
)

// texts returns the records of the file at path, in a form.
func texts(t *testing.T, path string, f Form) (all []string, r *Reader, err error) {
	t.Helper()
	found, err := Find(t.Context(), []Input{{path, f}}, Options{})
	if err != nil {
		return nil, nil, err
	}
	var read atomic.Int64
	r, err = found[0].Open(t.Context(), &read)
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	for {
		row, err := r.Next()
		if err == io.EOF {
			return all, r, nil
		}
		if err != nil {
			return all, r, found[0].Error(r.Line(), err)
		}
		all = append(all, row.Text())
	}
}

// TestX21_CSV: other delimiters, a byte-order mark, cells of several lines, other encodings.
func TestX21_CSV(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text      string
		form      Form
		delimiter rune
		header    []string
		want      []string
	}{
		"semicolons":          {"a;b,c;d\n1;2;3\n", Form{}, ';', []string{"a", "b,c", "d"}, []string{"1;2;3"}},
		"tabs":                {"a\tb\n1\t\"2\n3\"\n", Form{}, '\t', []string{"a", "b"}, []string{"1\t\"2\n3\""}},
		"bars":                {"a|b\n1|2\n", Form{}, '|', []string{"a", "b"}, []string{"1|2"}},
		"quoted header":       {"\"a;b;c\",d\n1,2\n", Form{}, ',', []string{"a;b;c", "d"}, []string{"1,2"}},
		"one column":          {"a\n1\n", Form{}, ',', []string{"a"}, []string{"1"}},
		"quoted cells":        {"a\n\"1,2\"\n", Form{}, ',', []string{"a"}, []string{"\"1,2\""}},
		"a mark":              {"\xef\xbb\xbfa,b\r\n1,2\r\n", Form{}, ',', []string{"a", "b"}, []string{"1,2"}},
		"named":               {"a,b;c\n1;2\n", Form{Delimiter: ";"}, ';', []string{"a,b", "c"}, []string{"1;2"}},
		"named tab":           {"a,b\tc\n1\t2\n", Form{Delimiter: "tab"}, '\t', []string{"a,b", "c"}, []string{"1\t2"}},
		"windows-1252":        {"a,b\n\x93caf\xe9\x94,2\n", Form{Encoding: "windows-1252"}, ',', []string{"a", "b"}, []string{"“café”,2"}},
		"latin 1":             {"a\n\xe9\n", Form{Encoding: "ISO-8859-1"}, ',', []string{"a"}, []string{"é"}},
		"utf-16":              {"\xff\xfea\x00\n\x00\xe9\x00\n\x00", Form{Encoding: "utf-16"}, ',', []string{"a"}, []string{"é"}},
		"utf-8 by name":       {"a\né\n", Form{Encoding: "UTF-8"}, ',', []string{"a"}, []string{"é"}},
		"lines in the header": {"\"Case\nnumber\";\"Own\r\ner\";c\n1;2;3\n", Form{}, ';', []string{"Case\nnumber", "Own\ner", "c"}, []string{"1;2;3"}},
		"commas in its cells": {"\"a, b,\nc, d\"\t\"e\"\n1\t2\n", Form{}, '\t', []string{"a, b,\nc, d", "e"}, []string{"1\t2"}},
		"an open quote":       {"a;\"5\"\" b\";c\n1;\"2,\n,\";3\n", Form{}, ';', []string{"a", "5\" b", "c"}, []string{"1;\"2,\n,\";3"}},
		"CR alone":            {"\rid,a\r1,\"2\r3\"\r\r2,x", Form{}, ',', []string{"id", "a"}, []string{"1,\"2\n3\"", "2,x"}},
		"CR in a cell":        {"id,a\r\n1,\"2\r3\"\r\n", Form{}, ',', []string{"id", "a"}, []string{"1,\"2\r3\""}},
		"CR at the end":       {"id,a\r", Form{}, ',', []string{"id", "a"}, nil},
		"undefined bytes":     {"a,b\n\x93caf\xe9\x94,2\x81\n3,4\n\x8d,6\n", Form{Encoding: "windows-1252"}, ',', []string{"a", "b"}, []string{"“café”,2\xff", "3,4", "\xff,6"}},
		"half a pair":         {"\xff\xfea\x00\n\x00\xe9\x00\n\x00\x00\xd8x\x00\n\x00", Form{Encoding: "utf-16"}, ',', []string{"a"}, []string{"é", "\xffx"}},
		"open in a cell":      {"a;b\n\"1;\n\";2\n3;4\n", Form{}, ';', []string{"a", "b"}, []string{"\"1;\n\";2", "3;4"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, r, err := texts(t, write(t, "f.csv", tt.text), tt.form)
			if err != nil || r.records.(*csvRows).csv.Comma != tt.delimiter || !cmp.Equal(r.Header, tt.header) || !cmp.Equal(got, tt.want) {
				t.Errorf("%q, header %q, %v", got, r.Header, err)
			}
		})
	}
}

// TestX21_JSON: the records of a document are what a path gives.
func TestX21_JSON(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text, path string
		want       []string
		err        string
	}{
		"array":           {`[{"id":1},{"id":9007199254740993}]`, `.[]`, []string{`{"id":1}`, `{"id":9007199254740993}`}, ""},
		"deeper":          {`{"parcels":[{"a":{"b":1}}]}`, `.parcels[].a`, []string{`{"b":1}`}, ""},
		"none":            {`{"parcels":[]}`, `.parcels[]`, nil, ""},
		"cut":             {`{"parcels":[{"a":`, `.parcels[]`, nil, "the JSON document is cut off at byte 17"},
		"empty":           {``, `.[]`, nil, "it is empty"},
		"two values":      {`[1] [2]`, `.[]`, nil, "something follows its JSON value, at byte"},
		"no JSON":         {`[1,]`, `.[]`, nil, "the JSON document, near byte"},
		"path finds none": {`[1]`, `.parcels[]`, nil, "--path: expected an object"},
		"not UTF-8":       {"[\"\xff\"]", `.[]`, nil, `at "/0": invalid UTF-8`},
		"a name twice":    {`{"parcels":[{"a":1,"b":2,"\u0061":3}]}`, `.parcels[]`, nil, `at "/parcels/0/a": duplicate object member name`},
		"half a pair":     {`{"parcels":["\ud800"]}`, `.parcels[]`, nil, `near byte 14, at "/parcels/0": invalid surrogate pair`},
		"no UTF-8":        {"[\"a\", \"\xe9\"]", `.[]`, nil, `at "/1": invalid UTF-8`},
		"no path":         {`[1]`, ``, nil, "a JSON document needs --path"},
		"wrong path":      {`[1]`, `.[`, nil, "is no program of jq"},
	} {
		t.Run(name, func(t *testing.T) {
			got, _, err := texts(t, write(t, "f.json", tt.text), Form{Path: tt.path})
			if !cmp.Equal(got, tt.want) || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%v, %v", got, err)
			}
		})
	}
}

// TestX21_PathBounds: a path has the bounds of a mapping, and one that goes on without end ends with its context.
func TestX21_PathBounds(t *testing.T) {
	t.Parallel()
	for _, path := range []string{`def f: f; f`, `[range(1e9)]`, `range(infinite)`, `reduce range(60) as $i ("x"; . + .)`} {
		d, err := openDocument(t.Context(), strings.NewReader(`{}`), Form{Path: path}, 10)
		for err == nil {
			_, err = d.Next()
		}
		var exceeded *bound.Exceeded
		if !errors.As(err, &exceeded) || !strings.HasPrefix(err.Error(), "--path ") {
			t.Errorf("%s: %v", path, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	d, err := openDocument(ctx, strings.NewReader(`{}`), Form{Path: `1, (def f: f; f)`}, 10)
	if err == nil {
		_, err = d.Next()
	}
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := d.Next(); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestX21_JSONTooLarge(t *testing.T) {
	t.Parallel()
	if _, err := openDocument(t.Context(), strings.NewReader(`["0123456789"]`), Form{Path: "."}, 12); err == nil || !strings.Contains(err.Error(), "is larger than") {
		t.Error(err)
	}
	if _, err := openDocument(t.Context(), strings.NewReader(`["0123456789"]`), Form{Path: "."}, 14); err != nil {
		t.Error(err)
	}
	for numbers, refused := range map[int]bool{16: false, 17: true} { // of at most 128 bytes
		text := "[" + strings.Repeat("1,", numbers-1) + "1]"
		_, err := openDocument(t.Context(), strings.NewReader(text), Form{Path: "."}, 128)
		if (err != nil) != refused || refused && !strings.Contains(err.Error(), "the JSON document has more than 16 values") {
			t.Errorf("%d numbers: %v", numbers, err)
		}
	}
}

// book writes an XLSX file with two sheets.
func book(t *testing.T, options ...excelize.Options) string {
	t.Helper()
	f := excelize.NewFile()
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	style := func(format int, custom string) int {
		s := &excelize.Style{NumFmt: format}
		if custom != "" {
			s = &excelize.Style{CustomNumFmt: &custom}
		}
		id, err := f.NewStyle(s)
		must(err)
		return id
	}
	day := time.Date(2017, 8, 21, 0, 0, 0, 0, time.UTC)
	must(f.SetSheetRow("Sheet1", "A2", &[]any{"Case ", "Sold", "Sold", "Bid", "", "Code"}))
	must(f.SetSheetRow("Sheet1", "A3", &[]any{"K-1", day, day, 20000.5, "x", "00123"}))
	must(f.SetSheetRow("Sheet1", "A5", &[]any{"K-2", nil, nil, 7, nil, "1/2", "beyond"}))
	must(f.SetCellStyle("Sheet1", "B3", "B3", style(14, "")))
	must(f.SetCellStyle("Sheet1", "C3", "C3", style(0, "mmm d, yyyy")))
	must(f.SetCellStyle("Sheet1", "D3", "D3", style(0, `"$"#,##0.00`)))
	_, err := f.NewSheet("Other one")
	must(err)
	must(f.SetSheetRow("Other one", "A1", &[]any{"a"}))
	must(f.SetSheetRow("Other one", "A2", &[]any{true}))
	_, err = f.NewSheet("Empty")
	must(err)
	path := filepath.Join(t.TempDir(), "f.xlsx")
	must(f.SaveAs(path, options...))
	must(f.Close())
	return path
}

// TestX21_XLSX: numbers are numbers whatever they are shown as, and dates are dates; a row begins where its sheet says.
func TestX21_XLSX(t *testing.T) {
	t.Parallel()
	path := book(t)
	got, r, err := texts(t, path, Form{})
	want := []string{
		`{"Case":"K-1","Sold":"2017-08-21","Sold_2":"2017-08-21","Bid":20000.5,"column_5":"x","Code":"00123"}`,
		`{"Case":"K-2","Bid":7,"Code":"1/2","column_7":"beyond"}`,
	}
	if err != nil || !cmp.Equal(got, want) || r.Line() != 5 {
		t.Errorf("%v, row %d, %v", got, r.Line(), err)
	}
	got, _, err = texts(t, path, Form{Sheet: "Other one"})
	if err != nil || !cmp.Equal(got, []string{`{"a":"TRUE"}`}) && !cmp.Equal(got, []string{`{"a":1}`}) {
		t.Errorf("the other sheet: %v, %v", got, err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got, _, err = texts(t, write(t, "f.xlsx.gz", gzipped(t, string(content))), Form{}); err != nil || !cmp.Equal(got, want) {
		t.Errorf("compressed: %v, %v", got, err)
	}
	for name, tt := range map[string]struct {
		path, sheet, want string
	}{
		"no such sheet": {path, "Sheet2", `it has no sheet "Sheet2"; --sheet may be "Sheet1", "Other one", "Empty"`},
		"empty sheet":   {path, "Empty", `the sheet "Empty" is empty`},
		"password":      {book(t, excelize.Options{Password: "secret"}), "", "protected by a password"},
		"cut":           {write(t, "cut.xlsx", string(content[:len(content)/2])), "", "it is no XLSX file, or damaged"},
		"text":          {write(t, "text.xlsx", "a,b\n"), "", "it is no XLSX file, or damaged"},
		"empty":         {write(t, "empty.xlsx", ""), "", "it is empty"},
	} {
		if _, _, err := texts(t, tt.path, Form{Sheet: tt.sheet}); err == nil || !strings.Contains(err.Error(), tt.want) || !errors.Is(err, ErrUnreadable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestX21_NothingLeftBehind: while a file is read whose copy is on the disk, the copy has no name there, so that nothing of it
// is left when the process is killed.
func TestX21_NothingLeftBehind(t *testing.T) {
	type row struct {
		ID int64 `parquet:"id"`
	}
	table := filepath.Join(t.TempDir(), "f.parquet")
	if err := parquet.WriteFile(table, []row{{1}, {2}}); err != nil {
		t.Fatal(err)
	}
	paths := []string{book(t), table}
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	for _, path := range paths {
		found, err := Find(t.Context(), []Input{{Name: path}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := found[0].Open(t.Context(), new(atomic.Int64))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if _, err := r.Next(); err != nil {
			t.Error(err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%s: %v, %v", filepath.Base(path), left, err)
		}
	}
}

// endsAt reads from r, and calls end when that has been read so far.
type endsAt struct {
	r    io.Reader
	left int
	end  func()
}

func (e *endsAt) Read(p []byte) (int, error) {
	n, err := e.r.Read(p[:min(len(p), 512)])
	if e.left -= n; e.left <= 0 || err == io.EOF {
		e.end()
	}
	return n, err
}

// TestStop_Spooled: a form that is read from its end first ends with the load while it is copied, and while it is opened, which
// takes minutes where it has many texts.
func TestStop_Spooled(t *testing.T) {
	t.Parallel()
	sheet, err := os.ReadFile(book(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		at   int // of the bytes
		most int // that are read then
	}{{"copying", 1024, 2048}, {"opening", len(sheet), len(sheet)}} {
		ctx, cancel := context.WithCancel(t.Context())
		from := &endsAt{bytes.NewReader(sheet), tt.at, cancel}
		r, err := openTable(ctx, from, Form{Format: XLSX}, func() {})
		if read := tt.at - from.left; !errors.Is(err, context.Canceled) || read > tt.most {
			t.Errorf("%s: %v after %d bytes", tt.name, err, read)
		}
		if r != nil {
			r.Close()
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := Source{Name: "a.xlsx", open: func(ctx context.Context, _ *atomic.Int64) (*Reader, error) {
		return openTable(ctx, &endsAt{bytes.NewReader(sheet), len(sheet), cancel}, Form{Format: XLSX}, func() {})
	}}
	if _, err := s.Open(ctx, new(atomic.Int64)); err != context.Canceled { // and nothing about the file
		t.Errorf("%v", err)
	}
}

// TestX21_Parquet: values come as what they are, lists as lists, and what is nested is refused by its name.
func TestX21_Parquet(t *testing.T) {
	t.Parallel()
	type row struct {
		ID     int64     `parquet:"id"`
		Owner  *string   `parquet:"owner,optional"`
		Amount float64   `parquet:"amount"`
		Cents  int64     `parquet:"cents,decimal(2:18)"`
		Day    int32     `parquet:"day,date"`
		At     time.Time `parquet:"at,timestamp(millisecond)"`
		Gone   bool      `parquet:"gone"`
		Of     []string  `parquet:"of,list"`
		Small  uint32    `parquet:"small"`
		Float  float32   `parquet:"float"`
	}
	owner := "A \"B\""
	path := filepath.Join(t.TempDir(), "f.parquet")
	rows := []row{
		{1, &owner, 1.5, -105, 17399, time.Unix(1, 5e8).UTC(), true, []string{"land", "residential"}, 4_000_000_000, .1},
		{2, nil, 2, 7, 0, time.Unix(0, 0).UTC(), false, nil, 0, 0},
	}
	if err := parquet.WriteFile(path, rows); err != nil {
		t.Fatal(err)
	}
	got, r, err := texts(t, path, Form{})
	want := []string{
		`{"id":1,"owner":"A \"B\"","amount":1.5,"cents":-1.05,"day":"2017-08-21","at":"1970-01-01T00:00:01.5Z","gone":true,"of":["land","residential"],"small":4000000000,"float":0.1}`,
		`{"id":2,"owner":null,"amount":2,"cents":0.07,"day":"1970-01-01","at":"1970-01-01T00:00:00Z","gone":false,"of":[],"small":0,"float":0}`,
	}
	if len(got) == 2 {
		got[1] = strings.Replace(got[1], `"of":null`, `"of":[]`, 1) // an empty list is no value either
	}
	if err != nil || !cmp.Equal(got, want) || r.Line() != 2 || r.Columns[1] != "owner" {
		t.Errorf("%s %v", cmp.Diff(want, got), err)
	}
	type nested struct {
		ID int64                      `parquet:"id"`
		At struct{ Lat, Lon float64 } `parquet:"at"`
	}
	deep := filepath.Join(t.TempDir(), "deep.parquet")
	if err := parquet.WriteFile(deep, []nested{{ID: 1}}); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ path, want string }{
		"nested": {deep, "its column at is nested"},
		"cut":    {write(t, "cut.parquet", string(content[:len(content)/2])), "it is no Parquet file, or damaged"},
		"text":   {write(t, "text.parquet", "a,b\n"), "it is no Parquet file, or damaged"},
	} {
		if _, _, err := texts(t, tt.path, Form{}); err == nil || !strings.Contains(err.Error(), tt.want) || !errors.Is(err, ErrUnreadable) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for i := range 200 { // flipped bytes are errors, or other values, and never more
		damaged := bytes.Clone(content)
		damaged[i*len(content)/200] ^= 0x55
		if _, _, err := texts(t, write(t, "d.parquet", string(damaged)), Form{}); err != nil && strings.Contains(err.Error(), "sort-") {
			t.Errorf("the error names a temporary file: %v", err)
		}
	}
}

// TestX21_WrongDelimiter: a header that is none by the delimiter is an error that says which one it has, and so is a title above
// the header.
func TestX21_WrongDelimiter(t *testing.T) {
	t.Parallel()
	for text, tt := range map[string]struct {
		form Form
		want string
	}{
		"a;b;c\n1;2;3\n":                  {Form{Delimiter: ","}, `its header has no ',', which --delimiter says, but 2 of ';'`},
		"List of liens\n\na,b,c\n1,2,3\n": {Form{}, `it has one column, and the line below it has 3 cells, separated by ','`},
		"\nList\na\tb\n":                  {Form{}, `it has one column, and the line below it has 2 cells, separated by '\t'`},
	} {
		if _, _, err := texts(t, write(t, "f.csv", text), tt.form); !errors.Is(err, ErrUnreadable) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestX21_Titles: titles above a spreadsheet's table are left out; of a table with one column the first row is the header.
func TestX21_Titles(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		rows [][]any
		want []string
		line int
	}{
		"titles":     {[][]any{{"Liens of 2024"}, {" ", "printed today"}, {}, {"Case", "Owner"}, {"K-1", "A"}}, []string{`{"Case":"K-1","Owner":"A"}`}, 5},
		"one column": {[][]any{{}, {"Case"}, {"K-1"}, {"K-2"}}, []string{`{"Case":"K-1"}`, `{"Case":"K-2"}`}, 4},
	} {
		f := excelize.NewFile()
		for i, row := range tt.rows {
			if err := f.SetSheetRow("Sheet1", fmt.Sprintf("A%d", i+1), &row); err != nil {
				t.Fatal(err)
			}
		}
		path := filepath.Join(t.TempDir(), "f.xlsx")
		if err := errors.Join(f.SaveAs(path), f.Close()); err != nil {
			t.Fatal(err)
		}
		got, r, err := texts(t, path, Form{})
		if err != nil || !cmp.Equal(got, tt.want) || r.Line() != tt.line {
			t.Errorf("%s: %v, row %d, %v", name, got, r.Line(), err)
		}
	}
}

// TestX21_Box: the box that GeoParquet has beside a shape is not read, wherever it stands; other objects end the load.
func TestX21_Box(t *testing.T) {
	t.Parallel()
	type box struct {
		Xmin float64 `parquet:"xmin"`
		Ymin float64 `parquet:"ymin"`
	}
	type before struct {
		Bbox box   `parquet:"bbox"`
		ID   int64 `parquet:"id"`
	}
	type between struct {
		ID    int64    `parquet:"id"`
		Bbox  *box     `parquet:"bbox,optional"`
		Owner []string `parquet:"owner,list"`
	}
	type other struct {
		Box box   `parquet:"box"`
		ID  int64 `parquet:"id"`
	}
	dir := t.TempDir()
	err := errors.Join(parquet.WriteFile(filepath.Join(dir, "a.parquet"), []before{{box{1, 2}, 7}}),
		parquet.WriteFile(filepath.Join(dir, "b.parquet"), []between{{7, &box{1, 2}, []string{"A", "B"}}, {8, nil, nil}}), parquet.WriteFile(filepath.Join(dir, "c.parquet"), []other{{box{1, 2}, 7}}))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"a": `[{"id":7}]`, "b": `[{"id":7,"owner":["A","B"]} {"id":8,"owner":null}]`, "c": "column box is nested"} {
		got, _, err := texts(t, filepath.Join(dir, name+".parquet"), Form{})
		if fmt.Sprint(got) != want && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// TestX21_ParquetEdges: a table without rows has none; bytes that are no text do not make a record unreadable.
func TestX21_ParquetEdges(t *testing.T) {
	t.Parallel()
	type row struct {
		ID    int64  `parquet:"id"`
		Shape []byte `parquet:"shape"`
		Text  []byte `parquet:"text"`
	}
	path := filepath.Join(t.TempDir(), "f.parquet")
	if err := parquet.WriteFile(path, []row{{1, []byte{1, 0xff}, []byte("a")}}); err != nil {
		t.Fatal(err)
	}
	if got, _, err := texts(t, path, Form{}); err != nil || !cmp.Equal(got, []string{`{"id":1,"shape":"\\x01ff","text":"a"}`}) {
		t.Errorf("%v, %v", got, err)
	}
	if got, _, err := texts(t, "testdata/norows.parquet", Form{}); err != nil || len(got) > 0 {
		t.Errorf("no rows: %v, %v", got, err)
	}
}

// TestX21_Usage: what makes no sense is said before anything is read.
func TestX21_Usage(t *testing.T) {
	t.Parallel()
	path := write(t, "f.csv", "a\n1\n")
	for want, f := range map[string]Form{
		"the delimiter is , ; | or tab":                       {Delimiter: ":"},
		`the encoding "latin-17" is not known`:                {Encoding: "latin-17"},
		"the format is ndjson, csv, json, xlsx or":            {Format: "xml"},
		`the time zone "EST5" is not known`:                   {TimeZone: "EST5"},
		"--header-row is the number of a row, from 1":         {HeaderRow: "0"},
		"a JSON document needs --path":                        {Format: JSON},
		"--path is for json, and no source after it is that":  {Path: ".[]"},
		"--sheet is for xlsx, and no source after it is that": {Sheet: "Liens"},
		"--delimiter is for csv, and no source after it is":   {Format: NDJSON, Delimiter: ";"},
	} {
		if _, err := Find(t.Context(), []Input{{path, f}}, Options{}); !errors.Is(err, ErrUsage) || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", f, err)
		}
	}
}

// TestX21_MixedEncodings: a text of two encodings is named with a line of each, whichever comes first; bytes of one that happen to be
// UTF-8 are not taken for it. ISO-8859-1 is read as Windows-1252.
func TestX21_MixedEncodings(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"id,county\n1,PE\xc3\x91A\n2,PE\xd1A\n":                               "its line 2 is UTF-8, and its line 3 is not: --encoding %s would spoil",
		"id,county\n1,PE\xd1A\n2,PE\xc3\x91A\n":                               "its line 3 is UTF-8, and its line 2 is not",
		"id,county\n1,PE\xd1A \xe2\x80\x9cX\xe2\x80\x9d\n":                    "its line 2 is UTF-8, and its line 2 is not",
		"id,caf\xc3\xa9\n" + strings.Repeat("1,A\n", 200_000) + "2,PE\xd1A\n": "its line 1 is UTF-8, and its line 200002 is not",
		"id,county\n1,PE\xc3\x91A\n":                                          "its text is UTF-8: --encoding %s would spoil",
		"id,county\n1,\x93CAF\xc9\x94 \x96 PE\xd1\x92\n2,JOS\xc9\xa0\n":       "",
		"id,county\n1,A \x96 B\n":                                             "",
	} {
		for _, encoding := range []string{"windows-1252", "iso-8859-1", "latin1", "ISO_8859-1"} {
			var found []string
			all, err := Find(t.Context(), []Input{{Name: write(t, "a.csv", text), Form: Form{Encoding: encoding}}}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			in, err := all[0].Open(t.Context(), new(atomic.Int64))
			for row := (Row{}); err == nil; {
				if row, err = in.Next(); err == nil {
					found = append(found, row.Text())
				}
			}
			want := strings.ReplaceAll(want, "%s", encoding)
			if want == "" && err != io.EOF || !strings.Contains(err.Error(), want) {
				t.Errorf("%.50q, %s: %v, want %s", text, encoding, err, want)
			}
			if got := strings.Join(found, "\n"); want == "" && !strings.Contains(got, "–") {
				t.Errorf("%s: %q", encoding, got)
			}
		}
	}
}
