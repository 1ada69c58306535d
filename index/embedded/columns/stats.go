package columns

import (
	"context"
	"errors"
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

// Cover returns counties, which are all of the table's, with what rule X13 says of them. Build counts that itself: this is for
// generations that a former version sealed. It reads five columns, once; the result is read, never changed.
func (t *Table) Cover(ctx context.Context, counties []index.CountyStats) ([]index.CountyStats, error) {
	return cached(ctx, t, cacheKey{"coverage", 0}, func(ctx context.Context) ([]index.CountyStats, int, error) {
		names, err := t.dictionary(ctx, index.County.String())
		if err != nil {
			return nil, 0, err
		}
		codes, all := map[string]uint32{}, make([]index.CountyStats, len(names))
		for code, name := range names {
			codes[name] = uint32(code)
		}
		for _, c := range counties {
			all[codes[c.County]] = c
		}
		for chunk := range t.chunks() {
			if err := t.coverChunk(ctx, chunk, all); err != nil {
				return nil, 0, err
			}
		}
		all = slices.DeleteFunc(all, func(c index.CountyStats) bool { return c.Filings == 0 }) // a word that no filing has
		slices.SortFunc(all, func(a, b index.CountyStats) int { return index.CompareCounties(a.County, b.County) })
		return all, len(all) * 150, nil // about
	})
}

// coverChunk adds the filings of a chunk to counties, which are in the order of their codes.
func (t *Table) coverChunk(ctx context.Context, chunk int, counties []index.CountyStats) error {
	dates, err := t.dictionary(ctx, index.FilingDate.String())
	if err != nil {
		return err
	}
	latitudes, longitudes, err := t.coordinates(ctx, chunk)
	if err != nil {
		return err
	}
	created, err1 := readColumn[int64](ctx, t, columnCreated, chunk)
	county, err2 := readColumn[uint32](ctx, t, index.County.String(), chunk)
	date, err3 := readColumn[uint32](ctx, t, index.FilingDate.String(), chunk)
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	for row, code := range county {
		cover(&counties[code], latitudes[row], longitudes[row], dates[date[row]], created[row])
	}
	return nil
}
