package apitest

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	// The client generated for Go stands on it; named here so that go.mod pins it.
	_ "github.com/oapi-codegen/runtime"
	_ "github.com/oapi-codegen/runtime/types"

	"filings/cmd/testservers/servers"
	"filings/service/openapi"
	"filings/service/webtest"
)

// clientCalls is what the programs of service/testdata/clients call: each operation of the document, with lists, and errors of
// both forms. of is what of the response they print, the members from the outermost one on, "*" for those of an array.
var clientCalls = []struct{ name, target, of string }{
	{"listFilings", "/v1/filings?filing_types=Tax+Lien,Municipal+Lien&categories=residential,land&limit=5", "data * id"},
	{"listFilings of some fields", "/v1/filings?ids=1,2,3&exclude_counties=Nowhere,%20ZZ&exclude_counties=Elsewhere,%20ZZ&fields=owner", "data * owner"},
	{"listFilings refused", "/v1/filings?limit=0", "error message"},
	{"listFilings by cursor", "/v1/filings?limit=15", "data * id"}, // in three pages
	{"searchFilings", "/v1/filings/search?q=maple&categories=residential,land&sort_by=filing_amount&sort_order=ASC", "data * id"},
	{"clusterFilings", "/v1/filings/clusters?zoom=4&filing_types=Tax+Lien,Municipal+Lien" + world, "data total"},
	{"clusterFilings as GeoJSON", "/v1/filings/clusters?zoom=4&filing_types=Tax+Lien,Municipal+Lien" + world, "features * properties count"},
	{"groupFilings", "/v1/filings/groups?by=county,category&filing_types=Tax+Lien,Municipal+Lien", "data * filingAmount sum"},
	{"groupFilings by", "/v1/filings/groups?by=county,category&filing_types=Tax+Lien,Municipal+Lien", "data * category"},
	{"listChanges", "/v1/filings/changes?since=20260314-000000.000000", "data * op"},
	{"exportFilings", "/v1/filings/export?county=Orange,%20FL&min_amount=20000", "id"}, // of the first row
	{"getFiling", "/v1/filings/1", "data county"},
	{"getFiling refused", "/v1/filings/1000000", "error code"},
	{"listOwners", "/v1/owners?q=m&min_filings=1", "data * filingAmount sum"},
	{"getTileSet", "/v1/tiles.json?q=maple", "tiles"},
	{"getTile", "/v1/tiles/20260315-000000.000000/0/0/0.mvt", "bytes"},
	{"getStatistics", "/v1/stats", "data totalFilings"},
	{"listCountyStatistics", "/v1/stats/counties?state=FL", "data * filingCount"},
	{"listCounties", "/v1/counties", "data"},
	{"listCountyMonths", "/v1/counties/Orange,%20FL/months", "data"},
	{"listCountyDateRanges", "/v1/counties/Orange,%20FL/date-ranges", "data"},
	{"listCoverage", "/v1/coverage?state=FL", "data * withCoordinates"},
	{"listFields", "/v1/fields", "data * filled"},
	{"listFields to", "/v1/fields", "data * max"},
	{"listGenerations", "/v1/generations", "data * id"},
	{"getIdentity", "/v1/me", "data tier"},
	{"getIdentity refused", "/v1/me", "error"},
	{"getUsage", "/v1/me/usage", "data windows * limit"},
	{"createToken", "/v1/tokens?origin=https://maps.example.com&endpoints=tiles,one&county=Orange,%20FL", "data filter"},
	{"legacyListFilings", "/v1/liens?lien_types=Tax+Lien,Municipal+Lien&limit=5", "data * id"},
	{"legacySearchFilings", "/v1/liens/search?q=maple&lien_types=Tax+Lien,Municipal+Lien", "data * id"},
	{"legacyGetFiling", "/v1/liens/1", "data county"},
	{"getOpenAPI", "/openapi.json", "openapi"},
}

