package document

import (
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"filings/index"
)

// CountyCentsField holds the amount of a filing in cents after a number of its county.
// Elasticsearch counts a range of one number by the index of it, without visiting the filings where
// none of a segment was deleted: how many a county has from one amount to another.
const CountyCentsField = "x.countyCents"

const (
	countyBits = 20
	centsBits  = 43 // 44 billion dollars and their negatives; amounts beyond stand at the ends
	zeroCents  = 1 << (centsBits - 1)
)

// CountyCents returns the value of CountyCentsField for whole cents in the county with this number.
// It is exact unless the cents stand at an end.
func CountyCents(number int64, cents float64) (value int64, exact bool) {
	const end = 1<<centsBits - 1
	scaled := max(0, min(end, cents+zeroCents))
	return number<<centsBits + int64(scaled), 0 < scaled && scaled < end
}

// countyNumber returns the number of a folded county. Others may have the same.
func countyNumber(county string) int64 { return int64(xxhash.Sum64String(county) >> (64 - countyBits)) }

// NumberedCounty is a text that may be requested as a county, and the number of the only county of
// that name.
type NumberedCounty struct {
	Name   string
	Number int64
}

// NumberCounties returns the folded counties, and their names without the state, that are one
// county each, with a number that no other county has. They are sorted by name.
func NumberCounties(folded []string) (all []NumberedCounty) {
	counties, names := map[int64]int{}, map[string]int{}
	for _, county := range folded {
		name, _ := index.SplitCounty(county)
		counties[countyNumber(county)]++
		names[county]++
		if name != county {
			names[name]++
		}
	}
	for _, county := range folded {
		number := countyNumber(county)
		if counties[number] > 1 {
			continue
		}
		name, _ := index.SplitCounty(county)
		for _, text := range slices.Compact([]string{county, name}) {
			if names[text] == 1 {
				all = append(all, NumberedCounty{text, number})
			}
		}
	}
	slices.SortFunc(all, func(a, b NumberedCounty) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// LeastCents returns the fewest whole cents that are at least so many dollars; MostCents the most
// that are at most so many.
func LeastCents(dollars float64) float64 {
	cents := index.Cents(dollars)
	if index.Dollars(cents) < dollars {
		cents++
	}
	return cents
}

// MostCents is described at LeastCents.
func MostCents(dollars float64) float64 { return -LeastCents(-dollars) }
