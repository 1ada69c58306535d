package embedded

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"filings/index"
)

// blockPlaces is how many places of an order a seek table counts together: few enough to be walked in microseconds, many
// enough for the table of 500,000 rows to be half a kilobyte. Chunks are whole blocks.
const blockPlaces = 4096

// Rows implements index.Reader.
func (g *snapshot) Rows(ctx context.Context, q index.Query) ([]index.Record, error) {
	rows, err := g.page(ctx, q)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	ids := make([]int64, len(rows))
	for i, row := range rows {
		chunk, err := readColumn[int64](ctx, g, columnID, int(row/chunkRows))
		if err != nil {
			return nil, err
		}
		ids[i] = chunk[row%chunkRows]
	}
	records, err := g.Filings(ctx, ids)
	if err == nil && slices.ContainsFunc(records, func(r index.Record) bool { return r == nil }) {
		return nil, g.damaged(columnID, int(rows[0]/chunkRows))
	}
	return records, err
}

// page returns the rows of a page.
func (g *snapshot) page(ctx context.Context, q index.Query) ([]uint32, error) {
	if q.Sort != index.DefaultSort && !slices.Contains(orders(), q.Sort) {
		return nil, fmt.Errorf("embedded engine: filings are not sorted by %v", q.Sort)
	}
	selected, err := g.selected(ctx, q.Where)
	if err != nil {
		return nil, err
	}
	total := g.rows
	if selected != nil {
		total = selected.count
	}
	left := min(q.Limit, total-q.Offset)
	if left <= 0 {
		return nil, nil
	}
	if selected == nil {
		return g.unfiltered(ctx, q.Sort, q.Offset, left)
	}
	return g.filtered(ctx, q, selected, left)
}

// unfiltered returns n rows of an order, those behind the first skip.
func (g *snapshot) unfiltered(ctx context.Context, s index.Sort, skip, n int) ([]uint32, error) {
	rows := make([]uint32, 0, n)
	for block := skip / blockPlaces; len(rows) < n; block++ {
		places, err := g.block(ctx, s, block)
		if err != nil {
			return nil, err
		}
		places = places[max(0, skip-block*blockPlaces):]
		rows = append(rows, places[:min(len(places), n-len(rows))]...)
	}
	return rows, nil
}

// filtered returns n selected rows in the order of q, those behind the first q.Offset; so many there are.
func (g *snapshot) filtered(ctx context.Context, q index.Query, selected *selection, n int) ([]uint32, error) {
	before, err := g.seeks(ctx, q, selected)
	if err != nil {
		return nil, err
	}
	// The block that has the first row of the page: the last one before which no more are selected than are skipped.
	first := sort.Search(len(before), func(b int) bool { return int(before[b]) > q.Offset }) - 1
	skip := q.Offset - int(before[first])
	rows := make([]uint32, 0, n)
	for block := first; len(rows) < n; block++ {
		if block+1 < len(before) && before[block] == before[block+1] {
			continue
		}
		places, err := g.block(ctx, q.Sort, block)
		if err != nil {
			return nil, err
		}
		for _, row := range places {
			if !selected.has(row) {
				continue
			}
			if skip--; skip < 0 && len(rows) < n {
				rows = append(rows, row)
			}
		}
	}
	return rows, nil
}

// seeks returns how many selected rows there are before each block of the order of q.
func (g *snapshot) seeks(ctx context.Context, q index.Query, selected *selection) ([]uint32, error) {
	key := cacheKey{kindSeeks, q.Where.String() + " sort " + q.Sort.String(), 0}
	return cached(ctx, g, key, func(ctx context.Context) ([]uint32, int, error) {
		before := make([]uint32, (g.rows+blockPlaces-1)/blockPlaces)
		count := uint32(0)
		for block := range before {
			before[block] = count
			places, err := g.block(ctx, q.Sort, block)
			if err != nil {
				return nil, 0, err
			}
			for _, row := range places {
				count += uint32(selected.bits[row/64] >> (row % 64) & 1)
			}
		}
		return before, 4 * len(before), nil
	})
}

// block returns the rows at the places of a block of an order.
func (g *snapshot) block(ctx context.Context, s index.Sort, block int) ([]uint32, error) {
	start := block * blockPlaces
	end := min(start+blockPlaces, g.rows)
	if s == index.DefaultSort { // rows are numbered in it
		rows := make([]uint32, end-start)
		for i := range rows {
			rows[i] = uint32(start + i)
		}
		return rows, ctx.Err()
	}
	chunk, err := readColumn[uint32](ctx, g, s.String(), start/chunkRows)
	if err != nil {
		return nil, err
	}
	return chunk[start%chunkRows:][:end-start], nil
}
