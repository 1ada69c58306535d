package sidecar

import (
	"bytes"
	"cmp"
	"context"
	"encoding/gob"
	"errors"
	"maps"
	"math"
	"slices"
	"time"

	"filings/index"
)

// summary is what is known of a generation as a whole. As gob it may have infinite sums, unlike JSON.
type summary struct {
	Stats    index.Stats
	Counties []index.CountyStats // sorted by index.CompareCounties
}

// counter counts a summary.
type counter struct {
	stats       index.Stats
	counties    map[string]*index.CountyStats
	first, last int64 // microseconds
}

func newCounter() *counter {
	return &counter{counties: map[string]*index.CountyStats{}, first: math.MaxInt64, last: math.MinInt64}
}

// add counts a filing that was added at an instant in microseconds, or at index.NoTime.
func (c *counter) add(f *facts, created int64) {
	county := c.counties[string(f.county)]
	if county == nil {
		county = &index.CountyStats{County: string(f.county)}
		c.counties[county.County] = county
	}
	county.Filings++
	if f.located {
		county.WithCoordinates++
	}
	if len(f.date) > 0 {
		if county.FirstFilingDate == "" || string(f.date) < county.FirstFilingDate {
			county.FirstFilingDate = string(f.date)
		}
		if string(f.date) > county.LastFilingDate {
			county.LastFilingDate = string(f.date)
		}
	}
	if !math.IsNaN(f.amount) {
		if county.Amounts == 0 {
			county.MinAmount, county.MaxAmount = f.amount, f.amount
		}
		county.Amounts++
		county.SumCents += index.Cents(f.amount)
		county.MinAmount, county.MaxAmount = min(county.MinAmount, f.amount), max(county.MaxAmount, f.amount)
	}
	if created != index.NoTime {
		c.stats.Added++
		c.first, c.last = min(c.first, created), max(c.last, created)
		if county.LastAdded.IsZero() || created > county.LastAdded.UnixMicro() {
			county.LastAdded = time.UnixMicro(created).UTC()
		}
	}
	if f.trust {
		c.stats.Trusts++
	}
	if f.estate {
		c.stats.Estates++
	}
	if f.trust || f.estate {
		c.stats.TrustsOrEstates++
	}
}

// write writes the summary of filings of so many owners.
func (c *counter) write(owners int64, to Sink) error {
	all := summary{Stats: c.stats}
	all.Stats.Owners = owners
	if c.stats.Added > 0 {
		all.Stats.FirstAdded, all.Stats.LastAdded = time.UnixMicro(c.first).UTC(), time.UnixMicro(c.last).UTC()
	}
	for _, name := range slices.SortedFunc(maps.Keys(c.counties), index.CompareCounties) {
		all.add(c.counties[name])
	}
	var data bytes.Buffer
	if err := gob.NewEncoder(&data).Encode(all); err != nil {
		return err
	}
	return putWhole(to, sectionSummary, data.Bytes())
}

func (s *summary) add(c *index.CountyStats) {
	s.Counties = append(s.Counties, *c)
	of := &s.Stats
	if c.Amounts > 0 {
		if of.Amounts == 0 {
			of.MinAmount, of.MaxAmount = c.MinAmount, c.MaxAmount
		}
		of.MinAmount, of.MaxAmount = min(of.MinAmount, c.MinAmount), max(of.MaxAmount, c.MaxAmount)
	}
	of.Filings += c.Filings
	of.Amounts += c.Amounts
	of.SumCents += c.SumCents
}

// summary returns that of the generation, not to be changed.
func (d *Directory) summary(ctx context.Context) (summary, error) {
	s, err := cached(ctx, d, sectionSummary, func(c *cutter) (s summary, size int) {
		c.failed = gob.NewDecoder(bytes.NewReader(c.data)).Decode(&s) != nil
		return s, 200 * len(s.Counties)
	})
	if errors.Is(err, index.ErrNoOwners) {
		err = ErrDamaged // the sidecar is missing
	}
	return s, cmp.Or(err, ctx.Err())
}

// Stats implements index.Reader.
func (d *Directory) Stats(ctx context.Context) (index.Stats, error) {
	s, err := d.summary(ctx)
	return s.Stats, err
}

// Counties implements index.Reader.
func (d *Directory) Counties(ctx context.Context) ([]index.CountyStats, error) {
	s, err := d.summary(ctx)
	return slices.Clone(s.Counties), err
}
