package edges_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"testing"

	"filings/index/indextest/edges"
)

// TestGroups_EachPredicate: there are cases of every type of predicate. Both engines, changes and index.Filter are held to the
// oracle by them, so that none of these can lack one.
func TestGroups_EachPredicate(t *testing.T) {
	t.Parallel()
	var tried []string
	for _, g := range edges.Groups() {
		for _, c := range g.Cases {
			for _, p := range c.Where.Predicates() {
				tried = append(tried, fmt.Sprintf("%T", p))
			}
		}
	}
	all := predicates(t)
	if len(all) == 0 {
		t.Error("no predicates were found")
	}
	for _, name := range all {
		if !slices.Contains(tried, "index."+name) {
			t.Errorf("no case has an index.%s", name)
		}
	}
}

// predicates returns the names of the types of package index that have the method holds, as every index.Predicate does.
func predicates(t *testing.T) (names []string) {
	files, err := filepath.Glob("../../*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.Name == "holds" {
				names = append(names, fmt.Sprint(f.Recv.List[0].Type))
			}
		}
	}
	return names
}
