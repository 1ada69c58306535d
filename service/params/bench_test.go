package params

import (
	"testing"
	"time"

	"filings/index"
)

// BenchmarkRead measures what a query string of the list takes until it is a request.
//
//	go test -run '^$' -bench . ./service/params
func BenchmarkRead(b *testing.B) {
	table, list := newTable(), endpoint(List)
	tiers := Tiers{Fields: index.Pro, Filters: index.Enterprise}
	now := time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)
	for _, bench := range []struct{ name, query string }{
		{"nothing", ""},
		{"page", "limit=100&offset=200"},
		{"filters", "county=Orange%2C+FL&min_amount=1000&max_amount=25000.50&categories=residential,land&" +
			"date_start=2026-01-01&limit=50"},
		{"box", "bounds_north=28.7&bounds_south=28.3&bounds_east=-81.2&bounds_west=-81.6&" +
			"filing_types=Tax+Lien,Municipal+Lien"},
		{"crawl", "cursor=*&limit=1000&county=Orange"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				raw, err := table.Split(list, bench.query)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := table.Read(raw, nil, tiers, now); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
