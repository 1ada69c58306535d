package indextest_test

import (
	"slices"
	"testing"

	"filings/index"
	"filings/index/indextest"
	"filings/index/indextest/edges"
)

// TestX6_Rest: the rest from a filing's position on is what follows it in the default order, with it or without it.
func TestX6_Rest(t *testing.T) {
	t.Parallel()
	filings := edges.Fuzzed(300, 5)
	o := indextest.NewOracle("g", filings)
	all, err := o.Rows(t.Context(), index.Query{Sort: index.DefaultSort, Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(filings, func(a, b *index.Filing) int { return indextest.Compare(index.DefaultSort, a, b) })
	for i, f := range filings {
		for less, want := range map[int64]int{0: len(all.Records) - i, 1: len(all.Records) - i - 1} {
			n, err := o.Count(t.Context(), index.Where(index.Rest{Date: f.Text(index.FilingDate), ID: f.ID - less}))
			if err != nil || n != int64(want) {
				t.Fatalf("row %d, without %d: %d, %v, want %d", i, less, n, err, want)
			}
		}
	}
}
