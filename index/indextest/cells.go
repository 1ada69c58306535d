package indextest

import (
	"context"
	"math"
	"math/big"
	"slices"

	"filings/index"
)

// Cells implements index.Reader. Tiles are found by the formulas that web maps give for them, not by the spans of g.
func (o *Oracle) Cells(_ context.Context, w index.Filter, g index.Grid) ([]index.Cell, error) {
	type tile struct{ column, row int }
	in := map[tile][]*Entry{}
	for _, e := range o.filings {
		if e.matches(w) && e.Inside(g.Box) {
			lat, _ := e.Number(index.Latitude)
			lon, _ := e.Number(index.Longitude)
			at := tile{TileColumn(lon, g.Precision), tileRow(lat, g.Precision)}
			in[at] = append(in[at], e)
		}
	}
	var cells []index.Cell
	for at, entries := range in {
		north, south, lat := statsOf(entries, index.Latitude)
		east, west, lon := statsOf(entries, index.Longitude)
		var sum amounts
		for _, e := range entries {
			sum.add(e.Filing)
		}
		c := index.Cell{
			Column: at.column, Row: at.row, Filings: int64(len(entries)), Latitude: lat, Longitude: lon,
			Box:      index.Box{North: north, South: south, East: east, West: west},
			SumCents: float64(sum.cents), MaxAmount: sum.max,
		}
		if len(entries) == 1 {
			c.ID = entries[0].ID
		}
		cells = append(cells, c)
	}
	slices.SortFunc(cells, index.CompareCells)
	return cells, nil
}

// TileColumn returns the column of lon: the formula's, or the one beside it where the formula loses digits.
func TileColumn(lon float64, precision int) int {
	n := math.Exp2(float64(precision))
	western := func(x float64) float64 { return x/n*360 - 180 }
	x := math.Floor((lon + 180) / 360 * n)
	for x < n-1 && lon >= western(x+1) {
		x++
	}
	for x > n-1 || lon < western(x) {
		x--
	}
	return int(x)
}

// tileRow does the same for lat.
func tileRow(lat float64, precision int) int {
	n := math.Exp2(float64(precision))
	northern := func(y float64) float64 { return 360/math.Pi*math.Atan(math.Exp(math.Pi*(1-2*y/n))) - 90 }
	y := math.Floor((1 - math.Asinh(math.Tan(lat/180*math.Pi))/math.Pi) / 2 * n)
	y = max(0, min(n-1, y))
	for y < n-1 && lat <= northern(y+1) {
		y++
	}
	for y > 0 && lat > northern(y) {
		y--
	}
	return int(y)
}

// statsOf returns the largest and smallest coordinate of entries, and their rounded mean, of which no digit is lost
// before it is rounded.
func statsOf(entries []*Entry, field index.Field) (most, least, mean float64) {
	values := make([]float64, len(entries))
	total := new(big.Float).SetPrec(2200) // holds all digits of any float64, and of their sums
	for i, e := range entries {
		values[i], _ = e.Number(field)
		total.Add(total, big.NewFloat(values[i]))
	}
	mean, _ = total.Quo(total, big.NewFloat(float64(len(entries)))).Float64()
	return slices.Max(values), slices.Min(values), index.RoundDegrees(mean)
}
