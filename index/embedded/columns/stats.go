package columns

import (
	"context"
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

// cover adds a filing to c: what rule X13 says of a county. NaN, "" and noTime are missing values.
func cover(c *index.CountyStats, latitude, longitude float64, date string, created int64) {
	if !math.IsNaN(latitude) && !math.IsNaN(longitude) {
		c.WithCoordinates++
	}
	if date != "" {
		if c.FirstFilingDate == "" || date < c.FirstFilingDate {
			c.FirstFilingDate = date
		}
		c.LastFilingDate = max(c.LastFilingDate, date)
	}
	if created != noTime && (c.LastAdded.IsZero() || created > c.LastAdded.UnixMicro()) {
		c.LastAdded = time.UnixMicro(created).UTC()
	}
}

// sum holds the totals of one group: one value on each of the two axes.
type sum struct {
	first, second    uint32
	filings, amounts int64
	cents            float64
	least, most      float64
}

func (s *sum) add(amount float64) {
	s.filings++
	if math.IsNaN(amount) {
		return
	}
	if s.amounts == 0 {
		s.least, s.most = amount, amount
	}
	s.amounts++
	s.cents += index.Cents(amount)
	s.least, s.most = min(s.least, amount), max(s.most, amount)
}

// sums are the sums of all places at which there are filings.
type sums struct {
	all    []sum
	second int               // places on the second axis
	dense  []uint32          // by place: its position in all, counted from 1
	sparse map[uint64]uint32 // the same, where there may be too many places for a list
}

// densest is how many places are kept as a list, of 4 MB.
const densest = 1 << 20

func newSums(first, second int) *sums {
	if first*second <= densest {
		return &sums{second: second, dense: make([]uint32, first*second)}
	}
	return &sums{second: second, sparse: map[uint64]uint32{}}
}

// at returns the sum at a place, valid until the next call.
func (s *sums) at(first, second uint32) *sum {
	place := uint64(first)*uint64(s.second) + uint64(second)
	var position uint32
	if s.dense != nil {
		position = s.dense[place]
	} else {
		position = s.sparse[place]
	}
	if position == 0 {
		s.all = append(s.all, sum{first: first, second: second})
		position = uint32(len(s.all))
		if s.dense != nil {
			s.dense[place] = position
		} else {
			s.sparse[place] = position
		}
	}
	return &s.all[position-1]
}

// groups makes groups of the sums by the keys that places on the two axes have.
func (s *sums) groups(ctx context.Context, q index.GroupQuery, first, second [][]string) (index.Groups, error) {
	g := index.NewGrouping(q)
	for i, one := range s.all {
		if err := ended(ctx, i); err != nil {
			return index.Groups{}, err
		}
		part := index.Group{Filings: one.filings, Amounts: one.amounts, SumCents: one.cents, MinAmount: one.least, MaxAmount: one.most}
		for _, a := range first[one.first] {
			for _, b := range second[one.second] {
				part.Keys = [2]string{a, b}
				g.Add(part)
			}
		}
	}
	return g.Groups(), ctx.Err()
}
