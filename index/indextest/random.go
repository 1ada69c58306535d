package indextest

import (
	"testing"

	"filings/index"
)

// How much of the random part is asked. Each question is a count and four pages.
const (
	randomFilings   = 3_000
	randomQuestions = 400
)

func testRandom(t *testing.T, open func(t *testing.T) Harness) {
	filings := wildFilings(randomFilings, 1)
	r, o := opened(t, open(t).Store, filings), NewOracle("", filings)
	t.Run("pages and totals", func(t *testing.T) { ask(t, r, o, newAsker(2, filings), randomQuestions) })
	t.Run("figures", func(t *testing.T) { sameFigures(t, r, o) })
}

// ask asks r random questions and compares its answers with the oracle's. It stops after a few differences.
func ask(t *testing.T, r index.Reader, o *Oracle, a *asker, questions int) {
	t.Helper()
	differences, some := 0, 0
	for range questions {
		w, s := a.question()
		pages := func(total int) []page {
			if total > 0 {
				some++
			}
			return a.pages(total)
		}
		if err := compare(t.Context(), o, r, w, s, pages); err != nil {
			t.Error(err)
			if differences++; differences == 5 {
				t.Fatal("more is not asked after 5 differences")
			}
		}
	}
	if !t.Failed() && some < questions/2 {
		t.Errorf("only %d of %d questions selected anything: they try too little", some, questions)
	}
}
