package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"filings/index"
	"filings/index/elastic/elastictest"
)

func TestRecords(t *testing.T) {
	t.Parallel()
	response := `{"took":1,"timed_out":false,"_shards":{"total":1,"failed":0},"hits":{"max_score":null,"hits":[
		{"_index":"i","_id":"2","_score":null,"_source":{"id":2,"owner":"A \"}, B"},"sort":["x",2]},
		{"_index":"i","_id":"1","_source":{"id":1,"owner":null,"categories":[]}}]}}`
	want := []string{`{"id":2,"owner":"A \"}, B"}`, `{"id":1,"owner":null,"categories":[]}`}
	got, err := Records([]byte(response))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, texts(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if none, err := Records([]byte(`{"hits":{"hits":[]}}`)); err != nil || len(none) != 0 {
		t.Errorf("no hits: %v, %v", none, err)
	}
	for end := range len(response) - len(`]}}`) {
		if got, err := Records([]byte(response[:end])); !errors.Is(err, ErrNoRecord) {
			t.Fatalf("cut off at %d: %q, %v", end, got, err)
		}
	}
}

func TestX9_IDs(t *testing.T) {
	t.Parallel()
	response := `{"took":1,"hits":{"hits":[
		{"_index":"i","_score":null,"fields":{"id":[9223372036854775807]},"sort":["A \"fields\":{\"id\":[7]}",2]},
		{"_index":"i","_score":null,"fields":{"id":[1]},"sort":[1]}]}}`
	want := []string{`{"id":9223372036854775807}`, `{"id":1}`}
	got, err := IDs([]byte(response))
	if diff := cmp.Diff(want, texts(got)); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if none, err := IDs([]byte(`{"hits":{"hits":[]}}`)); err != nil || len(none) != 0 {
		t.Errorf("no hits: %v, %v", none, err)
	}
	for _, bad := range []string{`{"hits":{"hits":[{"fields":{"id":[x]}}]}}`, `{"hits":{"hits":[{"fields":{"id":[1,2]}}]}}`, response[:len(response)-1]} {
		if got, err := IDs([]byte(bad)); !errors.Is(err, ErrNoRecord) {
			t.Errorf("%s: %q, %v", bad, got, err)
		}
	}
}

// TestX49_WholeSources: a source that still has the object x is read without it, whatever texts hold.
func TestX49_WholeSources(t *testing.T) {
	t.Parallel()
	whole := `{"_index":"i","_id":"2","_score":null,"_source":{"id":2,"owner":"}}},\"x\":{","n":null,"x":{"text":["},\"sort\":["],"code":{"id":"8"}}}`
	record := `{"id":2,"owner":"}}},\"x\":{","n":null}`
	sorted := []byte(`{"hits":{"hits":[` + whole + `,"sort":[7]},` + whole + `,"sort":[8]}]}}`)
	got, err := Records(sorted)
	if diff := cmp.Diff([]string{record, record}, texts(got)); diff != "" || err != nil {
		t.Errorf("records: %v (-want +got):\n%s", err, diff)
	}
	if first, last := Sorts(sorted); string(first) != "[7]" || string(last) != "[8]" {
		t.Errorf("sorted by %s to %s", first, last)
	}
	one, err := Record([]byte(whole + "}"))
	if diff := cmp.Diff(record, string(one)); diff != "" || err != nil {
		t.Errorf("one: %v (-want +got):\n%s", err, diff)
	}
}

// A record must not grow into the response after it.
func TestRecords_RecordsAreCapped(t *testing.T) {
	t.Parallel()
	response := []byte(`{"hits":{"hits":[{"_source":{"id":1}},{"_source":{"id":2}}]}}`)
	got, err := Records(response)
	if err != nil {
		t.Fatal(err)
	}
	_ = append(got[0], "overwritten"...)
	if string(got[1]) != `{"id":2}` {
		t.Errorf("the second record became %s", got[1])
	}
}

func texts(records []index.Record) []string {
	s := make([]string, len(records))
	for i, r := range records {
		s[i] = string(r)
	}
	return s
}

func TestCanonical(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, in, want string }{
		{"plain", `{"id":1,"a":-1.5,"s":"E1 x","n":null}`, `{"id":1,"a":-1.5,"s":"E1 x","n":null}`},
		{"large", `{"a":1.234567891E7}`, `{"a":12345678.91}`},
		{"small", `{"a":1.0E-4,"b":[-2.5E-7]}`, `{"a":0.0001,"b":[-0.00000025]}`},
		{"whole", `{"a":100000000000000000000,"b":1E+2}`, `{"a":100000000000000000000,"b":100}`},
		{"exponents in texts", `{"s":"1E5 -2E-7","a":1E5}`, `{"s":"1E5 -2E-7","a":100000}`},
		{"control characters", `{"s":"\u0001\u001F\b\f\n"}`, `{"s":"\u0001\u001f\b\f\n"}`},
		{"beyond the basic plane", `{"s":"\uD83D\uDE00"}`, `{"s":"😀"}`},
		{"line separators", "{\"s\":\"a\u2028b\u2029\"}", `{"s":"a\u2028b\u2029"}`},
		{"quotes and backslashes", `{"s":"\"\\u0041\\"}`, `{"s":"\"\\u0041\\"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := Canonical([]byte(test.in))
			if err != nil || string(got) != test.want {
				t.Errorf("%s, %v; want %s", got, err, test.want)
			}
		})
	}
	for _, in := range []string{``, `null`, `[1]`, `{"a":1E999}`, `{"s":"\u00`, `{"s":"\uZZZZ"}`} {
		if got, err := Canonical([]byte(in)); err == nil {
			t.Errorf("%s became %s without an error", in, got)
		}
	}
}

// FuzzRecords holds that no response ever makes Records panic, and that what it reads from valid JSON is what
// encoding/json reads.
func FuzzRecords(f *testing.F) {
	f.Add([]byte(`{"took":1,"hits":{"total":{"value":2},"hits":[{"_id":"1","_source":{"a":1.5E9,"s":"\u00e9\\"},"sort":[1]}]}}`))
	f.Add([]byte(`{"hits":{"hits":[{"_source":{"a":[1E-9,{}],"b":"\u2028"}},{"_source":{}}]}}`))
	f.Add([]byte(`{"hits":{"hits":[{"_source":{"a":"1E5"}`))
	f.Fuzz(func(t *testing.T, response []byte) {
		got, err := Records(response)
		var want struct {
			Hits *struct {
				Hits []struct {
					Source json.RawMessage `json:"_source"`
				} `json:"hits"`
			} `json:"hits"`
		}
		if err != nil || json.Unmarshal(response, &want) != nil || bytes.IndexByte(response, '\\') >= 0 ||
			strings.Count(string(response), `"hits"`) != 2 {
			return // escaped and repeated names are read in other ways
		}
		if sorts := strings.Count(string(response), `"sort"`); sorts != 0 && sorts != len(got) {
			return // all hits were sorted, or none
		}
		if want.Hits == nil || len(want.Hits.Hits) != len(got) {
			return // names that differ in case only are one to encoding/json
		}
		for i, hit := range want.Hits.Hits {
			if strings.Count(string(response), `"_source"`) != len(got) || !isSource(hit.Source) {
				return
			}
			if !sameJSON(t, hit.Source, got[i]) {
				t.Errorf("%s became %s", hit.Source, got[i])
			}
		}
	})
}

// isSource reports whether text is what a source can be: an object none of whose members has members of its own.
func isSource(text []byte) bool {
	var members map[string]json.RawMessage
	err := json.Unmarshal(text, &members)
	for _, m := range members {
		if bytes.IndexByte(m, '{') >= 0 {
			return false
		}
	}
	return err == nil
}

func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y any
	if json.Unmarshal(a, &x) != nil {
		return true
	}
	if err := json.Unmarshal(b, &y); err != nil {
		return false
	}
	return cmp.Equal(x, y)
}

func BenchmarkRecords(b *testing.B) {
	hit := `{"_index":"filings-20260101-000000.000000-v1","_id":"1","_score":null,"_source":` +
		string(index.AppendRecord(nil, elastictest.Filings(1)[0])) + `,"sort":[1,2]}`
	response := []byte(`{"took":1,"timed_out":false,"hits":{"hits":[` + strings.Repeat(hit+",", 19) + hit + `]}}`)
	b.SetBytes(int64(len(response)))
	for b.Loop() {
		if _, err := Records(response); err != nil {
			b.Fatal(err)
		}
	}
}

// A total is exact or it is none.
func TestE6_Total(t *testing.T) {
	t.Parallel()
	head := `{"took":1,"timed_out":false,"_shards":{"total":1,"successful":1,"skipped":0,"failed":0},"hits":{`
	for _, tt := range []struct {
		hits  string
		n     int64
		exact bool
	}{
		{`"total":{"value":0,"relation":"eq"},"max_score":null,"hits":[]}}`, 0, true},
		{`"total":{"value":10000,"relation":"eq"},"max_score":null,"hits":[]}}`, 10_000, true},
		{`"total":{"value":10000,"relation":"gte"},"max_score":null,"hits":[]}}`, 0, false},
		{`"total":10000,"max_score":null,"hits":[]}}`, 0, false},
		{`"max_score":null,"hits":[{"_source":{"owner":"\"hits\":{\"total\":{\"value\":7,\"relation\":\"eq\"}"}}]}}`, 0, false},
		{`"total":{"value":1`, 0, false},
	} {
		if n, exact := Total([]byte(head + tt.hits)); n != tt.n || exact != tt.exact {
			t.Errorf("%s: %d, exact: %t", tt.hits, n, exact)
		}
	}
}
