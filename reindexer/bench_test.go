package reindexer

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"filings/index"
	"filings/index/synthetic"
	"filings/reindexer/source"
)

// ndjsonOf returns n synthetic filings as NDJSON.
func ndjsonOf(b testing.TB, n int) []byte {
	b.Helper()
	var text bytes.Buffer
	if err := synthetic.Write(&text, n, synthetic.New(1)); err != nil {
		b.Fatal(err)
	}
	return text.Bytes()
}

// asCSV turns flat NDJSON into CSV.
func asCSV(b testing.TB, text []byte) []byte {
	b.Helper()
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	var header []string
	for _, field := range index.Fields() {
		if field.Loaded() {
			header = append(header, field.String())
		}
	}
	_ = w.Write(header) // a buffer takes everything
	for line := range bytes.Lines(text) {
		var m map[string]any
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		if err := d.Decode(&m); err != nil {
			b.Fatal(err)
		}
		row := make([]string, len(header))
		for i, name := range header {
			switch v := m[name].(type) {
			case nil:
			case []any:
				row[i] = strings.Trim(strings.ReplaceAll(fmt.Sprint(v), " ", ";"), "[]")
			default:
				row[i] = fmt.Sprint(v)
			}
		}
		_ = w.Write(row)
	}
	w.Flush()
	return out.Bytes()
}

// BenchmarkDecode reads and checks records without storing them. It reports records a second of one core.
func BenchmarkDecode(b *testing.B) {
	const n = 20_000
	ndjson := ndjsonOf(b, n)
	for format, text := range map[string][]byte{source.NDJSON: ndjson, source.CSV: asCSV(b, ndjson)} {
		b.Run(format, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				in := textSource(b, bytes.NewReader(text), format)
				r := newReading([]source.Source{in}, false, false, func(r Reject) error { return &r })
				taken := 0
				if err := r.readSources(context.Background(),
					func(*index.Filing, bool) error { taken++; return nil }); err != nil || taken != n {
					b.Fatal(taken, err)
				}
			}
			b.ReportMetric(float64(b.N)*n/b.Elapsed().Seconds(), "records/s")
		})
	}
}

// TestSyntheticFilingsAreRead reads what `filings generate` writes, as NDJSON and as CSV: nothing is rejected and both
// are the same.
func TestSyntheticFilingsAreRead(t *testing.T) {
	t.Parallel()
	var records [2][]string
	text := ndjsonOf(t, 2000)
	for i, s := range []settings{{strict: true}, {strict: true, format: source.CSV}} {
		in := string(text)
		if s.format == source.CSV {
			in = string(asCSV(t, text))
		}
		o := read(t, in, s)
		if len(o.filings) != 2000 || len(o.rejects) != 0 || o.failures != nil {
			t.Fatalf("%d filings, rejects %v, error %v", len(o.filings), o.rejects[:min(3, len(o.rejects))], o.failures)
		}
		for _, f := range o.filings {
			records[i] = append(records[i], string(index.AppendRecord(nil, f))+f.Text(index.City)+f.CreatedAt.String())
		}
	}
	if !slices.Equal(records[0], records[1]) {
		t.Error("NDJSON and CSV are not read the same")
	}
}

// BenchmarkMapped reads a county's CSV by a mapping: from its bytes to checked filings, which are not stored. It reports rows a
// second of one core.
func BenchmarkMapped(b *testing.B) {
	const n = 20_000
	var text strings.Builder
	text.WriteString("CERT,YEAR,OWNER,ADDR1,CITY,STATE,AMOUNT,DATE,BUYER,PARCEL\n")
	for i := range n {
		fmt.Fprintf(&text, "%d,20%02d,EXAMPLE HOLDINGS %d LLC,%d MAIN ST,Loveland,CO,\"$%d,%03d.50\",%d/%d/17,NA,13-430-%05d\n", 10_000+i, i%26, i%700, i%9000, 1+i%90, i%1000, 1+i%12, 1+i%28, i)
	}
	for name, m := range map[string]*Mapping{
		"jq": {Name: "m.jq", Text: `{
  id: id("Larimer"; .CERT; .YEAR),
  county: "Larimer, CO",
  caseNumber: .CERT,
  owner: (.OWNER | blank),
  propertyAddress: text(.ADDR1; .CITY; .STATE),
  filingType: "Tax Lien",
  filingAmount: (.AMOUNT | money),
  filingDate: (.DATE | date("MM/DD/YY")),
  filingHolder: (.BUYER | blank)
}`},
		"table": {Name: "m.csv", Text: `field,column
id,CERT; YEAR
county,"""Larimer, CO"""
caseNumber,CERT
owner,OWNER
propertyAddress,join: ADDR1; CITY; STATE
filingType,"""Tax Lien"""
filingAmount,money: AMOUNT
filingDate,date MM/DD/YY: DATE
filingHolder,BUYER
`},
	} {
		b.Run(name, func(b *testing.B) {
			programs, err := Config{Inputs: mappedBy(m.Name, m.Text, "-")}.compile(noon)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(text.Len()))
			b.ReportAllocs()
			for b.Loop() {
				r := newReading([]source.Source{textSource(b, strings.NewReader(text.String()), source.CSV)}, false, false, func(r Reject) error { return &r })
				r.programs = programs
				taken := 0
				if err := r.readSources(context.Background(),
					func(*index.Filing, bool) error { taken++; return nil }); err != nil || taken != n {
					b.Fatal(taken, err)
				}
			}
			b.ReportMetric(float64(b.N)*n/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
