package reindexer

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"filings/index"
	"filings/reindexer/record"
	"filings/reindexer/source"
)

// noon is the start of every load in these tests.
var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// outcome is what reading a text led to.
type outcome struct {
	filings    []*index.Filing
	deleted    []int64
	rejects    []Reject
	ignored    record.Names
	rounded    int64
	normalized int64
	read       int64
	failures   error
}

// settings are how a text is read.
type settings struct {
	format         string
	update, strict bool
}

// read reads a text, as a source named "in".
func read(t testing.TB, text string, s settings) outcome {
	t.Helper()
	return readSource(t, textSource(t, strings.NewReader(text), s.format), s)
}

// textSource is a source named "in".
func textSource(t testing.TB, text io.Reader, format string) source.Source {
	t.Helper()
	all, err := Config{Inputs: formed(source.Form{Format: format}, "-"), Stdin: text}.sources(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	all[0].Name = "in"
	return all[0]
}

func readSource(t testing.TB, src source.Source, s settings) outcome {
	t.Helper()
	var o outcome
	r := newReading([]source.Source{src}, s.update, s.strict, func(reject Reject) error {
		o.rejects = append(o.rejects, reject)
		return nil
	})
	o.failures = r.readSources(context.Background(), func(f *index.Filing, deleted bool) error {
		if deleted {
			o.deleted = append(o.deleted, f.ID)
			return nil
		}
		kept := *f
		kept.Categories = slices.Clone(f.Categories)
		o.filings = append(o.filings, &kept)
		return nil
	})
	o.ignored, o.rounded, o.normalized, o.read = r.rules.Ignored, r.rounded, r.normalized, r.read.Load()
	return o
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
	if !f.CreatedAt.IsZero() {
		m["createdAt"] = f.CreatedAt.Format(time.RFC3339Nano)
	}
	return m
}

func TestL2_UnknownNames(t *testing.T) {
	t.Parallel()
	text := `{"id":1,"county":"A, FL","x":{"y":[1,"\ud800",{}]},"month":"2024-01"}` + "\n" +
		`{"id":2,"county":"A, FL","x":null}` + "\n"
	o := read(t, text, settings{})
	if len(o.filings) != 2 {
		t.Errorf("%d filings, want 2; rejects: %v", len(o.filings), o.rejects)
	}
	if diff := cmp.Diff(record.Names{"x": 2, "month": 1}, o.ignored); diff != "" {
		t.Errorf("ignored names (-want +got):\n%s", diff)
	}
	strict := read(t, text, settings{strict: true})
	want := []Reject{
		{File: "in", Line: 1, ID: 1, Field: "month", Reason: "is not the name of a field", Record: strings.Split(text, "\n")[0]},
		{File: "in", Line: 2, ID: 2, Field: "x", Reason: "is not the name of a field", Record: strings.Split(text, "\n")[1]},
	}
	if diff := cmp.Diff(want, strict.rejects); diff != "" {
		t.Errorf("rejects with --strict (-want +got):\n%s", diff)
	}
}

func TestL4_AmountsAreRoundedAndCounted(t *testing.T) {
	t.Parallel()
	o := read(t, `{"id":1,"county":"A, FL","filingAmount":1.005,"currentAmount":2.675}`+"\n"+
		`{"id":2,"county":"A, FL","filingAmount":1.00,"currentAmount":-2.675}`+"\n"+
		`{"id":3,"county":"none","filingAmount":1.005}`+"\n", settings{})
	if o.rounded != 3 || len(o.filings) != 2 {
		t.Fatalf("rounded %d of %d filings, want 3 amounts of 2", o.rounded, len(o.filings))
	}
	if diff := cmp.Diff(map[string]any{"id": 1.0, "county": "A, FL", "filingAmount": 1.01, "currentAmount": 2.68},
		values(t, o.filings[0])); diff != "" {
		t.Errorf("filing (-want +got):\n%s", diff)
	}
}

func TestX61_TextsOfTakenRecordsAreCounted(t *testing.T) {
	t.Parallel()
	o := read(t, `{"id":1,"county":"A, FL","owner":"Pen\u0303a","propertyAddress":"1 E\u0301lm St"}`+"\n"+
		`{"id":2,"county":"none","owner":"Pen\u0303a"}`+"\n"+`{"id":3,"county":"A, FL","owner":"Peña\u200b"}`+"\n", settings{})
	if o.normalized != 2 || len(o.filings) != 2 || o.filings[0].Text(index.Owner) != "Peña" {
		t.Errorf("%d texts of %d filings, want 2 of 2", o.normalized, len(o.filings))
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
	o = read(t, "id,deleted\n7,true\n8,false\n", settings{format: source.CSV, update: true})
	if len(o.deleted) != 1 || len(o.rejects) != 1 || o.rejects[0].Field != "county" {
		t.Errorf("CSV: deleted %v, rejects %v", o.deleted, o.rejects)
	}
}

// TestL6_LongRecords: a record beyond the limit ends the load at its line.
func TestL6_LongRecords(t *testing.T) {
	t.Parallel()
	o := read(t, filing(1)+`{"id":2,"owner":"`+strings.Repeat("x", source.MaxLine)+"\"}\n", settings{})
	if len(o.rejects) != 0 || !errors.Is(o.failures, ErrSource) || !strings.HasSuffix(o.failures.Error(), "in, line 2: the record is longer than 16 MiB") {
		t.Errorf("error %v, rejects %.300v", o.failures, o.rejects)
	}
}
