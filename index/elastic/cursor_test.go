package elastic

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCursorWalks(t *testing.T) {
	t.Parallel()
	c := cursor{b: []byte(` {"a" : {"x":"}]\"\\"} , "b":[1, {"n":[]}, -2.5e3 ],"c":"é\\","d":null } `)}
	if !c.enter('{') {
		t.Fatal("no object")
	}
	var got []string
	for c.next('}') {
		got = append(got, string(c.key()), string(c.skip()))
	}
	want := []string{"a", `{"x":"}]\"\\"}`, "b", `[1, {"n":[]}, -2.5e3 ]`, "c", `"é\\"`, "d", "null"}
	if diff := cmp.Diff(want, got); diff != "" || c.bad {
		t.Errorf("members (-want +got), bad %v:\n%s", c.bad, diff)
	}
}

func TestCursorFind(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, in string
		want     int64
		ok       bool
	}{
		{"first", `{"n":7,"m":8}`, 7, true},
		{"behind others", `{"o":{"n":1},"a":["n",{"n":2}],"s":"\"n\":3","n":-4}`, -4, true},
		{"not there", `{"o":{"n":1}}`, 0, false},
		{"no object", `["n",1]`, 0, false},
		{"no number", `{"n":"7"}`, 0, false},
		{"cut off", `{"n":7,`, 7, true},
		{"cut off before", `{"o":{"a":1},`, 0, false},
		{"cut off within a text", `{"o":"abc\"`, 0, false},
		{"empty", ``, 0, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := cursor{b: []byte(test.in)}
			var got int64
			if c.find("n") {
				got = c.integer()
			}
			if got != test.want || !c.bad != test.ok {
				t.Errorf("found %d, bad %v; want %d, %v", got, c.bad, test.want, !test.ok)
			}
		})
	}
}

// FuzzCursor holds that a cursor never panics or hangs, and takes valid JSON apart into the parts that encoding/json
// sees.
func FuzzCursor(f *testing.F) {
	for _, seed := range []string{`{"a":[1,{"b":"\\\""}],"c":null}`, `[]`, `"x`, `{"a":`, `{{`, `{"a"1,,}`, ` { } `} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		c := cursor{b: in}
		got := map[string]string{}
		if c.enter('{') {
			for c.next('}') {
				name, v := c.key(), c.skip()
				got[string(name)] = string(v)
			}
		}
		if !json.Valid(in) || bytes.IndexByte(bytes.TrimSpace(in), '{') != 0 || bytes.IndexByte(in, '\\') >= 0 {
			return // escaped names are not decoded
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal(in, &want); err != nil {
			t.Fatal(err)
		}
		if len(got) != len(want) || c.bad {
			t.Fatalf("%q: %d members, bad %v; want %d", in, len(got), c.bad, len(want))
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
