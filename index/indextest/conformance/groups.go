package conformance

import (
	"fmt"
	"slices"
	"testing"

	"filings/index"
	"filings/index/indextest"
	"filings/index/indextest/edges"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func testGroups(t *testing.T, open func(t *testing.T) Harness) {
	t.Run("by hand", func(t *testing.T) {
		r := opened(t, open(t).Store, groupedFilings())
		testGrouped(t, r)
		t.Run("first", func(t *testing.T) { testFirst(t, r) })
	})
	t.Run("as many as there may be", func(t *testing.T) {
		filings := manyHolders()
		r, o := opened(t, open(t).Store, filings), indextest.NewOracle("", filings)
		for _, by := range [][]index.Dimension{{index.ByHolder}, {index.ByHolder, index.ByCategory}, {index.ByState, index.ByHolder}} {
			sameGroups(t, r, o, index.Filter{}, by)
			sameGroups(t, r, o, index.Where(index.Range{Field: index.FilingAmount, Max: edges.At(index.MaxGroups)}), by)
		}
		sameGroups(t, r, o, index.Filter{}, []index.Dimension{index.ByMonth}) // folded, far fewer
	})
	t.Run("random", func(t *testing.T) {
		filings := edges.Fuzzed(randomFilings, 5)
		checkGroups(t, opened(t, open(t).Store, filings), indextest.NewOracle("", filings), newGenerator(6, filings), randomGroups)
	})
}

// testFirst reads the first groups in each order.
func testFirst(t *testing.T, r index.Reader) {
	by := []index.Dimension{index.ByFilingType}
	for _, test := range []struct {
		name string
		q    index.GroupQuery
		want []string
	}{
		{"most filings", index.GroupQuery{Dimensions: by, Limit: 2}, []string{"TAX LIEN", ""}},
		{"fewest filings", index.GroupQuery{Dimensions: by, Ascending: true, Limit: 2}, []string{"Municipal Lien", ""}},
		{"largest sums", index.GroupQuery{Dimensions: by, Sort: index.SortBySum, Limit: 2}, []string{"", "TAX LIEN"}},
		{"least sum", index.GroupQuery{Dimensions: by, Sort: index.SortBySum, Ascending: true, Limit: 1},
			[]string{"Municipal Lien"}},
		{"first keys, none last", index.GroupQuery{Dimensions: by, Sort: index.SortByKey, Ascending: true, Limit: 3},
			[]string{"Municipal Lien", "TAX LIEN", ""}},
		{"last keys, none last", index.GroupQuery{Dimensions: by, Sort: index.SortByKey, Limit: 3},
			[]string{"TAX LIEN", "Municipal Lien", ""}},
		{"all keys", index.GroupQuery{Dimensions: by, Sort: index.SortByKey}, []string{"TAX LIEN", "Municipal Lien", ""}},
		{"more than there are", index.GroupQuery{Dimensions: by, Limit: index.MaxGroups},
			[]string{"TAX LIEN", "", "Municipal Lien"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := r.Groups(t.Context(), index.Filter{}, test.q)
			var keys []string
			for _, g := range got.List {
				keys = append(keys, g.Keys[0])
			}
			if err == nil && got.Total != 3 {
				t.Errorf("%d groups in all", got.Total)
			}
			expect(t, test.want, keys, err)
		})
	}
}

func groupedFilings() []*index.Filing {
	return []*index.Filing{
		edges.Filing(1, edges.Values{index.County: "Orange, FL", index.FilingType: "Tax Lien", index.FilingDate: "2024-01-05", index.FilingAmount: 0.1,
			index.Categories: []string{"land", "residential"}, index.City: "Ocoee", index.Owner: "Röwangate, Francis", index.FilingHolder: "Sample Fund", index.PropertyClassification: "land"}),
		edges.Filing(2, edges.Values{index.County: "Orange, FL", index.FilingType: "TAX LIEN", index.FilingDate: "2024-01-31", index.FilingAmount: 0.2,
			index.Categories: []string{"land"}, index.PropertyAddress: "1 Elm St, OCOEE, FL", index.FilingHolder: "sample fund", index.PropertyClassification: "Land", index.Owner: "FRANCIS ROWANGATE"}),
		edges.Filing(3, edges.Values{index.County: "ORANGE, FL", index.FilingType: "TAX LIEN", index.FilingDate: "2023-12-31", index.FilingAmount: 0.3,
			index.PropertyAddress: "2 Elm St, OCOEE, FL", index.PropertyClassification: "Land", index.Owner: "FRANCIS ROWANGATE"}),
		edges.Filing(4, edges.Values{index.County: "Orange, CA", index.FilingType: "Municipal Lien", index.FilingAmount: -5.55}),
		edges.Filing(5, edges.Values{index.County: "Lake, FL", index.FilingDate: "2024-01-01", index.FilingAmount: 1e12, index.Owner: "--"}),
		edges.Filing(6, edges.Values{index.County: "Lake, FL", index.FilingDate: "2024-02-01"}),
	}
}

func testGrouped(t *testing.T, r index.Reader) {
	group := func(filings, amounts int64, cents, least, most float64, keys ...string) index.Group {
		g := index.Group{Filings: filings, Amounts: amounts, SumCents: cents, MinAmount: least, MaxAmount: most}
		copy(g.Keys[:], keys)
		return g
	}
	by := func(dimensions ...index.Dimension) []index.Dimension { return dimensions }
	january := index.Where(index.Days{First: "2024-01-02", Last: "2024-01-31"})
	for _, test := range []struct {
		name  string
		where index.Filter
		by    []index.Dimension
		want  []index.Group
	}{
		{"sums of cents, counties in any case", index.Filter{}, by(index.ByCounty), []index.Group{
			group(3, 3, 60, 0.1, 0.3, "Orange, FL"), group(2, 1, 1e14, 1e12, 1e12, "Lake, FL"), group(1, 1, -555, -5.55, -5.55, "Orange, CA")}},
		{"states", index.Filter{}, by(index.ByState), []index.Group{
			group(5, 4, 1e14+60, 0.1, 1e12, "FL"), group(1, 1, -555, -5.55, -5.55, "CA")}},
		{"types as most are written, none apart", index.Filter{}, by(index.ByFilingType), []index.Group{
			group(3, 3, 60, 0.1, 0.3, "TAX LIEN"), group(2, 1, 1e14, 1e12, 1e12, ""), group(1, 1, -555, -5.55, -5.55, "Municipal Lien")}},
		{"of two writings the first, among those selected", january, by(index.ByFilingType), []index.Group{
			group(2, 2, 30, 0.1, 0.2, "TAX LIEN")}},
		{"days, none last", index.Filter{}, by(index.ByDay), []index.Group{
			group(1, 1, 30, 0.3, 0.3, "2023-12-31"), group(1, 1, 1e14, 1e12, 1e12, "2024-01-01"),
			group(1, 1, 10, 0.1, 0.1, "2024-01-05"), group(1, 1, 20, 0.2, 0.2, "2024-01-31"),
			group(1, 0, 0, 0, 0, "2024-02-01"), group(1, 1, -555, -5.55, -5.55, "")}},
		{"months, none last", index.Filter{}, by(index.ByMonth), []index.Group{
			group(3, 3, 1e14+30, 0.1, 1e12, "2024-01"), group(1, 1, 30, 0.3, 0.3, "2023-12"), group(1, 0, 0, 0, 0, "2024-02"),
			group(1, 1, -555, -5.55, -5.55, "")}},
		{"years", index.Filter{}, by(index.ByYear), []index.Group{
			group(4, 3, 1e14+30, 0.1, 1e12, "2024"), group(1, 1, 30, 0.3, 0.3, "2023"), group(1, 1, -555, -5.55, -5.55, "")}},
		{"both categories of a filing", index.Filter{}, by(index.ByCategory), []index.Group{
			group(4, 3, 1e14+30-555, -5.55, 1e12, ""), group(2, 2, 30, 0.1, 0.2, "land"), group(1, 1, 10, 0.1, 0.1, "residential")}},
		{"holders", index.Filter{}, by(index.ByHolder), []index.Group{
			group(4, 3, 1e14+30-555, -5.55, 1e12, ""), group(2, 2, 30, 0.1, 0.2, "Sample Fund")}},
		{"owners as most write them, and without a key none", index.Filter{}, by(index.ByOwner), []index.Group{
			group(3, 3, 60, 0.1, 0.3, "FRANCIS ROWANGATE"), group(3, 2, 1e14-555, -5.55, 1e12, "")}},
		{"owners as most of those selected write them", january, by(index.ByOwner, index.ByHolder), []index.Group{
			group(2, 2, 30, 0.1, 0.2, "FRANCIS ROWANGATE", "Sample Fund")}},
		{"cities, loaded or read from the address", index.Filter{}, by(index.ByCity), []index.Group{
			group(3, 3, 60, 0.1, 0.3, "OCOEE"), group(3, 2, 1e14-555, -5.55, 1e12, "")}},
		{"classifications", index.Filter{}, by(index.ByPropertyClassification), []index.Group{
			group(3, 3, 60, 0.1, 0.3, "Land"), group(3, 2, 1e14-555, -5.55, 1e12, "")}},
		{"two", index.Filter{}, by(index.ByYear, index.ByCounty), []index.Group{
			group(2, 1, 1e14, 1e12, 1e12, "2024", "Lake, FL"), group(2, 2, 30, 0.1, 0.2, "2024", "Orange, FL"),
			group(1, 1, 30, 0.3, 0.3, "2023", "Orange, FL"), group(1, 1, -555, -5.55, -5.55, "", "Orange, CA")}},
		{"two the other way round", index.Where(index.InCounty("orange")), by(index.ByCounty, index.ByYear), []index.Group{
			group(2, 2, 30, 0.1, 0.2, "Orange, FL", "2024"), group(1, 1, -555, -5.55, -5.55, "Orange, CA", ""),
			group(1, 1, 30, 0.3, 0.3, "Orange, FL", "2023")}},
		{"categories and types", index.Filter{}, by(index.ByCategory, index.ByFilingType), []index.Group{
			group(2, 2, 30, 0.1, 0.2, "land", "TAX LIEN"), group(2, 1, 1e14, 1e12, 1e12, "", ""), group(1, 1, 10, 0.1, 0.1, "residential", "TAX LIEN"),
			group(1, 1, -555, -5.55, -5.55, "", "Municipal Lien"), group(1, 1, 30, 0.3, 0.3, "", "TAX LIEN")}},
		{"nothing selected", index.Where(index.InCounty("nowhere")), by(index.ByCounty, index.ByMonth), nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := r.Groups(t.Context(), test.where, index.GroupQuery{Dimensions: test.by})
			expect(t, index.Groups{Total: int64(len(test.want)), List: test.want}, got, err)
		})
	}
	t.Run("as written, in either case", func(t *testing.T) {
		want := []index.Group{
			group(2, 1, 1e14, 1e12, 1e12, "Lake, FL"), group(2, 2, 30, 0.1, 0.2, "Orange, FL"),
			group(1, 1, 30, 0.3, 0.3, "ORANGE, FL"), group(1, 1, -555, -5.55, -5.55, "Orange, CA"),
		}
		got, err := r.Groups(t.Context(), index.Filter{}, index.GroupQuery{Dimensions: by(index.ByCounty), AsWritten: true})
		expect(t, index.Groups{Total: int64(len(want)), List: want}, got, err)
	})
}

