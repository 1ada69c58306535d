package service_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	// What the generated client stands on; named here so that go.mod pins it.
	_ "github.com/oapi-codegen/runtime"
	_ "github.com/oapi-codegen/runtime/types"

	"filings/cmd/testservers/servers"
	"filings/service/webtest"
)

// TestOpenAPI_Client: oapi-codegen, a generator that people use, makes a client from the document; that compiles, calls
// the service over TLS, and understands what it says.
func TestOpenAPI_Client(t *testing.T) {
	t.Parallel()
	if out, err := exec.CommandContext(t.Context(), "go", "tool", "oapi-codegen", "-version").CombinedOutput(); err != nil {
		servers.Lack(t, "go tool oapi-codegen: %v: %s", err, out)
	}
	dir := t.TempDir()
	program := makeClient(t, dir, newSite(t, oracle(nil)).get(t, "", "/openapi.json").body)
	s := webtest.Start(t)
	command := exec.CommandContext(t.Context(), program)
	command.Env = append(os.Environ(), "ADDRESS="+s.Address, "KEY="+s.Key, "SSL_CERT_FILE="+s.Certificate)
	var got struct {
		Listed, Found, ID, Months, Filings int
		Tier, Ignored, Missing             string
	}
	if err := json.Unmarshal(output(t, command), &got); err != nil {
		t.Fatal(err)
	}
	if got.Listed != 5 || got.Found == 0 || got.ID != 1 || got.Months == 0 || got.Filings != webtest.Filings ||
		got.Tier != "enterprise" || got.Ignored != "" || got.Missing != "not_found" {
		t.Errorf("the client got %+v", got)
	}
}

// makeClient generates the client into a module of its own, with the same versions as ours, beside the program of
// testdata/client that calls it, and returns the compiled program.
func makeClient(t *testing.T, dir, document string) string {
	t.Helper()
	write := func(name string, text []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := func(name string) []byte {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	if err := os.Mkdir(filepath.Join(dir, "filings"), 0o700); err != nil {
		t.Fatal(err)
	}
	write("go.mod", bytes.Replace(read("../go.mod"), []byte("module filings"), []byte("module client"), 1))
	write("go.sum", read("../go.sum"))
	write("main.go", read("testdata/client/main.go"))
	write("openapi.json", []byte(document))
	output(t, exec.CommandContext(t.Context(), "go", "tool", "oapi-codegen", "-generate", "client,models", "-package", "filings",
		"-o", filepath.Join(dir, "filings", "client.go"), filepath.Join(dir, "openapi.json")))
	build := exec.CommandContext(t.Context(), "go", "build", "-o", "client", ".")
	build.Dir = dir
	output(t, build)
	return filepath.Join(dir, "client")
}

// output runs a command that has to succeed.
func output(t *testing.T, command *exec.Cmd) []byte {
	t.Helper()
	var errs bytes.Buffer
	command.Stderr = &errs
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", command.Args, err, errs.Bytes())
	}
	return out
}
