package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"math/big"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"filings/index"
)

// FuzzValues holds Values against encoding/json: the same texts are valid, but for names that come twice and halves of characters,
// and the values are the same.
func FuzzValues(f *testing.F) {
	for _, s := range []string{
		everything, ` 7 `, `-0`, `1e5`, `9007199254740993`, `123456789012345678`, `1234567890123456789012`, `[]`, `[1,[2,{"a":null}]]`, `{"a":{"b":[true,false]}}`,
		`"\ud83c\udf1e\ud800"`, `nul`, `{"a":1,"a":2}`, `{"a":1,}`, `[1,]`, `1 2`, ``, `{"a":`, `{"":""}`, `1.50`, `{"a":{"b":1,"\u0062":2}}`, `["\udc00"]`, `{"\ud800":1}`, `"\\ufffd"`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return // refused before it is read
		}
		got, err := Values(text, map[string]any{})
		var want any
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		wantErr := d.Decode(&want)
		if _, more := d.Token(); wantErr == nil && more != io.EOF {
			wantErr = more
			if wantErr == nil {
				wantErr = io.ErrNoProgress
			}
		}
		if wantErr == nil && guessed(text) {
			wantErr = errors.New("encoding/json guesses")
		}
		if (err != nil) != (wantErr != nil) {
			t.Fatalf("%q: %v, encoding/json says %v", text, err, wantErr)
		}
		if err == nil && !cmp.Equal(want, numbers(got)) {
			t.Fatalf("%q: %s", text, cmp.Diff(want, numbers(got)))
		}
	})
}

// escapedReplacement is an escape of U+FFFD, or a backslash that begins none.
var escapedReplacement = regexp.MustCompile(`\\\\|\\u[fF]{3}[dD]`)

// guessed reports whether encoding/json, which accepts text, takes one of several members of a name, or U+FFFD for half of a
// surrogate pair.
func guessed(text string) bool {
	replaced := -strings.Count(text, "\uFFFD")
	for _, escape := range escapedReplacement.FindAllString(text, -1) {
		if escape != `\\` {
			replaced--
		}
	}
	d := json.NewDecoder(strings.NewReader(text))
	var names []map[string]bool // of the objects that are open; nil for an array
	name := false               // a name is next
	for token, err := d.Token(); err == nil; token, err = d.Token() {
		s, isText := token.(string)
		replaced += strings.Count(s, "\uFFFD")
		switch {
		case token == json.Delim('{'):
			names = append(names, map[string]bool{})
		case token == json.Delim('['):
			names = append(names, nil)
		case token == json.Delim('}'), token == json.Delim(']'):
			names = names[:len(names)-1]
		case name && isText && names[len(names)-1][s]:
			return true
		case name:
			names[len(names)-1][s] = true
			name = false
			continue
		}
		name = len(names) > 0 && names[len(names)-1] != nil
	}
	return replaced > 0
}

