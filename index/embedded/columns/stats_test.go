package columns

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"filings/index"
	"filings/index/indextest"
)

// TestX13_Cover: what a former version left out is counted from the columns.
func TestX13_Cover(t *testing.T) {
	t.Parallel()
	filings := synthetics(ChunkRows+5_000, 3)
	want, err := indextest.NewOracle("", filings).Counties(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	former := make([]index.CountyStats, len(want))
	for i, c := range want {
		former[i] = index.CountyStats{County: c.County, Filings: c.Filings, Amounts: c.Amounts, SumCents: c.SumCents,
			MinAmount: c.MinAmount, MaxAmount: c.MaxAmount}
	}
	got, err := newTable(t, filings).Cover(t.Context(), former)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
}