// TestClients generates clients from the document with generators that people use. Each passes the checks of its language,
// calls every operation over TLS, and reads the same from the responses as a plain request finds.
func TestClients(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "clients")
	s := webtest.Start(t)
	want := plainResponses(t, s)
	for _, tt := range []struct {
		name  string
		build func(t *testing.T, dir, document string) *exec.Cmd
	}{
		{"oapi-codegen", oapiCodegen},
		{"openapi-python-client", openapiPythonClient},
		{"openapi-fetch", openapiFetch},
		{"hey-api", heyAPI},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			document := filepath.Join(dir, "openapi.json")
			write(t, document, []byte(newSite(t, oracle(nil)).get(t, "", "/openapi.json").body))
			program := tt.build(t, dir, document)
			program.Env = append(os.Environ(), "ADDRESS="+s.Address, "KEY="+s.Key,
				"SSL_CERT_FILE="+s.Certificate, "NODE_EXTRA_CA_CERTS="+s.Certificate)
			var got map[string]any
			if err := json.Unmarshal(output(t, program), &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestClients_All: the table of calls has every operation of the document.
func TestClients_All(t *testing.T) {
	t.Parallel()
	called := map[string]bool{}
	for _, call := range clientCalls {
		name, _, _ := strings.Cut(call.name, " ")
		called[name] = true
	}
	for path, item := range newSite(t, oracle(nil)).description(t).Paths.Map() {
		if !called[item.Get.OperationID] {
			t.Errorf("%s, %s, is called by no client", item.Get.OperationID, path)
		}
	}
}

// plainResponses is what clients must read from the responses to their calls, without any client.
func plainResponses(t *testing.T, s webtest.Site) map[string]any {
	t.Helper()
	certificate, err := os.ReadFile(s.Certificate)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(certificate)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	t.Cleanup(transport.CloseIdleConnections)
	all := map[string]any{}
	for _, call := range clientCalls {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.Address+call.target, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		if call.of != "error" {
			req.Header.Set("X-API-Key", s.Key)
		}
		if strings.HasPrefix(call.of, "features") {
			req.Header.Set("Accept", geoJSON)
		}
		res, err := (&http.Client{Transport: transport}).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		var body any
		if call.of == "bytes" {
			var text []byte
			text, err = io.ReadAll(res.Body)
			body = map[string]any{"bytes": float64(len(text))}
		} else {
			err = json.NewDecoder(res.Body).Decode(&body)
		}
		_ = res.Body.Close()
		if err != nil {
			t.Fatalf("%s: %v", call.target, err)
		}
		all[call.name] = pick(body, strings.Fields(call.of))
		if list, ok := all[call.name].([]any); ok && len(list) == 0 || all[call.name] == nil {
			t.Errorf("%s finds nothing: %v", call.target, body)
		}
	}
	return all
}

// pick returns what names lead to in v: members, one within the other, "*" for each item of an array.
func pick(v any, names []string) any {
	if len(names) == 0 {
		return v
	}
	if names[0] == "*" {
		all := []any{}
		items, _ := v.([]any)
		for _, item := range items {
			all = append(all, pick(item, names[1:]))
		}
		return all
	}
	object, _ := v.(map[string]any)
	return pick(object[names[0]], names[1:])
}

// oapiCodegen makes the client for Go in a module of its own, with the same versions as ours.
func oapiCodegen(t *testing.T, dir, document string) *exec.Cmd {
	command := servers.Program(t, "go")
	if out, err := exec.CommandContext(t.Context(), command, "tool", "oapi-codegen", "-version").CombinedOutput(); err != nil {
		servers.Lack(t, "go tool oapi-codegen: %v: %s", err, out)
	}
	if err := os.Mkdir(filepath.Join(dir, "filings"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "go.mod"), bytes.Replace(read(t, "../../go.mod"), []byte("module filings"), []byte("module client"), 1))
	write(t, filepath.Join(dir, "go.sum"), read(t, "../../go.sum"))
	write(t, filepath.Join(dir, "main.go"), read(t, "../testdata/clients/go/main.go"))
	output(t, exec.CommandContext(t.Context(), command, "tool", "oapi-codegen", "-generate", "client,models", "-package", "filings",
		"-o", filepath.Join(dir, "filings", "client.go"), document))
	build := exec.CommandContext(t.Context(), command, "build", "-o", "client", ".")
	build.Dir = dir
	output(t, build)
	return exec.CommandContext(t.Context(), filepath.Join(dir, "client"))
}

// openapiPythonClient makes the client for Python, and has mypy check the program that calls it.
func openapiPythonClient(t *testing.T, dir, document string) *exec.Cmd {
	generate, mypy, python := servers.Tool(t, "openapi-python-client"), servers.Tool(t, "mypy"), servers.Tool(t, "python")
	config := filepath.Join(dir, "config.yaml")
	write(t, config, []byte("post_hooks: []\ncontent_type_overrides: {"+openapi.TileType+": application/octet-stream}\n")) // no formatting
	output(t, exec.CommandContext(t.Context(), generate, "generate", "--path", document, "--output-path", filepath.Join(dir, "filings"),
		"--meta", "none", "--config", config, "--fail-on-warning"))
	program := filepath.Join(dir, "main.py")
	write(t, program, read(t, "../testdata/clients/python/main.py"))
	check := exec.CommandContext(t.Context(), mypy, "--strict", "--cache-dir", filepath.Join(dir, "cache"), "--python-executable", python, program)
	check.Dir = dir
	output(t, check)
	return exec.CommandContext(t.Context(), python, "-B", program)
}

// openapiFetch makes the types that openapi-fetch needs, and has tsc check and compile the program that calls it.
func openapiFetch(t *testing.T, dir, document string) *exec.Cmd {
	output(t, exec.CommandContext(t.Context(), servers.Tool(t, "openapi-typescript"), document, "-o", filepath.Join(dir, "filings.d.ts")))
	return compiled(t, dir, "openapi-fetch")
}

// heyAPI makes a client with @hey-api/openapi-ts, and has tsc check and compile it and the program that calls it.
func heyAPI(t *testing.T, dir, document string) *exec.Cmd {
	output(t, exec.CommandContext(t.Context(), servers.Tool(t, "openapi-ts"), "-i", document, "-o", filepath.Join(dir, "filings"),
		"-c", "@hey-api/client-fetch", "--no-log-file"))
	return compiled(t, dir, "hey-api")
}

// compiled compiles the program in TypeScript of service/testdata/clients, strictly checked, with the client in dir.
func compiled(t *testing.T, dir, name string) *exec.Cmd {
	t.Helper()
	node := servers.Program(t, "node")
	write(t, filepath.Join(dir, "main.ts"), read(t, filepath.Join("../testdata/clients", name, "main.ts")))
	if err := os.Symlink(servers.NodeModules(t, "openapi-fetch"), filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "tsconfig.json"), []byte(`{"files": ["main.ts"], "compilerOptions": {"strict": true, "types": [], "outDir": "out",
		"target": "es2022", "lib": ["es2022", "dom", "dom.iterable"], "module": "commonjs", "moduleResolution": "node10"}}`))
	output(t, exec.CommandContext(t.Context(), servers.Tool(t, "tsc"), "--project", dir))
	return exec.CommandContext(t.Context(), node, filepath.Join(dir, "out", "main.js"))
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func write(t testing.TB, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// output runs a command that has to succeed, and returns what it prints.
func output(t testing.TB, command *exec.Cmd) []byte {
	t.Helper()
	var errs bytes.Buffer
	command.Stderr = &errs
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s%s", command.Args, err, out, errs.Bytes())
	}
	return out
}
