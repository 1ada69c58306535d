package columns

import (
	"maps"
	"math"
	"slices"
	"time"

	"filings/index"
)

// Stats is what Build counts in the filings that it lays out.
type Stats struct {
	index.Stats
	Counties []index.CountyStats // sorted by index.CompareCounties
	Months   map[string]int64    // filings by index.Month; those without a date under ""
}

// counter counts rows.
type counter struct {
	counties      map[string]*index.CountyStats
	dates, traits map[string]*int64 // by the words of their columns
	owners        int64
	added         int64 // rows with a createdAt
	first, last   int64 // microseconds, of those
}

func newCounter() counter {
	return counter{map[string]*index.CountyStats{}, map[string]*int64{}, map[string]*int64{}, 0, 0, math.MaxInt64, math.MinInt64}
}

func (c *counter) add(v *storedValues) {
	*counted(c.dates, v.words[codedDate])++
	*counted(c.traits, v.words[codedTraits])++
	if v.created != noTime {
		c.added, c.first, c.last = c.added+1, min(c.first, v.created), max(c.last, v.created)
	}
	county := counted(c.counties, v.words[codedCounty])
	county.Filings++
	cover(county, v.numbers[numberLatitude], v.numbers[numberLongitude], string(v.words[codedDate]), v.created)
	if amount := v.numbers[numberFilingAmount]; !math.IsNaN(amount) {
		if county.Amounts == 0 {
			county.MinAmount, county.MaxAmount = amount, amount
		}
		county.Amounts++
		county.SumCents += index.Cents(amount)
		county.MinAmount, county.MaxAmount = min(county.MinAmount, amount), max(county.MaxAmount, amount)
	}
}

// counted returns what is counted under a word, at first the zero T.
func counted[T any](under map[string]*T, word []byte) *T {
	n := under[string(word)]
	if n == nil {
		n = new(T)
		under[string(word)] = n
	}
	return n
}

// total sums up what was counted.
func (c *counter) total() Stats {
	all := Stats{Stats: index.Stats{Owners: c.owners, Added: c.added}, Months: map[string]int64{}}
	if c.added > 0 {
		all.FirstAdded, all.LastAdded = time.UnixMicro(c.first).UTC(), time.UnixMicro(c.last).UTC()
	}
	for _, name := range slices.SortedFunc(maps.Keys(c.counties), index.CompareCounties) {
		county := *c.counties[name]
		county.County = name
		all.addCounty(county)
	}
	for date, n := range c.dates {
		all.Months[month(date)] += *n
	}
	for word, n := range c.traits {
		trust, estate := lists(word, index.Trust.String()), lists(word, index.Estate.String())
		if trust {
			all.Trusts += *n
		}
		if estate {
			all.Estates += *n
		}
		if trust || estate {
			all.TrustsOrEstates += *n
		}
	}
	return all
}

func (s *Stats) addCounty(c index.CountyStats) {
	s.Counties = append(s.Counties, c)
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
