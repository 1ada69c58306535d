package pages_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"filings/cmd/testservers/servers"
)

// TestExplore_Modules: the explorer's modules that need no page do what explore_modules.test.mjs says.
func TestExplore_Modules(t *testing.T) {
	t.Parallel()
	node := servers.Program(t, "node")
	folder := t.TempDir()
	files, err := filepath.Glob("explore/*.js")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d modules, %v", len(files), err)
	}
	for _, file := range append(files, "guide.js", "explore_modules.test.mjs") {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, filepath.Base(file)), body, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "package.json"), []byte(`{"type":"module"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), node, "--test")
	c.Dir = folder
	if output, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, output)
	}
}
