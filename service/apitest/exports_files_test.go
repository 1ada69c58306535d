package apitest

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"filings/cmd/testservers/servers"
	"filings/index/indextest"
	"filings/index/indextest/edges"
	"filings/service/access"
	"filings/service/servicetest"
)

// readExports runs testdata/exports/read.py against a service, and reads what it prints into got.
func (s *site) readExports(t *testing.T, got any, args ...string) {
	t.Helper()
	python := filepath.Join(filepath.Dir(servers.Tool(t, "mypy")), "python")
	l := servicetest.ListenTLS(t, s.App)
	script, err := filepath.Abs("testdata/exports/read.py")
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), python, append([]string{script}, args...)...)
	c.Dir = t.TempDir()
	c.Env = append(os.Environ(), "ADDRESS=https://"+l.Address, "KEY="+s.Keys[access.Enterprise], "SSL_CERT_FILE="+l.Certificate)
	if err := json.Unmarshal(output(t, c), got); err != nil {
		t.Fatal(err)
	}
}

// TestX5_Readers: what pyarrow, DuckDB and Python's csv read from each form is what the list shows.
func TestX5_Readers(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "files")
	s := newSite(t, servicetest.Still{Reader: indextest.NewOracle(generationName, edges.Fuzzed(600, 11))})
	var got map[string][][]any
	s.readExports(t, &got)
	var typed, texts [][]any
	for _, line := range s.listed(t, access.Enterprise, "") {
		var f struct {
			ID           int64
			Owner        *string
			FilingAmount *float64
			FilingDate   *string
			Categories   []string
		}
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			t.Fatal(err)
		}
		row, text := []any{float64(f.ID), nil, nil, nil, any([]any{})}, []any{strconv.FormatInt(f.ID, 10), "", "", "", strings.Join(f.Categories, ";")}
		if f.Owner != nil {
			row[1], text[1] = *f.Owner, *f.Owner
		}
		if f.FilingAmount != nil {
			row[2], text[2] = *f.FilingAmount, strconv.FormatFloat(*f.FilingAmount, 'f', -1, 64)
		}
		if f.FilingDate != nil {
			row[3], text[3] = *f.FilingDate, *f.FilingDate
		}
		for _, c := range f.Categories {
			row[4] = append(row[4].([]any), c)
		}
		typed, texts = append(typed, row), append(texts, text)
	}
	emptied := make([][]any, len(got["duckdb csv"])) // DuckDB makes what is empty NULL
	for i, row := range got["duckdb csv"] {
		for _, v := range row {
			if v == nil {
				v = ""
			}
			emptied[i] = append(emptied[i], v)
		}
	}
	for name, tt := range map[string]struct{ got, want [][]any }{
		"duckdb ndjson": {got["duckdb ndjson"], typed}, "duckdb parquet": {got["duckdb parquet"], typed}, "pyarrow": {got["pyarrow"], typed},
		"csv": {got["csv"], texts}, "duckdb csv": {emptied, texts},
		"types": {got["types"], [][]any{{"int64", "string", "double", "date32[day]", "list<element: string not null>"}}},
	} {
		if diff := cmp.Diff(tt.want, tt.got); diff != "" {
			t.Errorf("%s (-want +got)\n%.2000s", name, diff)
		}
	}
}

// TestX6_Requests: Python's requests reports a file that breaks off.
func TestX6_Requests(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "files")
	s := newSite(t, repeated(9000, func(_ context.Context, from int64) error {
		if from > 3000 {
			return errEngine
		}
		return nil
	}))
	var got string
	if s.readExports(t, &got, "cut"); got != "ChunkedEncodingError" {
		t.Errorf("requests reports %q", got)
	}
}

// TestX5_Engines: a file has the same bytes from both engines, and from a plain loop over the filings.
func TestX5_Engines(t *testing.T) {
	t.Parallel()
	filings, tiers := edges.Fuzzed(6000, 13), access.Tiers
	if testing.Short() {
		tiers = []access.Tier{access.Enterprise}
	}
	eachStore(t, func(t *testing.T, k keeping) {
		want := newSite(t, oracle(filings)) // of its own: an account has one export at a time
		k.load(t, filings)
		for _, format := range []string{"ndjson", "csv", "parquet"} {
			for _, tier := range tiers {
				for _, filter := range []string{"", "&min_amount=1&fields=owner,categories"} {
					query := "/v1/filings/export?format=" + format + filter
					a, b := want.get(t, tier, query), k.get(t, tier, query)
					rows, _ := strconv.Atoi(a.header.Get("X-Total-Count"))
					if a.status != http.StatusOK || rows < 500 || len(a.body) < 10*rows && format != "parquet" {
						t.Fatalf("%s, %s: %d, %d rows, %d bytes", tier, query, a.status, rows, len(a.body))
					}
					if a.body != b.body || a.header.Get("X-Total-Count") != b.header.Get("X-Total-Count") {
						t.Errorf("%s, %s: %d bytes, want %d", tier, query, len(b.body), len(a.body))
					}
				}
			}
		}
	})
}
