package edges

import (
	"math"

	"filings/index"
)

// tiny is the smallest number above 0.
const tiny = math.SmallestNonzeroFloat64

// CellFilings stand around zero, the poles, the antimeridian, along a parallel with ids that a float64 does and does not
// hold, and in two places where there are two of them.
func CellFilings() []*index.Filing {
	return []*index.Filing{
		Point(1, 0, 0),
		Point(2, tiny, -tiny),
		Point(3, 1, 2),
		Point(4, 2, 3),
		Point(5, 2, 4),

		Point(11, 90, 10),
		Point(12, 85.06, 20),
		Point(13, 85.05, 30),
		Point(14, -90, 10),
		Point(15, -85.06, 20),

		Point(21, 52, 180),
		Point(22, 52, -180),
		Point(23, 52, 179.5),
		Point(24, 52.5, -179.5),

		Point(math.MaxInt64, 40, -100),
		Point(1<<53+1, 40, -95),
		Point(1<<53, 40, -90),
		Point(1<<53-1, 40, -85),

		Filing(31, Values{index.Latitude: 29, index.Longitude: -82, index.FilingAmount: -2.5}),
		Filing(32, Values{index.Latitude: 29, index.Longitude: -82, index.FilingAmount: -1}),
		Filing(41, Values{index.Latitude: 28.000001, index.Longitude: -81.000001, index.Owner: "Elm", index.FilingAmount: 0.1}),
		Filing(42, Values{index.Latitude: 28.000002, index.Longitude: -81.000002, index.FilingAmount: 0.2}),
		Filing(43, nil),
	}
}

// CellCase is a request for the cells of a box, and its response.
type CellCase struct {
	Name      string
	Where     index.Filter
	Box       index.Box
	Precision int
	Want      []index.Cell
}

// single is the cell of one filing, whose coordinates have no more than six decimals.
func single(column, row int, id int64, lat, lon float64) index.Cell {
	return index.Cell{Column: column, Row: row, Filings: 1, Latitude: lat, Longitude: lon, Box: Box(lat, lat, lon, lon), ID: id}
}

// CellCases returns requests for the cells of CellFilings.
func CellCases() []CellCase {
	elm := single(8, 13, 41, 28.000001, -81.000001)
	elm.SumCents, elm.MaxAmount = 10, 0.1
	aboveZero := index.Cell{Filings: 1, Box: Box(tiny, tiny, -tiny, -tiny), ID: 2}
	return []CellCase{
		{"northern and western edges are inside", index.Filter{}, Box(0.5, -3, 1, -3), 1, []index.Cell{aboveZero, single(1, 1, 1, 0, 0)}},
		{"what the tile has beside the box is outside", index.Filter{}, Box(2, 1, 3, 2), 1, []index.Cell{
			{Column: 1, Filings: 2, Latitude: 1.5, Longitude: 2.5, Box: Box(2, 1, 3, 2)}}},
		{"rows from the north, then columns", index.Filter{}, Box(3, -3, 4, -3), 1, []index.Cell{
			aboveZero,
			{Column: 1, Filings: 3, Latitude: 1.666667, Longitude: 3, Box: Box(2, 1, 4, 2)},
			single(1, 1, 1, 0, 0)}},
		{"one tile for the world", index.Filter{}, Box(3, -3, 4, -3), 0, []index.Cell{
			{Filings: 5, Latitude: 1, Longitude: 1.8, Box: Box(2, 0, 4, -tiny)}}},
		{"poles", index.Filter{}, Box(90, -90, 30, 10), 3, []index.Cell{
			{Column: 4, Row: 0, Filings: 3, Latitude: 86.703333, Longitude: 20, Box: Box(90, 85.05, 30, 10)},
			{Column: 4, Row: 7, Filings: 2, Latitude: -87.53, Longitude: 15, Box: Box(-85.06, -90, 20, 10)}}},
		{"across the antimeridian", index.Filter{}, Box(53, 51, -179, 179), 2, []index.Cell{
			{Column: 0, Row: 1, Filings: 2, Latitude: 52.25, Longitude: -179.75, Box: Box(52.5, 52, -179.5, -180)},
			{Column: 3, Row: 1, Filings: 2, Latitude: 52, Longitude: 179.75, Box: Box(52, 52, 180, 179.5)}}},
		{"180 and -180 are far apart", index.Filter{}, Box(52, 52, 180, 180), 2, []index.Cell{single(3, 1, 21, 52, 180)}},
		{"around the world, back to the same tile", index.Filter{}, Box(3, -3, 0.5, 1), 1, []index.Cell{
			aboveZero,
			{Column: 1, Filings: 3, Latitude: 1.666667, Longitude: 3, Box: Box(2, 1, 4, 2)},
			single(1, 1, 1, 0, 0)}},
		{"ids beyond 2^53", index.Filter{}, Box(40, 40, -85, -100), 8, []index.Cell{
			single(56, 96, math.MaxInt64, 40, -100), single(60, 96, 1<<53+1, 40, -95),
			single(64, 96, 1<<53, 40, -90), single(67, 96, 1<<53-1, 40, -85)}},
		{"two in one place", index.Filter{}, Box(30, 28.5, -81, -83), 10, []index.Cell{
			{Column: 278, Row: 425, Filings: 2, Latitude: 29, Longitude: -82, Box: Box(29, 29, -82, -82),
				SumCents: -350, MaxAmount: -1}}},
		{"means half-way are rounded away from zero", index.Filter{}, Box(28.5, 27.5, -80.5, -81.5), 10, []index.Cell{
			{Column: 281, Row: 428, Filings: 2, Latitude: 28.000002, Longitude: -81.000002, Box: Box(28.000002, 28.000001, -81.000001, -81.000002),
				SumCents: 30, MaxAmount: 0.2}}},
		{"filtered, in tiles as large as it takes", Contains("elm"), Box(90, -90, 180, -180), 24, []index.Cell{elm}},
		{"filtered by another box", InBox(1, 0, 180, -180), Box(3, -3, 4, -3), 0, []index.Cell{
			{Filings: 3, Latitude: 0.333333, Longitude: 0.666667, Box: Box(1, 0, 2, -tiny)}}},
		{"filtered by the box itself", InBox(2, 2, 3, 3), Box(2, 2, 3, 3), 1, []index.Cell{single(1, 0, 4, 2, 3)}},
		{"the finest tiles", index.Filter{}, Box(1, 1, 2, 2), 24, []index.Cell{single(8481814, 8342002, 3, 1, 2)}},
		{"nothing there", index.Filter{}, Box(-10, -20, 20, 10), 5, nil},
	}
}
