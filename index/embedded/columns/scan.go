package columns

import (
	"bytes"
	"context"

	"filings/index"
)

// condition is a predicate that was compiled for a table: it sets the bits of the rows of a chunk
// for which it holds, and leaves the others as they are.
type condition func(ctx context.Context, chunk int, bits []uint64) error

// The loops over the rows of a chunk set the bits of those for which a condition holds, and leave
// the others as they are. They take 64 rows at a time and have no branch that depends on a value,
// since the processor would guess it wrong: a box takes a third of the time that it takes with one.

// setCoded sets the bits of the rows for whose code table has 1. It has bytes, of which caches hold more.
func setCoded(bits []uint64, codes []uint32, table []uint8) {
	for i := range bits {
		var word uint64
		for j, code := range rowsOf(codes, i) {
			word |= uint64(table[code]) << (j & 63)
		}
		bits[i] |= word
	}
}

// setInRange sets the bits of the rows whose values are from low to high.
func setInRange[T int64 | float64](bits []uint64, values []T, low, high T) {
	for i := range bits {
		var word uint64
		for j, v := range rowsOf(values, i) {
			word |= (one(v >= low) & one(v <= high)) << (j & 63)
		}
		bits[i] |= word
	}
}

// setInBox sets the bits of the rows whose coordinates are in b.
func setInBox(bits []uint64, latitudes, longitudes []float64, b index.Box) {
	crosses := one(b.West > b.East) // the antimeridian
	for i := range bits {
		var word uint64
		longitudes := rowsOf(longitudes, i)
		for j, latitude := range rowsOf(latitudes, i) { // NaN is in no range
			east, west := one(longitudes[j] <= b.East), one(longitudes[j] >= b.West)
			within := east&west | crosses&(east|west)
			word |= (one(latitude >= b.South) & one(latitude <= b.North) & within) << (j & 63)
		}
		bits[i] |= word
	}
}

// rowsOf returns the values of the rows that have their bits in word i.
func rowsOf[T element](values []T, i int) []T { return values[i*64 : min(i*64+64, len(values))] }

func one(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}

// find sets the bits of the rows in whose texts term is. texts are those of whole blocks, the first
// of them that of a row.
func find(texts []byte, row int, term []byte, bits []uint64) {
	for {
		at := bytes.Index(texts, term)
		if at < 0 {
			return
		}
		row += bytes.Count(texts[:at], []byte{rowEnd})
		bits[row/64] |= 1 << (row % 64)
		row++
		at += bytes.IndexByte(texts[at:], rowEnd) // the rest of this row makes no difference
		texts = texts[at+1:]
	}
}
