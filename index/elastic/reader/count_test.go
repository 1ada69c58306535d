package reader

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"filings/index"
	"filings/index/elastic/document"
	"filings/index/elastic/elastictest"
	"filings/index/elastic/search"
	"filings/index/indextest"
)

// TestCount_CountyAndAmount: filings of a county by amounts are counted by one number, in a
// generation that has it, and are as many as of the two predicates.
func TestCount_CountyAndAmount(t *testing.T) {
	t.Parallel()
	filings := elastictest.Filings(500)
	o, r := indextest.NewOracle("made", filings), testReader(t, 3, filings)
	rnd := rand.New(rand.NewPCG(6, 10))
	bound := func() *float64 {
		v, _ := filings[rnd.IntN(len(filings))].Number(index.FilingAmount)
		if v += float64(rnd.IntN(5)-2) / 400; rnd.IntN(4) == 0 {
			return nil
		}
		return &v
	}
	alone := 0
	for range 100 {
		county := filings[rnd.IntN(len(filings))].Text(index.County)
		if rnd.IntN(3) == 0 {
			county, _ = index.SplitCounty(county)
		}
		w := index.Where(index.InCounty(county), index.Range{Field: index.FilingAmount, Min: bound(), Max: bound()})
		want, _ := o.Count(t.Context(), w)
		got, err := r.Count(t.Context(), w)
		if err != nil || got != want {
			t.Fatalf("%v: %d, %v; want %d", w, got, err, want)
		}
		clauses, err := r.counted(t.Context(), w)
		if err != nil {
			t.Fatal(err)
		}
		if isByNumber(t, clauses) {
			alone++
		}
	}
	if alone < 60 {
		t.Errorf("%d of 100 are counted by one number", alone)
	}
	orange := index.InCounty("Orange, FL")
	more := index.Where(orange, index.Range{Field: index.FilingAmount}, index.Present{Field: index.Owner})
	other := index.Where(orange, index.Range{Field: index.LotSizeAcres})
	for _, w := range []index.Filter{more, other} {
		if clauses, err := r.counted(t.Context(), w); err != nil || isByNumber(t, clauses) {
			t.Errorf("%v: %v, %v", w, clauses, err)
		}
	}
}

func isByNumber(t *testing.T, clauses []search.Object) bool {
	t.Helper()
	text, err := json.Marshal(search.Count(clauses))
	if err != nil {
		t.Fatal(err)
	}
	return len(clauses) == 1 && strings.Contains(string(text), document.CountyCentsField)
}
