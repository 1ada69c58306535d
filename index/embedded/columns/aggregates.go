package columns

import (
	"context"
	"errors"
	"math"
	"slices"

	"filings/index"
)

// Groups returns the groups of the filings that w selects, as index.Reader does. It reads the
// selected rows once, and counts them by the codes of their words.
func (t *Table) Groups(ctx context.Context, w index.Filter, q index.GroupQuery) (groups index.Groups, err error) {
	single := axis{keys: [][]string{{""}}} // all rows have the same place
	axes := [2]axis{single, single}
	for i, d := range q.Dimensions {
		if axes[i], err = t.axis(ctx, d); err != nil {
			return groups, err
		}
	}
	s, err := t.selected(ctx, w)
	if err != nil {
		return groups, err
	}
	sums := newSums(len(axes[0].keys), len(axes[1].keys))
	for chunk := range t.chunks() {
		amounts, err := readColumn[float64](ctx, t, index.FilingAmount.String(), chunk)
		if err != nil {
			return groups, err
		}
		first, err1 := axes[0].places(ctx, t, chunk)
		second, err2 := axes[1].places(ctx, t, chunk)
		if err := errors.Join(err1, err2); err != nil {
			return groups, err
		}
		s.visitRows(chunk, len(amounts), func(row int) { sums.sum(first(row), second(row)).add(amounts[row]) })
	}
	return sums.groups(ctx, q, axes[0].keys, axes[1].keys)
}

// axis is a dimension of groups over a coded column. Words that have the same keys share a place.
type axis struct {
	column string
	place  []uint32   // by code
	keys   [][]string // by place: as written; several for a word that lists several
}

func (t *Table) axis(ctx context.Context, dimension index.Dimension) (axis, error) {
	d := dimensions[dimension]
	words, err := t.dictionary(ctx, d.column)
	if err != nil {
		return axis{}, err
	}
	a := axis{column: d.column, place: make([]uint32, len(words))}
	places := map[string]uint32{}
	for code, word := range words {
		if err := ended(ctx, code); err != nil {
			return axis{}, err
		}
		written := d.keys(word)
		place, known := places[joined(written)]
		if !known {
			place = uint32(len(a.keys))
			places[joined(written)] = place
			a.keys = append(a.keys, written)
		}
		a.place[code] = place
	}
	return a, nil
}

// places returns where on a the rows of a chunk lie.
func (a *axis) places(ctx context.Context, t *Table, chunk int) (func(row int) uint32, error) {
	if a.column == "" {
		return func(int) uint32 { return 0 }, nil
	}
	codes, err := readColumn[uint32](ctx, t, a.column, chunk)
	return func(row int) uint32 { return a.place[codes[row]] }, err
}

// Cells returns the cells of a map, as index.Reader does. It reads the selected rows once, and its
// memory is as large as the grid.
func (t *Table) Cells(ctx context.Context, w index.Filter, grid index.Grid) ([]index.Cell, error) {
	s, err := t.selected(ctx, grid.Where(w))
	if err != nil {
		return nil, err
	}
	tiles := make([]accumulator, len(grid.Columns)*len(grid.Rows))
	for chunk := range t.chunks() {
		latitudes, longitudes, err := t.coordinates(ctx, chunk)
		if err != nil {
			return nil, err
		}
		ids, err := readColumn[int64](ctx, t, columnID, chunk)
		if err != nil {
			return nil, err
		}
		amounts, err := readColumn[float64](ctx, t, index.FilingAmount.String(), chunk)
		if err != nil {
			return nil, err
		}
		s.visitRows(chunk, len(ids), func(row int) {
			lat, lon := latitudes[row], longitudes[row]
			tile := &tiles[index.Find(grid.Rows, lat)*len(grid.Columns)+index.Find(grid.Columns, lon)]
			tile.add(ids[row], lat, lon, amounts[row])
		})
	}
	var cells []index.Cell
	for i := range tiles {
		if tiles[i].filings > 0 {
			cells = append(cells, tiles[i].cell(grid.Columns[i%len(grid.Columns)], grid.Rows[i/len(grid.Columns)]))
		}
	}
	slices.SortFunc(cells, index.CompareCells)
	return cells, ctx.Err()
}

