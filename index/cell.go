package index

import (
	"cmp"
	"math"
)

// Cell is what there is to say of the filings in one tile of a Grid. Empty tiles have no cell.
type Cell struct {
	Column, Row         int // of the tile
	Filings             int64
	Latitude, Longitude float64 // centroid of the filings, by RoundDegrees
	Box                 Box     // the smallest one around the filings, exactly
	ID                  int64   // of the only filing; 0 where there are more
}

// CompareCells orders the cells of a Grid by rows from the north, then by columns from the west.
func CompareCells(a, b Cell) int {
	return cmp.Or(cmp.Compare(a.Row, b.Row), cmp.Compare(a.Column, b.Column))
}

// RoundDegrees rounds a mean of coordinates to six decimals, a tenth of a metre, half away from zero. The order in which
// coordinates are added up, which differs between engines, shards and copies of shards, changes the last digits of a
// mean. Means of coordinates with six decimals often lie half-way, so the mean is rounded to nine decimals first: that
// takes away what the order did.
func RoundDegrees(mean float64) float64 {
	if v := math.Round(math.Round(mean*1e9)/1e3) / 1e6; v != 0 {
		return v
	}
	return 0 // never -0
}
