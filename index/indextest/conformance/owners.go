package conformance

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"filings/index"
	"filings/index/indextest"
	"filings/index/indextest/edges"
)

func testOwners(t *testing.T, open func(t *testing.T) Harness) {
	t.Run("by hand", func(t *testing.T) {
		r := opened(t, open(t).Store, ownedFilings())
		testPortfolios(t, r)
		testNearest(t, r)
	})
	t.Run("random", func(t *testing.T) {
		filings := edges.Fuzzed(randomFilings, 7)
		CheckOwners(t, opened(t, open(t).Store, filings), indextest.NewOracle("", filings), 60)
	})
}

func ownedFilings() []*index.Filing {
	filings := []*index.Filing{
		edges.Filing(1, edges.Values{index.County: "Orange, FL", index.Owner: "Röwangate, Francis", index.FilingAmount: 0.1, index.FilingDate: "2024-01-05"}),
		edges.Filing(2, edges.Values{index.County: "Orange, FL", index.Owner: "FRANCIS ROWANGATE", index.FilingAmount: 0.2}),
		edges.Filing(3, edges.Values{index.County: "Lake, FL", index.Owner: "Röwangate, Francis", index.FilingDate: "2023-12-31", index.PropertyAddress: "7 Medlarway St"}),
		edges.Filing(4, edges.Values{index.County: "Orange, CA", index.Owner: "FRANCIS ROWANGATE", index.FilingAmount: -5.55, index.FilingDate: "2024-02-01"}),
		edges.Filing(5, edges.Values{index.County: "Orange, FL", index.Owner: "Fern Homes, LLC", index.FilingAmount: 1e12}),
		edges.Filing(6, edges.Values{index.County: "Orange, FL", index.Owner: "Ash & Birch"}),
		edges.Filing(7, edges.Values{index.County: "Orange, FL", index.Owner: "--", index.FilingAmount: 7.0}),
		edges.Filing(8, edges.Values{index.County: "Orange, FL"}),
	}
	for i := range 22 { // more counties than are listed
		filings = append(filings, edges.Filing(int64(100+i), edges.Values{index.County: fmt.Sprintf("C%02d, ZZ", 21-i), index.Owner: "Wide Fern"}))
	}
	return append(filings, edges.Filing(200, edges.Values{index.County: "C21, ZZ", index.Owner: "WIDE FERN"}))
}

func testPortfolios(t *testing.T, r index.Reader) {
	counties := []index.CountyFilings{{County: "C21, ZZ", Filings: 2}}
	for i := range index.MaxOwnerCounties - 1 {
		counties = append(counties, index.CountyFilings{County: fmt.Sprintf("C%02d, ZZ", i), Filings: 1})
	}
	wide := index.Portfolio{Name: "Wide Fern", Filings: 23, Writings: 2, Counties: counties}
	francis := index.Portfolio{
		Name: "FRANCIS ROWANGATE", Filings: 4, Writings: 2, Amounts: 3, SumCents: -525, FirstFilingDate: "2023-12-31", LastFilingDate: "2024-02-01",
		Counties: []index.CountyFilings{{County: "Orange, FL", Filings: 2}, {County: "Lake, FL", Filings: 1}, {County: "Orange, CA", Filings: 1}},
	}
	one := []index.CountyFilings{{County: "Orange, FL", Filings: 1}}
	ash := index.Portfolio{Name: "Ash & Birch", Filings: 1, Writings: 1, Counties: one}
	fern := index.Portfolio{Name: "Fern Homes, LLC", Filings: 1, Writings: 1, Amounts: 1, SumCents: 1e14, Counties: one}
	where := func(county string) index.Filter { return index.Where(index.InCounty(county)) }
	for _, test := range []struct {
		name  string
		q     index.OwnerQuery
		total int64
		want  []index.Portfolio
	}{
		{"X27 most filings, then key", index.OwnerQuery{}, 4, []index.Portfolio{wide, francis, ash, fern}},
		{"X27 fewest filings, then key", index.OwnerQuery{Ascending: true}, 4, []index.Portfolio{ash, fern, francis, wide}},
		{"X27 largest sums", index.OwnerQuery{Sort: index.OwnersByAmount}, 4, []index.Portfolio{fern, ash, wide, francis}},
		{"X27 least sums", index.OwnerQuery{Sort: index.OwnersByAmount, Ascending: true}, 4, []index.Portfolio{francis, ash, wide, fern}},
		{"X27 names", index.OwnerQuery{Sort: index.OwnersByName, Ascending: true}, 4, []index.Portfolio{ash, fern, francis, wide}},
		{"X27 names, last first", index.OwnerQuery{Sort: index.OwnersByName}, 4, []index.Portfolio{wide, francis, fern, ash}},
		{"X27 beginnings of words", index.OwnerQuery{Tokens: []string{"rowan", "fran"}}, 1, []index.Portfolio{francis}},
		{"X27 one beginning", index.OwnerQuery{Tokens: []string{"f"}}, 3, []index.Portfolio{wide, francis, fern}},
		{"X27 no beginning", index.OwnerQuery{Tokens: []string{"owangate"}}, 0, nil},
		{"X27 a form as its key has it", index.OwnerQuery{Tokens: []string{"llc"}}, 1, []index.Portfolio{fern}},
		{"X27 a county", index.OwnerQuery{Where: where("orange, fl")}, 3, []index.Portfolio{francis, ash, fern}},
		{"X27 a county of any state", index.OwnerQuery{Where: where("orange"), MinFilings: 2}, 1, []index.Portfolio{francis}},
		{"X27 a county past those listed", index.OwnerQuery{Where: where("c20")}, 1, []index.Portfolio{wide}},
		{"X27 a state", index.OwnerQuery{Where: edges.AnyOf(index.State, "CA")}, 1, []index.Portfolio{francis}},
		{"X27 a county that is in another state", index.OwnerQuery{Where: edges.Both(where("lake"), edges.AnyOf(index.State, "CA"))}, 0, nil},
		{"X27 not fewer", index.OwnerQuery{MinFilings: 4}, 2, []index.Portfolio{wide, francis}},
		{"X27 more than any", index.OwnerQuery{MinFilings: 24}, 0, nil},
		{"X27 a page", index.OwnerQuery{Offset: 1, Limit: 2}, 4, []index.Portfolio{francis, ash}},
		{"X27 past the end", index.OwnerQuery{Offset: 4, Limit: 2}, 4, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.q.Limit == 0 {
				test.q.Limit = 10
			}
			got, err := r.Owners(t.Context(), test.q)
			expect(t, index.Owners{Total: test.total, List: test.want}, got, err)
		})
	}
}

