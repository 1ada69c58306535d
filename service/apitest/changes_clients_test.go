package apitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"filings/cmd/testservers/servers"
	"filings/index"
	"filings/index/indextest/edges"
	"filings/service/access"
	"filings/service/servicetest"
)

// TestX18_Programs runs the programs of the documents through loads, updates and rollbacks, some of which they miss. Each time
// what they keep is what a fresh export gives: to the byte in Go, which keeps records as they come.
func TestX18_Programs(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "documents")
	for language, build := range map[string]func(t *testing.T, dir string) []string{
		"python": func(t *testing.T, dir string) []string {
			write(t, filepath.Join(dir, "main.py"), programOf(t, "python"))
			return []string{filepath.Join(filepath.Dir(servers.Tool(t, "mypy")), "python"), "main.py"}
		},
		"go": func(t *testing.T, dir string) []string {
			write(t, filepath.Join(dir, "main.go"), programOf(t, "go"))
			c := exec.CommandContext(t.Context(), servers.Program(t, "go"), "build", "-o", "main", "main.go")
			c.Dir = dir
			output(t, c)
			return []string{filepath.Join(dir, "main")}
		},
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			command := build(t, dir)
			e := &lineage{}
			s := newSite(t, caching{e})
			l := servicetest.ListenTLS(t, s.App)
			r := rand.New(rand.NewPCG(18, 2))
			for n := range 14 {
				happen(r, e, n)
				s.clock.Advance(2e9)
				if n%4 == 2 { // missed; the second time it is too long ago
					continue
				}
				if n == 7 {
					e.Keep(1)
				}
				c := exec.CommandContext(t.Context(), command[0], command[1:]...)
				c.Dir = dir
				c.Env = append(os.Environ(), "API=https://"+l.Address, "KEY="+s.Keys[access.Pro], "SSL_CERT_FILE="+l.Certificate, "REQUESTS_CA_BUNDLE="+l.Certificate)
				output(t, c)
				sameCopy(t, fmt.Sprintf("%s, after %d", language, n), filepath.Join(dir, "copy.json"), s.get(t, access.Pro, "/v1/filings/export"), language == "go")
			}
			exports := strings.Count(s.Log.String(), `"route":"/v1/filings/export"`) - 11 // which are the test's own
			if gone := strings.Count(s.Log.String(), `"status":410`); gone != 1 || exports != 2 {
				t.Errorf("it exported %d times, and was told to %d times", exports, gone)
			}
		})
	}
}

// programOf returns the program in a language that docs/api/changes.md has.
func programOf(t *testing.T, language string) []byte {
	t.Helper()
	_, rest, ok := bytes.Cut(read(t, "../../docs/api/changes.md"), []byte("\n```"+language+"\n"))
	program, _, also := bytes.Cut(rest, []byte("\n```\n"))
	if !ok || !also {
		t.Fatalf("there is no block of %s", language)
	}
	return program
}

// happen promotes or rolls back something.
func happen(r *rand.Rand, e *lineage, n int) {
	if n%5 == 4 {
		e.rollback(max(1, e.live-1))
		return
	}
	var filings []*index.Filing
	if e.contents != nil && n%5 != 3 {
		filings = slices.Clone(e.contents[e.live]) // an update
	} else {
		filings = edges.Fuzzed(1_500, 18)
	}
	for i := range filings {
		if r.IntN(20) == 0 {
			filings[i] = edges.Clone(filings[i])
			filings[i].SetText([]index.Field{index.Owner, index.AISummary, index.OwnerEmailPrimary}[n%3], fmt.Sprintf("<%d> & \u2028 %d", n, i))
		}
	}
	at := r.IntN(len(filings) - 50)
	e.promote(slices.Delete(filings, at, at+r.IntN(50)))
}

// sameCopy compares a program's copy with a fresh export: to the byte, or as values.
func sameCopy(t *testing.T, what, file string, export response, toTheByte bool) {
	t.Helper()
	var kept struct {
		Generation string
		Filings    json.RawMessage
	}
	if err := json.Unmarshal(read(t, file), &kept); err != nil {
		t.Fatal(err)
	}
	if want := export.header.Get("X-Generation"); kept.Generation != want {
		t.Fatalf("%s: of %s, want %s", what, kept.Generation, want)
	}
	fresh := map[int64]json.RawMessage{}
	for line := range strings.Lines(export.body) {
		fresh[idOfRecord(t, []byte(line))] = json.RawMessage(strings.TrimSpace(line))
	}
	got := map[int64]json.RawMessage{}
	if toTheByte {
		if err := json.Unmarshal(kept.Filings, &got); err != nil {
			t.Fatal(err)
		}
	} else {
		var list []json.RawMessage
		if err := json.Unmarshal(kept.Filings, &list); err != nil {
			t.Fatal(err)
		}
		for _, record := range list {
			got[idOfRecord(t, record)] = record
		}
	}
	if len(got) != len(fresh) {
		t.Fatalf("%s: %d filings, want %d", what, len(got), len(fresh))
	}
	for id, want := range fresh {
		var a, b any
		if toTheByte && !bytes.Equal(got[id], want) || json.Unmarshal(got[id], &a) != nil || json.Unmarshal(want, &b) != nil || !reflect.DeepEqual(a, b) {
			t.Fatalf("%s: filing %d\nwant %s\ngot  %s", what, id, want, got[id])
		}
	}
}

func idOfRecord(t *testing.T, record []byte) int64 {
	t.Helper()
	var f struct{ ID int64 }
	if err := json.Unmarshal(record, &f); err != nil {
		t.Fatalf("%s: %v", record, err)
	}
	return f.ID
}
