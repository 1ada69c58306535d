package columns

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"filings/index"
)

// benchFilings are as many as the real file has, and take several chunks.
const benchFilings = 500_000

func benchFilters() map[string]index.Filter {
	low, january := 1000.0, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	return map[string]index.Filter{
		"county":        index.Where(index.InCounty("orange")),
		"counties":      index.Where(index.InCounty(fiftyCounties...)),
		"state":         index.Where(index.AnyOf{Fields: []index.Field{index.State}, Values: []string{"fl"}}),
		"amount":        index.Where(index.Range{Field: index.FilingAmount, Min: &low}),
		"days":          index.Where(index.Days{First: "2023-01-01", Last: "2024-12-31"}),
		"box":           index.Where(index.Box{North: 50, South: 20, East: -60, West: -100}),
		"ids":           index.Where(index.IDs{IDs: spread(index.MaxIDs)}),
		"none of":       index.Where(index.Not{Predicate: index.InCounty("orange, fl")}),
		"contains":      index.Where(index.Contains{Text: "trust"}),
		"letter":        index.Where(index.Contains{Text: "a"}),
		"words":         index.Where(index.Contains{Text: "maple st"}),
		"two terms":     index.Where(index.Contains{Text: "maple st"}, index.Contains{Text: "12 "}),
		"few letters":   index.Where(index.Contains{Text: "zq"}),
		"ids and words": index.Where(index.IDs{IDs: spread(index.MaxIDs)}, index.Contains{Text: "maple st"}),
		"ids and text":  index.Where(index.IDs{IDs: spread(index.MaxIDs)}, index.Contains{Text: "1 st"}),
		"ids and short": index.Where(index.IDs{IDs: spread(index.MaxIDs)}, index.Contains{Text: "1 "}),
		"times":         index.Where(index.Times{First: january, Last: january.AddDate(0, 1, 0)}),
	}
}

// fiftyCounties are names of which the filings have some.
var fiftyCounties = func() (names []string) {
	for i := range 50 {
		names = append(names, []string{"orange, fl", "lee", "lake, fl", "polk", "a"}[i%5]+strings.Repeat("x", i/5))
	}
	return names
}()

// spread returns ids of n filings, spread over all of them.
func spread(n int) []int64 {
	ids := make([]int64, n)
	for i := range ids {
		ids[i] = int64(1 + i*benchFilings/n)
	}
	return ids
}

// BenchmarkFilter evaluates filters that are not cached, over columns that are.
func BenchmarkFilter(b *testing.B) {
	filings := synthetics(benchFilings, 1)
	table, filters := newTable(b, filings), benchFilters()
	owners, zips := index.AnyOf{Fields: []index.Field{index.OwnerKey}}, index.AnyOf{Fields: []index.Field{index.ZIP}}
	addresses := index.AnyOf{Fields: []index.Field{index.AddressKey}}
	for i := range 100 {
		f := filings[i*len(filings)/100]
		owners.Values = append(owners.Values, index.OwnerKeyOf(f.Text(index.Owner)))
		zips.Values = append(zips.Values, index.Derive(f).ZIP)
		addresses.Values = append(addresses.Values, index.AddressPatterns(f.Text(index.PropertyAddress))...)
	}
	filters["owners"], filters["ZIP codes"] = index.Where(owners), index.Where(zips)
	filters["addresses"] = index.Where(addresses)
	for name, w := range filters {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := table.evaluate(b.Context(), w); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkPage reads pages of what is selected already: the first one, and one in the middle.
func BenchmarkPage(b *testing.B) {
	table := newTable(b, synthetics(benchFilings, 1))
	for name, w := range benchFilters() {
		s, err := table.selected(b.Context(), w)
		if err != nil {
			b.Fatal(err)
		}
		for _, offset := range []int{0, s.count / 2} {
			b.Run(fmt.Sprintf("%s/%d", name, offset), func(b *testing.B) {
				q := index.Query{Where: w, Sort: index.DefaultSort, Offset: offset, Limit: 20}
				for b.Loop() {
					if _, _, _, err := table.Rows(b.Context(), q); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkCells adds up all filings that have coordinates, and those of a part of the map. What
// their boxes select is cached.
func BenchmarkCells(b *testing.B) {
	table := newTable(b, synthetics(benchFilings, 1))
	for name, grid := range map[string]index.Grid{
		"world": index.NewGrid(index.Box{North: 90, South: -90, East: 180, West: -180}, 24),
		"part":  index.NewGrid(index.Box{North: 30, South: 27, East: -80, West: -83}, 24),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if cells, err := table.Cells(b.Context(), index.Filter{}, grid); err != nil || len(cells) == 0 {
					b.Fatal(len(cells), err)
				}
			}
		})
	}
}
