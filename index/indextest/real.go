package indextest

import (
	"iter"
	"slices"
	"testing"

	"filings/index"
)

// FilingsVariable is the environment variable that names a file of filings for Real. Whoever reads it needs package
// reindexer, which this package may not know.
const FilingsVariable = "TEST_FILINGS"

// Real loads filings, which may be many and may be one Filing that is reused, and asks as many random questions made of
// their values. It compares answers with the oracle's, which keeps all filings in memory: some 1.5 kB each. Failures
// show values of the filings.
func Real(t *testing.T, h Harness, filings iter.Seq[*index.Filing], questions int) {
	var all []*index.Filing
	for f := range filings {
		all = append(all, clone(f))
	}
	if len(all) == 0 {
		t.Fatal("there are no filings to compare")
	}
	name, err := Load(t.Context(), h.Store, slices.Values(all))
	if err != nil {
		t.Fatal(err)
	}
	r, o := mustOpen(t, h.Store, name), NewOracle(name, all)
	t.Run("pages and totals", func(t *testing.T) { ask(t, r, o, newAsker(10, all), questions) })
	t.Run("figures", func(t *testing.T) { sameFigures(t, r, o) })
	for _, w := range []index.Filter{index.Filter{}, index.Where(index.InCounty(o.biggest()))} {
		deepPages(t, r, o, w)
	}
}

// biggest returns the county with the most filings.
func (o *Oracle) biggest() (name string) {
	var most int64
	filings := map[string]int64{}
	for _, e := range o.filings {
		county := e.Text(index.County)
		if filings[county]++; filings[county] > most {
			most, name = filings[county], county
		}
	}
	return name
}
