package service_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"

	"filings/service"
	"filings/service/access"
	"filings/service/servicetest"
)

// TestX50_Conformance runs the official conformance suite, which TEST_MCP_CONFORMANCE says how to start (`make mcp-conformance`).
// testdata/mcp-conformance.yml lists the scenarios that want tools, resources and prompts of their own. The suite has no key
// and speaks plain HTTP to the loopback address, so a proxy stands between.
func TestX50_Conformance(t *testing.T) {
	t.Parallel()
	program := strings.Fields(os.Getenv("TEST_MCP_CONFORMANCE"))
	if len(program) == 0 {
		t.Skip("TEST_MCP_CONFORMANCE is not set")
	}
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
	arguments := append(program[1:len(program):len(program)], "server", "--url", proxy.URL+"/mcp", "--spec-version", "2025-11-25",
		"--expected-failures", "testdata/mcp-conformance.yml")
	out, err := exec.CommandContext(t.Context(), program[0], arguments...).CombinedOutput()
	_, summary, _ := strings.Cut(string(out), "=== SUMMARY ===")
	if t.Log(summary); err != nil {
		t.Error(err)
	}
}
