package params

import (
	"strings"
	"time"

	"filings/index"
)

// finerTiles is how much finer than the tiles of the client's map cells are: 64 of its pixels wide
// instead of 256, so that the markers of cells, at centroids, mostly do not cover each other.
const finerTiles = 2

// finerCells is how much finer than a vector tile its cells are (rule X35): clients draw one of
// them 512 pixels wide.
const finerCells = 3

// finish checks the rules for several parameters, and completes the Request.
func (b *builder) finish(endpoint Endpoints) error {
	if err := b.box.missing(endpoint); err != nil {
		return err
	}
	for _, e := range b.equal {
		b.predicates = append(b.predicates, e)
	}
	for _, r := range b.ranges {
		if r.Min != nil && r.Max != nil && r.min.Cmp(r.max) > 0 {
			return invalid(r.minName, "must not be above %s", r.maxName)
		}
		b.predicates = append(b.predicates, r.Range)
	}
	if b.start != "" && b.end != "" && b.start > b.end {
		return invalid("date_start", "must not be after date_end")
	}
	if b.days != (index.Days{}) {
		b.predicates = append(b.predicates, b.days)
	}
	if start, end := b.added.First, b.added.Last; start != (time.Time{}) || end != (time.Time{}) {
		if !end.IsZero() && end.Before(start.Truncate(time.Microsecond)) {
			return invalid("added_since", "must not be after added_until")
		}
		b.predicates = append(b.predicates, b.added)
	}
	for _, add := range []func(Endpoints) error{b.inBox, b.inCircle, b.inPolygon, b.ofTile} {
		if err := add(endpoint); err != nil {
			return err
		}
	}
	q := &b.request
	q.Groups.Ascending = b.groupOrder == "ASC" || b.groupOrder == "" && q.Groups.Sort == index.SortByKey
	q.Owners.Ascending = b.groupOrder == "ASC" || b.groupOrder == "" && q.Owners.Sort == index.OwnersByName
	q.Query.Where = index.Where(b.predicates...)
	return q.resumes()
}

// missing is the error of an endpoint that needs all edges of a box, or none, and lacks some.
func (b box) missing(endpoint Endpoints) error {
	if b == (box{}) && endpoint&boxed == 0 {
		return nil
	}
	var names []string
	for _, edge := range []struct {
		name string
		*index.Decimal
	}{{"north", b.north}, {"south", b.south}, {"east", b.east}, {"west", b.west}} {
		if edge.Decimal == nil {
			names = append(names, "bounds_"+edge.name)
		}
	}
	if names == nil {
		return nil
	}
	return unbounded(names)
}

// unbounded is the error of a box that lacks the edges of these parameters.
func unbounded(names []string) error {
	return Invalid(names[0], "%s must be given: a box has four bounds", strings.Join(names, ", "))
}

// inBox adds a box, if there is one, and its cells.
func (b *builder) inBox(endpoint Endpoints) error {
	north, south, east, west := b.box.north, b.box.south, b.box.east, b.box.west
	if north == nil {
		return nil
	}
	if south.Cmp(*north) > 0 {
		return invalid("bounds_south", "must not be above bounds_north")
	}
	box := index.Box{North: north.Greatest(), South: south.Least(), East: east.Greatest(), West: west.Least()}
	// Between two edges there may be no number that a filing has.
	if box.South > box.North || box.West > box.East && west.Cmp(*east) <= 0 {
		box = index.Box{North: north.Nearest, South: south.Nearest, East: east.Nearest, West: west.Nearest}
		b.predicates = append(b.predicates, index.IDs{IDs: []int64{}})
	}
	b.predicates = append(b.predicates, box)
	if endpoint&boxed != 0 {
		b.request.Grid = index.NewGrid(box, b.zoom+finerTiles)
	}
	return nil
}

func (b *builder) inCircle(Endpoints) error {
	switch {
	case b.center != nil && b.radius != nil:
		b.predicates = append(b.predicates, index.Circle{Center: *b.center, Radius: b.radius.Greatest()})
	case b.center != nil:
		return invalid("near", "requires radius, the distance in meters")
	case b.radius != nil:
		return invalid("radius", "requires near, the center of the circle as LAT,LON")
	}
	return nil
}

func (b *builder) inPolygon(Endpoints) error {
	if b.corners == nil {
		return nil
	}
	polygon, err := index.NewPolygon(b.corners)
	if err != nil {
		return invalid("polygon", "%v", err)
	}
	b.predicates = append(b.predicates, polygon)
	return nil
}

// ofTile sets the cells of a tile.
func (b *builder) ofTile(endpoint Endpoints) error {
	if endpoint != Tiles {
		return nil
	}
	tile := &b.request.Tile
	tile.Zoom = b.zoom
	for i, number := range []int{tile.Column, tile.Row} {
		if number >= 1<<b.zoom {
			return invalid([]string{"x", "y"}[i], "must be below %d, the number of tiles side by side at zoom %d",
				1<<b.zoom, b.zoom)
		}
	}
	b.request.Grid = index.NewGrid(index.TileBox(tile.Column, tile.Row, b.zoom), b.zoom+finerCells)
	return nil
}

// resumes checks that the export that after continues is known: another generation has other rows.
func (r *Request) resumes() error {
	switch {
	case r.After == 0:
		return nil
	case r.Format == "parquet" || r.Format == "geojson":
		return invalid("after",
			"cannot be used with format=%s: such a file can't be continued; export from the beginning",
			r.Format)
	case r.Generation == "":
		return invalid("after", "requires generation: the X-Generation header of the incomplete export")
	}
	return nil
}
