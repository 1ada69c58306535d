package columns

import (
	"context"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"filings/index"
	"filings/index/bitset"
)

// blockRows is how many rows of an order a seek table counts together. They are few enough to be
// walked in microseconds; the table of 500,000 rows is half a kilobyte. Chunks are whole blocks.
const blockRows = 4096

// selection is the rows of a filter.
type selection struct {
	bitset.Set
	count int
}

// block returns the bits of a block of the default order, in which rows are numbered.
func (s *selection) block(block int) bitset.Set {
	return s.Set[block*blockRows/64 : min((block+1)*blockRows/64, len(s.Set))]
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
	for row := range s.Set[chunk*ChunkRows/64:][:(rows+63)/64].Numbers() {
		visit(row)
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
		return s, 8 * len(s.Set), nil
	})
}

// evaluate evaluates w on every chunk, on as many at a time as there are processors.
func (t *Table) evaluate(ctx context.Context, w index.Filter) (*selection, error) {
	holds, err := t.compileAll(ctx, w)
	if err != nil {
		return nil, err
	}
	s := &selection{Set: bitset.New(t.rows)}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for chunk := range t.chunks() {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			start := chunk * ChunkRows / 64
			return holds(ctx, chunk, s.Set[start:min(start+ChunkRows/64, len(s.Set))])
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	s.count = s.Count()
	return s, nil
}

// compileAll compiles the predicates of w: ids, which leave nothing in most chunks, go first, and
// those that read texts last. Of several such, the rows that may have all of their terms are found
// before one text is read, and long terms, which few filings have, go first.
func (t *Table) compileAll(ctx context.Context, w index.Filter) (condition, error) {
	var first, quick, possible, slow []condition
	length := func(p index.Predicate) int {
		contains, _ := p.(index.Contains)
		return len(contains.Text)
	}
	predicates := slices.Clone(w.Predicates())
	slices.SortStableFunc(predicates, func(a, b index.Predicate) int { return length(b) - length(a) })
	for _, p := range predicates {
		conditions, err := t.compile(ctx, p)
		if err != nil {
			return nil, err
		}
		switch _, isIDs := p.(index.IDs); {
		case isIDs:
			first = append(first, conditions...)
		case len(conditions) > 1:
			possible, slow = append(possible, conditions[0]), append(slow, conditions[1])
		default:
			quick = append(quick, conditions...)
		}
	}
	return conjunction(slices.Concat(first, quick, possible, slow)...), nil
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