func testNearest(t *testing.T, r index.Reader) {
	for _, test := range []struct {
		name, word string
		want       []string
	}{
		{"X29 a letter less", "medlrway", []string{"medlarway"}},
		{"X29 a letter more", "homess", []string{"homes"}},
		{"X29 another letter", "francas", []string{"francis"}},
		{"X29 two exchanged", "rfancis", []string{"francis"}},
		{"X29 two errors of seven", "frbncas", nil},
		{"X29 two errors of nine", "rowamgete", []string{"rowangate"}},
		{"X29 three errors of eleven", "mdlarwayxy", nil},
		{"X29 an address has it", "medlarway", nil},
		{"X29 four letters", "hoes", nil},
		{"X29 a digit", "home5s", nil},
		{"X29 no owner's county", "orang", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := r.Nearest(t.Context(), []string{"zz", test.word})
			expect(t, [][]string{nil, test.want}, got, err)
		})
	}
}

// CheckOwners compares what r and the oracle say of owners, all and random ones, and of damaged words.
func CheckOwners(t *testing.T, r index.Reader, o *indextest.Oracle, n int) {
	t.Helper()
	sameOwners(t, r, o)
	a := rand.New(rand.NewPCG(8, 8))
	entries := o.Entries()
	found := 0
	for range n {
		e := entries[a.IntN(len(entries))]
		q := index.OwnerQuery{Sort: index.OwnerSort(a.IntN(len(index.OwnerSorts))), Ascending: a.IntN(2) == 0, Offset: a.IntN(4) * a.IntN(10), Limit: 1 + a.IntN(30)}
		for _, token := range index.NameTokens(e.Text(index.Owner)) {
			if letters := []rune(token); a.IntN(3) == 0 {
				q.Tokens = append(q.Tokens, string(letters[:1+a.IntN(len(letters))]))
			}
		}
		if county := e.Text(index.County); county != "" && a.IntN(3) == 0 {
			q.Where = index.Where(index.InCounty(county))
		} else if a.IntN(4) == 0 {
			q.Where = edges.AnyOf(index.State, index.Derive(e.Filing).State, "ca")
		}
		if a.IntN(4) == 0 {
			q.MinFilings = int64(a.IntN(4))
		}
		want, _ := o.Owners(t.Context(), q)
		got, err := r.Owners(t.Context(), q)
		expect(t, want, got, err)
		if found += len(got.List); t.Failed() {
			t.Fatal(q.Text())
		}
	}
	if found < n {
		t.Errorf("%d requests found %d owners: they try too little", n, found)
	}
	words := DamagedWords(o, n)
	want, _ := o.Nearest(t.Context(), words)
	got, err := r.Nearest(t.Context(), words)
	expect(t, want, got, err)
}

// DamagedWords returns words of the filings with one or two letters inserted, deleted, replaced or exchanged.
func DamagedWords(o *indextest.Oracle, n int) (damaged []string) {
	var words []string
	for _, e := range o.Entries() {
		words = append(words, index.Words(e.Text(index.Owner)+" "+e.Text(index.PropertyAddress))...)
	}
	a := rand.New(rand.NewPCG(9, 9))
	for range n {
		word := []rune(words[a.IntN(len(words))])
		for range 1 + a.IntN(2) {
			if len(word) < 2 {
				break
			}
			i, letter := a.IntN(len(word)-1), rune('a'+a.IntN(26))
			switch a.IntN(4) {
			case 0:
				word = append(word[:i:i], append([]rune{letter}, word[i:]...)...)
			case 1:
				word = append(word[:i:i], word[i+1:]...)
			case 2:
				word[i] = letter
			case 3:
				word[i], word[i+1] = word[i+1], word[i]
			}
		}
		damaged = append(damaged, string(word))
	}
	return damaged
}

// sameOwners compares all owners, in each order. Their filings are those that have an owner with a key.
func sameOwners(t *testing.T, r index.Reader, o *indextest.Oracle) {
	t.Helper()
	for sort := range index.OwnerSorts {
		for _, ascending := range []bool{false, true} {
			q := index.OwnerQuery{Sort: index.OwnerSort(sort), Ascending: ascending, Limit: 100_000}
			want, _ := o.Owners(t.Context(), q)
			got, err := r.Owners(t.Context(), q)
			expect(t, want, got, err)
		}
	}
}
