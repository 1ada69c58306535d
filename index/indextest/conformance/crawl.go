package conformance

import (
	"math"
	"math/rand/v2"
	"testing"

	"filings/index"
	"filings/index/indextest"
	"filings/index/indextest/edges"
)

// tied is how many filings are equal in every field that is sorted by. Elasticsearch finds a page by its offset up to
// 10,000 only.
const tied = 10_300

func testCrawl(t *testing.T, open func(t *testing.T) Harness) {
	t.Run("P2 P17 pages of 7", func(t *testing.T) {
		filings := edges.Fuzzed(900, 3)
		r := opened(t, open(t).Store, filings)
		crawlAll(t, r, indextest.NewOracle("", filings), 7)
	})
	t.Run("P2 P17 pages of 100 over ties", func(t *testing.T) {
		if testing.Short() {
			t.Skip("left out by -short")
		}
		filings := tiedFilings()
		r, o := opened(t, open(t).Store, filings), indextest.NewOracle("", filings)
		crawlAll(t, r, o, 100)
		for _, w := range []index.Filter{index.Where(index.InCounty("Tie")), edges.Contains("tied owner"), edges.Between(index.FilingAmount, edges.At(0), edges.At(0))} {
			deepPages(t, r, o, w)
		}
	})
}

// crawlAll reads the whole generation in pages of a size, in every order, and compares it with the oracle's.
func crawlAll(t *testing.T, r index.Reader, o *indextest.Oracle, size int) {
	eachOrder(func(s index.Sort) {
		pages := func(total int) (all []page) {
			for offset := 0; offset <= total; offset += size {
				all = append(all, page{offset, size})
			}
			return all
		}
		if err := compare(t.Context(), o, r, index.Filter{}, s, pages); err != nil {
			t.Error(err)
		}
	})
}

// deepPages reads a few pages all over what w selects, in every order.
func deepPages(t *testing.T, r index.Reader, o *indextest.Oracle, w index.Filter) {
	random := rand.New(rand.NewPCG(4, 4))
	eachOrder(func(s index.Sort) {
		pages := func(total int) (all []page) {
			for _, offset := range []int{0, 9_950, 10_000, total - 10_050, total - 50} {
				all = append(all, page{max(0, offset), 100}, page{random.IntN(total), 20})
			}
			return all
		}
		if err := compare(t.Context(), o, r, w, s, pages); err != nil {
			t.Error(err)
		}
	})
}

// tiedFilings returns two crowds of filings, each of them in every sort either one value of many filings or no value at
// all, and some others between them. Ids are spread over all that an id can be.
func tiedFilings() []*index.Filing {
	added := edges.Day("2026-01-01")
	filings := edges.Fuzzed(300, 5)
	for range tied {
		dated := edges.Filing(0, edges.Values{index.County: "Tie, FL", index.FilingDate: "2024-02-29", index.FilingAmount: 0,
			index.Owner: "Tied Owner", index.CreatedAt: added})
		dateless := edges.Filing(0, edges.Values{index.County: "Tie, CA", index.CurrentAmount: 5, index.CaseNumber: "tied owner",
			index.CreatedAt: added})
		filings = append(filings, dated, dateless)
	}
	random := rand.New(rand.NewPCG(6, 6))
	random.Shuffle(len(filings), func(i, j int) { filings[i], filings[j] = filings[j], filings[i] })
	step := math.MaxInt64 / int64(len(filings))
	for i, f := range filings {
		f.ID = math.MaxInt64 - int64(i)*step
	}
	random.Shuffle(len(filings), func(i, j int) { filings[i], filings[j] = filings[j], filings[i] })
	return filings
}
