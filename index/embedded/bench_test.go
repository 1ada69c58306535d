package embedded

import (
	"fmt"
	"testing"

	"filings/index"
)

// benchFilings is large enough for several chunks and small enough to be loaded for each run.
const benchFilings = 200_000

func benchReader(b *testing.B) *snapshot {
	b.Helper()
	s := openStore(b, b.TempDir())
	load(b, s, made(benchFilings, 1))
	return liveReader(b, s).(*snapshot)
}

func benchFilters() map[string]index.Filter {
	low := 1000.0
	return map[string]index.Filter{
		"county":   index.Where(index.InCounty("orange")),
		"amount":   index.Where(index.Between{Field: index.FilingAmount, Min: &low}),
		"days":     index.Where(index.Days{From: "2023-01-01", To: "2024-12-31"}),
		"box":      index.Where(index.Box{North: 50, South: 20, East: -60, West: -100}),
		"contains": index.Where(index.Contains{Text: "trust"}),
		"letter":   index.Where(index.Contains{Text: "a"}),
	}
}

// BenchmarkPage asks for pages of 20 whose filter and order were asked for before.
func BenchmarkPage(b *testing.B) {
	g := benchReader(b)
	for name, w := range map[string]index.Filter{"all": index.Filter{}, "county": benchFilters()["county"]} {
		total, err := g.Count(b.Context(), w)
		if err != nil {
			b.Fatal(err)
		}
		for _, sort := range []index.Sort{index.DefaultSort, {By: index.Owner, Ascending: true}} {
			for _, part := range []int{0, 1, 2} {
				q := index.Query{Where: w, Sort: sort, Offset: int(total-20) * part / 2, Limit: 20}
				b.Run(fmt.Sprintf("%s/%v/%d of 2", name, sort, part), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						if rows, err := g.Rows(b.Context(), q); err != nil || len(rows) != 20 {
							b.Fatal(len(rows), err)
						}
					}
				})
			}
		}
	}
}

// BenchmarkFilter evaluates filters that were not asked for before, over columns that were.
func BenchmarkFilter(b *testing.B) {
	g := benchReader(b)
	for name, w := range benchFilters() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := g.evaluate(b.Context(), w); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkCells adds up all filings that have coordinates, and those of a part of the map, whose box was asked for before.
func BenchmarkCells(b *testing.B) {
	g := benchReader(b)
	for name, grid := range map[string]index.Grid{
		"world": index.NewGrid(index.Box{North: 90, South: -90, East: 180, West: -180}, 24),
		"part":  index.NewGrid(index.Box{North: 30, South: 27, East: -80, West: -83}, 24),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if cells, err := g.Cells(b.Context(), index.Filter{}, grid); err != nil || len(cells) == 0 {
					b.Fatal(len(cells), err)
				}
			}
		})
	}
}

// BenchmarkLoad loads generated filings; the metric is what counts.
func BenchmarkLoad(b *testing.B) {
	filings := made(50_000, 1)
	for b.Loop() {
		load(b, openStore(b, b.TempDir()), filings)
	}
	b.ReportMetric(float64(len(filings)*b.N)/b.Elapsed().Seconds(), "filings/s")
}
