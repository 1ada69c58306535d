package index_test

import (
	"encoding/json"
	"errors"
	"testing"

	"filings/index"
	"filings/index/indextest"
	"filings/index/indextest/edges"
)

// TestRecordValues: the values cut out of a record are those that a JSON decoder finds, and nothing else is taken for one.
func TestRecordValues(t *testing.T) {
	t.Parallel()
	last := index.Field(index.NumReturned - 1)
	for _, r := range indextest.Records(edges.Fuzzed(500, 3)) {
		var want map[string]json.RawMessage
		if err := json.Unmarshal(r, &want); err != nil {
			t.Fatal(err)
		}
		var got [index.NumReturned][]byte
		if err := r.Values(got[:], last); err != nil {
			t.Fatalf("%s: %v", r, err)
		}
		for f, v := range got {
			if name := index.Field(f).String(); string(v) != string(want[name]) {
				t.Fatalf("%s is %s, want %s", name, v, want[name])
			}
		}
	}
	var values [index.NumReturned][]byte
	for _, text := range []string{``, `{`, `{"id":`, `{"id":1`, `{"id":1}`, `{"id":1,"county":"a`, `{"county":"a"}`, `[]`, `{"id":1,"county":"a\"`} {
		if err := index.Record(text).Values(values[:], index.County); !errors.Is(err, index.ErrRecord) {
			t.Errorf("%s has values: %v", text, err)
		}
	}
}
