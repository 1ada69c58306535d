package conformance

import (
	"iter"
	"slices"
	"testing"

	"filings/index"
	"filings/index/indextest"
	"filings/index/indextest/edges"
)

// The size of the random part. Each query is a count and four pages.
const (
	randomFilings = 3_000
	randomQueries = 400
)

func testRandom(t *testing.T, open func(t *testing.T) Harness) {
	filings := edges.Fuzzed(randomFilings, 1)
	r, o := opened(t, open(t).Store, filings), indextest.NewOracle("", filings)
	t.Run("pages and totals", func(t *testing.T) { checkQueries(t, r, o, newGenerator(2, filings), randomQueries) })
	t.Run("stats", func(t *testing.T) { sameStats(t, r, o) })
}

// checkQueries sends random queries to r and compares its responses with the oracle's. It stops after a few differences.
func checkQueries(t *testing.T, r index.Reader, o *indextest.Oracle, a *generator, queries int) {
	t.Helper()
	differences, some := 0, 0
	for range queries {
		w, s := a.query()
		pages := func(total int) []page {
			if total > 0 {
				some++
			}
			return a.pages(total)
		}
		if err := compare(t.Context(), o, r, w, s, pages); err != nil {
			t.Error(err)
			if differences++; differences == 5 {
				t.Fatal("5 differences are enough")
			}
		}
	}
	if !t.Failed() && some < queries/2 {
		t.Errorf("only %d of %d queries selected anything: they try too little", some, queries)
	}
}

// FilingsVariable is the environment variable that names a file of filings for Real. Reading the file takes package
// reindexer, which this package may not know.
const FilingsVariable = "TEST_FILINGS"

// Real loads filings, which may be many and may be one Filing that is reused, and sends as many random queries, made of
// their values. It compares responses with the oracle's, which keeps all filings in memory: some 1.5 kB each. Failures
// show values of the filings.
func Real(t *testing.T, h Harness, filings iter.Seq[*index.Filing], queries int) {
	var all []*index.Filing
	for f := range filings {
		all = append(all, edges.Clone(f))
	}
	if len(all) == 0 {
		t.Fatal("there are no filings to compare")
	}
	name, err := indextest.Load(t.Context(), h.Store, slices.Values(all))
	if err != nil {
		t.Fatal(err)
	}
	r, o := mustOpen(t, h.Store, name), indextest.NewOracle(name, all)
	t.Run("pages and totals", func(t *testing.T) { checkQueries(t, r, o, newGenerator(10, all), queries) })
	t.Run("stats", func(t *testing.T) { sameStats(t, r, o) })
	t.Run("groups", func(t *testing.T) {
		for _, d := range index.Dimensions() {
			sameGroups(t, r, o, index.Filter{}, []index.Dimension{d})
		}
		checkGroups(t, r, o, newGenerator(11, all), queries)
	})
	for _, w := range []index.Filter{index.Filter{}, index.Where(index.InCounty(biggest(o)))} {
		deepPages(t, r, o, w)
	}
}

// biggest returns the county with the most filings.
func biggest(o *indextest.Oracle) (name string) {
	var most int64
	filings := map[string]int64{}
	for _, e := range o.Entries() {
		county := e.Text(index.County)
		if filings[county]++; filings[county] > most {
			most, name = filings[county], county
		}
	}
	return name
}
