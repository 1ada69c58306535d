package embedded

import (
	"bytes"
	"context"
	"strings"

	"filings/index"
)

// contains looks for a term in the search texts of each row, and in the words of county.
func (g *snapshot) contains(ctx context.Context, term string) (condition, error) {
	inCounty, err := g.worded(ctx, codedCounty, func(county string) bool {
		return strings.Contains(index.SearchText(county), term)
	})
	if err != nil {
		return nil, err
	}
	if term == "" || strings.IndexByte(term, textEnd) >= 0 {
		return inCounty, nil // "" is in every county; what is no UTF-8 is nowhere
	}
	inTexts := func(ctx context.Context, chunk int, bits []uint64) error {
		texts, err := g.readTexts(ctx, chunk)
		if err != nil {
			return err
		}
		ends, err := readColumn[uint32](ctx, g, columnEnds, chunk)
		if err != nil {
			return err
		}
		find(texts, ends, []byte(term), bits)
		return nil
	}
	return either([]condition{inCounty, inTexts}), nil
}

// find sets the bits of the rows in whose part of texts term is. ends says where the part of each row ends.
func find(texts []byte, ends []uint32, term []byte, bits []uint64) {
	row := 0
	for at := 0; at < len(texts); {
		i := bytes.Index(texts[at:], term)
		if i < 0 {
			return
		}
		for at += i; int(ends[row]) <= at; row++ {
		}
		bits[row/64] |= 1 << (row % 64)
		at = int(ends[row]) // the rest of this row makes no difference
	}
}
