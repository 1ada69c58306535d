package record

import (
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"filings/index"
)

// FuzzJSON holds JSON against encoding/json: the same texts are valid, but for names that come twice and halves of characters,
// and the values are the same.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{
		everything, ` 7 `, `-0`, `1e5`, `9007199254740993`, `123456789012345678`, `1234567890123456789012`, `[]`, `[1,[2,{"a":null}]]`, `{"a":{"b":[true,false]}}`,
		`"\ud83c\udf1e\ud800"`, `nul`, `{"a":1,"a":2}`, `{"a":1,}`, `[1,]`, `1 2`, ``, `{"a":`, `{"":""}`, `1.50`, `{"a":{"b":1,"\u0062":2}}`, `["\udc00"]`, `{"\ud800":1}`, `"\\ufffd"`, `"""000`, `{{ `,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return // refused before it is read
		}
		reader := NewJSON()
		_, _ = reader.Value(everything) // of which nothing may be left
		got, fault := reader.Value(text)
		if fault != nil && fault.Cut && !cutOff(text) {
			t.Fatalf("%q is said to be cut off", text)
		}
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
		if (fault != nil) != (wantErr != nil) {
			t.Fatalf("%q: %v, encoding/json says %v", text, fault, wantErr)
		}
		if fault == nil && !cmp.Equal(want, numbers(got)) {
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

// cutOff reports whether text can be made valid by adding to it: whether encoding/json, too, fails at its very end.
func cutOff(text string) bool {
	var syntax *json.SyntaxError
	err := json.Unmarshal([]byte(text), new(any))
	return errors.As(err, &syntax) && syntax.Offset >= int64(len(text))
}

// TestL4_JSON: JSON that has two meanings or half of a character is a fault at any depth, with the member that it is in; a record
// that is cut off behind it is cut off.
func TestL4_JSON(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Fault{
		`{"a":1,"a":2}`:             {Member: "a", Reason: "appears twice"},
		`{"a":1,"b":2,"\u0061":1}`:  {Member: "a", Reason: "appears twice"},
		`{"b":[{"c":null,"c":[]}]}`: {Member: "b", Reason: `the name "c" appears twice`},
		`{"a":"\ud800"}`:            {Member: "a", Reason: "has a lone surrogate, which is no character"},
		`{"a":["x\udc00\ud800"]}`:   {Member: "a", Reason: "has a lone surrogate, which is no character"},
		`{"\udfff":1}`:              {Reason: "has a lone surrogate, which is no character"},
		`"\ud800"`:                  {Reason: "has a lone surrogate, which is no character"},
		`{"a":1,"a":"\ud800"}`:      {Member: "a", Reason: "has a lone surrogate, which is no character"}, // it comes first
		`{"a":"\ud800","b":`:        {Reason: "the record is cut off", Cut: true},
		`{fa`:                       {Reason: "not JSON at byte 2: object member name must be a string"},
		`{true`:                     {Reason: "not JSON at byte 2: object member name must be a string"},
		`{"a":1,t`:                  {Reason: "not JSON at byte 8: object member name must be a string"},
		`{"a":1, -`:                 {Reason: "not JSON at byte 9: object member name must be a string"},
		`{"a":1,1e`:                 {Reason: "not JSON at byte 8: object member name must be a string"},
		`{[`:                        {Reason: "not JSON at byte 2: object member name must be a string"},
		`{"a":1,`:                   {Reason: "the record is cut off", Cut: true},
		`{"a":1,"a":2,"b":tru`:      {Reason: "the record is cut off", Cut: true},
	} {
		if v, fault := NewJSON().Value(text); fault == nil || *fault != want {
			t.Errorf("%s: %v, %v; want %v", text, v, fault, &want)
		}
	}
	for _, text := range []string{`{"a":1,"A":2}`, `{"a":{"a":1},"b":{"a":1}}`, `{"a":"\ud83c\udf1e\ufffd"}`, `[{"a":1},{"a":2}]`} {
		if _, fault := NewJSON().Value(text); fault != nil {
			t.Errorf("%s: %v", text, fault)
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

func TestJSON_Depth(t *testing.T) {
	t.Parallel()
	for _, depth := range []int{1, 9_999, 10_000, 10_001, 100_000} {
		text := strings.Repeat("[", depth-1) + strings.Repeat("]", depth-1)
		if depth == 1 {
			text = "0"
		}
		text = `{"x":` + text + `}`
		_, fault := NewJSON().Value(text)
		if (fault == nil) != json.Valid([]byte(text)) {
			t.Errorf("depth %d: %v, encoding/json says %v", depth, fault, json.Valid([]byte(text)))
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
		row, fault := NewJSON().Value(text)
		last = p.Parse(row, fault, f)
	}
	if diff := cmp.Diff(map[string]any{"id": 2.0, "county": "A, FL"}, values(t, f)); diff != "" || last != (Result{}) {
		t.Errorf("result %+v, filing (-want +got):\n%s", last, diff)
	}
}
