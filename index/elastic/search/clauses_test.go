package search

import (
	"testing"

	"filings/index"
	"filings/index/indextest/edges"
)

// TestClauses_EachPredicate: there is a clause for each predicate. What it selects, a server says (TestConformance).
func TestClauses_EachPredicate(t *testing.T) {
	t.Parallel()
	known := Known{
		Counties: func() ([]string, error) { return []string{"quincey, zz"}, nil },
		Rim:      func(index.Region) (Rim, error) { return Rim{}, nil },
	}
	for _, g := range edges.Groups() {
		for _, c := range g.Cases {
			if _, err := Clauses(c.Where, known); err != nil {
				t.Errorf("%s, %s: %v", g.Rule, c.Name, err)
			}
		}
	}
}

func TestClause_UnknownPredicate(t *testing.T) {
	t.Parallel()
	type unknown struct{ index.Days }
	if c, err := Clauses(index.Where(unknown{}), Known{}); err == nil {
		t.Errorf("an unknown predicate became %v", c)
	}
}
