package search

import (
	"filings/index"
	"filings/index/elastic/document"
)

// A box is searched by the geo_point, whose index has both coordinates: a range of one coordinate
// visits all filings of a band around the world. But a geo_point is rounded, to cells of 360/2^32
// degrees, so that it does not decide on points within a cell of an edge. So the box is cut: the
// part that lies further inside is certain; along each edge lies a strip, two cells wide and more,
// in which the coordinates as loaded decide.

// margin is more than a geo_point is rounded by, in degrees.
const margin = 1e-7

// world is where filings can lie. Beyond its edges are none.
var world = index.Box{North: 90, South: -90, East: 180, West: -180}

// box selects the filings in b, edges included, exactly.
func box(b index.Box) Object {
	if b.West <= b.East {
		return either(parts(b))
	}
	west, east := b, b // of the antimeridian
	west.East, east.West = world.East, world.West
	return either(append(parts(west), parts(east)...))
}

// parts returns the clauses of which one holds for filings in b, which does not cross the
// antimeridian.
func parts(b index.Box) []Object {
	inner := grown(b, -margin)
	if inner.North <= inner.South || inner.East <= inner.West {
		return []Object{exactly(b, grown(b, margin))}
	}
	all := []Object{near(inner)}
	for _, edge := range []struct {
		at    float64
		world float64
		strip index.Box
	}{
		{b.North, world.North, index.Box{North: b.North, South: b.North, East: b.East, West: b.West}},
		{b.South, world.South, index.Box{North: b.South, South: b.South, East: b.East, West: b.West}},
		{b.East, world.East, index.Box{North: b.North, South: b.South, East: b.East, West: b.East}},
		{b.West, world.West, index.Box{North: b.North, South: b.South, East: b.West, West: b.West}},
	} {
		if edge.at != edge.world {
			all = append(all, exactly(b, grown(edge.strip, margin)))
		}
	}
	return all
}

// grown returns b with its edges moved outwards by so many degrees, but not beyond the world's; and those that are the
// world's stay there.
func grown(b index.Box, margin float64) index.Box {
	move := func(edge, end, distance float64) float64 {
		if edge == end {
			return edge
		}
		return edge + distance
	}
	return index.Box{
		North: min(move(b.North, world.North, margin), world.North),
		South: max(move(b.South, world.South, -margin), world.South),
		East:  min(move(b.East, world.East, margin), world.East),
		West:  max(move(b.West, world.West, -margin), world.West),
	}
}

// near selects by the geo_point: all of b, and perhaps filings within a margin of it.
func near(b index.Box) Object {
	return Object{"geo_bounding_box": Object{document.PointField: Object{
		"top": b.North, "left": b.West, "bottom": b.South, "right": b.East,
	}}}
}

// exactly selects the filings in b and near part.
func exactly(b, part index.Box) Object {
	return Object{"bool": Object{"filter": []Object{
		near(part),
		between(index.Latitude.String(), &b.South, &b.North),
		between(index.Longitude.String(), &b.West, &b.East),
	}}}
}
