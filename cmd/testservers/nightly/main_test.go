package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const root = "../../.."

// TestGroups: each group has tests or a command, inputs that exist, and a row in docs/tested.md
// with all of them; each test that is left out of `make test` has a group.
func TestGroups(t *testing.T) {
	t.Parallel()
	tests, err := marked(root)
	if err != nil {
		t.Fatal(err)
	}
	document, err := os.ReadFile(filepath.Join(root, "docs/tested.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range groups {
		_, row, _ := strings.Cut(string(document), "\n| `"+g.name+"` |")
		row, _, _ = strings.Cut(row, "\n")
		names := slices.Clone(g.inputs)
		for _, test := range tests[g.name] {
			names = append(names, test.name)
		}
		for _, name := range names {
			if !strings.Contains(row, "`"+name+"`") {
				t.Errorf("docs/tested.md: the row of the group %s lacks `%s`", g.name, name)
			}
		}
		if (len(tests[g.name]) == 0) == (g.command == nil) {
			t.Errorf("%s has %d tests and the command %q: one of them", g.name, len(tests[g.name]), g.command)
		}
		if _, err := g.hash(root, tests[g.name]); err != nil {
			t.Errorf("%s: %v", g.name, err)
		}
		delete(tests, g.name)
	}
	for name, of := range tests {
		t.Errorf("%v are of the group %s, which has no row in groups.go", of, name)
	}
}

// TestHash: a hash follows the inputs, the files of the tests and the libraries, and nothing else.
func TestHash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	g := group{name: "pages", inputs: []string{"pages", "one.json"}}
	hash := func() string {
		tests, err := marked(dir)
		if err != nil {
			t.Fatal(err)
		}
		text, err := g.hash(dir, tests["pages"])
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	for _, name := range []string{"go.mod", "go.sum", "one.json", "pages/a.js", "pages/below/b.js"} {
		write(name, "1")
	}
	const marking = "(t *testing.T) {\n\tservers.Nightly(t, \"pages\")\n}\n\n"
	write("web/page_test.go", "package web\n\nfunc TestPage"+marking+"func TestOther(t *testing.T) {}\n\n"+
		"func TestBoth(t *testing.T) {\n\tonBoth(t)\n}\n\nfunc onBoth"+marking)
	if tests, _ := marked(dir); len(tests["pages"]) != 2 || tests["pages"][1].name != "TestBoth" {
		t.Errorf("tests: %v", tests)
	}
	seen := []string{hash()}
	for _, change := range []struct {
		name, text string
		differs    bool
	}{
		{"pages/a.js", "2", true}, {"pages/below/b.js", "2", true}, {"pages/c.js", "", true},
		{"one.json", "2", true}, {"go.sum", "2", true},
		{"pages/quick_test.go", "package pages", false}, {"web/web.go", "package web", false},
		{"web/page_test.go", "package web\n\nfunc TestPage" + marking, true},
	} {
		write(change.name, change.text)
		if got := hash(); slices.Contains(seen, got) == change.differs {
			t.Errorf("%s: a new hash: %v", change.name, !change.differs)
		} else if change.differs {
			seen = append(seen, got)
		}
	}
	tests, _ := marked(dir)
	if got := tests["pages"]; len(got) != 1 || got[0].name != "TestPage" || !strings.HasPrefix(got[0].folder, "web") {
		t.Errorf("tests: %v", got)
	}
}