// accumulator has the sums of the filings of a tile while they are added up.
type accumulator struct {
	sum
	id       int64 // of the last one
	box      index.Box
	lat, lon kahan
}

func (a *accumulator) add(id int64, lat, lon, amount float64) {
	if a.filings == 0 {
		a.box = index.Box{North: lat, South: lat, East: lon, West: lon}
	}
	a.sum.add(amount)
	a.id = id
	a.box.North, a.box.South = max(a.box.North, lat), min(a.box.South, lat)
	a.box.East, a.box.West = max(a.box.East, lon), min(a.box.West, lon)
	a.lat.add(lat)
	a.lon.add(lon)
}

func (a *accumulator) cell(column, row index.Span) index.Cell {
	c := index.Cell{
		Column: column.Tile, Row: row.Tile, Filings: a.filings, Box: a.box,
		Latitude:  index.RoundDegrees(a.lat.total / float64(a.filings)),
		Longitude: index.RoundDegrees(a.lon.total / float64(a.filings)),
		SumCents:  a.cents, MaxAmount: a.most,
	}
	if a.filings == 1 {
		c.ID = a.id
	}
	return c
}

// kahan is a sum that loses no digits to the number of its summands (Kahan's summation).
type kahan struct{ total, lost float64 }

func (s *kahan) add(v float64) {
	v -= s.lost
	total := s.total + v
	s.total, s.lost = total, total-s.total-v
}

// sum holds the totals of one group: one value on each of the two axes.
type sum struct {
	first, second    uint32
	filings, amounts int64
	cents            float64
	least, most      float64
}

func (s *sum) add(amount float64) {
	s.filings++
	if math.IsNaN(amount) {
		return
	}
	if s.amounts == 0 {
		s.least, s.most = amount, amount
	}
	s.amounts++
	s.cents += index.Cents(amount)
	s.least, s.most = min(s.least, amount), max(s.most, amount)
}

// sums are the sums of all places at which there are filings.
type sums struct {
	list   []sum
	second int               // places on the second axis
	dense  []uint32          // by place: its position in the list, counted from 1
	sparse map[uint64]uint32 // the same, where there may be too many places for a list
}

// densest is how many places are kept as a list, of 4 MB.
const densest = 1 << 20

func newSums(first, second int) *sums {
	if first*second <= densest {
		return &sums{second: second, dense: make([]uint32, first*second)}
	}
	return &sums{second: second, sparse: map[uint64]uint32{}}
}

// sum returns the sum at a place, valid until the next call.
func (s *sums) sum(first, second uint32) *sum {
	place := uint64(first)*uint64(s.second) + uint64(second)
	var position uint32
	if s.dense != nil {
		position = s.dense[place]
	} else {
		position = s.sparse[place]
	}
	if position == 0 {
		s.list = append(s.list, sum{first: first, second: second})
		position = uint32(len(s.list))
		if s.dense != nil {
			s.dense[place] = position
		} else {
			s.sparse[place] = position
		}
	}
	return &s.list[position-1]
}

// groups makes groups of the sums by the keys that places on the two axes have.
func (s *sums) groups(ctx context.Context, q index.GroupQuery, first, second [][]string) (index.Groups, error) {
	g := index.NewGrouping(q)
	for i, sum := range s.list {
		if err := ended(ctx, i); err != nil {
			return index.Groups{}, err
		}
		part := index.Group{
			Filings: sum.filings, Amounts: sum.amounts, SumCents: sum.cents,
			MinAmount: sum.least, MaxAmount: sum.most,
		}
		for _, a := range first[sum.first] {
			for _, b := range second[sum.second] {
				part.Keys = [2]string{a, b}
				g.Add(part)
			}
		}
	}
	return g.Groups(), ctx.Err()
}
