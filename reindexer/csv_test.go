package reindexer

import (
	"context"
	"encoding/csv"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"filings/reindexer/record"
	"filings/reindexer/source"
)

func TestL1_CSVCells(t *testing.T) {
	t.Parallel()
	text := "id,county,owner,filingAmount,categories,extra\n" +
		`1,"Orange, FL","Ann ""A"" Lee",12.5,land;residential,x` + "\n" +
		"2,\"Orange, FL\",\"two\r\nlines\n\nand a blank one\",,,\n" +
		`3,"Orange, FL",,-1e1,,` + "\n"
	o := read(t, text, settings{format: source.CSV})
	if o.failures != nil || len(o.rejects) != 0 {
		t.Fatalf("rejects %v, error %v", o.rejects, o.failures)
	}
	want := []map[string]any{
		{"id": 1.0, "county": "Orange, FL", "owner": `Ann "A" Lee`, "filingAmount": 12.5, "categories": []any{"land", "residential"}},
		{"id": 2.0, "county": "Orange, FL", "owner": "two\nlines\n\nand a blank one"},
		{"id": 3.0, "county": "Orange, FL", "filingAmount": -10.0},
	}
	var got []map[string]any
	for _, f := range o.filings {
		got = append(got, values(t, f))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("filings (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(record.Names{"extra": 3}, o.ignored); diff != "" {
		t.Errorf("ignored (-want +got):\n%s", diff)
	}
}

func TestL4_CSVRejects(t *testing.T) {
	t.Parallel()
	tests := []struct {
		rule, row, field, reason string
	}{
		{"one cell", `1`, "", `has 1 cell; the header has 4, separated by ',', or by what --delimiter says`},
		{"too few cells", `1,"A, FL"`, "", "has 2 cells; the header has 4"},
		{"too many cells", `1,"A, FL",,,`, "", "has 5 cells; the header has 4"},
		{"number with blanks", `1,"A, FL", 5,`, "filingAmount", `the text " 5" is not a number`},
		{"number with comma", `1,"A, FL","1,000",`, "filingAmount", `the text "1,000" is not a number`},
		{"number with sign", `1,"A, FL",+5,`, "filingAmount", `the text "+5" is not a number`},
		{"id as word", `one,"A, FL",,`, "id", `the text "one" is not an integer from 1 to 9223372036854775807`},
		{"category with blank", `1,"A, FL",,land; residential`, "categories", `" residential" is not one of residential, commercial, multi_family, land`},
		{"category empty", `1,"A, FL",,land;`, "categories", `"" is not one of residential, commercial, multi_family, land`},
		{"county not quoted", `1,A, FL,,`, "", "has 5 cells; the header has 4"},
		{"quote within", `1,"A, FL",5",`, "", "has a quote at byte 12 of its line, in a cell that does not begin with one"},
		{"blank before a quote", `1, "A, FL",,`, "", "has a blank before the quote at byte 4 of its line: without it the cell begins with one"},
		{"text behind quote", `1,"A, FL"x,,`, "", "has text at byte 10 of its line, after the closing quote of a cell"},
		{"not UTF-8", "1,\"A, FL\",\xff,", "", source.ErrNotUTF8.Error()},
		{"NUL", "1,\"A\x00, FL\",,", "county", "has a NUL character"},
	}
	for _, test := range tests {
		t.Run("L4 "+test.rule, func(t *testing.T) {
			t.Parallel()
			// The rows before and after must not suffer.
			text := "id,county,filingAmount,categories\n8,\"A, FL\",,\n" + test.row + "\n9,\"A, FL\",,\n"
			o := read(t, text, settings{format: source.CSV})
			if len(o.filings) != 2 || len(o.rejects) != 1 {
				t.Fatalf("%d filings, rejects %v", len(o.filings), o.rejects)
			}
			want := Reject{File: "in", Line: 3, ID: o.rejects[0].ID, Field: test.field, Reason: test.reason, Record: test.row}
			if diff := cmp.Diff(want, o.rejects[0]); diff != "" {
				t.Errorf("reject (-want +got):\n%s", diff)
			}
		})
	}
}

func TestL6_CSVLineIsWhereTheRecordBegins(t *testing.T) {
	t.Parallel()
	text := "id,county,owner\n1,\"A, FL\",\"a\nb\"\n\n2,\"A\",\"a\nb\"\n3,\"A, FL\",\n3,\"A, FL\",\n"
	o := read(t, text, settings{format: source.CSV})
	var got []int
	for _, r := range o.rejects {
		got = append(got, r.Line)
	}
	if diff := cmp.Diff([]int{5, 8}, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	if want := "2,\"A\",\"a\nb\""; len(o.rejects) > 0 && o.rejects[0].Record != want {
		t.Errorf("record %q, want %q", o.rejects[0].Record, want)
	}
}

// TestL1_CSVQuoteNeverClosed must not hold the rest of a file.
func TestL1_CSVQuoteNeverClosed(t *testing.T) {
	t.Parallel()
	row := []byte("1,\"A, FL\",\"no end\n")
	more := strings.Repeat("2,3\n", 1<<20)
	var readers []io.Reader
	readers = append(readers, strings.NewReader("id,county,owner\n"+string(row)))
	for range 10 {
		readers = append(readers, strings.NewReader(more))
	}
	src := textSource(t, io.MultiReader(readers...), source.CSV)
	err := readSource(t, src, settings{}).failures
	if err == nil || !strings.Contains(err.Error(), "the quote that line 2 leaves open is not closed within 16 MiB") {
		t.Errorf("error %v", err)
	}
}

// FuzzCSV holds rows against encoding/csv on the whole text: the text of each row, read by itself, has the same cells.
func FuzzCSV(f *testing.F) {
	for _, s := range []string{
		"a,b\n1,2\n", "\"a\",\"b\"\"c\"\n", "\"a\nb\",c\r\n\r\nd,e", "a\"b,c\n", "\"a\"b,c\n", ",,\n\"\"\n", "\"\"\"\",\"\n\"\"\n\"", "a,\"", "\"a\r\nb\"\r\n", "a,b\n\n \n\r\n1,\"2\n\n\"\n\n3,4",
	} {
		f.Add(s)
	}
	f.Add("\"0\"\n\r0")
	f.Add(",\n\"0\"") // a last row without an end that lacks cells is cut off
	f.Fuzz(func(t *testing.T, text string) {
		std := csv.NewReader(strings.NewReader(text))
		std.FieldsPerRecord = -1
		ours, err := delimited(t, text).Open(context.Background(), new(atomic.Int64))
		onlyCR := strings.Contains(text, "\r") && !strings.Contains(text, "\n") // which ends lines for us, but not for encoding/csv
		if err != nil || onlyCR || strings.HasPrefix(text, "\ufeff") || !utf8.ValidString(text) {
			return // no CSV by its first bytes, or not its header
		}
		defer ours.Close()
		want, got := records(std), append([][]string{ours.Header}, rowsByText(t, ours)...)
		if n := len(got); n < len(want) && !strings.HasSuffix(text, "\n") && len(want[n]) < len(ours.Header) {
			want = want[:n]
		}
		if diff := cmp.Diff(want, got); diff != "" && !blankCell(ours.Header) {
			t.Fatalf("%q (-want +got):\n%s", text, diff)
		}
	})
}

// delimited is a source of CSV with commas.
func delimited(t *testing.T, text string) source.Source {
	t.Helper()
	form := source.Form{Format: source.CSV, Delimiter: ","}
	all, err := Config{Inputs: formed(form, "-"), Stdin: strings.NewReader(text)}.sources(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return all[0]
}

// records returns the rows as encoding/csv reads them, until its first error. Lines of blanks are none.
func records(std *csv.Reader) (all [][]string) {
	for {
		cells, err := std.Read()
		if err != nil {
			return all
		}
		if !blankCell(cells) {
			all = append(all, cells)
		}
	}
}

// rowsByText returns the cells that the texts of rows have, each read by itself, until the first that is no CSV.
func rowsByText(t *testing.T, in *source.Reader) (all [][]string) {
	t.Helper()
	for {
		row, err := in.Next()
		if err != nil {
			return all
		}
		std := csv.NewReader(strings.NewReader(row.Text()))
		std.FieldsPerRecord = -1
		cells, err := std.Read()
		if err != nil {
			return all
		}
		if object, read := row.Value.(map[string]any); read && row.Fault == nil {
			for i, name := range in.Columns {
				if object[name] != cells[i] {
					t.Fatalf("%q: %q, want %q", row.Text(), object, cells)
				}
			}
		}
		if !blankCell(cells) {
			all = append(all, cells)
		}
	}
}

// blankCell reports whether a row is one cell of blanks, which only quotes keep from being skipped.
func blankCell(cells []string) bool { return len(cells) == 1 && strings.TrimSpace(cells[0]) == "" }
