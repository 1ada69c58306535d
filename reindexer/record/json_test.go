package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"filings/index"
)

// FuzzJSON holds the scanner against encoding/json: the same texts are valid, and the values are the same.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{
		everything, `{}`, ` { } `, `{"id":1}`, `{"a":[1,2,{"b":null}],"c":"\ud83c\udf1e\u00e9\n"}`, `{"a":1e5,"b":-0.0,"c":-}`,
		`{"a":[,]}`, `{"a":1,}`, `{"a" 1}`, `{"a":tru}`, `{"a":[1 2]}`, `[1]`, `"a"`, `{"a":"\x"}`, `{"a":"\u12g4"}`, `{"a":01}`, `{"a":1.}`,
		`{"a":"` + "\t" + `"}`, `{"a":["x",1]}`, `{"a":["x","y"]}`, `{"a":{"b":{"c":[[]]}}}`, `{"a":"\ud800\u0041"}`, `{"a":1}x`, `{"a":nullx}`, `{{ `,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return // refused before it is scanned
		}
		got := map[string]any{}
		err := (&scanner{text: text}).object(new(value), func(name string, v *value) { got[name] = plain(v) })
		var want map[string]json.RawMessage
		wantErr := json.Unmarshal([]byte(text), &want)
		if want == nil && wantErr == nil {
			return // the literal null, which is no object
		}
		if (err != nil) != (wantErr != nil) {
			t.Fatalf("%q: error %v, encoding/json says %v", text, err, wantErr)
		}
		if err != nil {
			if errors.Is(err, ErrCut) && !cutOff(text) {
				t.Fatalf("%q is said to be cut off", text)
			}
			return
		}
		for name, raw := range want {
			var v any
			d := json.NewDecoder(bytes.NewReader(raw))
			d.UseNumber()
			if err := d.Decode(&v); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(simple(v), got[name]); diff != "" {
				t.Fatalf("%q: %s (-want +got):\n%s", text, name, diff)
			}
		}
		if len(got) != len(want) {
			t.Fatalf("%q: %d names, want %d", text, len(got), len(want))
		}
	})
}

// plain returns what the scanner keeps of a value.
func plain(v *value) any {
	switch v.kind {
	case kindString:
		return v.text
	case kindNumber:
		return json.Number(v.text)
	case kindBool:
		return v.text == "true"
	case kindStrings:
		return append([]string{}, v.list...)
	case kindList:
		return "a list"
	case kindObject:
		return "an object"
	}
	return nil
}

// simple returns the same of a decoded value. A list with half of a surrogate pair, which became U+FFFD, is taken for
// one of texts: the caller has to give none.
func simple(v any) any {
	switch v := v.(type) {
	case []any:
		texts := []string{}
		for _, item := range v {
			s, ok := item.(string)
			if !ok || strings.ContainsRune(s, utf8.RuneError) {
				return "a list"
			}
			texts = append(texts, s)
		}
		return texts
	case map[string]any:
		return "an object"
	}
	return v
}

// cutOff reports whether text can be made valid by adding to it: whether encoding/json, too, fails at its very end.
func cutOff(text string) bool {
	var syntax *json.SyntaxError
	err := json.Unmarshal([]byte(text), new(any))
	return errors.As(err, &syntax) && syntax.Offset >= int64(len(text))
}

func TestJSON_Depth(t *testing.T) {
	t.Parallel()
	for _, depth := range []int{1, 9_999, 10_000, 10_001, 100_000} {
		text := strings.Repeat("[", depth-1) + strings.Repeat("]", depth-1)
		if depth == 1 {
			text = "0"
		}
		text = `{"x":` + text + `}`
		err := (&scanner{text: text}).object(new(value), func(string, *value) {})
		if (err == nil) != json.Valid([]byte(text)) {
			t.Errorf("depth %d: error %v, encoding/json says %v", depth, err, json.Valid([]byte(text)))
		}
	}
}

// TestParser_ForgetsWhatWasBefore uses one Parser and one filing for many records, as a load does.
func TestParser_ForgetsWhatWasBefore(t *testing.T) {
	t.Parallel()
	p := New(Rules{Ignored: Names{}})
	f := new(index.Filing)
	var last Result
	for _, text := range []string{everything, `{"id":1,"x":1,"owner":5}`, `{"id":2,"county":"A, FL","x":1}`} {
		last = p.Parse(text, f)
	}
	if diff := cmp.Diff(map[string]any{"id": 2.0, "county": "A, FL"}, values(t, f)); diff != "" || last != (Result{}) {
		t.Errorf("result %+v, filing (-want +got):\n%s", last, diff)
	}
}
