package columns

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strconv"

	"filings/index"
)

// Rows returns the rows of a page, the number of rows that its filter selects, and the position
// after the page, "" if it is empty: the number of rows of the whole order, selected or not, up to
// there.
func (t *Table) Rows(ctx context.Context, q index.Query) (rows []uint32, total int64, end string, err error) {
	if q.Sort != index.DefaultSort && !slices.Contains(orders(), q.Sort) {
		return nil, 0, "", fmt.Errorf("embedded engine: filings are not sorted by %v", q.Sort)
	}
	s, err := t.selected(ctx, q.Where)
	if err != nil {
		return nil, 0, "", err
	}
	begin, err := t.start(ctx, q, s)
	if err != nil {
		return nil, 0, "", err
	}
	rows, position, err := t.page(ctx, q, s, begin)
	if err != nil {
		return nil, 0, "", err
	}
	if len(rows) > 0 {
		end = strconv.Itoa(position)
	}
	return rows, int64(t.count(s)), end, nil
}

// PositionAfter returns the position after a row in an order.
func (t *Table) PositionAfter(ctx context.Context, order index.Sort, row uint32) (string, error) {
	position, err := t.positionAfter(ctx, order, row, 0)
	return strconv.Itoa(position), err
}

// positionAfter returns the position after a row in an order. It looks for the row from least on.
func (t *Table) positionAfter(ctx context.Context, order index.Sort, row uint32, least int) (int, error) {
	if order == index.DefaultSort {
		return int(row) + 1, nil
	}
	for n := least / ChunkRows; n < t.chunks(); n++ {
		chunk, err := readColumn[uint32](ctx, t, order.String(), n)
		if err != nil {
			return 0, err
		}
		begin := max(0, least-n*ChunkRows)
		if i := slices.Index(chunk[begin:], row); i >= 0 {
			return n*ChunkRows + begin + i + 1, nil
		}
	}
	return 0, t.damaged(0, order.String())
}

// IDs returns the ids of the filings of rows.
func (t *Table) IDs(ctx context.Context, rows []uint32) ([]int64, error) {
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

// start is where a page begins: at a row of an order, and then after so many of the selected ones.
type start struct{ row, skip int }

// start returns where the page of q begins. The filter's seek table finds a page at an offset of
// its rows; other pages need none.
func (t *Table) start(ctx context.Context, q index.Query, s *selection) (start, error) {
	switch {
	case q.Start != "":
		row, err := t.rowAt(ctx, q)
		return start{row, q.Offset}, err
	case s == nil:
		return start{min(q.Offset, t.rows), 0}, nil
	case q.Offset == 0 || q.Offset >= s.count:
		return start{0, q.Offset}, nil
	}
	earlier, err := t.seeks(ctx, q, s)
	if err != nil {
		return start{}, err
	}
	// The block of the page's first row: the last one that no more than q.Offset rows precede.
	block := sort.Search(len(earlier), func(b int) bool { return int(earlier[b]) > q.Offset }) - 1
	return start{block * blockRows, q.Offset - int(earlier[block])}, nil
}

// rowAt returns the row of the order of q that q.Start is the position before.
func (t *Table) rowAt(ctx context.Context, q index.Query) (int, error) {
	id, isID, err := index.IDOfPosition(q.Start)
	switch {
	case err != nil:
		return 0, err
	case isID:
		row, ok, err := t.RowOf(ctx, id)
		if err == nil && !ok {
			err = fmt.Errorf("%s has no filing %d: %w", t.name, id, index.ErrPosition)
		}
		if err != nil {
			return 0, err
		}
		return t.positionAfter(ctx, q.Sort, row, 0)
	}
	row, err := strconv.ParseUint(q.Start, 10, 32)
	if err != nil || row > uint64(t.rows) {
		return 0, fmt.Errorf("%s has no position %q: %w", t.name, q.Start, index.ErrPosition)
	}
	return int(row), nil
}

// page returns the rows of a page, and the position after the last of them.
func (t *Table) page(
	ctx context.Context, q index.Query, s *selection, begin start,
) (rows []uint32, end int, err error) {
	n := min(q.Limit, t.rows)
	if q.Start == "" {
		n = min(n, t.count(s)-q.Offset) // with the last of them the search ends
	}
	if n <= 0 {
		return nil, 0, nil
	}
	rows = make([]uint32, 0, n)
	for block := begin.row / blockRows; len(rows) < n && block*blockRows < t.rows; block++ {
		limit := min(begin.skip, blockRows) + n - len(rows)
		listed, err := t.selectedOf(ctx, s, q.Sort, block, begin.row, limit)
		if err != nil {
			return nil, 0, err
		}
		skipped := min(begin.skip, len(listed))
		begin.skip -= skipped
		listed = listed[skipped:]
		if len(listed) == 0 {
			continue
		}
		rows = append(rows, listed...)
		if end, err = t.positionAfter(ctx, q.Sort, rows[len(rows)-1], block*blockRows); err != nil {
			return nil, 0, err
		}
	}
	return rows, end, nil
}

// seeks returns how many selected rows there are before each block of the order of q.
func (t *Table) seeks(ctx context.Context, q index.Query, s *selection) ([]uint32, error) {
	text := q.Where.String() + " sort " + q.Sort.String()
	return cached(ctx, t, text, 0, func(ctx context.Context) ([]uint32, int, error) {
		earlier := make([]uint32, (t.rows+blockRows-1)/blockRows)
		count := uint32(0)
		for block := range earlier {
			earlier[block] = count
			n, err := t.countOf(ctx, s, q.Sort, block)
			if err != nil {
				return nil, 0, err
			}
			count += n
		}
		return earlier, 4 * len(earlier), nil
	})
}

// countOf returns how many rows of a block of an order are selected. Here and in selectedOf the
// bits of the default order are read as words: by its rows a page of a county takes 94 µs instead
// of 4, one of a hundred ids 1.4 ms (`go test -bench Page ./index/embedded/columns`).
func (t *Table) countOf(ctx context.Context, s *selection, order index.Sort, block int) (n uint32, err error) {
	if order == index.DefaultSort {
		return uint32(s.block(block).Count()), ctx.Err()
	}
	listed, err := t.block(ctx, order, block)
	for _, row := range listed {
		n += uint32(s.Set[row/64] >> (row % 64) & 1)
	}
	return n, err
}

// selectedOf returns the first selected rows of a block of an order, from the position `least` on.
func (t *Table) selectedOf(
	ctx context.Context, s *selection, order index.Sort, block, least, limit int,
) (rows []uint32, err error) {
	skip := max(0, least-block*blockRows) // rows of the block
	if s != nil && order == index.DefaultSort {
		n, err := t.countOf(ctx, s, order, block)
		if n == 0 || err != nil {
			return nil, err
		}
		rows = make([]uint32, 0, min(int(n), limit))
		first := block*blockRows + skip/64*64
		for row := range s.block(block)[skip/64:].Numbers() {
			if row += first; row >= least {
				rows = append(rows, uint32(row))
			}
			if len(rows) == limit {
				break
			}
		}
		return rows, nil
	}
	listed, err := t.block(ctx, order, block)
	if err != nil {
		return nil, err
	}
	listed = listed[skip:]
	if s == nil {
		return listed[:min(limit, len(listed))], nil
	}
	rows = make([]uint32, 0, min(len(listed), limit))
	for _, row := range listed {
		if s.Has(int(row)) {
			rows = append(rows, row)
		}
		if len(rows) == limit {
			break
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
