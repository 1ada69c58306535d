package search

import (
	"slices"
	"strings"

	"filings/index"
	"filings/index/elastic/document"
)

// CountyAndAmount returns the folded county and the filing amounts that w selects by, and whether
// it does so by nothing else.
func CountyAndAmount(w index.Filter) (county string, amount index.Between, is bool) {
	all := w.Predicates()
	if len(all) != 2 {
		return "", index.Between{}, false
	}
	for _, p := range all {
		switch p := p.(type) {
		case index.AnyOf:
			if slices.Equal(p.Fields, []index.Field{index.County, index.CountyName}) && len(p.Values) == 1 {
				county = p.Values[0]
			}
		case index.Between:
			amount, is = p, p.Field == index.FilingAmount
		}
	}
	return county, amount, is && county != ""
}

// InCounty returns the one clause for filing amounts in a county, which Elasticsearch counts
// without visiting filings; false where known does not have the county, or a bound is none of
// document.CountyCents. Amounts are whole cents.
func InCounty(county string, amount index.Between, known []document.NumberedCounty) (Object, bool) {
	byName := func(k document.NumberedCounty, name string) int { return strings.Compare(k.Name, name) }
	i, found := slices.BinarySearchFunc(known, county, byName)
	if !found {
		return nil, false
	}
	const none = 1e15 // cents: before and after all amounts
	from, to := -none, +none
	if amount.Min != nil {
		from = document.LeastCents(*amount.Min)
	}
	if amount.Max != nil {
		to = document.MostCents(*amount.Max)
	}
	first, exact1 := document.CountyCents(known[i].Number, from)
	last, exact2 := document.CountyCents(known[i].Number, to)
	isExact := (exact1 || amount.Min == nil) && (exact2 || amount.Max == nil)
	return between(document.CountyCentsField, &first, &last), isExact
}
