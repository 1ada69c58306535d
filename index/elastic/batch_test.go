package elastic

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"filings/index"
	"filings/index/elastic/client"
)

// TestBatch_EveryActionIsAccountedFor reads responses to: put 1, put 2, remove 3.
func TestBatch_EveryActionIsAccountedFor(t *testing.T) {
	t.Parallel()
	const (
		one    = `{"index":{"_id":"1","status":201}}`
		two    = `{"index":{"_id":"2","status":200}}`
		three  = `{"delete":{"_id":"3","status":200}}`
		busy   = `"status":429,"error":{"type":"es_rejected_execution_exception","reason":"queue is full"}}}`
		broken = `{"index":{"_id":"2","status":400,"error":{"type":"document_parsing_exception","reason":"bad"}}}`
	)
	tests := []struct {
		name  string
		items []string
		want  string  // in the error, "" for none
		again []int64 // what is sent again; nil: all
	}{
		{"all done", []string{one, two, three}, "", nil},
		{"nothing to delete", []string{one, two, `{"delete":{"_id":"3","status":404}}`}, "", nil},
		{"a later action was faster", []string{one, two,
			`{"delete":{"_id":"3","status":409,"error":{"type":"version_conflict_engine_exception","reason":"r"}}}`}, "", nil},
		{"one refused for now", []string{one, `{"index":{"_id":"2",` + busy, three}, "queue is full", []int64{2}},
		{"the last refused for now", []string{one, two, `{"delete":{"_id":"3",` + busy}, "queue is full", []int64{3}},
		{"all refused for now", []string{
			`{"index":{"_id":"1",` + busy, `{"index":{"_id":"2",` + busy, `{"delete":{"_id":"3",` + busy,
		}, "queue is full", []int64{1, 2, 3}},
		{"one refused for good", []string{one, broken, three},
			"filing 2: elasticsearch responded 400 document_parsing_exception: bad", nil},
		{"one for good, one for now", []string{`{"index":{"_id":"1",` + busy, broken, three}, "filing 2", nil},
		{"an index that is not there", []string{one, two,
			`{"delete":{"_id":"3","status":404,"error":{"type":"index_not_found_exception","reason":"r"}}}`}, "filing 3", nil},
		{"no items", nil, "0 of 3", nil},
		{"too few items", []string{one, two}, "2 of 3", nil},
		{"too many items", []string{one, two, three, three}, "4 of 3", nil},
		{"items in another order", []string{two, one, three}, "0 of 3", nil},
		{"an item about nothing", []string{one, `{}`, three}, "1 of 3", nil},
		{"an item without a status", []string{one, `{"index":{"_id":"2"}}`, three}, "responded 0", []int64{2}},
		{"half a response", []string{one, two, `{"delete":`}, "of 3", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var b batch
			b.put(filing(1, "A"), 11)
			b.put(filing(2, "B"), 12)
			b.remove(3, 13)
			whole := string(b.body)
			err := b.read([]byte(`{"errors":true,"items":[` + strings.Join(test.items, ",") + `]}`))
			if test.want == "" != (err == nil) || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Fatalf("got %v, want an error with %q", err, test.want)
			}
			if test.again == nil {
				test.again = []int64{1, 2, 3}
			}
			if diff := cmp.Diff(test.again, b.ids); diff != "" {
				t.Errorf("to be sent again (-want +got):\n%s", diff)
			}
			var want string
			for _, id := range test.again {
				lines := strings.SplitAfter(whole, "\n")
				want += map[int64]string{1: lines[0] + lines[1], 2: lines[2] + lines[3], 3: lines[4]}[id]
			}
			if diff := cmp.Diff(want, string(b.body)); diff != "" {
				t.Errorf("body (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBatch_GarbageIsTemporary(t *testing.T) {
	t.Parallel()
	for _, response := range []string{"", "<html>", "null", "{}", `{"items":{}}`, `{"items":[1]}`} {
		var b batch
		b.remove(1, 1)
		if err := b.read([]byte(response)); !client.IsTemporary(err) || !errors.Is(err, index.ErrUnavailable) {
			t.Errorf("%q: got %v, want a temporary error", response, err)
		}
	}
}
