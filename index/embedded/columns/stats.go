package columns

import (
	"math"
	"slices"

	"filings/index"
)

// Stats is what Build counts in the filings that it lays out.
type Stats struct {
	index.Stats
	Counties []index.CountyStats // sorted by index.CompareCounties
	Months   map[string]int64    // filings by index.Month; those without a date under ""
}

// stats counts rows. The slices are by the codes of county, date and traits.
type stats struct {
	counties []index.CountyStats
	dates    []int64
	traits   []int64
	owners   int64
}

// add counts a row with its FilingAmount, which may be NaN.
func (s *stats) add(amount float64, codes [len(coded)]uint32) {
	s.counties = grown(s.counties, codes[codedCounty])
	c := &s.counties[codes[codedCounty]]
	c.Filings++
	if !math.IsNaN(amount) {
		if c.Amounts == 0 {
			c.MinAmount, c.MaxAmount = amount, amount
		}
		c.Amounts++
		c.SumCents += index.Cents(amount)
		c.MinAmount, c.MaxAmount = min(c.MinAmount, amount), max(c.MaxAmount, amount)
	}
	s.dates = grown(s.dates, codes[codedDate])
	s.dates[codes[codedDate]]++
	s.traits = grown(s.traits, codes[codedTraits])
	s.traits[codes[codedTraits]]++
}

// grown returns s, long enough to have an element i.
func grown[T any](s []T, i uint32) []T {
	if n := int(i) + 1 - len(s); n > 0 {
		s = append(s, make([]T, n)...)
	}
	return s
}

// total sums up what was counted, given the words of the codes.
func (s *stats) total(counties, dates, traits []string) Stats {
	all := Stats{Stats: index.Stats{Owners: s.owners}, Months: map[string]int64{}}
	for code, c := range s.counties {
		if c.Filings > 0 {
			c.County = counties[code]
			all.Counties = append(all.Counties, c)
		}
	}
	slices.SortFunc(all.Counties, func(a, b index.CountyStats) int { return index.CompareCounties(a.County, b.County) })
	for _, c := range all.Counties {
		all.addTotals(c)
	}
	for code, n := range s.dates {
		if n > 0 {
			all.Months[month(dates[code])] += n
		}
	}
	for code, n := range s.traits {
		trust, estate := lists(traits[code], index.Trust.String()), lists(traits[code], index.Estate.String())
		if trust {
			all.Trusts += n
		}
		if estate {
			all.Estates += n
		}
		if trust || estate {
			all.TrustsOrEstates += n
		}
	}
	return all
}

// addTotals adds the stats of a county to those of all filings.
func (s *Stats) addTotals(c index.CountyStats) {
	if c.Amounts > 0 {
		if s.Amounts == 0 {
			s.MinAmount, s.MaxAmount = c.MinAmount, c.MaxAmount
		}
		s.MinAmount, s.MaxAmount = min(s.MinAmount, c.MinAmount), max(s.MaxAmount, c.MaxAmount)
	}
	s.Filings += c.Filings
	s.Amounts += c.Amounts
	s.SumCents += c.SumCents
}

// month returns the month of a day, "" for none.
func month(date string) string { return date[:min(len(date), len("2006-01"))] }
