package serving

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"filings/index/indextest"
)

// TestMetrics_FromZero: each call that the source makes of an engine is exposed from 0 on with each
// outcome that alerts are on, so that the first one is seen to rise.
func TestMetrics_FromZero(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	if _, err := New(&waiting{Reader: indextest.NewOracle("g1", nil)}, Config{Registry: registry}); err != nil {
		t.Fatal(err)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	exposed := map[string]bool{}
	for _, f := range families {
		for _, m := range f.Metric {
			if f.GetName() == "filings_engine_call_duration_seconds" {
				exposed[m.Label[0].GetValue()+" "+m.Label[1].GetValue()] = true
			}
		}
	}
	calls := madeCalls(t)
	if len(calls) < 17 {
		t.Errorf("the source has %d calls: %v", len(calls), calls)
	}
	for call := range calls {
		for _, outcome := range []string{"unavailable", "timeout", "error"} {
			if !exposed[call+" "+outcome] {
				t.Errorf("%s, %s is not exposed before it happens", call, outcome)
			}
		}
	}
}

// madeCalls returns the names of the calls that the source of this package makes: those of each
// request, and of what is timed alone.
func madeCalls(t *testing.T) map[string]bool {
	t.Helper()
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	calls := map[string]bool{}
	note := func(e ast.Expr) {
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			e = pair.Value
		}
		if text, ok := e.(*ast.BasicLit); ok && text.Kind == token.STRING {
			name, err := strconv.Unquote(text.Value)
			if err != nil {
				t.Fatal(err)
			}
			calls[name] = true
		}
	}
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".go") || strings.HasSuffix(file.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CompositeLit:
				if of, ok := n.Type.(*ast.IndexExpr); ok && isNamed(of.X, "request") {
					note(n.Elts[0])
				}
			case *ast.CallExpr:
				if isNamed(n.Fun, "timed") || isNamed(n.Fun, "looked") {
					note(n.Args[2])
				}
			}
			return true
		})
	}
	return calls
}

func isNamed(e ast.Expr, name string) bool {
	of, ok := e.(*ast.Ident)
	return ok && of.Name == name
}
