package conformance

import (
	"fmt"
	"testing"
	"time"

	"filings/index"
	"filings/index/indextest"
	"filings/index/indextest/edges"
)

func testAggregates(t *testing.T, open func(t *testing.T) Harness) {
	t.Run("by hand", func(t *testing.T) { testCounted(t, opened(t, open(t).Store, countedFilings())) })
	t.Run("many values", func(t *testing.T) {
		filings := manyValues(1_500)
		sameStats(t, opened(t, open(t).Store, filings), indextest.NewOracle("", filings))
	})
}

func countedFilings() []*index.Filing {
	return []*index.Filing{
		edges.Filing(1, edges.Values{index.County: "Orange, FL", index.Owner: "Birch Trust", index.FilingAmount: 0.1, index.FilingDate: "2024-02-29", index.DateRange: "2024-02-01 to 2024-02-29",
			index.Latitude: 0, index.Longitude: 0, index.CreatedAt: edges.Day("2024-03-01").Add(1500 * time.Nanosecond)}),
		edges.Filing(2, edges.Values{index.County: "Orange, FL", index.Owner: "BIRCH TRUST", index.FilingAmount: 0.2, index.FilingDate: "2024-02-01", index.DateRange: "2024-02-01 to 2024-02-29",
			index.Latitude: 28.5, index.CreatedAt: edges.Day("2024-03-01")}),
		edges.Filing(3, edges.Values{index.County: "Orange, CA", index.Owner: "Estate of Elm Trustee", index.FilingAmount: -5.55, index.FilingDate: "2023-12-31", index.DateRange: "2023-01-01 to 2023-12-31"}),
		edges.Filing(4, edges.Values{index.County: "ORANGE, FL", index.Owner: "Heirs of Oak", index.DateRange: "2023-01-01 to 2023-06-30"}),
		edges.Filing(5, edges.Values{index.County: "Adams, WA", index.Owner: "İ", index.FilingAmount: 1e12}),
		edges.Filing(6, edges.Values{index.County: "Zoo, AA", index.FilingAmount: 0.01}),
		edges.Filing(7, edges.Values{index.County: "Île, ZZ", index.Owner: "i", index.CurrentAmount: 7}),
		edges.Filing(8, edges.Values{index.County: "Orange, FL", index.Owner: " Birch Trust", index.Latitude: 28.5, index.Longitude: -81.4}),
	}
}

func testCounted(t *testing.T, r index.Reader) {
	t.Run("A1 A2 A4 stats", func(t *testing.T) {
		got, err := r.Stats(t.Context())
		want := index.Stats{Filings: 8, Owners: 5, Amounts: 5, SumCents: 1e14 + 10 + 20 - 555 + 1, MinAmount: -5.55,
			MaxAmount: 1e12, Trusts: 4, Estates: 2, TrustsOrEstates: 5,
			Added: 2, FirstAdded: edges.Day("2024-03-01"), LastAdded: edges.Day("2024-03-01").Add(time.Microsecond)}
		expect(t, want, got, err)
	})
	t.Run("A4 A5 X13 counties", func(t *testing.T) {
		got, err := r.Counties(t.Context())
		expect(t, []index.CountyStats{
			{County: "Adams, WA", Filings: 1, Amounts: 1, SumCents: 1e14, MinAmount: 1e12, MaxAmount: 1e12},
			{County: "Orange, CA", Filings: 1, Amounts: 1, SumCents: -555, MinAmount: -5.55, MaxAmount: -5.55,
				FirstFilingDate: "2023-12-31", LastFilingDate: "2023-12-31"},
			{County: "ORANGE, FL", Filings: 1},
			{County: "Orange, FL", Filings: 3, Amounts: 2, SumCents: 30, MinAmount: 0.1, MaxAmount: 0.2, WithCoordinates: 2,
				FirstFilingDate: "2024-02-01", LastFilingDate: "2024-02-29", LastAdded: edges.Day("2024-03-01").Add(time.Microsecond)},
			{County: "Zoo, AA", Filings: 1, Amounts: 1, SumCents: 1, MinAmount: 0.01, MaxAmount: 0.01},
			{County: "Île, ZZ", Filings: 1},
		}, got, err)
	})
	for _, test := range []struct {
		name  string
		where index.Filter
		by    index.Dimension
		want  []string
	}{
		{"months of all", index.Filter{}, index.ByMonth, []string{"2023-12", "2024-02"}},
		{"months of a county", index.Where(index.InCounty("orange, fl")), index.ByMonth, []string{"2024-02"}},
		{"months of counties of a name", index.Where(index.InCounty("orange")), index.ByMonth, []string{"2023-12", "2024-02"}},
		{"months of a county without dates", index.Where(index.InCounty("adams")), index.ByMonth, nil},
		{"months of an unknown county", index.Where(index.InCounty("nowhere")), index.ByMonth, nil},
		{"A7 date ranges by start, then end", index.Where(index.InCounty("Orange")), index.ByDateRange, []string{
			"2023-01-01 to 2023-06-30", "2023-01-01 to 2023-12-31", "2024-02-01 to 2024-02-29"}},
		{"A7 date ranges of a county", index.Where(index.InCounty("orange, fl")), index.ByDateRange, []string{
			"2023-01-01 to 2023-06-30", "2024-02-01 to 2024-02-29"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			groups, err := r.Groups(t.Context(), test.where, keysOf(test.by))
			var got []string
			for _, g := range groups.List {
				if key := g.Keys[0]; key != "" {
					got = append(got, key)
				}
			}
			expect(t, test.want, got, err)
		})
	}
}

// manyValues returns filings that all differ in county, owner, month and date range, and whose amounts no float64 holds
// exactly: more values than an aggregation returns by default.
func manyValues(n int) []*index.Filing {
	filings := make([]*index.Filing, n)
	for i := range filings {
		month := edges.Day("1850-01-01").AddDate(0, i, 0).Format("2006-01")
		filings[i] = edges.Filing(int64(i+1), edges.Values{
			index.County:       fmt.Sprintf("County %d, ZZ", i),
			index.Owner:        fmt.Sprintf("Owner %d", i),
			index.FilingDate:   month + "-01",
			index.DateRange:    month + "-01 to " + month + "-02",
			index.FilingAmount: float64(i*7919+10) / 100,
		})
	}
	return filings
}
