package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"filings/cmd/filings/settings"
	"filings/reindexer"
)

// TestX68_Report: a person reads a table of counties, warnings, and what is live.
func TestX68_Report(t *testing.T) {
	t.Parallel()
	for want, report := range map[string]reindexer.Report{
		"COUNTY      BEFORE  ADDED  CHANGED  REMOVED  NOW\n" +
			"Lake, FL    -       -      -        -        30\n" +
			"Orange, FL  100     5      2        3        102\n" +
			"Warning: look at it\n" +
			"12 records read, 1 rejected, in 1.5 s. filings-1 is live, with 132 filings.\n": {
			Read: 12, Rejected: 1, Seconds: 1.5, Promoted: true, Generation: "filings-1", Filings: 132, Warnings: []string{"look at it"},
			Counties: map[string]reindexer.CountyCounts{"Orange, FL": {Filings: 102, Changes: &reindexer.Changes{Added: 5, Changed: 2, Removed: 3}}, "Lake, FL": {Filings: 30}},
		},
		"Failed: Lake, FL: it is gone\n0 records read, 0 rejected, in 0.0 s. Nothing was promoted.\n": {Failed: map[string]string{"Lake, FL": "it is gone"}},
		"0 records read, 0 rejected, in 0.0 s. Nothing is to be done: no source has changed.\n":       {Unchanged: true},
	} {
		var got bytes.Buffer
		if err := writeReport(&got, report); err != nil || got.String() != want {
			t.Errorf("%v\n%s\nwant\n%s", err, got.String(), want)
		}
	}
}

// TestX68_ReportOfATerminal: a terminal gets the table, and with --json the line that a pipe gets.
func TestX68_ReportOfATerminal(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path := filepath.Join(t.TempDir(), "a.ndjson")
	if err := os.WriteFile(path, []byte(`{"id":1,"county":"Orange, FL"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for option, want := range map[string]string{"--strict": "COUNTY", "--json": `{"generation":"`} {
		out, err := os.Create(filepath.Join(t.TempDir(), "out"))
		if err != nil {
			t.Fatal(err)
		}
		var errs bytes.Buffer
		environment := func() (settings.Settings, error) { return f.settings, nil }
		if code := run(t.Context(), []string{"load", "--dry-run", option, path}, environment, streams{strings.NewReader(""), terminal{out}, &errs}); code != exitDone {
			t.Errorf("exit code %d: %s", code, errs.String())
		}
		text, err := os.ReadFile(out.Name())
		if err != nil || !strings.HasPrefix(string(text), want) {
			t.Errorf("%s: %v, %s, want %s", option, err, text, want)
		}
		_ = out.Close()
	}
	if out := f.must(t, "", "load", "--dry-run", path); !strings.HasPrefix(out, `{"generation":""`) {
		t.Errorf("a pipe gets %s", out)
	}
}
