package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"filings/index"
)

// FuzzError: whatever comes with a status is an error; and unless it is JSON nothing is concluded from it but that
// Elasticsearch did not respond.
func FuzzError(f *testing.F) {
	f.Add(404, []byte(`{"error":{"root_cause":[{"type":"index_not_found_exception"}]}}`))
	f.Add(404, []byte(`{"error":"alias [a] missing"}`))
	f.Add(404, []byte(`<html>`))
	f.Add(503, []byte(`{"error":[]}`))
	f.Add(400, []byte(`null`))
	f.Fuzz(func(t *testing.T, status int, response []byte) {
		err := newError(status, response)
		if err.Error() == "" {
			t.Fatal("no text")
		}
		if !json.Valid(response) && (!errors.Is(err, index.ErrUnavailable) || errors.Is(err, index.ErrNotFound) || errors.Is(err, index.ErrGone)) {
			t.Fatalf("%d %q: %v", status, response, err)
		}
	})
}

// FuzzCheckWhole: a response that passes is an object that neither timed out nor lacks a shard,
// wherever in its head that is said.
func FuzzCheckWhole(f *testing.F) {
	f.Add([]byte(`{"took":1,"timed_out":true,"hits":{}}`))
	f.Add([]byte(`{"_shards":{"total":2,"failed":1},"timed_out":false}`))
	f.Add([]byte(` {"a":"}","timed_out" : true}`))
	f.Add([]byte(`{"timed_out":tru}`))
	f.Fuzz(func(t *testing.T, response []byte) {
		if checkWhole(response) != nil {
			return
		}
		var members map[string]json.RawMessage
		if json.Unmarshal(response, &members) != nil {
			return // whoever reads it notices
		}
		if members == nil {
			t.Fatalf("%q is no object", response)
		}
		for _, v := range members {
			if v[0] == '{' || v[0] == '[' {
				return // what follows results is not looked at
			}
		}
		if string(members["timed_out"]) == "true" {
			if countKey(response, "timed_out") == 1 {
				t.Fatalf("%q passes", response)
			}
		}
	})
}

// countKey counts the members of that name: of two, encoding/json takes the last and we the first.
func countKey(response []byte, key string) (n int) {
	d := jsontext.NewDecoder(bytes.NewBuffer(response), trusting)
	_, _ = d.ReadToken() // {
	for d.PeekKind() == '"' {
		name, _ := d.ReadToken()
		if name.String() == key {
			n++
		}
		if d.SkipValue() != nil {
			return n
		}
	}
	return n
}
