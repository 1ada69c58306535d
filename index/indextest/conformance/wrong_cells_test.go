package conformance

import (
	"context"
	"math"
	"slices"

	"filings/index"
	"filings/index/generation"
	"filings/index/indextest"
	"filings/index/indextest/edges"
)

// charting is a reader that gets cells wrong.
type charting struct {
	*selecting
	cells func(o *indextest.Oracle, w index.Filter, g index.Grid) []index.Cell
}

func (r charting) Cells(_ context.Context, w index.Filter, g index.Grid) ([]index.Cell, error) {
	return r.cells(r.Oracle, w, g), nil
}

// right returns the right cells.
func right(o *indextest.Oracle, w index.Filter, g index.Grid) []index.Cell {
	cells, _ := o.Cells(context.Background(), w, g)
	return cells
}

// displaced returns the cells of filings that are somewhere else.
func displaced(o *indextest.Oracle, move func(lat, lon float64) (float64, float64)) *indextest.Oracle {
	moved := make([]*index.Filing, len(o.Entries()))
	for i, e := range o.Entries() {
		moved[i] = edges.Clone(e.Filing)
		lat, ok := e.Number(index.Latitude)
		lon, _ := e.Number(index.Longitude)
		if ok {
			lat, lon = move(lat, lon)
			moved[i].SetNumber(index.Latitude, lat)
			moved[i].SetNumber(index.Longitude, lon)
		}
	}
	return indextest.NewOracle("", moved)
}

func wrongCells() []wrong {
	charts := func(name, caught string, cells func(o *indextest.Oracle, w index.Filter, g index.Grid) []index.Cell) wrong {
		return wrong{name, "Cells/" + caught, func(m *memory) generation.Store {
			m.Memory.Read = func(o *indextest.Oracle) index.Reader { return &charting{newSelecting(o), cells} }
			return m
		}}
	}
	changed := func(name, caught string, change func(c *index.Cell)) wrong {
		return charts(name, caught, func(o *indextest.Oracle, w index.Filter, g index.Grid) []index.Cell {
			cells := right(o, w, g)
			for i := range cells {
				change(&cells[i])
			}
			return cells
		})
	}
	return []wrong{
		charts("cells of quantised points", "by_hand/northern_and_western_edges_are_inside", func(o *indextest.Oracle, w index.Filter, g index.Grid) []index.Cell {
			const step = 360.0 / (1 << 32)
			down := func(v float64) float64 { return math.Floor(v/step) * step }
			return right(displaced(o, func(lat, lon float64) (float64, float64) { return down(lat), down(lon) }), w, g)
		}),
		charts("cells with all of their tile", "by_hand/what_the_tile_has", func(o *indextest.Oracle, w index.Filter, g index.Grid) []index.Cell {
			g.Box = edges.Box(90, -90, 180, -180)
			return right(o, w, g)
		}),
		charts("cells from the south", "by_hand/rows_from_the_north", func(o *indextest.Oracle, w index.Filter, g index.Grid) []index.Cell {
			return slices.SortedFunc(slices.Values(right(o, w, g)), func(a, b index.Cell) int { return index.CompareCells(b, a) })
		}),
		charts("no cells beyond the map", "by_hand/poles", func(o *indextest.Oracle, w index.Filter, g index.Grid) []index.Cell {
			const edge = 85.0511287798066
			g.Box.North, g.Box.South = min(g.Box.North, edge), max(g.Box.South, -edge)
			return right(o, w, g)
		}),
		charts("cells end at the antimeridian", "by_hand/across_the_antimeridian", func(o *indextest.Oracle, w index.Filter, g index.Grid) []index.Cell {
			if g.Box.West > g.Box.East {
				g.Box.East = 180
			}
			return right(o, w, g)
		}),
		charts("cells of 180 at -180", "by_hand/180_and_-180", func(o *indextest.Oracle, w index.Filter, g index.Grid) []index.Cell {
			cells := right(o, w, g)
			for i := range cells {
				if cells[i].Box.East == 180 {
					cells[i].Column = 0
				}
			}
			return cells
		}),
		charts("cells of a crossing box twice", "by_hand/around_the_world", func(o *indextest.Oracle, w index.Filter, g index.Grid) []index.Cell {
			cells := right(o, w, g)
			if g.Box.West > g.Box.East && indextest.TileColumn(g.Box.West, g.Precision) == indextest.TileColumn(g.Box.East, g.Precision) {
				cells = append(cells, cells...)
			}
			return cells
		}),
		charts("cells of any filing", "by_hand/filtered", func(o *indextest.Oracle, _ index.Filter, g index.Grid) []index.Cell {
			return right(o, index.Filter{}, g)
		}),
		charts("1,000 cells at most", "as_many_as_there_may_be", func(o *indextest.Oracle, w index.Filter, g index.Grid) []index.Cell {
			cells := right(o, w, g)
			return cells[:min(1_000, len(cells))]
		}),
		changed("ids through a float64", "by_hand/ids_beyond", func(c *index.Cell) { c.ID = int64(math.Nextafter(float64(c.ID), 0)) }),
		changed("an id of two in one place", "by_hand/two_in_one_place", func(c *index.Cell) {
			if c.Box.North == c.Box.South && c.Box.East == c.Box.West {
				c.ID = max(c.ID, 31)
			}
		}),
		changed("means cut off", "by_hand/means_half-way", func(c *index.Cell) { c.Latitude = math.Floor((c.Box.North+c.Box.South)/2*1e6) / 1e6 }),
		changed("amounts of at least 0", "by_hand/two_in_one_place", func(c *index.Cell) { c.MaxAmount = max(c.MaxAmount, 0) }),
		changed("amounts in whole dollars", "by_hand/two_in_one_place", func(c *index.Cell) { c.SumCents = math.Round(c.SumCents/100) * 100 }),
		changed("a filing too many", "random", func(c *index.Cell) { c.Filings++ }),
	}
}
