package reindexer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"filings/index"
)

// write makes a file in a folder of the test's own.
func write(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// filing returns a line of NDJSON.
func filing(id int) string { return fmt.Sprintf(`{"id":%d,"county":"Orange, FL"}`+"\n", id) }

// readSources reads all that cfg names and returns the ids in order.
func readSources(t *testing.T, cfg Config) (ids []int64, err error) {
	t.Helper()
	cfg, err = cfg.checked()
	if err != nil {
		return nil, err
	}
	all, err := cfg.sources(t.Context())
	if err != nil {
		return nil, err
	}
	r := newReading(all, false, false, func(r Reject) error { return &r })
	err = r.readSources(context.Background(), func(f *index.Filing, _ bool) error {
		ids = append(ids, f.ID)
		return nil
	})
	return ids, err
}

// TestL1_BadSources wants each fault that only a parser finds named with its file and, where there is one, its line.
func TestL1_BadSources(t *testing.T) {
	t.Parallel()
	type columnsOf struct {
		County string `parquet:"county"`
		Owner  string `parquet:"owner"`
	}
	var columns bytes.Buffer
	if err := parquet.Write(&columns, []columnsOf{{"Orange, FL", "Ann"}}); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		rule, name, content string
		kind                error
		words               []string
	}{
		{"ends in a record", "a.ndjson", filing(1) + `{"id":2,"county":"Or`, ErrSource, []string{"line 2", "ends in the middle of a record"}},
		{"ends in a name", "a.ndjson", `{"id`, ErrSource, []string{"line 1", "ends in the middle"}},
		{"ends in an escape", "a.ndjson", `{"id":1,"owner":"\u00`, ErrSource, []string{"line 1", "ends in the middle"}},
		{"ends in a word", "a.ndjson", `{"id":1,"owner":nul`, ErrSource, []string{"line 1", "ends in the middle"}},
		{"ends in a list", "a.ndjson", `{"id":1,"categories":["land"`, ErrSource, []string{"line 1", "ends in the middle"}},
		{"ends in an unknown value", "a.ndjson", `{"id":1,"x":{"y":[1`, ErrSource, []string{"line 1", "ends in the middle"}},
		{"ends in a row", "a.csv", "id,county,owner\n1,\"Orange, FL\",Ann\n2,\"Orange, FL\"", ErrSource, []string{"line 3", "ends in the middle of a record"}},
		{"header without id", "a.csv", "county,owner\n", ErrSource, []string{"a.csv: its header lacks id"}},
		{"header without county", "a.csv", "id,owner\n", ErrSource, []string{"its header lacks county"}},
		{"header with a name twice", "a.csv", "id,county,id\n", ErrSource, []string{`its header has "id" twice`}},
		{"table without id", "a.parquet", columns.String(), ErrSource, []string{"a.parquet: the list of its columns lacks id; it is county,owner"}},
		{"header that is no CSV", "a.csv", "id,cou\"nty\n", ErrSource, []string{"its header is not CSV"}},
	}
	for _, test := range tests {
		t.Run("L1 "+test.rule, func(t *testing.T) {
			t.Parallel()
			_, err := readSources(t, Config{Inputs: inputs(write(t, test.name, test.content))})
			if !errors.Is(err, test.kind) {
				t.Fatalf("error %v, want %v", err, test.kind)
			}
			for _, word := range test.words {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("error %q does not say %q", err, word)
				}
			}
		})
	}
}

// TestX69_LastRow: a last row without a line end, where all others have one, is a warning.
func TestX69_LastRow(t *testing.T) {
	t.Parallel()
	const whole = "id,county,filingAmount\n1,\"Lake, FL\",12345.67\n2,\"Lake, FL\",123"
	for text, want := range map[string]bool{whole: true, whole + "\n": false} {
		path := filepath.Join(t.TempDir(), "lake.csv")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		report, err := Run(t.Context(), Config{Inputs: inputs(path), DryRun: true})
		said := strings.Contains(strings.Join(report.Warnings, "\n"), "its last row, in line 3, has no line end")
		if err != nil || said != want || report.Indexed != 2 {
			t.Errorf("%q: error %v, %d records, warnings %q", text, err, report.Indexed, report.Warnings)
		}
	}
}
