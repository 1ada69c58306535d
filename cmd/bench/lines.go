package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/parquet-go/parquet-go"
)

// eachLine calls do with every line of a file, plain or gzip.
func eachLine(name string, do func(line []byte) error) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	in := bufio.NewReaderSize(file, 1<<16)
	var text io.Reader = in
	if magic, _ := in.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		if text, err = gzip.NewReader(in); err != nil {
			return err
		}
	}
	lines := bufio.NewScanner(text)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		if err := do(lines.Bytes()); err != nil {
			return err
		}
	}
	return lines.Err()
}

type lineWriter struct{ w *bufio.Writer }

func newLineWriter(w io.Writer) lineWriter { return lineWriter{bufio.NewWriterSize(w, 1<<20)} }

func (l lineWriter) write(line []byte) error {
	if _, err := l.w.Write(line); err != nil {
		return err
	}
	return l.w.WriteByte('\n')
}

func (l lineWriter) flush() error { return l.w.Flush() }

// bench is one run.
type bench struct {
	elasticsearch, redis string
	nodes                string // elasticsearch is the first of them
	dir                  string // everything temporary
	program              string // the built program
	data                 string // the filings, NDJSON
	rounds               int
	times                int
	expensive            atomic.Int64 // filters used up by measureExpensive
}

// benchIndex keeps these generations apart from all others in that Elasticsearch.
const benchIndex = "filings-bench"

