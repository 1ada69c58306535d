package index

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"strconv"
)

// Grid is the map tiles that a box touches, by columns and rows. They are the square tiles of web
// maps (web mercator, numbered from the north-west), of which 2^Precision lie side by side around
// the world, and as many one above the other. The map ends at 85.05 degrees; filings past it belong
// to its outermost rows.
//
// Tiles are bounded here, by numbers of degrees. Engines compare the coordinates as loaded with
// these numbers and compute nothing, so that each filing is in the same tile everywhere.
// (Elasticsearch's geotile_grid rounds coordinates first: a filing within 1e-7 degrees of an edge
// may be in the next tile.)
type Grid struct {
	Box       Box
	Precision int
	Columns   []Span // of longitudes, from the west
	Rows      []Span // of latitudes, from the south
}

// Span is one column or row of tiles: those coordinates v for which Start <= v < End.
type Span struct {
	Tile       int // number of the column or row
	Start, End float64
}

// MaxCells is how many tiles a Grid has at the most: enough for tiles of 64 pixels on a screen of
// 2,560 by 1,440, which touches 41 by 24 of them. All of them compressed have less than 55 kB.
const MaxCells = 1024

// NewGrid returns the tiles of precision, which is 0 to 29, that b touches; or the largest ones of
// which b touches no more than MaxCells.
func NewGrid(b Box, precision int) Grid {
	north, south := row(b.North, precision), row(b.South, precision)
	west, east := column(b.West, precision), column(b.East, precision)
	width := func() int {
		if b.West > b.East { // from west to the edge of the map and on to east; all around, if both are in one tile
			return min(east-west+1+1<<precision, 1<<precision)
		}
		return east - west + 1
	}
	for width()*(south-north+1) > MaxCells {
		north, south, west, east = north/2, south/2, west/2, east/2
		precision--
	}
	g := Grid{Box: b, Precision: precision}
	for i := range width() {
		g.Columns = append(g.Columns, columnSpan((west+i)%(1<<precision), precision))
	}
	slices.SortFunc(g.Columns, func(a, b Span) int { return a.Tile - b.Tile })
	for y := south; y >= north; y-- {
		g.Rows = append(g.Rows, rowSpan(y, precision))
	}
	return g
}

// TileBox returns the box of exactly the coordinates in a tile. An edge belongs to one of the two
// tiles next to it.
func TileBox(column, row, precision int) Box {
	x, y := columnSpan(column, precision), rowSpan(row, precision)
	return Box{North: math.Nextafter(y.End, -180), South: y.Start, East: math.Nextafter(x.End, -360), West: x.Start}
}

// Where returns w with the box of g among its predicates: the filter of the filings in g's cells.
func (g Grid) Where(w Filter) Filter {
	if slices.Contains(w.Predicates(), Predicate(g.Box)) {
		return w
	}
	return w.And(g.Box)
}

// Text returns the canonical text of a request for the cells of g with filings that w selects.
func (g Grid) Text(w Filter) string {
	return "cells " + strconv.Itoa(g.Precision) + " " + g.Where(w).String()
}

// Find returns the position of v's Span in the spans of a Grid. There must be one, as there is for
// each point in the Grid's box.
func Find(spans []Span, v float64) int {
	return sort.Search(len(spans)-1, func(i int) bool { return v < spans[i].End })
}

// column returns the number of the tile column that lon is in.
func column(lon float64, precision int) int {
	return sort.Search(1<<precision-1, func(x int) bool { return lon < western(x+1, precision) })
}

// row returns the number of the tile row that lat is in.
func row(lat float64, precision int) int {
	return sort.Search(1<<precision-1, func(y int) bool { return lat > northern(y+1, precision) })
}

// western returns the western edge of a column, which belongs to it. No digit of it is lost.
func western(x, precision int) float64 { return 360*math.Ldexp(float64(x), -precision) - 180 }

// northern returns the northern edge of a row, which belongs to it.
func northern(y, precision int) float64 {
	return math.Atan(math.Sinh(math.Pi*(1-2*math.Ldexp(float64(y), -precision)))) * 180 / math.Pi
}

func columnSpan(x, precision int) Span {
	s := Span{x, western(x, precision), western(x+1, precision)}
	if s.End == 180 {
		s.End = nextUp(180) // 180 is the eastern edge of the last column; there is none after it
	}
	return s
}

// rowSpan turns the edges of a row around: a row has its northern edge, a Span its southern one.
func rowSpan(y, precision int) Span {
	s := Span{y, -90, nextUp(90)}
	if y > 0 {
		s.End = nextUp(northern(y, precision))
	}
	if y < 1<<precision-1 {
		s.Start = nextUp(northern(y+1, precision))
	}
	return s
}

// nextUp returns the next number above v.
func nextUp(v float64) float64 { return math.Nextafter(v, math.Inf(1)) }

// Cell describes the filings in one tile of a Grid. Empty tiles have no cell.
type Cell struct {
	Column, Row         int // of the tile
	Filings             int64
	Latitude, Longitude float64 // centroid of the filings, by RoundDegrees
	Box                 Box     // the smallest one around the filings, exactly
	ID                  int64   // of the only filing; 0 where there are more
	SumCents, MaxAmount float64 // of the filing amounts, MaxAmount in dollars; 0 where no filing has one
}

// CompareCells orders the cells of a Grid by rows from the north, then by columns from the west.
func CompareCells(a, b Cell) int {
	return cmp.Or(cmp.Compare(a.Row, b.Row), cmp.Compare(a.Column, b.Column))
}

// RoundDegrees rounds a mean of coordinates to six decimals, a tenth of a meter, half away from
// zero. The order in which coordinates are added up, which differs between engines, shards and
// copies of shards, changes the last digits of a mean. Means of coordinates with six decimals often
// lie half-way, so the mean is rounded to nine decimals first: that removes the effect of the
// order.
func RoundDegrees(mean float64) float64 {
	if v := math.Round(math.Round(mean*1e9)/1e3) / 1e6; v != 0 {
		return v
	}
	return 0 // never -0
}
