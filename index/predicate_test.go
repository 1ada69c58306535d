package index_test

import (
	"slices"
	"testing"

	"filings/index"
	"filings/index/indextest"
	"filings/index/indextest/edges"
)

// TestFilterHolds: a filter holds for the filings that the oracle selects, and for those of a group's that its cases name.
// There are cases of every predicate (TestGroups_EachPredicate).
func TestFilterHolds(t *testing.T) {
	t.Parallel()
	all := edges.Fuzzed(300, 27)
	for _, g := range edges.Groups() {
		all = append(all, g.Filings...)
	}
	o := indextest.NewOracle("", all)
	for _, g := range edges.Groups() {
		for _, c := range append(g.Cases, edges.Case{Name: "no filter", Want: idsOf(g.Filings)}) {
			slices.Sort(c.Want)
			if got := held(c.Where, g.Filings); !slices.Equal(got, c.Want) {
				t.Errorf("%s, %s: %v holds for %v, want %v", g.Rule, c.Name, c.Where, got, c.Want)
			}
			want := idsOf(o.Select(c.Where, index.DefaultSort))
			slices.Sort(want)
			if got := held(c.Where, all); !slices.Equal(got, want) {
				t.Errorf("%s, %s: %v holds for %v of all, want %v", g.Rule, c.Name, c.Where, got, want)
			}
		}
	}
}

// held returns the ids of the filings that w holds for, sorted.
func held(w index.Filter, filings []*index.Filing) []int64 {
	ids := idsOf(slices.DeleteFunc(slices.Clone(filings), func(f *index.Filing) bool { return !w.Holds(f) }))
	slices.Sort(ids)
	return ids
}

func idsOf(filings []*index.Filing) (ids []int64) {
	for _, f := range filings {
		ids = append(ids, f.ID)
	}
	return ids
}
