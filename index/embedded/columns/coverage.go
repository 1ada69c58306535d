package columns

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"filings/index"
)

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
