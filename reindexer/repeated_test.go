package reindexer

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestL5_IdenticalRows: rows that are the same as others in every field count once, wherever they stand, and are said; a record with the
// id of another row is a reject as ever.
func TestL5_IdenticalRows(t *testing.T) {
	t.Parallel()
	const byCase = `{id: id("Orange, FL"; .Case), county: "Orange, FL", owner: .Owner}`
	head, a, b := "Case,Owner,Page\n", "K-1,A SAMPLE,1\n", "K-2,B SAMPLE,2\n"
	for name, test := range map[string]struct {
		files     []string
		program   string // "": records
		identical int64
		rejected  int64
		first     string
	}{
		"next to each other":              {[]string{head + a + a + b}, byCase, 1, 0, "0.csv:3"},
		"far apart, three times":          {[]string{head + a + b + strings.Repeat("K-3,C SAMPLE,3\n", 300) + a + a}, byCase, 301, 0, "0.csv:5"},
		"in another file":                 {[]string{head + a, head + b + a}, byCase, 1, 0, "1.csv:3"},
		"the same file twice":             {[]string{head + a + b, head + a + b}, byCase, 2, 0, "1.csv:2"},
		"records":                         {[]string{lines(1, 3, "Orange, FL", paid) + lines(2, 1, "Orange, FL", paid)}, "", 1, 0, "0.ndjson:4"},
		"another cell":                    {[]string{head + a + "K-1,A SAMPLE,9\n"}, byCase, 0, 1, ""},
		"another value":                   {[]string{head + a + "K-1,B SAMPLE,1\n" + a}, byCase, 1, 1, "0.csv:4"},
		"an id of what all rows have":     {[]string{head + a + "K-2,A SAMPLE,1\n"}, `{id: id("Orange, FL"; .Owner), county: "Orange, FL"}`, 0, 1, ""},
		"two records of a row":            {[]string{head + a}, byCase[:len(byCase)-1] + "}, " + byCase, 0, 1, ""},
		"the same cells in other columns": {[]string{head + a, "Case,Page,Owner\n" + a}, byCase, 0, 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, ext := t.TempDir(), "csv"
			if test.program == "" {
				ext = "ndjson"
			}
			var paths []string
			for i, text := range test.files {
				paths = append(paths, filepath.Join(dir, fmt.Sprintf("%d.%s", i, ext)))
				if err := os.WriteFile(paths[i], []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			cfg := config(t, embeddedStore(t), "")
			if cfg.Inputs = inputs(paths...); test.program != "" {
				cfg.Inputs = mappedBy("m.jq", test.program, paths...)
			}
			cfg.MaxRejects = int(test.rejected)
			report := mustRun(t, cfg)
			if report.Identical != test.identical || report.Rejected != test.rejected || report.Read != report.Indexed+report.Identical+report.Rejected {
				t.Errorf("report %+v", report)
			}
			want := fmt.Sprintf("count once: %d, the first at %s", test.identical, filepath.Join(dir, test.first))
			if found := strings.Contains(fmt.Sprint(report.Warnings), want); found != (test.identical > 0) {
				t.Errorf("warnings %q, want %s", report.Warnings, want)
			}
		})
	}
	opened, text := 0, lines(1, 2, "Orange, FL", "")+lines(1, 1, "Orange, FL", "")+"{\"id\""
	portal := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		opened++
		_, _ = io.WriteString(w, text)
	}))
	defer portal.Close()
	cut := config(t, embeddedStore(t), "")
	cut.Inputs = inputs(portal.URL + "/a.ndjson")
	if report, err := Run(t.Context(), cut); !errors.Is(err, ErrSource) || report.Rejected != 1 || opened != 1 {
		t.Errorf("of a source that is cut off: %v, %+v, read %d times", err, report, opened)
	}
	cfg := config(t, embeddedStore(t), "")
	cfg.Inputs, cfg.Stdin = inputs("-"), strings.NewReader(lines(1, 2, "Orange, FL", "")+lines(1, 1, "Orange, FL", ""))
	if report, err := Run(t.Context(), cfg); !errors.Is(err, ErrRejected) || report.Rejected != 1 {
		t.Errorf("of standard input: %v, %+v", err, report)
	}
}
