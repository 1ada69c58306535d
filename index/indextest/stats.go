package indextest

import (
	"context"
	"maps"
	"slices"
	"time"

	"filings/index"
)

// Stats implements index.Reader.
func (o *Oracle) Stats(context.Context) (index.Stats, error) {
	var s index.Stats
	var sum amounts
	owners := map[string]bool{}
	for _, e := range o.filings {
		s.Filings++
		if owner := e.Text(index.Owner); owner != "" {
			owners[index.Fold(owner)] = true
		}
		sum.add(e.Filing)
		if e.Has(index.CreatedAt) {
			at := e.CreatedAt.UTC().Truncate(time.Microsecond)
			if s.Added == 0 || at.Before(s.FirstAdded) {
				s.FirstAdded = at
			}
			if s.Added == 0 || at.After(s.LastAdded) {
				s.LastAdded = at
			}
			s.Added++
		}
		if e.Derived.Trust {
			s.Trusts++
		}
		if e.Derived.Estate {
			s.Estates++
		}
		if e.Derived.Trust || e.Derived.Estate {
			s.TrustsOrEstates++
		}
	}
	s.Owners = int64(len(owners))
	s.Amounts, s.SumCents, s.MinAmount, s.MaxAmount = sum.n, float64(sum.cents), sum.min, sum.max
	return s, nil
}

// Counties implements index.Reader.
func (o *Oracle) Counties(context.Context) ([]index.CountyStats, error) {
	counties, sums := map[string]*index.CountyStats{}, map[string]*amounts{}
	for _, e := range o.filings {
		name := e.Text(index.County)
		if sums[name] == nil {
			counties[name], sums[name] = &index.CountyStats{County: name}, &amounts{}
		}
		sums[name].add(e.Filing)
		cover(counties[name], e.Filing)
	}
	var all []index.CountyStats
	for _, name := range slices.SortedFunc(maps.Keys(counties), index.CompareCounties) {
		c, sum := *counties[name], sums[name]
		c.Amounts, c.SumCents, c.MinAmount, c.MaxAmount = sum.n, float64(sum.cents), sum.min, sum.max
		all = append(all, c)
	}
	return all, nil
}

// cover adds f to c, all but its amount (rule X13).
func cover(c *index.CountyStats, f *index.Filing) {
	c.Filings++
	if f.Has(index.Latitude) && f.Has(index.Longitude) {
		c.WithCoordinates++
	}
	if date := f.Text(index.FilingDate); date != "" {
		if c.FirstFilingDate == "" || date < c.FirstFilingDate {
			c.FirstFilingDate = date
		}
		c.LastFilingDate = max(c.LastFilingDate, date)
	}
	if at := f.CreatedAt.UTC().Truncate(time.Microsecond); f.Has(index.CreatedAt) && (c.LastAdded.IsZero() || at.After(c.LastAdded)) {
		c.LastAdded = at
	}
}

// amounts sums FilingAmounts. The cents are whole numbers, so that no order of adding makes a difference.
type amounts struct {
	n, cents int64
	min, max float64
}

func (a *amounts) add(f *index.Filing) {
	v, ok := f.Number(index.FilingAmount)
	if !ok {
		return
	}
	if a.n == 0 {
		a.min, a.max = v, v
	}
	a.n++
	a.cents += int64(index.Cents(v))
	a.min, a.max = min(a.min, v), max(a.max, v)
}
