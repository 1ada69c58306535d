package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"filings/cmd/testservers/servers"
	"filings/index"
	"filings/index/indextest"
	"filings/index/synthetic"
	"filings/service/access"
	"filings/service/servicetest"
)

// blockOf returns the only block of a document with that info.
func blockOf(t *testing.T, document, info string) string {
	t.Helper()
	blocks := slices.DeleteFunc(readDocument(t, document).blocks, func(b block) bool { return b.info != info })
	if len(blocks) != 1 {
		t.Fatalf("%s has %d blocks of %s, want 1", document, len(blocks), info)
	}
	return blocks[0].text
}

// someOfDemo is an engine with the first filings that the demo made on 2026-11-22.
func someOfDemo(n int) index.Engine {
	demo := synthetic.NewUntil(demoSeed, time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC))
	filings := make([]*index.Filing, n)
	for i := range filings {
		filings[i] = &index.Filing{}
		demo.Next(filings[i])
	}
	return servicetest.Still{Reader: indextest.NewOracle("demo", filings)}
}

// The response that the README shows is what the demo returned on that day.
func TestREADME_Response(t *testing.T) {
	t.Parallel()
	s := servicetest.New(t, someOfDemo(100), servicetest.Options{})
	fields := "county,owner,filingType,filingAmount,filingDate,estimatedValue"
	request := httptest.NewRequest(http.MethodGet, "/v1/filings/51?fields="+fields, http.NoBody)
	request.Header.Set("X-API-Key", s.Keys[access.Pro])
	response, err := s.App.Test(request, -1)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var got, shown map[string]any
	if err := json.NewDecoder(response.Body).Decode(&got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(blockOf(t, "README.md", "json")), &shown); err != nil {
		t.Fatal(err)
	}
	got["meta"], shown["meta"] = nil, nil // differs from request to request
	if diff := cmp.Diff(got, shown); diff != "" {
		t.Errorf("the README shows another response (-returned +shown)\n%s", diff)
	}
}

// The programs that retry after a 429 get through, with a key of five requests a second.
func TestDocuments_Retries(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "documents")
	for name, language := range map[string]struct{ file, command string }{
		"python": {"retry.py", "python3"},
		"go":     {"retry.go", "go run"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			command := strings.Fields(language.command)
			servers.Program(t, command[0])
			limits := servicetest.Limits()
			limits[access.Starter] = access.Limit{Quota: 1000, Burst: 5}
			s := servicetest.New(t, someOfDemo(2000), servicetest.Options{Limits: limits})
			l := servicetest.ListenTLS(t, s.App)

			program := strings.ReplaceAll(blockOf(t, "docs/api/tiers.md", name), "localhost:8443", l.Address)
			file := filepath.Join(t.TempDir(), language.file)
			writeFile(t, file, program, 0o600)
			c := exec.CommandContext(t.Context(), command[0], append(command[1:], file)...)
			c.Env = append(os.Environ(), "KEY="+s.Keys[access.Starter], "SSL_CERT_FILE="+l.Certificate, "PYTHONIOENCODING=utf-8")
			out, err := c.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if pages := strings.Count(s.Log.String(), `"status":200`); pages != 20 {
				t.Errorf("it got %d pages of 20:\n%s", pages, out)
			}
			if !strings.Contains(s.Log.String(), `"status":429`) {
				t.Error("no request was refused: this test saw no retry")
			}
		})
	}
}
