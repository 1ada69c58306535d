package indextest

import (
	"fmt"
	"slices"
	"testing"

	"filings/index"
	"filings/index/generation"

	"github.com/google/go-cmp/cmp"
)

// group holds what is asked to try one rule. Its filings share a mark, and each of its cases is asked among them.
type group struct {
	rule    string
	filings []*index.Filing
	cases   []edgeCase
}

// edgeCase is a filter and the ids of the filings of its group that it selects.
type edgeCase struct {
	name  string
	where index.Filter
	want  []int64
}

// edgeGroups returns a group for each rule, their filings marked and with different ids.
func edgeGroups() []group {
	groups := []group{
		countyGroup(), cityGroup(), typeGroup(), dayGroup(), amountGroup(), acresGroup(), propertyGroup(),
		propertyDataGroup(), equityGroup(), foreclosureGroup(), boxGroup(), antimeridianGroup(),
		searchGroup(), shortGroup(), characterGroup(), controlGroup(), longGroup(), createdGroup(), ownerKindGroup(),
	}
	for n, g := range groups {
		for _, f := range g.filings {
			f.ID += int64(1000 * (n + 1))
			f.SetText(index.FilingHolder, g.rule) // in the record, to see in a failure where a filing belongs
		}
		for _, c := range g.cases {
			for i := range c.want {
				c.want[i] += int64(1000 * (n + 1))
			}
		}
	}
	return groups
}

// mark returns the predicate that selects the filings of g, and makes them match it. Nothing searches filing types,
// so that the mark is in nobody's way but rule P8's, which is asked about by date.
func (g group) mark() index.Predicate {
	if g.rule == "P8" {
		for _, f := range g.filings {
			f.SetText(index.FilingDate, "1808-08-08")
		}
		return index.Days{From: "1808-08-08", To: "1808-08-08"}
	}
	for _, f := range g.filings {
		f.SetText(index.FilingType, "Mark "+g.rule)
	}
	return index.AnyOf{Fields: []index.Field{index.FilingType}, Values: []string{index.Fold("Mark " + g.rule)}}
}

func testEdges(t *testing.T, open func(t *testing.T) Harness) {
	groups := edgeGroups()
	var all []*index.Filing
	marks := make([]index.Predicate, len(groups))
	for i, g := range groups {
		marks[i] = g.mark()
		all = append(all, g.filings...)
	}
	all = append(all, sortFilings()...)
	r := opened(t, open(t).Store, all)
	o := NewOracle("", all)
	for i, g := range groups {
		for _, c := range g.cases {
			t.Run(fmt.Sprintf("%s %s", g.rule, c.name), func(t *testing.T) {
				w := c.where.And(marks[i])
				checkEdge(t, r, w, c.want)
				// Among all filings the predicate stands alone: an engine may take another way then.
				if err := compare(t.Context(), o, r, c.where, index.DefaultSort, firstPage); err != nil {
					t.Error(err)
				}
			})
		}
	}
	t.Run("P17", func(t *testing.T) { testSorts(t, r) })
	t.Run("P18 one filing", func(t *testing.T) { testFiling(t, r, all) })
	t.Run("P2 past the end", func(t *testing.T) { testOffsets(t, r, o) })
}

func firstPage(int) []page { return []page{{0, 100}} }

// checkEdge holds the ids of a page, in any order, and the count to those wanted.
func checkEdge(t *testing.T, r index.Reader, w index.Filter, want []int64) {
	t.Helper()
	rows, err := r.Rows(t.Context(), index.Query{Where: w, Sort: index.DefaultSort, Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	got := ids(rows)
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(append([]int64{}, want...), append([]int64{}, got...)); diff != "" {
		t.Errorf("%v (-want +got):\n%s", w, diff)
	}
	n, err := r.Count(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	if n != int64(len(want)) {
		t.Errorf("count %v: want %d, got %d", w, len(want), n)
	}
}

// opened loads filings into a store and opens the generation.
func opened(t *testing.T, store generation.Store, filings []*index.Filing) index.Reader {
	t.Helper()
	name, err := Load(t.Context(), store, slices.Values(filings))
	if err != nil {
		t.Fatal(err)
	}
	r, err := store.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	if r.Generation() != name {
		t.Errorf("the reader of %q calls itself %q", name, r.Generation())
	}
	return r
}
