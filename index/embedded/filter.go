package embedded

import (
	"context"
	"fmt"
	"slices"

	"filings/index"
)

// condition is a predicate that was compiled for a generation: it sets the bits of the rows of a chunk for which it
// holds, and leaves the others as they are.
type condition func(ctx context.Context, chunk int, bits []uint64) error

// compile turns a predicate into a condition.
func (g *snapshot) compile(ctx context.Context, p index.Predicate) (condition, error) {
	switch p := p.(type) {
	case index.AnyOf:
		return g.anyOf(ctx, p)
	case index.Between:
		return g.between(p)
	case index.Days:
		return g.worded(ctx, codedDate, func(day string) bool {
			return day != "" && day >= p.From && (p.To == "" || day <= p.To)
		})
	case index.Times:
		from, to := p.From.UnixMicro(), p.To.UnixMicro()
		return inRange(g, columnCreated, max(from, noTime+1), to), nil
	case index.Present:
		return g.present(ctx, p)
	case index.Box:
		return g.box(p), nil
	case index.Contains:
		return g.contains(ctx, p.Text)
	}
	return nil, fmt.Errorf("embedded engine: unknown predicate %T", p)
}

// worded holds for the rows whose word in a coded column holds. holds is asked once a word; the word "" is no value.
func (g *snapshot) worded(ctx context.Context, column int, holds func(word string) bool) (condition, error) {
	name := coded[column].column
	words, err := g.readDictionary(ctx, name)
	if err != nil {
		return nil, err
	}
	table := make([]uint64, len(words)) // 1 where it holds
	for code, word := range words {
		if holds(word) {
			table[code] = 1
		}
	}
	if !slices.Contains(table, 1) {
		return never, nil
	}
	return func(ctx context.Context, chunk int, bits []uint64) error {
		codes, err := readColumn[uint32](ctx, g, name, chunk)
		if err != nil {
			return err
		}
		for row, code := range codes {
			bits[row/64] |= table[code] << (row % 64)
		}
		return nil
	}, nil
}

// never holds for no row.
func never(context.Context, int, []uint64) error { return nil }

// either holds where one of the conditions does.
func either(conditions []condition) condition {
	return func(ctx context.Context, chunk int, bits []uint64) error {
		for _, c := range conditions {
			if err := c(ctx, chunk, bits); err != nil {
				return err
			}
		}
		return nil
	}
}
