package embedded

import (
	"context"
	"math/bits"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"filings/index"
)

// selection is what a filter selects: a bit a row.
type selection struct {
	bits  []uint64
	count int
}

func (s *selection) has(row uint32) bool { return s.bits[row/64]>>(row%64)&1 == 1 }

// selected returns what w selects; nil for all rows.
func (g *snapshot) selected(ctx context.Context, w index.Filter) (*selection, error) {
	if len(w.Predicates()) == 0 {
		return nil, nil
	}
	return cached(ctx, g, cacheKey{kindSelection, w.String(), 0}, func(ctx context.Context) (*selection, int, error) {
		s, err := g.evaluate(ctx, w)
		if err != nil {
			return nil, 0, err
		}
		return s, 8 * len(s.bits), nil
	})
}

// evaluate evaluates w on every chunk, on as many at a time as there are processors.
func (g *snapshot) evaluate(ctx context.Context, w index.Filter) (*selection, error) {
	conditions, err := g.compileAll(ctx, w)
	if err != nil {
		return nil, err
	}
	s := &selection{bits: make([]uint64, (g.rows+63)/64)}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for chunk := range g.numChunks() {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			start := chunk * chunkRows / 64
			return all(ctx, conditions, chunk, s.bits[start:min(start+chunkRows/64, len(s.bits))])
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

// compileAll compiles the predicates of w, those that take the longest last: for chunks in which nothing is left they
// are not asked.
func (g *snapshot) compileAll(ctx context.Context, w index.Filter) ([]condition, error) {
	var quick, slow []condition
	for _, p := range w.Predicates() {
		c, err := g.compile(ctx, p)
		if err != nil {
			return nil, err
		}
		if _, searches := p.(index.Contains); searches {
			slow = append(slow, c)
		} else {
			quick = append(quick, c)
		}
	}
	return slices.Concat(quick, slow), nil
}

// all sets the bits of the rows of a chunk for which every condition holds.
func all(ctx context.Context, conditions []condition, chunk int, result []uint64) error {
	if err := conditions[0](ctx, chunk, result); err != nil {
		return err
	}
	hits := make([]uint64, len(result))
	for _, c := range conditions[1:] {
		clear(hits)
		if !slices.ContainsFunc(result, func(word uint64) bool { return word != 0 }) {
			return nil
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

// Count implements index.Reader.
func (g *snapshot) Count(ctx context.Context, w index.Filter) (int64, error) {
	if ps := w.Predicates(); len(ps) == 1 {
		if p, ok := ps[0].(index.Times); ok {
			return g.countTimes(ctx, p)
		}
	}
	s, err := g.selected(ctx, w)
	if err != nil {
		return 0, err
	}
	if s == nil {
		return int64(g.rows), ctx.Err()
	}
	return int64(s.count), nil
}
