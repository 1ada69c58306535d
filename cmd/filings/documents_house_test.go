package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var folderRow = regexp.MustCompile("(?m)^\\| (`[^|]+`) \\|[^|]+\\|([^|]+)\\|$")

var quoted = regexp.MustCompile("`([^`]+)`")

// The table of folders in docs/design.md has all packages, and no others, and says what each may import as the rules of
// TestImports do.
func TestDocuments_Folders(t *testing.T) {
	t.Parallel()
	rules := map[string][]string{}
	for _, rule := range mayImport {
		rules[rule.pkg] = slices.Sorted(slices.Values(rule.may))
	}
	documented := map[string]bool{}
	for _, row := range folderRow.FindAllStringSubmatch(readDocument(t, "docs/design.md").prose, -1) {
		for _, name := range quoted.FindAllStringSubmatch(row[1], -1) {
			folder := name[1]
			documented[folder] = true
			if _, err := os.Stat(filepath.Join(root, folder)); err != nil {
				t.Errorf("docs/design.md describes %s, which does not exist", folder)
			}
			want, ruled := rules[folder]
			var got []string
			for _, m := range quoted.FindAllStringSubmatch(row[2], -1) {
				got = append(got, m[1])
			}
			slices.Sort(got)
			if ruled && !slices.Equal(got, want) {
				t.Errorf("docs/design.md says that %s may import %q; TestImports says %q", folder, got, want)
			}
		}
	}
	for _, name := range packages(t) {
		if !documented[name] {
			t.Errorf("docs/design.md does not describe %s", name)
		}
	}
}

// The functions that docs/design.md counts as stops are in the files that it names, and are as many as it says.
func TestDocuments_Stops(t *testing.T) {
	t.Parallel()
	_, section, _ := strings.Cut(readDocument(t, "docs/design.md").prose, "\n## The house, counted\n")
	row := regexp.MustCompile("(?m)^\\| `([a-z/_]+\\.go)` \\| (`.+`) \\|$")
	total := regexp.MustCompile(`(?m)^\*\*([0-9]+) functions in ([0-9]+) files\*\*`)
	counted := 0
	for _, table := range strings.Split(section, "\n### ")[1:] {
		title, _, _ := strings.Cut(table, "\n")
		functions, files := 0, map[string]bool{}
		for _, m := range row.FindAllStringSubmatch(table, -1) {
			text, err := os.ReadFile(filepath.Join(root, m[1]))
			if err != nil {
				t.Error(err)
			}
			files[m[1]] = true
			for _, name := range quoted.FindAllStringSubmatch(m[2], -1) {
				functions++
				receiver, method, isMethod := strings.Cut(name[1], ".")
				declared := `(?m)^func ` + name[1] + `[(\[]`
				if isMethod {
					declared = `(?m)^func \((\w+ )?\*?` + receiver + `(\[\w+\])?\) ` + method + `\(`
				}
				if !regexp.MustCompile(declared).Match(text) {
					t.Errorf("%s: %s has no function %s", title, m[1], name[1])
				}
			}
		}
		if m := total.FindStringSubmatch(table); m != nil {
			counted++
			if got := fmt.Sprint(functions, len(files)); got != m[1]+" "+m[2] {
				t.Errorf("%s: %d functions in %d files, not %s in %s", title, functions, len(files), m[1], m[2])
			}
		}
	}
	if counted < 3 {
		t.Errorf("only %d lists were counted: this test does not see them", counted)
	}
}

// The image is built from all packages: what .dockerignore does not name, Docker does not see.
func TestDockerignore(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(root + "/.dockerignore")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range packages(t) {
		top, _, _ := strings.Cut(name, "/")
		if !strings.Contains(string(text), "\n!"+top+"\n") {
			t.Errorf("the image is built without %s: .dockerignore leaves it out", top)
		}
	}
}

// packages returns the folders with a package, from the root, in order.
func packages(t *testing.T) (folders []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "testdata" {
			return fs.SkipDir
		}
		if err != nil || path.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
			return err
		}
		folder, err := filepath.Rel(root, filepath.Dir(file))
		folders = append(folders, filepath.ToSlash(folder))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(folders)
	return slices.Compact(folders)
}
