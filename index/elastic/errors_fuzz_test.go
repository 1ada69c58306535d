package elastic

import (
	"encoding/json"
	"errors"
	"testing"

	"filings/index"
)

// FuzzAnswerError: whatever comes with a status is an error; and unless it is JSON nothing is concluded from it but that
// Elasticsearch did not answer.
func FuzzAnswerError(f *testing.F) {
	f.Add(404, []byte(`{"error":{"root_cause":[{"type":"index_not_found_exception"}]}}`))
	f.Add(404, []byte(`{"error":"alias [a] missing"}`))
	f.Add(404, []byte(`<html>`))
	f.Add(503, []byte(`{"error":[]}`))
	f.Add(400, []byte(`null`))
	f.Fuzz(func(t *testing.T, status int, answer []byte) {
		err := newAnswerError(status, answer)
		if err.Error() == "" {
			t.Fatal("no text")
		}
		if !json.Valid(answer) && (!errors.Is(err, index.ErrUnavailable) || errors.Is(err, index.ErrNotFound) || errors.Is(err, index.ErrGone)) {
			t.Fatalf("%d %q: %v", status, answer, err)
		}
	})
}

// FuzzCheckWhole: an answer that passes is an object that neither timed out nor lacks a shard, wherever in its head that
// is said.
func FuzzCheckWhole(f *testing.F) {
	f.Add([]byte(`{"took":1,"timed_out":true,"hits":{}}`))
	f.Add([]byte(`{"_shards":{"total":2,"failed":1},"timed_out":false}`))
	f.Add([]byte(` {"a":"}","timed_out" : true}`))
	f.Add([]byte(`{"timed_out":tru}`))
	f.Fuzz(func(t *testing.T, answer []byte) {
		if checkWhole(answer) != nil {
			return
		}
		var members map[string]json.RawMessage
		if json.Unmarshal(answer, &members) != nil {
			return // whoever reads it notices
		}
		if members == nil {
			t.Fatalf("%q is no object", answer)
		}
		for _, v := range members {
			if v[0] == '{' || v[0] == '[' {
				return // what follows results is not looked at
			}
		}
		if string(members["timed_out"]) == "true" {
			c := cursor{b: answer}
			if n := countKey(&c, "timed_out"); n == 1 {
				t.Fatalf("%q passes", answer)
			}
		}
	})
}

// countKey counts the members of that name: of two, encoding/json takes the last and we the first.
func countKey(c *cursor, name string) (n int) {
	for c.enter('{'); c.next('}'); c.skip() {
		if string(c.key()) == name {
			n++
		}
	}
	return n
}
