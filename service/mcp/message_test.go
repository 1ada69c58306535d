package mcp

import (
	"io"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"filings/service/params"
)

func newServer(t testing.TB) *Server {
	t.Helper()
	s, err := New(params.New("", nil), 24_000)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// called is a call with a value of an argument.
func called(value string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_filings","arguments":` +
		`{"ids":` + value + `}}}`
}

// TestX50_Depth: a message that is nested deeper than any is refused before something of it is
// decoded, whatever it is nested of and wherever. What is nested in a text alone is text. It is not
// parallel: it counts allocations.
func TestX50_Depth(t *testing.T) {
	s := newServer(t)
	for name, nested := range map[string]func(depth int) string{
		"lists":   func(n int) string { return called(strings.Repeat("[", n-3) + "1" + strings.Repeat("]", n-3)) },
		"objects": func(n int) string { return called(strings.Repeat(`{"a":`, n-3) + "1" + strings.Repeat("}", n-3)) },
		"both": func(n int) string {
			return called(strings.Repeat(`[{"a":1,"]":`, n/2-2) + "[2]" + strings.Repeat("}]", n/2-2))
		},
		"a member": func(n int) string {
			return `{"id":1,"x":` + strings.Repeat("[", n-1) + strings.Repeat("]", n-1) + `,"method":"ping"}`
		},
		"blanks between": func(n int) string { return called(strings.Repeat(" [\n", n-3) + strings.Repeat("]\t", n-3)) },
	} {
		if _, err := s.Read([]byte(nested(maxDepth))); err != nil {
			t.Errorf("%s, %d deep: %v", name, maxDepth, err)
		}
		for _, depth := range []int{maxDepth + 2, 5000} {
			body := []byte(nested(depth))
			_, err := s.Read(body)
			if err == nil || err.Error() != "lists and objects of a message must be nested at most 20 deep" {
				t.Errorf("%s, %d deep: %v", name, depth, err)
			}
			if most := testing.AllocsPerRun(10, func() { _, _ = s.Read(body) }); most > 3 {
				t.Errorf("%s, %d deep: %v allocations", name, depth, most)
			}
		}
	}
	for _, inText := range []string{strings.Repeat("[", 5000), `\"` + strings.Repeat(`{\"`, 5000)} {
		body := called(`"` + inText + `"`)
		if c, err := s.Read([]byte(body)); err != nil || c == nil {
			t.Errorf("%.100s: %v", body, err)
		}
	}
}

// TestX50_NothingDecoded: what a message of 64 KiB allocates before its key is known does not grow
// with what is in it, but for the names at its first two levels, each of which is looked at once.
// It is not parallel either.
func TestX50_NothingDecoded(t *testing.T) {
	s := newServer(t)
	for name, of := range map[string]func(n int) string{
		"items":     func(n int) string { return called("[" + strings.Repeat("1,", n) + "1]") },
		"texts":     func(n int) string { return called("[" + strings.Repeat(`"\u0061",`, n) + "1]") },
		"arguments": func(n int) string { return called("[]," + strings.Repeat(`"b":1,`, n) + `"a":1`) },
		"escapes":   func(n int) string { return called(`"` + strings.Repeat(`\ud83c\udf1e`, n) + `"`) },
		"meta": func(n int) string {
			return strings.Replace(called("1"), `"id"`, `"_meta":{"a":[`+strings.Repeat(`{"b":1},`, n)+`1]},"id"`, 1)
		},
	} {
		read := func(n int) float64 {
			body := []byte(of(n))
			return testing.AllocsPerRun(10, func() {
				if c, err := s.Read(body); c == nil || err != nil {
					t.Errorf("%s: %v", name, err)
				}
			})
		}
		if few, many := read(1), read(5000); many > few {
			t.Errorf("%s: %v allocations for 1, %v for 5000", name, few, many)
		}
	}
}

// FuzzDepth: lists and objects are nested as deep as the JSON library counts.
func FuzzDepth(f *testing.F) {
	for _, seed := range []string{`{}`, `[[],{"[":"]}"}]`, `{"a":"\\"}`, `"\"["`, `{"a":{"b":[[]]},"c":"{"}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, document string) {
		want, d := 0, jsontext.NewDecoder(strings.NewReader(document), asWritten)
		for {
			if _, err := d.ReadToken(); err == io.EOF {
				break
			} else if err != nil {
				return
			}
			want = max(want, d.StackDepth())
		}
		if got := depth([]byte(document)); got != want {
			t.Fatalf("%s: %d, want %d", document, got, want)
		}
	})
}
