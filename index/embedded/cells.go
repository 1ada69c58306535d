package embedded

import (
	"context"
	"math/bits"
	"slices"

	"filings/index"
)

// Cells implements index.Reader. It goes over the selected rows once; what it keeps is as large as the grid.
func (g *snapshot) Cells(ctx context.Context, w index.Filter, grid index.Grid) ([]index.Cell, error) {
	s, err := g.selected(ctx, grid.Where(w))
	if err != nil {
		return nil, err
	}
	piles := make([]pile, len(grid.Columns)*len(grid.Rows))
	for chunk := range g.numChunks() {
		if err := g.gather(ctx, chunk, s, grid, piles); err != nil {
			return nil, err
		}
	}
	var cells []index.Cell
	for i := range piles {
		if piles[i].filings > 0 {
			cells = append(cells, piles[i].cell(grid.Columns[i%len(grid.Columns)], grid.Rows[i/len(grid.Columns)]))
		}
	}
	slices.SortFunc(cells, index.CompareCells)
	return cells, ctx.Err()
}

// gather puts the selected rows of a chunk onto the piles of their tiles.
func (g *snapshot) gather(ctx context.Context, chunk int, s *selection, grid index.Grid, piles []pile) error {
	selected := s.bits[chunk*chunkRows/64:][:(g.rowsOf(chunk)+63)/64]
	if !slices.ContainsFunc(selected, func(word uint64) bool { return word != 0 }) {
		return nil
	}
	latitudes, err := readColumn[float64](ctx, g, index.Latitude.String(), chunk)
	if err != nil {
		return err
	}
	longitudes, err := readColumn[float64](ctx, g, index.Longitude.String(), chunk)
	if err != nil {
		return err
	}
	ids, err := readColumn[int64](ctx, g, columnID, chunk)
	if err != nil {
		return err
	}
	for i, word := range selected {
		for ; word != 0; word &= word - 1 {
			at := i*64 + bits.TrailingZeros64(word)
			lat, lon := latitudes[at], longitudes[at]
			piles[index.Find(grid.Rows, lat)*len(grid.Columns)+index.Find(grid.Columns, lon)].add(ids[at], lat, lon)
		}
	}
	return nil
}

// pile is what is known of the filings of a tile while they are added up.
type pile struct {
	filings  int64
	id       int64 // of the last one
	box      index.Box
	lat, lon sum
}

func (p *pile) add(id int64, lat, lon float64) {
	if p.filings == 0 {
		p.box = index.Box{North: lat, South: lat, East: lon, West: lon}
	}
	p.filings++
	p.id = id
	p.box.North, p.box.South = max(p.box.North, lat), min(p.box.South, lat)
	p.box.East, p.box.West = max(p.box.East, lon), min(p.box.West, lon)
	p.lat.add(lat)
	p.lon.add(lon)
}

func (p *pile) cell(column, row index.Span) index.Cell {
	c := index.Cell{
		Column: column.Tile, Row: row.Tile, Filings: p.filings, Box: p.box,
		Latitude:  index.RoundDegrees(p.lat.total / float64(p.filings)),
		Longitude: index.RoundDegrees(p.lon.total / float64(p.filings)),
	}
	if p.filings == 1 {
		c.ID = p.id
	}
	return c
}

// sum adds up numbers without losing digits to their number (Kahan's summation).
type sum struct{ total, lost float64 }

func (s *sum) add(v float64) {
	v -= s.lost
	total := s.total + v
	s.total, s.lost = total, total-s.total-v
}
