package embedded

import (
	"slices"
	"testing"

	"filings/index"
	"filings/index/indextest"
	"filings/index/indextest/edges"
)

// TestX8_OrderedRecords: long pages, which are read from the records in the default order, have what single records have,
// with a filter that selects many and with one that selects few, wherever they begin, also in other orders of neighbors.
func TestX8_OrderedRecords(t *testing.T) {
	t.Parallel()
	filings := append(edges.Fuzzed(500, 5), synthetics(6000, 2)...)
	for i, f := range filings {
		f.ID = int64(i + 1)
	}
	s := openStore(t, t.TempDir())
	load(t, s, filings)
	r, oracle := liveReader(t, s), indextest.NewOracle("g", filings)
	for name, w := range map[string]index.Filter{
		"all": {}, "few": edges.Contains("maple"),
		"many": index.Where(index.Range{Field: index.FilingAmount, Min: edges.At(100)}),
	} {
		for _, sort := range []index.Sort{
			index.DefaultSort, {Field: index.FilingDate, Ascending: true}, {Field: index.CreatedAt},
		} {
			q := index.Query{Where: w, Sort: sort, Limit: len(filings)}
			want, err := oracle.Rows(t.Context(), q)
			if err != nil || len(want.Records) < 100 {
				t.Fatalf("%s: %d records, %v", name, len(want.Records), err)
			}
			for _, q.Limit = range []int{99, 100, 101, 1000, 2500, len(filings)} {
				got := allRecords(t, r, q)
				if !slices.EqualFunc(got, want.Records, func(a, b index.Record) bool { return string(a) == string(b) }) {
					t.Errorf("%s by %v, pages of %d: %d records, want %d", name, sort, q.Limit, len(got), len(want.Records))
				}
			}
		}
	}
}

// allRecords reads all that q selects, page by page.
func allRecords(t *testing.T, r index.Reader, q index.Query) (all []index.Record) {
	t.Helper()
	for {
		page, err := r.Rows(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if len(page.Records) == 0 {
			return all
		}
		all, q.Start = append(all, page.Records...), page.End
	}
}
