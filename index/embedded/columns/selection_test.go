package columns

import (
	"math/rand/v2"
	"testing"
	"time"

	"filings/index"
	"filings/index/indextest"
)

// TestA3_Times compares counts of what was added lately with the oracle's, with many equal times and some missing.
func TestA3_Times(t *testing.T) {
	t.Parallel()
	filings := synthetics(3*blockRows/2, 1)
	rnd := rand.New(rand.NewPCG(1, 2))
	for i, f := range filings {
		f.CreatedAt = time.Date(2024, 5, 1+rnd.IntN(3), 0, 0, 0, 1000*rnd.IntN(100), time.UTC)
		if i%50 == 0 {
			f.CreatedAt = time.Time{}
		}
	}
	table, oracle := newTable(t, filings), indextest.NewOracle("oracle", filings)
	for range 300 {
		from, to := filings[rnd.IntN(len(filings))].CreatedAt, filings[rnd.IntN(len(filings))].CreatedAt
		w := index.Where(index.Times{From: from, To: to.Add(time.Duration(rnd.IntN(3)-1) * time.Microsecond)})
		want, err := oracle.Count(t.Context(), w)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := table.Count(t.Context(), w); err != nil || got != want {
			t.Errorf("%v: %d, %v, want %d", w, got, err, want)
		}
	}
}
