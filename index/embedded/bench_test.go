package embedded

import (
	"fmt"
	"sync/atomic"
	"testing"

	"filings/index"
)

// benchFilings are enough for several chunks, and few enough to be loaded for each run.
const benchFilings = 200_000

func benchReader(b *testing.B) index.Reader {
	b.Helper()
	s := openStore(b, b.TempDir())
	load(b, s, synthetics(benchFilings, 1))
	return liveReader(b, s)
}

// BenchmarkPage reads pages of 20 whose filter and order are cached.
func BenchmarkPage(b *testing.B) {
	g := benchReader(b)
	for name, w := range map[string]index.Filter{"all": {}, "county": index.Where(index.InCounty("orange"))} {
		total, err := g.Count(b.Context(), w)
		if err != nil {
			b.Fatal(err)
		}
		for _, sort := range []index.Sort{index.DefaultSort, {Field: index.Owner, Ascending: true}} {
			for _, part := range []int{0, 1, 2} {
				q := index.Query{Where: w, Sort: sort, Offset: int(total-20) * part / 2, Limit: 20}
				b.Run(fmt.Sprintf("%s/%v/%d of 2", name, sort, part), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						if page, err := g.Rows(b.Context(), q); err != nil || len(page.Records) != 20 {
							b.Fatal(len(page.Records), err)
						}
					}
				})
			}
		}
	}
}

// BenchmarkLoad loads generated filings; the metric is what counts.
func BenchmarkLoad(b *testing.B) {
	filings := synthetics(50_000, 1)
	for b.Loop() {
		load(b, openStore(b, b.TempDir()), filings)
	}
	b.ReportMetric(float64(len(filings)*b.N)/b.Elapsed().Seconds(), "filings/s")
}

// BenchmarkCrawl reads 1,000 rows at a time, in orders in which they are far from each other.
func BenchmarkCrawl(b *testing.B) {
	g := benchReader(b)
	for _, sort := range []index.Sort{
		{Field: index.FilingAmount}, {Field: index.Owner, Ascending: true}, {Field: index.CreatedAt},
	} {
		b.Run(sort.String(), func(b *testing.B) {
			b.ReportAllocs()
			q := index.Query{Sort: sort, Start: "0", Limit: 1000, Bytes: 4 << 20}
			for b.Loop() {
				page, err := g.Rows(b.Context(), q)
				if err != nil || len(page.Records) != 1000 {
					b.Fatal(len(page.Records), err)
				}
				if q.Start = page.End; q.Start == "200000" {
					q.Start = "0"
				}
			}
		})
	}
}

// BenchmarkFiling reads one filing, each time another, as clients do at the same time.
func BenchmarkFiling(b *testing.B) {
	g := benchReader(b)
	page, err := g.Rows(b.Context(), index.Query{Sort: index.Sort{Field: index.Owner}, Limit: 20_000, IDsOnly: true})
	if err != nil {
		b.Fatal(err)
	}
	ids := make([]int64, len(page.Records))
	for i, r := range page.Records {
		if _, err := fmt.Sscanf(string(r), `{"id":%d`, &ids[i]); err != nil {
			b.Fatal(err)
		}
	}
	var next atomic.Int64
	b.SetParallelism(4)
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := index.OneFiling(b.Context(), g, ids[int(next.Add(1))%len(ids)]); err != nil {
				b.Error(err)
			}
		}
	})
}
