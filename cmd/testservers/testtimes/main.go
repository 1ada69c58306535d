// Command testtimes reads the output of `go test -json`, and prints a person's summary of it:
//
//	go test -json ./... | testtimes [-slowest N]
//
// the failures, with all that they printed; how many tests passed, and how many were left out, for
// which reasons; and the N slowest tests, as a table in Markdown. The time of a test is from its
// start to its end, without its wait for tests that are not parallel. Its exit code is 1 if
// anything failed. It owns no rule of testing: those are go's and the tests' own.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

func main() {
	slowest := flag.Int("slowest", 10, "number of tests in the table")
	flag.Parse()
	var r report
	if err := r.read(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "testtimes:", err)
		os.Exit(1)
	}
	r.print(os.Stdout, *slowest)
	if len(r.failed) > 0 {
		os.Exit(1)
	}
}

// event is a line of `go test -json`; go doc test2json describes it.
type event struct {
	Action, Package, ImportPath, Test, Output string
	Elapsed                                   float64
}

// name is the test's, with its package; the package's where the event is not of one test.
func (e event) name() string {
	return strings.TrimSpace(cmp.Or(e.Package, e.ImportPath) + " " + e.Test)
}

// report is the summary.
type report struct {
	passed  []event             // tests, without those inside of another
	failed  []string            // the output of failed tests, packages and builds
	leftOut map[string][]string // tests, by reason
}

// read reads all events. It ends early with a line that is no event: something else than go test wrote it.
func (r *report) read(from io.Reader) error {
	r.leftOut = map[string][]string{}
	printed := map[string]string{}
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			return fmt.Errorf("not a line of go test -json: %s", line)
		}
		r.add(e, printed)
	}
}

func (r *report) add(e event, printed map[string]string) {
	switch name := e.name(); e.Action {
	case "output", "build-output":
		printed[name] += e.Output
	case "pass":
		if e.Test != "" && !strings.Contains(e.Test, "/") {
			r.passed = append(r.passed, e)
		}
		delete(printed, name)
	case "fail", "build-fail":
		r.failed = append(r.failed, printed[name])
		delete(printed, name)
	case "skip":
		if e.Test != "" {
			why := reason(printed[name])
			r.leftOut[why] = append(r.leftOut[why], name)
		}
	}
}

// said is a line that a test logged: file, line, text.
var said = regexp.MustCompile(`(?m)^ +\S+\.go:\d+: (?:left out: )?(.+)$`)

// reason is the last line of a test that was left out.
func reason(printed string) string {
	all := said.FindAllStringSubmatch(printed, -1)
	if all == nil {
		return "no reason given"
	}
	return all[len(all)-1][1]
}

func (r *report) print(to io.Writer, slowest int) {
	for _, text := range r.failed {
		fmt.Fprint(to, text)
	}
	slices.SortFunc(r.passed, func(a, b event) int {
		return cmp.Or(cmp.Compare(b.Elapsed, a.Elapsed), cmp.Compare(a.name(), b.name()))
	})
	fmt.Fprintf(to, "| s | test |\n|---:|---|\n")
	for _, e := range r.passed[:min(slowest, len(r.passed))] {
		fmt.Fprintf(to, "| %.1f | `%s`, `%s` |\n", e.Elapsed, e.Test, strings.TrimPrefix(e.Package, "filings/"))
	}
	fmt.Fprintf(to, "\n%d tests passed\n", len(r.passed))
	for _, why := range slices.Sorted(maps.Keys(r.leftOut)) {
		fmt.Fprintf(to, "%d left out: %s\n", len(r.leftOut[why]), why)
	}
}
