package columns

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"sort"

	"filings/index"
)

// blockRows is how many rows of an order a seek table counts together: few enough to be walked in microseconds, many
// enough for the table of 500,000 rows to be half a kilobyte. Chunks are whole blocks.
const blockRows = 4096

// IDs returns the ids of the filings of a page.
func (t *Table) IDs(ctx context.Context, q index.Query) ([]int64, error) {
	rows, err := t.page(ctx, q)
	if err != nil {
		return nil, err
	}
	ids := make([]int64, len(rows))
	for i, row := range rows {
		chunk, err := readColumn[int64](ctx, t, columnID, int(row/ChunkRows))
		if err != nil {
			return nil, err
		}
		ids[i] = chunk[row%ChunkRows]
	}
	return ids, nil
}

// page returns the rows of a page.
func (t *Table) page(ctx context.Context, q index.Query) ([]uint32, error) {
	if q.Sort != index.DefaultSort && !slices.Contains(orders(), q.Sort) {
		return nil, fmt.Errorf("embedded engine: filings are not sorted by %v", q.Sort)
	}
	s, err := t.selected(ctx, q.Where)
	if err != nil {
		return nil, err
	}
	n := min(q.Limit, t.count(s)-q.Offset)
	if n <= 0 {
		return nil, nil
	}
	before, err := t.seeks(ctx, q, s)
	if err != nil {
		return nil, err
	}
	first, skip := q.Offset/blockRows, q.Offset%blockRows
	if s != nil {
		// The block that has the first row of the page: the last one before which no more are selected than are skipped.
		first = sort.Search(len(before), func(b int) bool { return int(before[b]) > q.Offset }) - 1
		skip = q.Offset - int(before[first])
	}
	rows := make([]uint32, 0, n)
	for block := first; len(rows) < n; block++ {
		if block+1 < len(before) && before[block] == before[block+1] {
			continue
		}
		listed, err := t.selectedOf(ctx, s, q.Sort, block)
		if err != nil {
			return nil, err
		}
		rows = append(rows, listed[skip:min(len(listed), skip+n-len(rows))]...)
		skip = 0
	}
	return rows, nil
}

// seeks returns how many selected rows there are before each block of the order of q; nil where all rows are selected.
func (t *Table) seeks(ctx context.Context, q index.Query, s *selection) ([]uint32, error) {
	if s == nil {
		return nil, nil
	}
	text := q.Where.String() + " sort " + q.Sort.String()
	return cached(ctx, t, text, 0, func(ctx context.Context) ([]uint32, int, error) {
		before := make([]uint32, (t.rows+blockRows-1)/blockRows)
		count := uint32(0)
		for block := range before {
			before[block] = count
			n, err := t.countOf(ctx, s, q.Sort, block)
			if err != nil {
				return nil, 0, err
			}
			count += n
		}
		return before, 4 * len(before), nil
	})
}

// countOf returns how many rows of a block of an order are selected.
func (t *Table) countOf(ctx context.Context, s *selection, order index.Sort, block int) (n uint32, err error) {
	if order == index.DefaultSort {
		for _, word := range s.block(block) {
			n += uint32(bits.OnesCount64(word))
		}
		return n, ctx.Err()
	}
	listed, err := t.block(ctx, order, block)
	for _, row := range listed {
		n += uint32(s.bits[row/64] >> (row % 64) & 1)
	}
	return n, err
}

// selectedOf returns the rows of a block of an order that are selected, in that order.
func (t *Table) selectedOf(ctx context.Context, s *selection, order index.Sort, block int) ([]uint32, error) {
	if s != nil && order == index.DefaultSort {
		rows := make([]uint32, 0, blockRows)
		for i, word := range s.block(block) {
			for ; word != 0; word &= word - 1 {
				rows = append(rows, uint32(block*blockRows+i*64+bits.TrailingZeros64(word)))
			}
		}
		return rows, ctx.Err()
	}
	listed, err := t.block(ctx, order, block)
	if s == nil || err != nil {
		return listed, err
	}
	rows := make([]uint32, 0, len(listed))
	for _, row := range listed {
		if s.has(row) {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// block returns the rows of a block of an order.
func (t *Table) block(ctx context.Context, s index.Sort, block int) ([]uint32, error) {
	start := block * blockRows
	end := min(start+blockRows, t.rows)
	if s == index.DefaultSort { // rows are numbered in it
		rows := make([]uint32, end-start)
		for i := range rows {
			rows[i] = uint32(start + i)
		}
		return rows, ctx.Err()
	}
	chunk, err := readColumn[uint32](ctx, t, s.String(), start/ChunkRows)
	if err != nil {
		return nil, err
	}
	return chunk[start%ChunkRows:][:end-start], nil
}