func (b *bench) onElasticsearch(address string) []string {
	return []string{"FILINGS_ELASTICSEARCH_URL=" + address, "FILINGS_INDEX=" + benchIndex, "FILINGS_INDEX_REPLICAS=0"}
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// countyRow is a row of a county's file. Its names are the columns', in Parquet too.
type countyRow struct {
	Number      string
	County      string
	CaseNumber  string `parquet:"Case number"`
	Owner       string
	Address     string `parquet:"Property address"`
	Type        string
	Amount, Due string
	Filed       string
	Holder      string
}

// countyColumns are the names of its columns, and countyFields the fields that measureMappings makes of them.
var (
	countyColumns = []string{"Number", "County", "Case number", "Owner", "Property address", "Type", "Amount", "Due", "Filed", "Holder"}
	countyFields  = []string{"id", "county", "caseNumber", "owner", "propertyAddress", "filingType", "filingAmount", "currentAmount", "filingDate", "filingHolder"}
)

func (r *countyRow) cells() []string {
	return []string{r.Number, r.County, r.CaseNumber, r.Owner, r.Address, r.Type, r.Amount, r.Due, r.Filed, r.Holder}
}

// plainFile writes the filings of from with the fields alone that a county's file has.
func plainFile(from, to string) error {
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	w := newLineWriter(out)
	err = eachLine(from, func(line []byte) error {
		var all map[string]json.RawMessage
		if err := json.Unmarshal(line, &all); err != nil {
			return err
		}
		maps.DeleteFunc(all, func(name string, _ json.RawMessage) bool { return !slices.Contains(countyFields, name) })
		text, err := json.Marshal(all)
		return firstError(err, w.write(text))
	})
	return firstError(err, w.flush(), out.Close())
}

// countyFile writes the filings of from as a county would, in the form that to is named for.
func countyFile(from, to string) (err error) {
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	w := newRowWriter(out, filepath.Ext(to))
	err = eachLine(from, func(line []byte) error {
		var f struct {
			ID                          int64
			County, CaseNumber, Owner   string
			PropertyAddress, FilingType string
			FilingDate, FilingHolder    string
			FilingAmount, CurrentAmount *float64
		}
		if err := json.Unmarshal(line, &f); err != nil {
			return err
		}
		r := countyRow{strconv.FormatInt(f.ID, 10), f.County, f.CaseNumber, f.Owner, f.PropertyAddress, f.FilingType,
			dollars(f.FilingAmount), dollars(f.CurrentAmount), "", f.FilingHolder}
		if day, err := time.Parse(time.DateOnly, f.FilingDate); err == nil {
			r.Filed = day.Format("1/2/2006")
		}
		return w.write(&r)
	})
	return firstError(err, w.close(), out.Close())
}

// dollars writes an amount as spreadsheets do: "$1,234.50 ", "($12.00)".
func dollars(v *float64) string {
	switch {
	case v == nil:
		return ""
	case *v < 0:
		positive := -*v
		return "(" + strings.TrimSpace(dollars(&positive)) + ")"
	}
	text := strconv.FormatFloat(*v, 'f', 2, 64)
	for i := len(text) - 6; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return "$" + text + " "
}

// rowWriter writes the rows of a county's file.
type rowWriter struct {
	write func(*countyRow) error
	close func() error
}

func newRowWriter(out *os.File, extension string) rowWriter {
	switch extension {
	case ".csv":
		w := csv.NewWriter(out)
		_ = w.Write(countyColumns) // an error stays, and comes again
		return rowWriter{func(r *countyRow) error { return w.Write(r.cells()) }, func() error { w.Flush(); return w.Error() }}
	case ".parquet":
		w := parquet.NewGenericWriter[countyRow](out, parquet.MaxRowsPerRowGroup(50_000))
		return rowWriter{func(r *countyRow) error { _, err := w.Write([]countyRow{*r}); return err }, w.Close}
	case ".xlsx":
		return newSheetWriter(out)
	}
	w := newLineWriter(out)
	return rowWriter{func(r *countyRow) error {
		row := map[string]string{}
		for i, cell := range r.cells() {
			row[countyColumns[i]] = cell
		}
		text, err := json.Marshal(row)
		return firstError(err, w.write(text))
	}, w.flush}
}

// mostKnown is how many texts newSheetWriter writes once only. It holds little in memory: Linux counts the most memory of the
// bench as that of the processes that it starts.
const mostKnown = 10_000

// newSheetWriter writes XLSX as spreadsheets do, with all texts in a table of their own.
func newSheetWriter(out *os.File) rowWriter {
	const (
		ns   = ` xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`
		rel  = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
		rels = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
	)
	z := zip.NewWriter(out)
	part := func(name, text string) io.Writer {
		w, _ := z.Create(name)         // an error stays, and comes again with Close
		_, _ = io.WriteString(w, text) // as this one does
		return w
	}
	part("[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>`)
	part("_rels/.rels", rels+`<Relationship Id="r1" Type="`+rel+`/officeDocument" Target="xl/workbook.xml"/></Relationships>`)
	part("xl/workbook.xml", `<workbook`+ns+` xmlns:r="`+rel+`"><sheets><sheet name="Liens" sheetId="1" r:id="r1"/></sheets></workbook>`)
	part("xl/_rels/workbook.xml.rels", rels+`<Relationship Id="r1" Type="`+rel+`/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="`+rel+`/sharedStrings" Target="sharedStrings.xml"/></Relationships>`)
	sheet := bufio.NewWriter(part("xl/worksheets/sheet1.xml", `<worksheet`+ns+`><sheetData>`))
	table, failed := os.CreateTemp(filepath.Dir(out.Name()), "texts-")
	texts := bufio.NewWriter(table) // of no file: an error stays, and comes again
	known, n, written := map[string]int{}, 0, 0
	row := func(cells []string) error {
		n++
		fmt.Fprintf(sheet, `<row r="%d">`, n)
		for i, cell := range cells {
			at, found := known[cell]
			if !found {
				at = written
				written++
				if len(known) < mostKnown {
					known[cell] = at
				}
				_, _ = texts.WriteString("<si><t>")
				_ = xml.EscapeText(texts, []byte(cell))
				_, _ = texts.WriteString("</t></si>")
			}
			fmt.Fprintf(sheet, `<c r="%c%d" t="s"><v>%d</v></c>`, 'A'+i, n, at)
		}
		_, err := sheet.WriteString("</row>")
		return err
	}
	_ = row(countyColumns) // an error comes again with the next row
	return rowWriter{func(r *countyRow) error { return row(r.cells()) }, func() error {
		_, _ = sheet.WriteString("</sheetData></worksheet>") // as it does here
		err := firstError(failed, sheet.Flush(), texts.Flush())
		if err != nil {
			return err
		}
		defer os.Remove(table.Name())
		if _, err = table.Seek(0, io.SeekStart); err != nil {
			return err
		}
		w := part("xl/sharedStrings.xml", fmt.Sprintf(`<sst%s uniqueCount="%d">`, ns, written))
		_, err = io.Copy(w, table)
		if err == nil {
			_, err = io.WriteString(w, "</sst>")
		}
		return firstError(err, table.Close(), z.Close())
	}}
}
