package embedded

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"filings/index"
)

// Distinct implements index.Reader.
func (g *snapshot) Distinct(ctx context.Context, w index.Filter, f index.Field) ([]string, error) {
	column, shown := coded[codedDateRange].column, func(word string) string { return word }
	switch f {
	case index.DateRange:
	case index.Month:
		column, shown = coded[codedDate].column, month
	default:
		return nil, fmt.Errorf("embedded engine: no distinct values of %v", f)
	}
	words, err := g.readDictionary(ctx, column)
	if err != nil {
		return nil, err
	}
	used, err := g.used(ctx, w, column, len(words))
	if err != nil {
		return nil, err
	}
	var all []string
	for code, word := range words {
		if used[code] && word != "" {
			all = append(all, shown(word))
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// used tells which of the n codes of a column occur in the rows that w selects.
func (g *snapshot) used(ctx context.Context, w index.Filter, column string, n int) ([]bool, error) {
	used := make([]bool, n)
	s, err := g.selected(ctx, w)
	if err != nil {
		return nil, err
	}
	if s == nil {
		for code := range used {
			used[code] = true // a word is in the dictionary because a row has it; "" is none
		}
		return used, nil
	}
	for chunk := range g.numChunks() {
		codes, err := readColumn[uint32](ctx, g, column, chunk)
		if err != nil {
			return nil, err
		}
		for i, word := range s.bits[chunk*chunkRows/64:][:(len(codes)+63)/64] {
			for ; word != 0; word &= word - 1 {
				used[codes[i*64+bits.TrailingZeros64(word)]] = true
			}
		}
	}
	return used, ctx.Err()
}
