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
	"strings"
	"time"

	"filings/index"
	"filings/index/wire"
)

// summary has the figures of a whole generation. As gob it may have infinite sums, unlike JSON.
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

// add counts a filing.
func (c *counter) add(s *index.Fingerprint) {
	f, created := &s.Facts, s.Created
	county := c.counties[f.County]
	if county == nil {
		county = &index.CountyStats{County: strings.Clone(f.County)}
		c.counties[county.County] = county
	}
	county.Filings++
	if f.HasCoordinates {
		county.WithCoordinates++
	}
	if f.FilingDate != "" {
		if county.FirstFilingDate == "" || f.FilingDate < county.FirstFilingDate {
			county.FirstFilingDate = strings.Clone(f.FilingDate)
		}
		if f.FilingDate > county.LastFilingDate {
			county.LastFilingDate = strings.Clone(f.FilingDate)
		}
	}
	if f.HasAmount {
		if county.Amounts == 0 {
			county.MinAmount, county.MaxAmount = f.Amount, f.Amount
		}
		county.Amounts++
		county.SumCents += index.Cents(f.Amount)
		county.MinAmount, county.MaxAmount = min(county.MinAmount, f.Amount), max(county.MaxAmount, f.Amount)
	}
	if created != index.NoTime {
		c.stats.Added++
		c.first, c.last = min(c.first, created), max(c.last, created)
		if county.LastAdded.IsZero() || created > county.LastAdded.UnixMicro() {
			county.LastAdded = time.UnixMicro(created).UTC()
		}
	}
	if f.Trust {
		c.stats.Trusts++
	}
	if f.Estate {
		c.stats.Estates++
	}
	if f.Trust || f.Estate {
		c.stats.TrustsOrEstates++
	}
}

// write writes the summary of filings of so many owners.
func (c *counter) write(owners int64, sink Sink) error {
	whole := summary{Stats: c.stats}
	whole.Stats.Owners = owners
	if c.stats.Added > 0 {
		whole.Stats.FirstAdded, whole.Stats.LastAdded = time.UnixMicro(c.first).UTC(), time.UnixMicro(c.last).UTC()
	}
	for _, name := range slices.SortedFunc(maps.Keys(c.counties), index.CompareCounties) {
		whole.add(c.counties[name])
	}
	var data bytes.Buffer
	if err := gob.NewEncoder(&data).Encode(whole); err != nil {
		return err
	}
	return putWhole(sink, sectionSummary, data.Bytes())
}

func (s *summary) add(c *index.CountyStats) {
	s.Counties = append(s.Counties, *c)
	sums := &s.Stats
	if c.Amounts > 0 {
		if sums.Amounts == 0 {
			sums.MinAmount, sums.MaxAmount = c.MinAmount, c.MaxAmount
		}
		sums.MinAmount, sums.MaxAmount = min(sums.MinAmount, c.MinAmount), max(sums.MaxAmount, c.MaxAmount)
	}
	sums.Filings += c.Filings
	sums.Amounts += c.Amounts
	sums.SumCents += c.SumCents
}

// summary returns that of the generation, not to be changed.
func (d *Directory) summary(ctx context.Context) (summary, error) {
	s, err := cached(ctx, d, sectionSummary, func(r *wire.Reader) (s summary, size int) {
		r.Failed = gob.NewDecoder(bytes.NewReader(r.Rest)).Decode(&s) != nil
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
