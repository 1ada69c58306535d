package apitest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"filings/cmd/testservers/servers"
	"filings/service"
	"filings/service/access"
	"filings/service/servicetest"
)

// TestX50_Conformance runs the official conformance suite, which TEST_MCP_CONFORMANCE says how to start (`make mcp-conformance`), with
// what each of two revisions requires of a server. For each, testdata/mcp/conformance-….yml lists the scenarios that want tools, resources and
// prompts of their own.
func TestX50_Conformance(t *testing.T) {
	t.Parallel()
	program := strings.Fields(os.Getenv("TEST_MCP_CONFORMANCE"))
	if len(program) == 0 {
		t.Skip("TEST_MCP_CONFORMANCE is not set")
	}
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			address := keyless(t)
			arguments := append(program[1:len(program):len(program)], "server", "--url", address, "--requirements", revision,
				"--expected-failures", "testdata/mcp/conformance-"+revision+".yml")
			out, err := exec.CommandContext(t.Context(), program[0], arguments...).CombinedOutput()
			_, summary, _ := strings.Cut(string(out), "=== SUMMARY ===")
			if t.Log(summary); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

// TestX50_OfficialClients: the official clients for Python and TypeScript and the inspector's command line, with a key as their token,
// list the tools, and read the rows of the API and its sentence for a wrong argument.
func TestX50_OfficialClients(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "agents")
	s := newSite(t, oracle(fixture(t)), withTools)
	l := servicetest.ListenTLS(t, s.App)
	address, key := "https://"+l.Address+"/mcp", s.Keys[access.Enterprise]
	rows := rawData(t, s.get(t, access.Enterprise, "/v1/filings?filing_types=Tax+Lien,Municipal+Lien&limit=3&cursor=*&fields="+agentFields).body)
	const names = "describe_data find_owners get_filing list_changes list_counties search_filings summarize_filings"
	run := func(t *testing.T, program ...string) []byte {
		c := exec.CommandContext(t.Context(), program[0], program[1:]...)
		c.Env = append(os.Environ(), "ADDRESS="+address, "KEY="+key, "SSL_CERT_FILE="+l.Certificate, "NODE_EXTRA_CA_CERTS="+l.Certificate)
		return output(t, c)
	}
	for name, program := range map[string]func(*testing.T) []string{
		"Python": func(t *testing.T) []string {
			return []string{filepath.Join(filepath.Dir(servers.Tool(t, "mypy")), "python"), "-B", "testdata/mcp/client.py"}
		},
		"TypeScript": func(t *testing.T) []string { // node looks for packages from where the file is
			dir := t.TempDir()
			if err := os.Symlink(servers.NodeModules(t, "@modelcontextprotocol/sdk"), filepath.Join(dir, "node_modules")); err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(dir, "client.mjs"), read(t, "testdata/mcp/client.mjs"))
			return []string{servers.Program(t, "node"), filepath.Join(dir, "client.mjs")}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got struct {
				Tools       []string
				Page, Wrong string
			}
			if out := run(t, program(t)...); json.Unmarshal(out, &got) != nil {
				t.Fatalf("%s", out)
			}
			if list := strings.Join(got.Tools, " "); list != names || rawData(t, got.Page) != rows || got.Wrong != "limit must be between 1 and 100" {
				t.Errorf("%s\n%s is not %s\n%s", list, got.Page, rows, got.Wrong)
			}
		})
	}
	t.Run("inspector", func(t *testing.T) {
		t.Parallel()
		program := strings.Fields(os.Getenv("TEST_MCP_INSPECTOR"))
		if len(program) == 0 {
			t.Skip("TEST_MCP_INSPECTOR is not set")
		}
		program = append(program, "--cli", address, "--transport", "http", "--header", "X-API-Key: "+key, "--method")
		var listed struct{ Tools []struct{ Name string } }
		if out := run(t, append(program, "tools/list")...); json.Unmarshal(out, &listed) != nil || len(listed.Tools) != 7 {
			t.Errorf("%s", out)
		}
		var called struct{ Content []struct{ Text string } }
		out := run(t, append(program, "tools/call", "--tool-name", "search_filings", "--tool-arg", "filing_types=Tax Lien,Municipal Lien", "limit=3")...)
		if json.Unmarshal(out, &called) != nil || len(called.Content) != 1 || rawData(t, called.Content[0].Text) != rows {
			t.Errorf("%s", out)
		}
	})
}

// keyless returns the address of /mcp for programs that have no key and speak plain HTTP to the loopback address: of a proxy that
// stands before a service.
func keyless(t *testing.T) string {
	proxy := httptest.NewUnstartedServer(nil)
	s := newSite(t, oracle(fixture(t)), withTools, func(c *service.Config) { c.CORSOrigins = []string{"http://" + proxy.Listener.Addr().String()} })
	l := servicetest.ListenTLS(t, s.App)
	proxy.Config.Handler = &httputil.ReverseProxy{Transport: l.Client.Transport, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(&url.URL{Scheme: "https", Host: l.Address})
		r.Out.Host = r.In.Host
		r.Out.Header["X-Api-Key"] = []string{s.Keys[access.Enterprise]}
	}, ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
		http.Error(w, err.Error(), http.StatusBadGateway)
	}}
	proxy.Start()
	t.Cleanup(proxy.Close)
	return proxy.URL + "/mcp"
}
