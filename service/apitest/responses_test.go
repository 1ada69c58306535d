package apitest

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"filings/service/access"
)

var update = flag.Bool("update", false, "write what a test compares with anew, in testdata")

const responses = "testdata/responses.txtar"

// TestResponses compares whole responses, heads and bodies, with testdata/responses.txtar. Each file of it is named for
// its request: method, target, tier ("-" is no key), and headers after " | ". Only what differs from run to run is masked:
// request ids, dates, and how long compressed bodies are.
func TestResponses(t *testing.T) {
	t.Parallel()
	archive, err := txtar.ParseFile(responses)
	if err != nil {
		t.Fatal(err)
	}
	s := newSite(t, oracle(fixture(t)))
	for i, f := range archive.Files {
		got := masked(t, s.request(t, f.Name))
		if *update {
			archive.Files[i].Data = []byte(got)
		} else if diff := cmp.Diff(string(f.Data), got); diff != "" {
			t.Errorf("%s: `go test ./service/apitest -run TestResponses -update` (-want +got)\n%s", f.Name, diff)
		}
	}
	if *update {
		if err := os.WriteFile(responses, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// request sends what line, a name of the archive, describes.
func (s *site) request(t *testing.T, line string) response {
	t.Helper()
	line, rest, _ := strings.Cut(line, " | ")
	var method, target, tier string
	if _, err := fmt.Sscan(line, &method, &target, &tier); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	var headers []string
	for header := range strings.SplitSeq(rest, " | ") {
		if name, value, ok := strings.Cut(header, ": "); ok {
			headers = append(headers, name, value)
		}
	}
	return s.do(t, method, access.Tier(strings.Trim(tier, "-")), target, headers...)
}

var requestIDs = regexp.MustCompile(`req_[0-9a-f]{32}`)

// masked writes a response as text, with a line break at its end.
func masked(t *testing.T, a response) string {
	t.Helper()
	var head []string
	for name, values := range a.header {
		if name != "Date" && (name != "Content-Length" || a.header.Get("Content-Encoding") == "") {
			head = append(head, name+": "+strings.Join(values, " & ")+"\n")
		}
	}
	slices.Sort(head)
	body := a.body
	if body != "" { // of HEAD, with the headers of GET
		body = decoded(t, a)
	}
	text := fmt.Sprintf("%d\n%s\n%s\n", a.status, strings.Join(head, ""), body)
	return requestIDs.ReplaceAllString(text, "req_ID")
}
