package apitest

import (
	"os"
	"os/exec"
	"testing"

	"filings/cmd/testservers/servers"
	"filings/service/webtest"
)

// TestSchemathesis lets schemathesis, which makes requests up from an OpenAPI document, request everything in the
// service's own: all operations, by examples, at the edges of every schema, and at random, the same each time. No
// response may be a failure, or differ from the document. SCHEMATHESIS_EXAMPLES sets how many more requests are random,
// as `make fuzz` does.
func TestSchemathesis(t *testing.T) {
	t.Parallel()
	servers.Nightly(t, "clients")
	program := servers.Tool(t, "schemathesis")
	examples := os.Getenv("SCHEMATHESIS_EXAMPLES")
	if examples == "" {
		examples = "20"
	}
	s := webtest.Start(t)
	command := exec.CommandContext(t.Context(), program, "run", s.Address+"/openapi.json",
		"--header", "X-API-Key: "+s.Key, "--tls-verify", s.Certificate,
		"--phases", "examples,coverage,fuzzing", "--max-examples", examples, "--generation-deterministic",
		"--checks", "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,response_schema_conformance,unsupported_method,ignored_auth",
		"--continue-on-failure", "--no-color", "--suppress-health-check", "all", "--warnings", "off")
	command.Dir = t.TempDir() // where it keeps what it has seen
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v:\n%.20000s", err, out)
	} else {
		t.Logf("%s", out)
	}
}
