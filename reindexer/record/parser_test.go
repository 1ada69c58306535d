package record

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"filings/index"
)

// parse reads one JSON record.
func parse(text string, rules Rules) (*index.Filing, Result) {
	f := new(index.Filing)
	row, fault := NewJSON().Value(text)
	return f, New(rules).Parse(row, fault, f)
}

// good reads a JSON record that must be good.
func good(t *testing.T, text string) *index.Filing {
	t.Helper()
	f, result := parse(text, Rules{})
	if result.Reason != "" {
		t.Fatalf("%s: %+v", text, result)
	}
	return f
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
	for _, field := range []index.Field{index.City, index.ZIP} {
		if text := f.Text(field); text != "" {
			m[field.String()] = text
		}
	}
	if !f.CreatedAt.IsZero() {
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
	`"city":"Ocoee","zip":"34762","createdAt":"2024-05-06T07:08:09.1234567+02:00"}`

var everythingRead = map[string]any{
	"id": 9223372036854775807.0, "county": "Orange, FL", "caseNumber": "C-1", "owner": "Ann \"A\" O'Neil \U0001f31e",
	"propertyAddress": "1 Main St, Ocoee, FL 34761", "filingType": "Tax Lien", "filingAmount": 12.5, "currentAmount": -3.0,
	"filingDate": "2024-02-29", "filingHolder": "H", "dateRange": "2024-01-01 to 2024-03-31", "geocodedLatitude": -90.0,
	"geocodedLongitude": 180.0, "propertyClassification": "residential", "categories": []any{"land", "multi_family"},
	"propertyType": "SFR", "bedrooms": 3.0, "bathrooms": 2.5, "squareFootage": 1200.0, "lotSizeAcres": 0.25, "yearBuilt": 1987.0,
	"estimatedValue": 100000.0, "homeEquityEstimate": -20000.5, "lastSaleDate": "1600-01-01", "lastSalePrice": 0.0,
	"foreclosureStatus": "Active", "standardizedAddress": "1 MAIN ST", "aiSummary": "S", "ownerPhonePrimary": "407-555-0100",
	"ownerPhoneSecondary": "407-555-0101", "ownerEmailPrimary": "a@example.com", "ownerEmailSecondary": "b@example.org",
	"city": "Ocoee", "zip": "34762", "createdAt": "2024-05-06T05:08:09.123456Z",
}

func TestL2_EveryFieldIsRead(t *testing.T) {
	t.Parallel()
	f, result := parse(everything, Rules{Strict: true})
	if diff := cmp.Diff(everythingRead, values(t, f)); diff != "" || result != (Result{}) {
		t.Errorf("result %+v, filing (-want +got):\n%s", result, diff)
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

// TestL2_CellsReadTheSame turns the record above into cells of CSV.
func TestL2_CellsReadTheSame(t *testing.T) {
	t.Parallel()
	var m map[string]json.RawMessage
	if err := json.Unmarshal([]byte(everything), &m); err != nil {
		t.Fatal(err)
	}
	row := map[string]any{}
	for name, raw := range m {
		cell := string(raw)
		var text string
		var list []string
		switch {
		case json.Unmarshal(raw, &text) == nil:
			cell = text
		case json.Unmarshal(raw, &list) == nil:
			cell = strings.Join(list, ";")
		}
		row[name] = cell
	}
	f := new(index.Filing)
	result := NewCells(Rules{Strict: true}).Parse(row, nil, f)
	if diff := cmp.Diff(everythingRead, values(t, f)); diff != "" || result != (Result{}) {
		t.Errorf("result %+v, filing (-want +got):\n%s", result, diff)
	}
}

func TestL2_UnknownNamesAreBounded(t *testing.T) {
	t.Parallel()
	n := Names{}
	for i := range 3 * maxNames {
		n.add(strings.Repeat("x", i))
	}
	if len(n) > maxNames+1 {
		t.Errorf("%d names are kept, want at most %d", len(n), maxNames+1)
	}
	var total int64
	for name, count := range n {
		total += count
		if len(name) > 2*shown {
			t.Errorf("a name of %d bytes is kept", len(name))
		}
	}
	if total != 3*maxNames {
		t.Errorf("%d are counted, want %d", total, 3*maxNames)
	}
}
