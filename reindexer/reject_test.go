package reindexer

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestL6_RejectsOfTheOwner: the file of the rejects is its owner's alone, also one that was there with another mode, and no link leads the load
// to another file.
func TestL6_RejectsOfTheOwner(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	other, path := filepath.Join(dir, "other"), filepath.Join(dir, "rejects.ndjson")
	for name, content := range map[string]string{other: "kept", path: "of an earlier load"} {
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r, err := openRejects(Config{Rejects: path}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 || info.Size() == 0 {
		t.Errorf("%v, error %v, want the mode 0600 and what it had until the load begins", info, err)
	}
	if err := errors.Join(r.start(), r.close()); err != nil {
		t.Error(err)
	}
	for _, to := range []string{other, filepath.Join(dir, "none")} {
		link := to + ".link"
		if err := os.Symlink(to, link); err != nil {
			t.Skip(err)
		}
		if _, err := openRejects(Config{Rejects: link}, nil); !errors.Is(err, ErrUsage) || !strings.Contains(err.Error(), "is a link") {
			t.Errorf("a link to %s: error %v", to, err)
		}
	}
	if text, err := os.ReadFile(other); string(text) != "kept" {
		t.Errorf("the file that a link leads to has %q, error %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "none")); err == nil {
		t.Error("a link made a file")
	}
}
