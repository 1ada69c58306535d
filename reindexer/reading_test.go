package reindexer

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"filings/index"
)

// noon is the start of every load in these tests.
var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// outcome is what reading a text led to.
type outcome struct {
	filings  []*index.Filing
	deleted  []int64
	rejects  []Reject
	ignored  map[string]int64
	rounded  int64
	read     int64
	failures error
}

// settings are how a text is read.
type settings struct {
	format         string
	update, strict bool
}

func read(t *testing.T, text string, s settings) outcome {
	t.Helper()
	if s.format == "" {
		s.format = formatNDJSON
	}
	return readInput(t, input{name: "in", format: s.format, open: opening(s.format, strings.NewReader(text))}, s)
}

func readInput(t *testing.T, in input, s settings) outcome {
	t.Helper()
	var o outcome
	r := newReading([]input{in}, s.update, s.strict, noon, func(reject Reject) error {
		o.rejects = append(o.rejects, reject)
		return nil
	})
	var f *index.Filing
	into := func() *index.Filing {
		f = new(index.Filing)
		return f
	}
	o.failures = r.each(context.Background(), into, func(deleted bool) error {
		if deleted {
			o.deleted = append(o.deleted, f.ID)
		} else {
			o.filings = append(o.filings, f)
		}
		return nil
	})
	o.ignored, o.rounded, o.read = r.ignored, r.rounded, r.read.Load()
	return o
}

// one reads a text that must hold one good record.
func one(t *testing.T, text string, s settings) *index.Filing {
	t.Helper()
	o := read(t, text, s)
	if len(o.filings) != 1 || len(o.rejects) != 0 || o.failures != nil {
		t.Fatalf("%d filings, rejects %v, error %v; want one filing", len(o.filings), o.rejects, o.failures)
	}
	return o.filings[0]
}

// values returns a filing's record and what is not returned, decoded, without what is missing.
func values(t *testing.T, f *index.Filing) map[string]any {
	t.Helper()
	m := map[string]any{}
	if err := json.Unmarshal(index.AppendRecord(nil, f), &m); err != nil {
		t.Fatal(err)
	}
	for name, v := range m {
		if list, ok := v.([]any); v == nil || ok && len(list) == 0 {
			delete(m, name)
		}
	}
	if city := f.Text(index.City); city != "" {
		m["city"] = city
	}
	if !f.CreatedAt.Equal(noon) {
		m["createdAt"] = f.CreatedAt.Format(time.RFC3339Nano)
	}
	return m
}

const everything = `{"id":9223372036854775807,"county":"Orange, FL","caseNumber":"C-1","owner":"Ann \"A\" O'Neil \ud83c\udf1e",` +
	`"propertyAddress":"1 Main St, Ocoee, FL 34761","filingType":"Tax Lien","filingAmount":12.5,"currentAmount":-3,` +
	`"filingDate":"2024-02-29","filingHolder":"H","dateRange":"2024-01-01 to 2024-03-31","geocodedLatitude":-90,` +
	`"geocodedLongitude":180.0,"propertyClassification":"residential","categories":["land","multi_family"],` +
	`"propertyType":"SFR","bedrooms":3,"bathrooms":2.5,"squareFootage":1200,"lotSizeAcres":0.25,"yearBuilt":1987,` +
	`"estimatedValue":1e5,"homeEquityEstimate":-20000.5,"lastSaleDate":"1600-01-01","lastSalePrice":0,` +
	`"foreclosureStatus":"Active","standardizedAddress":"1 MAIN ST","aiSummary":"S","ownerPhonePrimary":"407-555-0100",` +
	`"ownerPhoneSecondary":"407-555-0101","ownerEmailPrimary":"a@example.com","ownerEmailSecondary":"b@example.org",` +
	`"city":"Ocoee","createdAt":"2024-05-06T07:08:09.1234567+02:00"}`

