package columns

import (
	"context"
	"math/bits"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"filings/index"
)

// blockRows is how many rows of an order a seek table counts together: few enough to be walked in microseconds, many
// enough for the table of 500,000 rows to be half a kilobyte. Chunks are whole blocks.
const blockRows = 4096

// selection is the rows of a filter: a bit a row.
type selection struct {
	bits  []uint64
	count int
}

func (s *selection) has(row uint32) bool { return s.bits[row/64]>>(row%64)&1 == 1 }

// block returns the bits of a block of the default order, in which rows are numbered.
func (s *selection) block(block int) []uint64 {
	return s.bits[block*blockRows/64:][:min(blockRows/64, len(s.bits)-block*blockRows/64)]
}

// visitRows calls visit for the selected rows of a chunk of so many rows, which it numbers from 0.
// nil is all rows.
func (s *selection) visitRows(chunk, rows int, visit func(row int)) {
	if s == nil {
		for row := range rows {
			visit(row)
		}
		return
	}
	for i, word := range s.bits[chunk*ChunkRows/64:][:(rows+63)/64] {
		for ; word != 0; word &= word - 1 {
			visit(i*64 + bits.TrailingZeros64(word))
		}
	}
}

// selected returns the rows of w; nil for all rows.
func (t *Table) selected(ctx context.Context, w index.Filter) (*selection, error) {
	if len(w.Predicates()) == 0 {
		return nil, ctx.Err()
	}
	if w.ByClock() { // it would never be needed again, and takes 0.4 ms of 500,000 (go test -bench Filter/times)
		return t.evaluate(ctx, w)
	}
	return cached(ctx, t, w.String(), 0, func(ctx context.Context) (*selection, int, error) {
		s, err := t.evaluate(ctx, w)
		if err != nil {
			return nil, 0, err
		}
		return s, 8 * len(s.bits), nil
	})
}

// evaluate evaluates w on every chunk, on as many at a time as there are processors.
func (t *Table) evaluate(ctx context.Context, w index.Filter) (*selection, error) {
	conditions, err := t.compileAll(ctx, w)
	if err != nil {
		return nil, err
	}
	s := &selection{bits: make([]uint64, (t.rows+63)/64)}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for chunk := range t.chunks() {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			start := chunk * ChunkRows / 64
			return evaluateChunk(ctx, conditions, chunk, s.bits[start:min(start+ChunkRows/64, len(s.bits))])
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for _, word := range s.bits {
		s.count += bits.OnesCount64(word)
	}
	return s, nil
}

// compileAll compiles the predicates of w: ids, which leave nothing in most chunks, go first, and
// those that read texts last. Of several such, the rows that may have all of their terms are found
// before one text is read, and long terms, which few filings have, go first. Later predicates are
// not evaluated in chunks in which nothing is left.
func (t *Table) compileAll(ctx context.Context, w index.Filter) ([]condition, error) {
	var first, quick, mays, slow []condition
	length := func(p index.Predicate) int {
		contains, _ := p.(index.Contains)
		return len(contains.Text)
	}
	predicates := slices.Clone(w.Predicates())
	slices.SortStableFunc(predicates, func(a, b index.Predicate) int { return length(b) - length(a) })
	for _, p := range predicates {
		var c, may condition
		var err error
		if contains, ok := p.(index.Contains); ok {
			c, may, err = t.contains(ctx, contains)
		} else {
			c, err = t.compile(ctx, p)
		}
		if err != nil {
			return nil, err
		}
		switch _, ok := p.(index.IDs); {
		case ok:
			first = append(first, c)
		case may != nil:
			mays, slow = append(mays, may), append(slow, c)
		default:
			quick = append(quick, c)
		}
	}
	if len(slow) < 2 {
		mays = nil
	}
	return slices.Concat(first, quick, mays, slow), nil
}

// evaluateChunk sets the bits of the rows of a chunk for which every condition holds.
func evaluateChunk(ctx context.Context, conditions []condition, chunk int, result []uint64) error {
	if err := conditions[0](ctx, chunk, result); err != nil {
		return err
	}
	if len(conditions) == 1 {
		return nil
	}
	hits := make([]uint64, len(result))
	for _, c := range conditions[1:] {
		if !slices.ContainsFunc(result, func(word uint64) bool { return word != 0 }) {
			return nil
		}
		for i := range result {
			hits[i] = ^result[i] // rows that are out already need no look
		}
		if err := c(ctx, chunk, hits); err != nil {
			return err
		}
		for i := range result {
			result[i] &= hits[i]
		}
	}
	return nil
}

// Count returns how many filings w selects.
func (t *Table) Count(ctx context.Context, w index.Filter) (int64, error) {
	s, err := t.selected(ctx, w)
	if err != nil {
		return 0, err
	}
	return int64(t.count(s)), nil
}

// count returns how many rows s has.
func (t *Table) count(s *selection) int {
	if s == nil {
		return t.rows
	}
	return s.count
}
