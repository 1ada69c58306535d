package conformance

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
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
		filings := edges.Fuzzed(900, 5)
		r := opened(t, open(t).Store, filings)
		o := indextest.NewOracle("", filings)
		crawlAll(t, r, o, 7)
		t.Run("X3 by positions", func(t *testing.T) { crawlPositions(t, r, o, 7) })
		t.Run("X8 of so many bytes", func(t *testing.T) { crawlBytes(t, r, o, 20_000, 100_000) })
	})
	t.Run("X8 long filings", func(t *testing.T) {
		filings := longFilings()
		r, o := opened(t, open(t).Store, filings), indextest.NewOracle("", filings)
		crawlBytes(t, r, o, 300_000, 1<<20, 100<<20)
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
		t.Run("X3 by positions", func(t *testing.T) { crawlPositions(t, r, o, 500) })
	})
}

// crawlPositions reads the whole generation, and what some filters select of it, in every order, each page from the
// position after the one before. Every other page has another size. Some positions are named by the filing before them.
func crawlPositions(t *testing.T, r index.Reader, o *indextest.Oracle, size int) {
	for _, w := range []index.Filter{{}, edges.Contains("a"),
		index.Where(index.Days{First: "2024-01-01", Last: "2024-12-31"})} {
		eachOrder(func(s index.Sort) {
			if err := crawlPosition(t.Context(), r, o, index.Query{Where: w, Sort: s, Limit: size}); err != nil {
				t.Error(err)
			}
		})
	}
	for _, position := range []string{"x", "[]", "id x", index.PositionAfter(absentID), "-1", "99999999999", `["a","b","c"]`} {
		page, err := r.Rows(t.Context(), index.Query{Sort: index.DefaultSort, Limit: size, Start: position})
		if !errors.Is(err, index.ErrPosition) {
			t.Errorf("position %q: %d rows, %v; want ErrPosition", position, len(page.Records), err)
		}
	}
}

// absentID is the id of no filing of these tests.
const absentID = math.MaxInt64 - 12345

// crawlPosition reads all that q selects and compares it with the oracle's.
func crawlPosition(ctx context.Context, r index.Reader, o *indextest.Oracle, q index.Query) error {
	want, size, done := o.Select(q.Where, q.Sort), q.Limit, 0
	// After the last value.
	if i := slices.IndexFunc(want, func(f *index.Filing) bool { return !f.Has(q.Sort.Field) }); i > 0 {
		without := q
		without.Start = index.PositionAfter(want[i-1].ID)
		page, err := r.Rows(ctx, without)
		if err == nil {
			err = sameRecords(o.Records(want[i:min(i+size, len(want))]), page.Records)
		}
		if err != nil {
			return fmt.Errorf("%v: %w", without, err)
		}
	}
	for n := 0; ; n++ {
		q.Limit = size + n%2*(size/2)
		page, err := r.Rows(ctx, q)
		if err != nil {
			return fmt.Errorf("%v: %w", q, err)
		}
		end := min(done+q.Limit, len(want))
		if err := sameRecords(o.Records(want[done:end]), page.Records); err != nil {
			return fmt.Errorf("%v, from %d of %d: %w", q, done, len(want), err)
		}
		done, q.Start = end, page.End
		if (page.End == "") != (len(page.Records) == 0) {
			return fmt.Errorf("%v: the position after %d rows is %q", q, len(page.Records), page.End)
		}
		if page.End == "" {
			return nil
		}
		if n%3 == 2 {
			q.Start = index.PositionAfter(want[done-1].ID)
		}
	}
}

// crawlBytes reads the whole generation in pages of at most so many bytes, each from the position after the one before.
func crawlBytes(t *testing.T, r index.Reader, o *indextest.Oracle, bounds ...int) {
	for _, bytes := range bounds {
		for _, s := range []index.Sort{index.DefaultSort, {Field: index.FilingDate, Ascending: true},
			{Field: index.Owner, Ascending: true}} {
			q := index.Query{Sort: s, Limit: 500, Bytes: bytes}
			if err := crawlBounded(t.Context(), r, o.Records(o.Select(q.Where, s)), q); err != nil {
				t.Error(err)
			}
		}
	}
}

func crawlBounded(ctx context.Context, r index.Reader, want []index.Record, q index.Query) error {
	for {
		page, err := r.Rows(ctx, q)
		if err != nil {
			return fmt.Errorf("%v: %w", q, err)
		}
		n := len(page.Records)
		if n == 0 && len(want) > 0 || n > len(want) || len(indextest.Within(q.Bytes, page.Records)) < n {
			return fmt.Errorf("%v: %d rows of %d bytes, %d remain", q, n, len(slices.Concat(page.Records...)), len(want))
		}
		if err := sameRecords(want[:n], page.Records); err != nil {
			return fmt.Errorf("%v, %d remain: %w", q, len(want), err)
		}
		if n == 0 {
			return nil
		}
		want, q.Start = want[n:], page.End
	}
}

// longFilings returns filings of up to 600 kB, a few short ones between them.
func longFilings() []*index.Filing {
	filings := edges.Fuzzed(60, 8)
	for i, f := range filings {
		switch i % 4 {
		case 0, 1:
			f.SetText(index.AISummary, strings.Repeat("long ", index.MaxLongText/5))
		case 2:
			f.SetText(index.AISummary, strings.Repeat("\u2028", i*index.MaxLongText/60)) // 6 bytes each
		}
	}
	return filings
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
			t.Fatal(err)
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