var everythingRead = map[string]any{
	"id": 9223372036854775807.0, "county": "Orange, FL", "caseNumber": "C-1", "owner": "Ann \"A\" O'Neil \U0001f31e",
	"propertyAddress": "1 Main St, Ocoee, FL 34761", "filingType": "Tax Lien", "filingAmount": 12.5, "currentAmount": -3.0,
	"filingDate": "2024-02-29", "filingHolder": "H", "dateRange": "2024-01-01 to 2024-03-31", "geocodedLatitude": -90.0,
	"geocodedLongitude": 180.0, "propertyClassification": "residential", "categories": []any{"land", "multi_family"},
	"propertyType": "SFR", "bedrooms": 3.0, "bathrooms": 2.5, "squareFootage": 1200.0, "lotSizeAcres": 0.25, "yearBuilt": 1987.0,
	"estimatedValue": 100000.0, "homeEquityEstimate": -20000.5, "lastSaleDate": "1600-01-01", "lastSalePrice": 0.0,
	"foreclosureStatus": "Active", "standardizedAddress": "1 MAIN ST", "aiSummary": "S", "ownerPhonePrimary": "407-555-0100",
	"ownerPhoneSecondary": "407-555-0101", "ownerEmailPrimary": "a@example.com", "ownerEmailSecondary": "b@example.org",
	"city": "Ocoee", "createdAt": "2024-05-06T05:08:09.123456Z",
}

func TestL2_EveryFieldIsRead(t *testing.T) {
	t.Parallel()
	f := one(t, everything, settings{strict: true})
	if diff := cmp.Diff(everythingRead, values(t, f)); diff != "" {
		t.Errorf("filing (-want +got):\n%s", diff)
	}
	if f.ID != 1<<63-1 {
		t.Errorf("id = %d, want 2^63-1 exactly", f.ID)
	}
	for _, field := range index.Fields() {
		if field.Loaded() && !f.Has(field) {
			t.Errorf("this test gives no value for %s", field)
		}
	}
}