// TestL4_Values: what plain records are rejected for, JSON that has two meanings or half of a character, a mapping does not get
// either, at any depth; a record that is cut off behind it is cut off.
func TestL4_Values(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"a":1,"a":2}`:             `the name "a" appears twice`,
		`{"a":1,"b":2,"\u0061":1}`:  `the name "a" appears twice`,
		`{"b":[{"c":null,"c":[]}]}`: `the name "c" appears twice`,
		`{"a":"\ud800"}`:            `the text at byte 6 has a lone surrogate, which is no character`,
		`{"a":["x\udc00\ud800"]}`:   `the text at byte 7 has a lone surrogate, which is no character`,
		`{"\udfff":1}`:              `the text at byte 2 has a lone surrogate, which is no character`,
		`"\ud800"`:                  `the text at byte 1 has a lone surrogate, which is no character`,
		`{"a":1,"a":"\ud800"}`:      `the text at byte 12 has a lone surrogate, which is no character`, // it comes first
		`{"a":"\ud800","b":`:        ErrCut.Error(),
		`{"a":1,"a":2,"b":tru`:      ErrCut.Error(),
	} {
		if v, err := Values(text, map[string]any{}); err == nil || err.Error() != want {
			t.Errorf("%s: %v, %v; want %s", text, v, err, want)
		}
	}
	for _, text := range []string{`{"a":1,"A":2}`, `{"a":{"a":1},"b":{"a":1}}`, `{"a":"\ud83c\udf1e\ufffd"}`, `[{"a":1},{"a":2}]`} {
		if _, err := Values(text, nil); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// numbers returns v with its numbers as encoding/json has them.
func numbers(v any) any {
	switch v := v.(type) {
	case int:
		text, _ := json.Marshal(v) // an int
		return json.Number(text)
	case []any:
		for i := range v {
			v[i] = numbers(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = numbers(v[name])
		}
	}
	return v
}

// TestX20_Object: an object is read as its text is, in the order of its names: the same filing, or the same fault.
func TestX20_Object(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		everything, `{}`, `{"id":1}`, `{"county":"A, FL","id":1,"x":1}`, `{"county":"A","id":"7"}`, `{"categories":["land",1],"county":"A, FL","id":1}`,
		`{"categories":"land","county":"A, FL","id":1}`, `{"county":{"a":1},"id":1}`, `{"county":"A, FL","filingAmount":true,"id":1}`, `{"county":"A, FL","filingAmount":1e400,"id":1}`,
		`{"county":"A, FL","filingAmount":0.005,"id":1}`, `{"deleted":true,"id":7}`, `{"deleted":1,"id":7}`, `{"county":"A, FL","id":1,"owner":"a\u0000"}`, `{"county":null,"id":1.5}`,
		`{"categories":[],"county":"A, FL","id":1,"owner":""}`, `{"county":"A, FL","id":1,"yearBuilt":1987.0}`,
	} {
		for _, rules := range []Rules{{}, {Strict: true, Update: true}} {
			var sorted map[string]json.RawMessage
			if err := json.Unmarshal([]byte(text), &sorted); err != nil {
				t.Fatal(err)
			}
			inOrder, _ := json.Marshal(sorted) // what was valid
			rules.Ignored = Names{}
			want := new(index.Filing)
			wantResult := New(rules).Parse(string(inOrder), want)
			object, err := Values(text, nil)
			got := new(index.Filing)
			if result := New(rules).ParseObject(object.(map[string]any), got); err != nil || result != wantResult || !bytes.Equal(index.AppendRecord(nil, got), index.AppendRecord(nil, want)) {
				t.Errorf("%s: %+v, want %+v; %v", text, result, wantResult, err)
			}
		}
	}
}

// TestX20_Numbers: values that JSON cannot hold are read as jq writes them.
func TestX20_Numbers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		of   any
		want string
	}{
		{1e21, "1e+21"}, {1e-7, "1e-07"}, {123456789.5, "123456789.5"}, {new(big.Int).Lsh(big.NewInt(1), 70), "1180591620717411303424"}, {nil, ""}, {false, "false"},
	} {
		var v value
		if v.of(tt.of); v.text != tt.want || v.missing() != (tt.want == "") {
			t.Errorf("%v: %q", tt.of, v.text)
		}
	}
}

// TestL4_Object: what no JSON can hold, and a program can make, is a fault of the field, and no guess.
func TestL4_Object(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		of   any
		want string
	}{
		{"filingAmount", math.Inf(1), "is infinite"}, {"currentAmount", math.Inf(-1), "is infinite"}, {"filingAmount", math.NaN(), "is not a number: nan"},
		{"yearBuilt", math.Inf(1), "is infinite"}, {"geocodedLatitude", math.NaN(), "is not a number: nan"}, {"owner", math.Inf(1), "is infinite"},
		{"id", math.NaN(), "is not a number: nan"}, {"owner", "a\xffb", "has text that is not UTF-8"}, {"filingDate", "\xff", "has text that is not UTF-8"},
		{"categories", []any{"land", "\xff"}, "has text that is not UTF-8"}, {"createdAt", "2024-01-01T00:00:00\xff", "has text that is not UTF-8"},
		{"deleted", math.NaN(), "is not a number: nan"},
	} {
		object := map[string]any{"id": 7, "county": "A, FL"}
		object[tt.name] = tt.of
		result := New(Rules{Update: true}).ParseObject(object, new(index.Filing))
		if result.Field != tt.name || result.Reason != tt.want {
			t.Errorf("%s %v: %+v, want %s", tt.name, tt.of, result, tt.want)
		}
	}
	if result := New(Rules{}).ParseObject(map[string]any{"id": 7, "county": "A, FL", "x": math.NaN()}, new(index.Filing)); result.Reason != "" {
		t.Errorf("of a name that no field has: %+v", result)
	}
}
