package reader

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"filings/index"
	"filings/index/elastic/elastictest"
	"filings/index/elastic/search"
)

// The search after a page first looks at a few times as many filings as a page has, however many
// there are: also in the middle of a day, or of an amount, that many filings share. Only where the
// order comes to another day may it be more, and among owners, where Elasticsearch skips what it
// need not compare.
func TestX4_NarrowRanges(t *testing.T) {
	t.Parallel()
	const limit, most, days = 20, 10 * 20, 4
	filings := elastictest.Filings(2000)
	random := rand.New(rand.NewPCG(4, 4))
	for i, f := range filings {
		f.CreatedAt = time.Date(2024, 5, 1, 0, 0, random.IntN(1e6), 0, time.UTC)
		f.SetText(index.FilingDate, time.Date(2024, 5, 1+random.IntN(days), 0, 0, 0, 0, time.UTC).Format(time.DateOnly))
		f.SetText(index.Owner, string(rune('A'+random.IntN(26)))+string(rune('A'+random.IntN(26)))+string(rune('A'+random.IntN(26))))
		f.SetNumber(index.FilingAmount, random.Float64()*1e6)
		f.SetNumber(index.CurrentAmount, float64(i%2)*random.Float64()*1e6)
	}
	r := testReader(t, 1, filings)
	for _, by := range index.SortFields {
		if by == index.Owner {
			continue
		}
		for _, ascending := range []bool{true, false} {
			q := index.Query{Sort: index.Sort{Field: by, Ascending: ascending}, Limit: limit}
			wide := 0
			for range len(filings)/limit - 1 {
				page, err := r.Rows(t.Context(), q)
				if err != nil {
					t.Fatal(err)
				}
				q.Start = page.End
				at, near, err := r.position(t.Context(), q)
				if err != nil {
					t.Fatal(err)
				}
				var found struct{ Hits hits }
				first := search.PageOf(q, nil).Ranges(at, near)[0].Part(0, 1)
				first.Counts = int64(len(filings)) + 1
				if err := r.search(t.Context(), &found, first.Body()); err != nil {
					t.Fatal(err)
				}
				if found.Hits.Total.Value > most {
					wide++
				}
			}
			if wide > 2*days {
				t.Errorf("%s: after %d pages of %d, more than %d filings are searched", q.Sort, wide, limit, most)
			}
		}
	}
}

// A client may make up how far a page reaches: it finds the same filings.
func TestX3_WrongReach(t *testing.T) {
	t.Parallel()
	r := testReader(t, 1, elastictest.Filings(30))
	q := index.Query{Sort: index.Sort{Field: index.FilingAmount}, Limit: 12}
	page, err := r.Rows(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	place := page.End[strings.IndexByte(page.End, '['):]
	q.Start = place
	want, err := r.Rows(t.Context(), q)
	if err != nil || len(want.Records) != q.Limit {
		t.Fatal(len(want.Records), err)
	}
	for _, made := range []string{"1e300", "-1e300", "0", "=0", "=20000", "==0", "==9223372036854775807"} {
		q.Start = made + place
		got, err := r.Rows(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(texts(want.Records), texts(got.Records)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", q.Start, diff)
		}
	}
}
