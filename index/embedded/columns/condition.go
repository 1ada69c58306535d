package columns

import (
	"bytes"
	"context"

	"filings/index"
	"filings/index/bitset"
)

// condition is a predicate that was compiled for a table: it sets the bits of the rows of a chunk
// for which it holds, and leaves the others as they are.
type condition func(ctx context.Context, chunk int, rows bitset.Set) error

// disjunction holds if one of the conditions does.
func disjunction(conditions ...condition) condition {
	return func(ctx context.Context, chunk int, rows bitset.Set) error {
		for _, c := range conditions {
			if err := c(ctx, chunk, rows); err != nil {
				return err
			}
		}
		return nil
	}
}

// conjunction holds if each of the conditions does. None is evaluated where no row is left.
func conjunction(conditions ...condition) condition {
	if len(conditions) == 1 {
		return conditions[0]
	}
	return func(ctx context.Context, chunk int, rows bitset.Set) error {
		left, holds := bitset.Full(64*len(rows)), make(bitset.Set, len(rows))
		for _, c := range conditions {
			for i := range left {
				holds[i] = ^left[i] // rows that are out already need no look
			}
			if err := c(ctx, chunk, holds); err != nil {
				return err
			}
			if left.Keep(holds); left.IsEmpty() {
				return nil
			}
		}
		for i := range rows {
			rows[i] |= left[i]
		}
		return nil
	}
}

// not holds where c does not.
func (t *Table) not(c condition) condition {
	return func(ctx context.Context, chunk int, rows bitset.Set) error {
		holds := make(bitset.Set, len(rows))
		if err := c(ctx, chunk, holds); err != nil {
			return err
		}
		for i := range rows {
			rows[i] |= ^holds[i]
		}
		rows.Truncate(t.rowsOf(chunk)) // there are no more
		return nil
	}
}

// The loops over the rows of a chunk set the bits of those for which a condition holds, and leave
// the others as they are. They take 64 rows at a time and have no branch that depends on a value,
// since the processor would guess it wrong: a box takes a third of the time that it takes with one.

// setCoded sets the bits of the rows for whose code table has 1. Caches hold more of it as bytes.
func setCoded(rows bitset.Set, codes []uint32, table []uint8) {
	for i := range rows {
		var word uint64
		for j, code := range rowsOf(codes, i) {
			word |= uint64(table[code]) << (j & 63)
		}
		rows[i] |= word
	}
}

// setInRange sets the bits of the rows whose values are from low to high.
func setInRange[T int64 | float64](rows bitset.Set, values []T, low, high T) {
	for i := range rows {
		var word uint64
		for j, v := range rowsOf(values, i) {
			word |= (bit(v >= low) & bit(v <= high)) << (j & 63)
		}
		rows[i] |= word
	}
}

// setInBox sets the bits of the rows whose coordinates are in b.
func setInBox(rows bitset.Set, latitudes, longitudes []float64, b index.Box) {
	crosses := bit(b.West > b.East) // the antimeridian
	for i := range rows {
		var word uint64
		longitudes := rowsOf(longitudes, i)
		for j, latitude := range rowsOf(latitudes, i) { // NaN is in no range
			east, west := bit(longitudes[j] <= b.East), bit(longitudes[j] >= b.West)
			inside := east&west | crosses&(east|west)
			word |= (bit(latitude >= b.South) & bit(latitude <= b.North) & inside) << (j & 63)
		}
		rows[i] |= word
	}
}

// rowsOf returns the values of the rows that have their bits in word i.
func rowsOf[T element](values []T, i int) []T { return values[i*64 : min(i*64+64, len(values))] }

func bit(set bool) uint64 {
	if set {
		return 1
	}
	return 0
}

// find sets the bits of the rows that have term in texts: those of whole blocks from row on.
func find(texts []byte, row int, term []byte, rows bitset.Set) {
	for {
		offset := bytes.Index(texts, term)
		if offset < 0 {
			return
		}
		row += bytes.Count(texts[:offset], []byte{rowEnd})
		rows.Add(row)
		row++
		offset += bytes.IndexByte(texts[offset:], rowEnd) // the rest of this row makes no difference
		texts = texts[offset+1:]
	}
}
