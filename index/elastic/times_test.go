package elastic

import (
	"math/rand/v2"
	"testing"
	"time"

	"filings/index"
	"filings/index/indextest"
)

// TestA3_Times compares counts of what was added lately with the oracle's, at the edges of days and within them.
func TestA3_Times(t *testing.T) {
	t.Parallel()
	filings := made(500)
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
		w := index.Where(index.Times{From: moments[rnd.IntN(len(moments))], To: moments[rnd.IntN(len(moments))]})
		want, err := oracle.Count(t.Context(), w)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := r.Count(t.Context(), w); err != nil || got != want {
			t.Errorf("%v: %d, %v, want %d", w, got, err, want)
		}
	}
}

// Statistics ask at each request: with what is known of the generation, nothing has to be asked of Elasticsearch.
func TestCount_TimesAreRemembered(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	l, net := s.lock(t), &faults{}
	b, err := l.Begin(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range made(50) {
		put(t, b, f)
	}
	seal(t, b)
	r, err := s.again(t, net).Open(t.Context(), b.Generation())
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2024, 5, 2, 3, 0, 0, 0, time.UTC)
	var asked int
	for i := range 5 {
		at := now.Add(time.Duration(i) * time.Second)
		if _, err := r.Count(t.Context(), index.Where(index.Times{From: at.Add(-7 * 24 * time.Hour), To: at})); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			asked = net.requests("_search")
		}
	}
	if n := net.requests("_search"); n != asked || asked == 0 {
		t.Errorf("%d searches, %d of them for the first count", n, asked)
	}
}
