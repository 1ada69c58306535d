package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWalker(t *testing.T) {
	t.Parallel()
	w := Walk([]byte(` {"a" : {"x":"}]\"\\"} , "b":[1, {"n":[]}, -2.5e3 ],"c":"é\\","d":null, "e":7, "f":[] } `))
	var got []string
	for name := range w.Object() {
		switch string(name) {
		case "b":
			for range w.Array() {
				got = append(got, "item", string(w.Raw()))
			}
		case "d", "e":
			got = append(got, string(name), string(mustMarshal(t, w.Number())))
		case "f":
			for range w.Array() {
				t.Error("an item of an empty array")
			}
		case "c": // is skipped
		default:
			got = append(got, string(name), string(w.Raw()))
		}
	}
	want := []string{"a", `{"x":"}]\"\\"}`, "item", "1", "item", `{"n":[]}`, "item", "-2.5e3", "d", "0", "e", "7"}
	if diff := cmp.Diff(want, got); diff != "" || w.Err() != nil {
		t.Errorf("%v (-want +got):\n%s", w.Err(), diff)
	}
}

func mustMarshal(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestWalker_WhatWasNotExpected(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, in string
		want     int64
		ok       bool
	}{
		{"there", `{"n":7,"m":8}`, 7, true},
		{"behind others", `{"o":{"n":1},"a":["n",{"n":2}],"s":"\"n\":3","n":-4}`, -4, true},
		{"not there", `{"o":{"n":1}}`, 0, true},
		{"no object", `["n",1]`, 0, false},
		{"no number", `{"n":"7"}`, 0, false},
		{"cut off", `{"n":7,`, 7, false},
		{"cut off before", `{"o":{"a":1},`, 0, false},
		{"cut off within a text", `{"o":"abc\"`, 0, false},
		{"empty", ``, 0, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w, got := Walk([]byte(test.in)), int64(0)
			for name := range w.Object() {
				if string(name) == "n" {
					got = w.Integer()
				}
			}
			if got != test.want || (w.Err() == nil) != test.ok || !test.ok && !errors.Is(w.Err(), ErrResponse) {
				t.Errorf("found %d, %v; want %d, %v", got, w.Err(), test.want, test.ok)
			}
		})
	}
}

// FuzzWalker holds that a Walker never panics or hangs, and takes valid JSON apart into the parts that encoding/json
// sees.
func FuzzWalker(f *testing.F) {
	for _, seed := range []string{`{"a":[1,{"b":"\\\""}],"c":null}`, `[]`, `"x`, `{"a":`, `{{`, `{"a"1,,}`, ` { } `} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		w := Walk(in)
		got := map[string]string{}
		for name := range w.Object() {
			member := string(name)
			got[member] = string(w.Raw())
		}
		if !json.Valid(in) || bytes.IndexByte(bytes.TrimSpace(in), '{') != 0 || bytes.IndexByte(in, '\\') >= 0 {
			return // escaped names are not decoded
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal(in, &want); err != nil {
			t.Fatal(err)
		}
		if len(got) != len(want) || w.Err() != nil {
			t.Fatalf("%q: %d members, %v; want %d", in, len(got), w.Err(), len(want))
		}
		for name, v := range want {
			if string(v) != got[name] {
				// Invalid UTF-8 in a name is replaced by encoding/json.
				if _, ok := got[name]; ok {
					t.Fatalf("%q: %s is %q; want %q", in, name, got[name], v)
				}
			}
		}
	})
}
