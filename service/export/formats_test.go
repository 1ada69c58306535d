package export

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"

	"filings/index"
	"filings/index/indextest"
	"filings/index/indextest/edges"
	"filings/index/synthetic"
)

func records(n int) []index.Record { return indextest.Records(edges.Fuzzed(n, 7)) }

// encode writes records in batches of different lengths.
func encode(t testing.TB, e Encoder, all []index.Record) []byte {
	t.Helper()
	var file []byte
	var err error
	for size := 1; len(all) > 0; size = size%100 + 1 {
		n := min(size, len(all))
		if file, err = e.Append(file, all[:n]); err != nil {
			t.Fatal(err)
		}
		all = all[n:]
	}
	if file, err = e.Close(file); err != nil {
		t.Fatal(err)
	}
	return file
}

func newEncoder(t testing.TB, f Format, fields []index.Field) Encoder {
	t.Helper()
	e, err := NewEncoder(f, fields, false)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

var tiers = []index.Tier{index.Free, index.Pro, index.Enterprise}

// some are fields of all kinds, not all of any tier.
var some = []index.Field{index.ID, index.Owner, index.FilingAmount, index.FilingDate, index.Categories,
	index.YearBuilt, index.OwnerEmailPrimary}

// members decodes what a record has in fields, in their order, each as the JSON that stands there.
func members(t testing.TB, r index.Record, fields []index.Field) []json.RawMessage {
	t.Helper()
	var m map[string]json.RawMessage
	if err := json.Unmarshal(r, &m); err != nil {
		t.Fatal(err)
	}
	values := make([]json.RawMessage, len(fields))
	for i, f := range fields {
		values[i] = m[f.String()]
	}
	return values
}

func TestX5_NDJSON(t *testing.T) {
	t.Parallel()
	all := records(400)
	for _, tier := range tiers {
		want := []byte{}
		for _, f := range edges.Fuzzed(400, 7) {
			want = append(append(want, indextest.Seen(f, tier)...), '\n')
		}
		if diff := cmp.Diff(string(want), string(encode(t, newEncoder(t, NDJSON, Fields(tier)), all))); diff != "" {
			t.Errorf("%v (-want +got)\n%s", tier, diff)
		}
	}
	lines := bytes.Split(bytes.TrimSuffix(encode(t, newEncoder(t, NDJSON, some), all), []byte("\n")), []byte("\n"))
	for i, line := range lines {
		var want []string
		for j, v := range members(t, all[i], some) {
			want = append(want, fmt.Sprintf("%q:%s", some[j].String(), v))
		}
		if got := string(line); got != "{"+strings.Join(want, ",")+"}" {
			t.Fatalf("%s of %s", got, all[i])
		}
	}
}

// cellOf is what a cell of CSV must hold, found by decoding.
func cellOf(t testing.TB, value json.RawMessage) string {
	t.Helper()
	var v any
	d := json.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	switch v := v.(type) {
	case nil:
		return ""
	case []any:
		texts := make([]string, len(v))
		for i, item := range v {
			texts[i] = item.(string)
		}
		return strings.Join(texts, ";")
	default:
		return fmt.Sprint(v)
	}
}

func TestX5_CSV(t *testing.T) {
	t.Parallel()
	all := append(records(400), indextest.Records([]*index.Filing{
		edges.Filing(1, edges.Values{index.Owner: `=1+2,"quoted"` + "\nsecond line", index.CaseNumber: " padded "}),
	})...)
	for _, fields := range [][]index.Field{Fields(index.Free), Fields(index.Enterprise), some, {index.Owner},
		{index.Categories}} {
		file := encode(t, newEncoder(t, CSV, fields), all)
		r := csv.NewReader(bytes.NewReader(file))
		r.FieldsPerRecord = len(fields)
		for i := -1; i < len(all); i++ {
			got, err := r.Read()
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			for j, f := range fields {
				if i < 0 {
					want = append(want, f.String())
				} else { // the reader makes one character of a line end within a cell
					want = append(want, strings.ReplaceAll(cellOf(t, members(t, all[i], fields)[j]), "\r\n", "\n"))
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("row %d (-want +got)\n%s", i, diff)
			}
		}
		if _, err := r.Read(); err != io.EOF {
			t.Errorf("more than %d rows: %v", len(all), err)
		}
		if !bytes.HasSuffix(file, []byte("\r\n")) {
			t.Error("the last line has no end")
		}
	}
	if got := encode(t, newEncoder(t, CSV, some), nil); string(
		got) != "id,owner,filingAmount,filingDate,categories,yearBuilt,ownerEmailPrimary\r\n" {
		t.Errorf("without rows: %q", got)
	}
}

func TestX5_Parquet(t *testing.T) {
	t.Parallel()
	all := records(400)
	for _, fields := range [][]index.Field{Fields(index.Free), Fields(index.Enterprise), some} {
		file := encode(t, newEncoder(t, Parquet, fields), all)
		f, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			t.Fatal(err)
		}
		if f.NumRows() != int64(len(all)) {
			t.Fatalf("%d rows, want %d", f.NumRows(), len(all))
		}
		var names []string
		for _, c := range f.Schema().Fields() {
			names = append(names, c.Name())
		}
		var want []string
		for _, field := range fields {
			want = append(want, field.String())
		}
		if diff := cmp.Diff(want, names); diff != "" {
			t.Errorf("columns (-want +got)\n%s", diff)
		}
	}
}

// TestX5_Compressed: what a client decompresses is the file, whatever the batches were.
func TestX5_Compressed(t *testing.T) {
	t.Parallel()
	all := records(3000)
	for _, format := range []Format{NDJSON, CSV} {
		want := encode(t, newEncoder(t, format, Fields(index.Pro)), all)
		for coding, open := range map[string]func(io.Reader) (io.Reader, error){
			"gzip": func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
			"zstd": func(r io.Reader) (io.Reader, error) { return zstd.NewReader(r) },
		} {
			e, err := Compress(newEncoder(t, format, Fields(index.Pro)), coding)
			if err != nil {
				t.Fatal(err)
			}
			file := encode(t, e, all)
			r, err := open(bytes.NewReader(file))
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(r)
			if err != nil || !bytes.Equal(got, want) || len(file) > len(want)/2 {
				t.Errorf("%s, %s: %d bytes of %d in %d, %v", format, coding, len(got), len(want), len(file), err)
			}
		}
	}
}

// plausible are records as counties have them.
func plausible(n int) (all []index.Record) {
	g := synthetic.New(1)
	var f index.Filing
	for range n {
		f.Reset()
		g.Next(&f)
		all = append(all, index.AppendRecord(nil, &f))
	}
	return all
}

func BenchmarkFormats(b *testing.B) {
	all := plausible(5000)
	for _, tier := range []index.Tier{index.Free, index.Enterprise} {
		for _, format := range []string{"ndjson", "csv", "parquet", "ndjson gzip", "ndjson zstd"} {
			b.Run(fmt.Sprintf("%v/%s", tier, format), func(b *testing.B) {
				name, coding, _ := strings.Cut(format, " ")
				e, err := NewEncoder(Format(name), Fields(tier), false)
				if err == nil {
					e, err = Compress(e, coding)
				}
				if err != nil {
					b.Fatal(err)
				}
				var dst []byte
				rows := 0
				for b.Loop() {
					for i := 0; i < len(all); i += 100 {
						if dst, err = e.Append(dst[:0], all[i:i+100]); err != nil {
							b.Fatal(err)
						}
					}
					rows += len(all)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(rows), "ns/row")
			})
		}
	}
}
