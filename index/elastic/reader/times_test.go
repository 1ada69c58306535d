package reader

import (
	"math/rand/v2"
	"testing"
	"time"

	"filings/index"
	"filings/index/elastic/elastictest"
	"filings/index/indextest"
)

// TestA3_Times compares counts of what was added lately with the oracle's, at the edges of days and within them.
func TestA3_Times(t *testing.T) {
	t.Parallel()
	filings := elastictest.Filings(500)
	rnd := rand.New(rand.NewPCG(1, 2))
	for i, f := range filings[100:] {
		if i%50 == 0 {
			f.CreatedAt = time.Time{}
			continue
		}
		f.CreatedAt = time.Date(2024, 5, 1+rnd.IntN(3), 23*rnd.IntN(2), 59, 59, 999_000*rnd.IntN(1000), time.UTC)
	}
	r, oracle := testReader(t, 2, filings), indextest.NewOracle("oracle", filings)
	var moments []time.Time
	for _, f := range filings[:200] {
		moments = append(moments, f.CreatedAt, f.CreatedAt.Add(time.Microsecond), f.CreatedAt.Truncate(24*time.Hour))
	}
	for range 300 {
		w := index.Where(index.Times{First: moments[rnd.IntN(len(moments))], Last: moments[rnd.IntN(len(moments))]})
		want, err := oracle.Count(t.Context(), w)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := r.Count(t.Context(), w); err != nil || got != want {
			t.Errorf("%v: %d, %v, want %d", w, got, err, want)
		}
	}
}
