package search

import (
	"testing"

	"filings/index"
)

func TestClause_UnknownPredicate(t *testing.T) {
	t.Parallel()
	type unknown struct{ index.Days }
	if c, err := Clauses(index.Where(unknown{}), nil); err == nil {
		t.Errorf("an unknown predicate became %v", c)
	}
}
