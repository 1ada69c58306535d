package embedded

import (
	"context"
	"sort"

	"filings/index"
)

// Statistics tell at each request how many filings were added lately. The range moves with the clock, so its selection
// would never be used again; its ends are found in the order of creation instead, by bisection.

// countTimes counts the filings that were added within p.
func (g *snapshot) countTimes(ctx context.Context, p index.Times) (int64, error) {
	to, err := g.addedUpTo(ctx, p.To.UnixMicro())
	if err != nil {
		return 0, err
	}
	before, err := g.addedUpTo(ctx, p.From.UnixMicro()-1)
	return int64(max(0, to-before)), err
}

// addedUpTo counts the filings that were added at a time in microseconds or before.
func (g *snapshot) addedUpTo(ctx context.Context, micros int64) (n int, err error) {
	oldestFirst := index.Sort{By: index.CreatedAt, Ascending: true} // those without the time are last
	n = sort.Search(g.rows, func(place int) bool {
		if err != nil {
			return true
		}
		var at int64
		at, err = g.created(ctx, oldestFirst, place)
		return at == noTime || at > micros
	})
	return n, err
}

// created returns when the filing at a place of an order was added.
func (g *snapshot) created(ctx context.Context, s index.Sort, place int) (int64, error) {
	rows, err := g.unfiltered(ctx, s, place, 1)
	if err != nil {
		return 0, err
	}
	times, err := readColumn[int64](ctx, g, columnCreated, int(rows[0]/chunkRows))
	if err != nil {
		return 0, err
	}
	return times[rows[0]%chunkRows], nil
}
