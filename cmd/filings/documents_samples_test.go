package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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

// sampleOf returns the first block of a document that has an info and a text in it.
func sampleOf(t *testing.T, document, info, has string) string {
	t.Helper()
	for _, b := range readDocument(t, document).blocks {
		if b.info == info && strings.Contains(b.text, has) {
			return b.text
		}
	}
	t.Fatalf("%s has no block of %s with %s", document, info, has)
	return ""
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
		"js":     {"retry.mjs", "node"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			command := strings.Fields(language.command)
			servers.Program(t, command[0])
			limits := servicetest.Limits()
			limits[access.Starter] = access.Limit{Quota: 1000, Burst: 5}
			s := servicetest.New(t, someOfDemo(2000), servicetest.Options{Limits: limits})
			l := servicetest.ListenTLS(t, s.App)

			program := strings.ReplaceAll(sampleOf(t, recipes, name, "Retry-After"), "localhost:8443", l.Address)
			file := filepath.Join(t.TempDir(), language.file)
			writeFile(t, file, program, 0o600)
			c := exec.CommandContext(t.Context(), command[0], append(command[1:], file)...)
			c.Env = append(os.Environ(), "KEY="+s.Keys[access.Starter], "SSL_CERT_FILE="+l.Certificate, "NODE_EXTRA_CA_CERTS="+l.Certificate, "PYTHONIOENCODING=utf-8")
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

const recipes = "docs/api/recipes.md"

// The programs of the recipes agree: each reads, copies, draws or exports the same filings, and prints how many. The copy
// follows an update of the service's data.
func TestDocuments_Recipes(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "documents")
	interpreters := map[string]string{"python": servers.Program(t, "python3"), "js": servers.Program(t, "node")}
	endings := map[string]string{"python": ".py", "js": ".mjs"}
	p := demoPlace(t, makeTools(t))
	replace := strings.NewReplacer(p.placeholders...).Replace
	run := func(b block) string {
		file := filepath.Join(p.folder, "recipe"+endings[b.info])
		writeFile(t, file, replace(b.text), 0o600)
		c := exec.CommandContext(t.Context(), interpreters[b.info], file)
		c.Dir, c.Env = p.folder, append(os.Environ(), p.environment...)
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s:%d: %v\n%s", recipes, b.line, err, out)
		}
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		return lines[len(lines)-1]
	}
	certificate := filepath.Join(p.folder, "filings-data", "demo", "cert.pem")
	p.set("SSL_CERT_FILE", certificate)
	p.set("NODE_EXTRA_CA_CERTS", certificate)
	want, counted := "", 0
	var copies block
	for _, b := range readDocument(t, recipes).blocks {
		if interpreters[b.info] == "" || strings.Contains(b.text, "Retry-After") { // TestDocuments_Retries
			continue
		}
		got := run(b)
		if want == "" {
			want = got
		}
		if got != want || !regexp.MustCompile(`^[1-9]\d* filings$`).MatchString(got) {
			t.Errorf("%s:%d: %q, want %q as the others", recipes, b.line, got, want)
		}
		counted++
		if strings.Contains(b.text, "changes") {
			copies = b
		}
	}
	if counted < 7 {
		t.Errorf("only %d programs were found: this test does not see them", counted)
	}
	p.set("FILINGS_DATA_DIR", filepath.Join(p.folder, "filings-data", "demo"))
	writeFile(t, filepath.Join(p.folder, "more.ndjson"), `{"id":900001,"county":"Orange, FL"}`+"\n", 0o600)
	p.must(t, "reindex", "--update", "more.ndjson")
	live := regexp.MustCompile(`"name":"[^"]*-(\d{8}-\d{6}\.\d{6})-`).FindStringSubmatch(p.must(t, "generations", "--json"))[1]
	servicetest.Until(t, "the service has the update", func() bool {
		c := exec.CommandContext(t.Context(), filepath.Join(p.tools, "curl"), "-I", "-H", "X-API-Key: "+replace("ak_live_…"), replace("https://localhost:8443/v1/filings"))
		c.Env = append(os.Environ(), p.environment...)
		head, err := c.Output()
		return err == nil && strings.Contains(string(head), live)
	})
	if got := run(copies); got == want {
		t.Errorf("after an update with a new filing the copy still has %s", got)
	}
}
