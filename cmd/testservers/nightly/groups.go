package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
)

// group is tests that verify one thing, and run together.
type group struct {
	name    string
	inputs  []string // files and folders that decide their results; of a folder all but tests
	command []string // in place of the tests that name the group
}

// groups is in the order in which they run: the group that fails soonest is first.
var groups = []group{
	{"clients", []string{"service/apitest/testdata/openapi.json", "service/testdata/clients", "service/webtest/tools"}, nil},
	{"files", []string{
		"service/export", "reindexer/source/parquet", "service/apitest/testdata/exports", "service/webtest/tools",
	}, nil},
	{"proxies", []string{
		"service/edge", "service/export", "service/mvt", "service/handlers/tiles.go",
		"service/webtest/tools",
	}, nil},
	{"documents", []string{"docs/api", "docs/operate", "docs/quickstart.md", "README.md", "cmd/filings/help", "cmd/filings/operate"}, nil},
	{"browser", []string{"service/pages", "service/webtest"}, nil},
	{"agents", []string{"service/mcp", "service/apitest/testdata/mcp", "service/webtest/tools"}, nil},
	{"random", []string{
		"service/params", "service/mcp", "service/handlers", "index/serving", "index/embedded",
		"index/elastic",
	}, nil},
	{"loads", []string{"reindexer", "index/elastic", "index/generation", "index/sidecar"}, nil},
	{"kills", []string{
		"index/generation", "index/sidecar", "index/embedded", "index/elastic", "reindexer",
		"service/access", "cmd/filings",
	}, nil},
	{"fleets", []string{"service/access", "service/export", "cmd/filings"}, nil},
	{"suite", []string{"index/indextest"}, nil},
	{"shards", []string{"index/elastic", "index/indextest"}, nil},
	{"opensearch", []string{"index/elastic", "index/indextest"},
		[]string{"env", "-u", "TEST_ELASTICSEARCH_URL", "make", "opensearch", "TESTS=TestConformance/one_shard"}},
}

// test is a function of the tests: its text behind its name, and the group that it names.
type test struct{ name, folder, file, body, group string }

var (
	declaration = regexp.MustCompile(`(?m)^func (\w+)\(`)
	marker      = regexp.MustCompile(`\bservers\.Nightly\(t, "(\w+)"\)`)
)

// marked returns the tests below root by group: those that call servers.Nightly, and those that
// call a function of their folder's tests which does.
func marked(root string) (map[string][]test, error) {
	var all []test
	helpers := map[string]string{} // group, by the form of a call
	err := walk(root, ".", func(name string) error {
		if !strings.HasSuffix(name, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path.Join(root, name))
		places := declaration.FindAllSubmatchIndex(text, -1)
		for i, place := range places {
			end := len(text)
			if i+1 < len(places) {
				end = places[i+1][0]
			}
			body := string(text[place[1]:end])
			f := test{string(text[place[2]:place[3]]), path.Dir(name), name, body, ""}
			if m := marker.FindStringSubmatch(body); m != nil {
				f.group = m[1]
			}
			if strings.HasPrefix(f.name, "Test") {
				all = append(all, f)
			} else if f.group != "" {
				helpers[f.folder+" "+f.name+"("] = f.group
			}
		}
		return err
	})
	tests := map[string][]test{}
	for _, f := range all {
		for call, group := range helpers {
			folder, text, _ := strings.Cut(call, " ")
			if folder == f.folder && f.group == "" && strings.Contains(f.body, "\t"+text) {
				f.group = group
			}
		}
		if f.group != "" {
			tests[f.group] = append(tests[f.group], f)
		}
	}
	return tests, err
}

// hash returns a digest of the inputs of g, of the files of its tests, and of the libraries.
func (g group) hash(root string, tests []test) (string, error) {
	files := map[string]bool{"go.mod": true, "go.sum": true}
	for _, t := range tests {
		files[t.file] = true
	}
	for _, input := range g.inputs {
		if err := walk(root, input, func(name string) error {
			if !strings.HasSuffix(name, "_test.go") {
				files[name] = true
			}
			return nil
		}); err != nil {
			return "", err
		}
	}
	all := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := add(all, path.Join(root, name), name); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(all.Sum(nil)), nil
}

// add adds the name and the bytes of a file.
func add(all hash.Hash, file, name string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(all, "%s %d\n%s", name, len(text), text)
	return err
}

// walk calls f with the files below a file or folder, by their names from root. It passes by files
// that no commit has.
func walk(root, from string, f func(name string) error) error {
	return fs.WalkDir(os.DirFS(root), from, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{".git", "bin", "dist", "filings-data"}, name):
			return fs.SkipDir
		case d.Type().IsRegular():
			return f(name)
		}
		return nil
	})
}
