package reader

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"filings/index"
	"filings/index/elastic/elastictest"
	"filings/index/elastic/search"
	"filings/index/indextest"
)

// TestX12_AllPages: groups are complete with few and with many buckets in a response, and with several shards.
func TestX12_AllPages(t *testing.T) {
	t.Parallel()
	filings := elastictest.Filings(400)
	o := indextest.NewOracle("made", filings)
	for _, shards := range []int{1, 3} {
		r := testReader(t, shards, filings)
		for _, buckets := range []int{search.Usual.Buckets, 7} {
			for _, d := range append(index.Dimensions(), index.ByDateRange) {
				for _, by := range [][]index.Dimension{{d}, {d, (d + 5) % index.Dimension(len(index.Dimensions()))}} {
					t.Run(fmt.Sprintf("%d shards, %d buckets, %v", shards, buckets, by), func(t *testing.T) {
						t.Parallel()
						q := index.GroupQuery{Dimensions: by}
						r := &Reader{c: r.c, generation: r.generation, limits: r.limits, cache: r.cache}
						r.limits.Buckets = buckets
						want, _ := o.Groups(t.Context(), index.Filter{}, q)
						got, err := r.Groups(t.Context(), index.Filter{}, q)
						if err != nil {
							t.Fatal(err)
						}
						if diff := cmp.Diff(want, got); diff != "" {
							t.Errorf("(-want +got):\n%s", diff)
						}
					})
				}
			}
		}
	}
}