// TestL2_CSVReadsTheSame turns the record above into CSV.
func TestL2_CSVReadsTheSame(t *testing.T) {
	t.Parallel()
	var m map[string]json.RawMessage
	if err := json.Unmarshal([]byte(everything), &m); err != nil {
		t.Fatal(err)
	}
	var header, row []string
	for name, raw := range m {
		cell := string(raw)
		var text string
		var list []string
		switch {
		case json.Unmarshal(raw, &text) == nil:
			cell = `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
		case json.Unmarshal(raw, &list) == nil:
			cell = strings.Join(list, ";")
		}
		header, row = append(header, name), append(row, cell)
	}
	f := one(t, strings.Join(header, ",")+"\r\n"+strings.Join(row, ",")+"\r\n", settings{format: formatCSV, strict: true})
	if diff := cmp.Diff(everythingRead, values(t, f)); diff != "" {
		t.Errorf("filing (-want +got):\n%s", diff)
	}
}

func TestL2_UnknownNames(t *testing.T) {
	t.Parallel()
	text := `{"id":1,"county":"A, FL","x":{"y":[1,"\ud800",{}]},"month":"2024-01"}` + "\n" +
		`{"id":2,"county":"A, FL","x":null}` + "\n"
	o := read(t, text, settings{})
	if len(o.filings) != 2 {
		t.Errorf("%d filings, want 2; rejects: %v", len(o.filings), o.rejects)
	}
	if diff := cmp.Diff(map[string]int64{"x": 2, "month": 1}, o.ignored); diff != "" {
		t.Errorf("ignored names (-want +got):\n%s", diff)
	}
	strict := read(t, text, settings{strict: true})
	want := []Reject{
		{File: "in", Line: 1, ID: 1, Field: "x", Reason: "is not the name of a field", Record: strings.Split(text, "\n")[0]},
		{File: "in", Line: 2, ID: 2, Field: "x", Reason: "is not the name of a field", Record: strings.Split(text, "\n")[1]},
	}
	if diff := cmp.Diff(want, strict.rejects); diff != "" {
		t.Errorf("rejects with --strict (-want +got):\n%s", diff)
	}
}

func TestL2_UnknownNamesAreBounded(t *testing.T) {
	t.Parallel()
	n := names{}
	for i := range 3 * maxNames {
		n.add(strings.Repeat("x", i))
	}
	if len(n) > maxNames+1 {
		t.Errorf("%d names are kept, want at most %d", len(n), maxNames+1)
	}
	var total int64
	for name, count := range n {
		total += count
		if len(name) > 2*maxName {
			t.Errorf("a name of %d bytes is kept", len(name))
		}
	}
	if total != 3*maxNames {
		t.Errorf("%d are counted, want %d", total, 3*maxNames)
	}
}

func TestL2_CreatedAtIsTheStartOfTheLoad(t *testing.T) {
	t.Parallel()
	if f := one(t, `{"id":1,"county":"A, FL"}`, settings{}); !f.CreatedAt.Equal(noon) {
		t.Errorf("createdAt = %v, want %v", f.CreatedAt, noon)
	}
}

func TestL5_RepeatedIDs(t *testing.T) {
	t.Parallel()
	text := `{"id":7,"county":"A, FL","owner":"first"}` + "\n" + `{"id":7,"county":"A, FL","owner":"second"}` + "\n"
	o := read(t, text, settings{})
	if len(o.filings) != 1 || o.filings[0].Text(index.Owner) != "first" {
		t.Errorf("filings = %v, want the first", o.filings)
	}
	if len(o.rejects) != 1 || o.rejects[0].Line != 2 || o.rejects[0].Field != "id" || o.rejects[0].ID != 7 {
		t.Errorf("rejects = %v, want the id of line 2", o.rejects)
	}
	if o := read(t, text, settings{update: true}); len(o.filings) != 2 {
		t.Errorf("an update takes %d filings, want both", len(o.filings))
	}
}

func TestL9_Deletions(t *testing.T) {
	t.Parallel()
	text := `{"id":7,"deleted":true}` + "\n" + `{"id":8,"county":"A, FL","deleted":false}` + "\n" +
		`{"id":9,"deleted":"yes"}` + "\n" + `{"deleted":true}` + "\n" + `{"id":10,"county":"A, FL","deleted":null}`
	o := read(t, text, settings{update: true})
	if diff := cmp.Diff([]int64{7}, o.deleted); diff != "" {
		t.Errorf("deleted (-want +got):\n%s", diff)
	}
	if len(o.filings) != 2 || len(o.rejects) != 2 || o.rejects[0].Field != "deleted" || o.rejects[1].Field != "id" {
		t.Errorf("%d filings, rejects %v; want 2 and those of line 3 and 4", len(o.filings), o.rejects)
	}
	full := read(t, text, settings{})
	if len(full.rejects) != 4 || len(full.filings) != 1 {
		t.Errorf("L4: a full load takes %d of them and rejects %v", len(full.filings), full.rejects)
	}
	o = read(t, "id,deleted\n7,true\n8,false\n", settings{format: formatCSV, update: true})
	if len(o.deleted) != 1 || len(o.rejects) != 1 || o.rejects[0].Field != "county" {
		t.Errorf("CSV: deleted %v, rejects %v", o.deleted, o.rejects)
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	path := write(t, "a.ndjson", `{"id":1,"county":"A, FL"}`+"\n"+`{"id":1,"county":"A, FL"}`+"\n"+`{"id":2,"county":"B, FL"}`+"\n")
	var ids []int64
	rejected := 0
	for f, err := range Read(context.Background(), path) {
		if err != nil {
			rejected++
			continue
		}
		ids = append(ids, f.ID)
	}
	if diff := cmp.Diff([]int64{1, 2}, ids); diff != "" || rejected != 1 {
		t.Errorf("%d rejects, ids (-want +got):\n%s", rejected, diff)
	}
	for f, err := range Read(context.Background(), path) {
		if err != nil || f.ID != 1 {
			t.Errorf("first = %v, %v", f, err)
		}
		break // must not panic
	}
}
