package columns

import (
	"context"
	"math/bits"

	"filings/index"
	"filings/index/bitset"
)

// side is how many cells a raster has from west to east, and from south to north: a rim is in one
// of 16 of them or so. The raster takes 4 kB.
const side = 64

// raster tells of most points of a region's bounds, without computing, whether they are in it.
type raster struct {
	index.Region
	bounds     index.Box // the eastern edge may be past 180
	high, wide float64   // of a cell, degrees
	cells      [side * side]cell
}

type cell uint8

const (
	rim cell = iota // Has decides
	outside
	inside
)

func newRaster(r index.Region) *raster {
	t := &raster{Region: r, bounds: r.Bounds()}
	if t.bounds.East < t.bounds.West {
		t.bounds.East += 360
	}
	t.high, t.wide = (t.bounds.North-t.bounds.South)/side, (t.bounds.East-t.bounds.West)/side
	t.fill(0, 0, side)
	return t
}

// fill fills n by n cells: at once, if they are all on one side of the rim.
func (t *raster) fill(x, y, n int) {
	b := index.Box{South: t.bounds.South + float64(y)*t.high, West: t.bounds.West + float64(x)*t.wide}
	b.North, b.East = b.South+float64(n)*t.high, b.West+float64(n)*t.wide
	kind := rim
	if !t.Meets(b) {
		kind = outside
		if t.Region.Has(index.Point{Latitude: (b.South + b.North) / 2, Longitude: (b.West + b.East) / 2}) {
			kind = inside
		}
	}
	if half := n / 2; kind == rim && half > 0 {
		for i := range 4 {
			t.fill(x+i%2*half, y+i/2*half, half)
		}
		return
	}
	for row := y; row < y+n; row++ {
		for column := x; column < x+n; column++ {
			t.cells[row*side+column] = kind
		}
	}
}

// Has is the Region's, for points in its bounds.
func (t *raster) Has(p index.Point) bool {
	longitude := p.Longitude - t.bounds.West
	if longitude < 0 {
		longitude += 360
	}
	// A point just on a cell's edge may get into the next cell: Meets takes cells for larger than
	// that. A region of no width divides 0 by 0.
	x := min(side-1, max(0, int(longitude/t.wide)))
	y := min(side-1, max(0, int((p.Latitude-t.bounds.South)/t.high)))
	if kind := t.cells[y*side+x]; kind != rim {
		return kind == inside
	}
	return t.Region.Has(p)
}

// region holds for the rows whose points a region has.
func (t *Table) region(r index.Region) condition {
	cells := newRaster(r)
	inBounds := t.box(r.Bounds())
	return func(ctx context.Context, chunk int, rows bitset.Set) error {
		candidates := make(bitset.Set, len(rows))
		if err := inBounds(ctx, chunk, candidates); err != nil {
			return err
		}
		latitudes, longitudes, err := t.coordinates(ctx, chunk)
		for i, word := range candidates {
			for word &^= rows[i]; err == nil && word != 0; word &= word - 1 {
				row := bits.TrailingZeros64(word)
				if cells.Has(index.Point{Latitude: latitudes[i*64+row], Longitude: longitudes[i*64+row]}) {
					rows[i] |= 1 << row
				}
			}
		}
		return err
	}
}

func (t *Table) box(b index.Box) condition {
	return func(ctx context.Context, chunk int, rows bitset.Set) error {
		latitudes, longitudes, err := t.coordinates(ctx, chunk)
		if err != nil {
			return err
		}
		setInBox(rows, latitudes, longitudes, b)
		return nil
	}
}

func (t *Table) coordinates(ctx context.Context, chunk int) (latitudes, longitudes []float64, err error) {
	if latitudes, err = readColumn[float64](ctx, t, index.Latitude.String(), chunk); err == nil {
		longitudes, err = readColumn[float64](ctx, t, index.Longitude.String(), chunk)
	}
	return latitudes, longitudes, err
}