// manyHolders returns filings of one holder each, written in the case that its number says: one more than there may be
// groups. Their amounts are their numbers.
func manyHolders() []*index.Filing {
	filings := make([]*index.Filing, index.MaxGroups+1)
	for i := range filings {
		filings[i] = edges.Filing(int64(i+1), edges.Values{
			index.FilingHolder: fmt.Sprintf([]string{"Holder %05d", "HOLDER %05d", "holder %05d"}[i%3], i),
			index.FilingAmount: float64(i + 1),
			index.FilingDate:   fmt.Sprintf("20%02d-01-01", i%50),
		})
	}
	return filings
}

// randomGroups is how many random requests for groups there are.
const randomGroups = 200

func checkGroups(t *testing.T, r index.Reader, o *indextest.Oracle, a *generator, requests int) {
	t.Helper()
	several := 0
	for range requests {
		w, _ := a.query()
		if a.IntN(2) == 0 {
			w = index.Where(w.Predicates()[:min(1, len(w.Predicates()))]...) // one that selects more
		}
		by := index.Dimensions()
		a.Shuffle(len(by), func(i, j int) { by[i], by[j] = by[j], by[i] })
		if sameGroups(t, r, o, w, by[:1+a.IntN(2)]) > 1 {
			several++
		}
	}
	if several < requests/4 {
		t.Errorf("only %d of %d responses have several groups: the requests try too little", several, requests)
	}
}

// sameGroups compares what r and the oracle say of groups, and returns their number.
func sameGroups(t *testing.T, r index.Reader, o *indextest.Oracle, w index.Filter, by []index.Dimension) int64 {
	t.Helper()
	all, _ := o.Groups(t.Context(), w, index.GroupQuery{Dimensions: by})
	orders := []index.GroupQuery{
		{Dimensions: by, Sort: index.SortBySum, Limit: 7}, {Dimensions: by, Ascending: true},
		{Dimensions: by, Sort: index.SortByKey, Ascending: true, Limit: index.MaxGroups},
	}
	for _, q := range []index.GroupQuery{{Dimensions: by}, orders[all.Total%3]} {
		want, _ := o.Groups(t.Context(), w, q)
		got, err := r.Groups(t.Context(), w, q)
		if err != nil {
			t.Fatalf("%s: %v", q.Text(w), err)
		}
		if got.Total != want.Total || !slices.Equal(got.List, want.List) { // a difference of so many takes long, even where there is none
			t.Fatalf("%s (-want +got):\n%s", q.Text(w), cmp.Diff(want, got, cmpopts.EquateEmpty()))
		}
	}
	return all.Total
}
