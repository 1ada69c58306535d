package main

import (
	"cmp"
	"go/ast"
	"go/types"
	"maps"
	"math/bits"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	loader "golang.org/x/tools/go/packages"

	"filings/cmd/testservers/servers"
)

// TestArrows keeps the files of a folder in an order. An arrow leads from a file to another one of its package that declares
// what it uses: a function, a type, a method, a field, a constant, a variable. In the best order of the files, in which most
// arrows lead down, at most a tenth of them, or one, may lead back up: a folder can be read from its end, each file with
// what the reader knows by then.
func TestArrows(t *testing.T) {
	t.Parallel()
	servers.Slow(t, "the types of every package")
	folders, err := loader.Load(&loader.Config{
		Mode: loader.NeedName | loader.NeedFiles | loader.NeedImports | loader.NeedExportFile | // what others declare is read as compiled
			loader.NeedSyntax | loader.NeedTypes | loader.NeedTypesInfo,
		Dir: root,
	}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	if len(folders) < 50 {
		t.Fatalf("only %d folders are seen", len(folders))
	}
	for _, folder := range folders {
		for _, err := range folder.Errors {
			t.Errorf("%s: %v", folder.PkgPath, err)
		}
		name := strings.TrimPrefix(folder.PkgPath, module+"/")
		all := arrowsOf(folder)
		order, back := best(all)
		if most := max(1, all.count()/10); len(back) > most {
			t.Errorf("%s: %d of %d arrows lead back up, at most %d may, in the order %s:", name, len(back), all.count(), most, strings.Join(order, ", "))
			for _, arrow := range back {
				t.Logf("\t%s → %s: %s", all.files[arrow.from], all.files[arrow.to], strings.Join(slices.Sorted(maps.Keys(all.uses[arrow])), ", "))
			}
		}
	}
}

// arrow leads from a file to one that declares what it uses, by their numbers.
type arrow struct{ from, to int }

// arrows are those of a folder, with the names that each is for.
type arrows struct {
	files []string
	uses  map[arrow]map[string]bool
}

func (a arrows) count() int { return len(a.uses) }

func arrowsOf(folder *loader.Package) arrows {
	all := arrows{uses: map[arrow]map[string]bool{}}
	number := map[string]int{} // of a file
	for i, path := range folder.GoFiles {
		number[path] = i
		all.files = append(all.files, filepath.Base(path))
	}
	for _, file := range folder.Syntax {
		from := number[folder.Fset.File(file.Pos()).Name()]
		ast.Inspect(file, func(n ast.Node) bool {
			name, is := n.(*ast.Ident)
			if !is {
				return true
			}
			declared := folder.TypesInfo.Uses[name]
			if declared == nil || declared.Pkg() != folder.Types {
				return true
			}
			if _, is := declared.(*types.PkgName); is {
				return true
			}
			to := number[folder.Fset.File(declared.Pos()).Name()]
			if a := (arrow{from, to}); from != to {
				if all.uses[a] == nil {
					all.uses[a] = map[string]bool{}
				}
				all.uses[a][name.Name] = true
			}
			return true
		})
	}
	return all
}

// best returns the files in the order in which the fewest arrows lead back up, and these arrows. It goes through the sets of
// files that may stand below the others: how many arrows lead up out of a set does not depend on the order above it.
func best(all arrows) (order []string, back []arrow) {
	n := len(all.files)
	uses := make([]uint, n) // the set of files that a file leads to
	for a := range all.uses {
		uses[a.from] |= 1 << a.to
	}
	fewest, top := make([]int, 1<<n), make([]int, 1<<n) // arrows that lead up from the files of a set, and its uppermost file
	for set := uint(1); set < 1<<n; set++ {
		fewest[set] = len(all.uses) + 1
		for file := range n {
			if set>>file&1 == 0 {
				continue
			}
			if up := fewest[set&^(1<<file)] + bits.OnesCount(uses[file]&^set); up < fewest[set] {
				fewest[set], top[set] = up, file
			}
		}
	}
	level := make([]int, n)
	for set := uint(1)<<n - 1; set != 0; set &^= 1 << top[set] {
		level[top[set]] = len(order)
		order = append(order, all.files[top[set]])
	}
	for a := range all.uses {
		if level[a.from] > level[a.to] {
			back = append(back, a)
		}
	}
	slices.SortFunc(back, func(a, b arrow) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	return order, back
}
