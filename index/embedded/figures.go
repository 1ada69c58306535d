package embedded

import (
	"math"
	"slices"

	"filings/index"
	"filings/index/generation"
)

// figures are counted over the rows of a generation while they are laid out, from what was read back from the file.
// The slices are by the codes of county, date and traits.
type figures struct {
	counties []index.CountyStats
	dates    []int64
	traits   []int64
	owners   int64
}

// add counts a row.
func (g *figures) add(f *facts, codes [numCoded]uint32) {
	g.counties = grown(g.counties, codes[codedCounty])
	c := &g.counties[codes[codedCounty]]
	c.Filings++
	if v := f.numbers[numberFilingAmount]; !math.IsNaN(v) {
		if c.Amounts == 0 {
			c.MinAmount, c.MaxAmount = v, v
		}
		c.Amounts++
		c.SumCents += index.Cents(v)
		c.MinAmount, c.MaxAmount = min(c.MinAmount, v), max(c.MaxAmount, v)
	}
	g.dates = grown(g.dates, codes[codedDate])
	g.dates[codes[codedDate]]++
	g.traits = grown(g.traits, codes[codedTraits])
	g.traits[codes[codedTraits]]++
}

// grown returns s, long enough to have an element i.
func grown[T any](s []T, i uint32) []T {
	if n := int(i) + 1 - len(s); n > 0 {
		s = append(s, make([]T, n)...)
	}
	return s
}

// counted returns the figures of each county, sorted, given what their codes mean.
func (g *figures) counted(names []string) []index.CountyStats {
	var all []index.CountyStats
	for code, c := range g.counties {
		if c.Filings > 0 {
			c.County = names[code]
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b index.CountyStats) int { return index.CompareCounties(a.County, b.County) })
	return all
}

// stats sums up what was counted.
func (g *figures) stats(counties []index.CountyStats, traits []string) index.Stats {
	s := index.Stats{Owners: g.owners}
	for _, c := range counties {
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
	for code, n := range g.traits {
		trust, estate := hasValue(traits[code], index.Trust.String()), hasValue(traits[code], index.Estate.String())
		if trust {
			s.Trusts += n
		}
		if estate {
			s.Estates += n
		}
		if trust || estate {
			s.TrustsOrEstates += n
		}
	}
	return s
}

// tally is what was counted in the form in which a load compares it.
func (g *figures) tally(counties []index.CountyStats, dates []string) generation.Checksum {
	t := generation.NewChecksum()
	for _, c := range counties {
		t.Filings += c.Filings
		t.Counties[c.County] = generation.CountyChecksum{Filings: c.Filings, Amounts: c.Amounts, SumCents: c.SumCents}
	}
	for code, n := range g.dates {
		if n > 0 {
			t.Months[month(dates[code])] += n
		}
	}
	return t
}

// month returns the month of a day, "" for none.
func month(date string) string { return date[:min(len(date), len("2006-01"))] }
