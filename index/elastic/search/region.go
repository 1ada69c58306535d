package search

import (
	"fmt"
	"math"
	"slices"

	"filings/index"
	"filings/index/elastic/document"
)

// A region is searched by the geo_point, too: Elasticsearch decides on all filings but those so
// near its rim that a rounded geo_point, or arithmetic other than ours, may be on the other side.
// These are few, mostly none. They are read once (package reader), and index.Region decides on
// each.

// Rim has the sorted ids of the filings near a region's rim, by the side on which they are.
type Rim struct{ Inner, Outer []int64 }

// rimMeters is more than rounding a geo_point (0.01 m), Lucene's sphere (4.5e-9 of a radius) and
// its sines move a point, or a rim.
const rimMeters = 0.1

// region selects the filings in p.
func region(p index.Region, rim Rim) Object {
	c := regionClause(p)
	if len(rim.Outer) > 0 {
		c = Object{"bool": Object{"filter": []Object{c}, "must_not": withIDs(rim.Outer)}}
	}
	return oneOf(append(withIDs(rim.Inner), c))
}

func withIDs(ids []int64) (clauses []Object) {
	for part := range slices.Chunk(ids, mostTerms) {
		clauses = append(clauses, Object{"terms": Object{index.ID.String(): part}})
	}
	return clauses
}

// regionClause selects the filings in p, except near its rim.
func regionClause(p index.Region) Object {
	switch p := p.(type) {
	case index.Circle:
		return circle(p.Center, p.Radius)
	case index.Polygon:
		return outline(p.Corners...)
	}
	panic(fmt.Sprintf("elastic: no shape for %T", p))
}

func circle(center index.Point, radius float64) Object {
	return Object{"geo_distance": Object{"distance": fmt.Sprintf("%fm", radius), document.PointField: point(center)}}
}

// outline takes even-odd outlines of any form, where a geo_shape must not touch itself.
func outline(corners ...index.Point) Object {
	points := make([]Object, len(corners))
	for i, c := range corners {
		points[i] = point(c)
	}
	return Object{"geo_polygon": Object{document.PointField: Object{"points": points}}}
}

func point(p index.Point) Object { return Object{"lat": p.Latitude, "lon": p.Longitude} }

// MostRim is the most filings near a rim of one request: the default of Elasticsearch.
const MostRim = 10_000

// RimOf requests filings near the rim of p, up to MostRim, in the order of their ids, after one,
// with their coordinates.
func RimOf(p index.Region, last int64) Object {
	var edges Object
	switch p := p.(type) {
	case index.Circle:
		edges = Object{"bool": Object{
			"filter":   []Object{circle(p.Center, p.Radius+rimMeters)},
			"must_not": []Object{circle(p.Center, p.Radius-rimMeters)},
		}}
	case index.Polygon:
		var strips [][][][2]float64
		for i, a := range p.Corners {
			strips = append(strips, strip(a, p.Corners[(i+1)%len(p.Corners)])...)
		}
		edges = oneOf(worldsEnd())
		if strips != nil { // as one shape: the index is walked once for all edges
			shape := Object{"type": "multipolygon", "coordinates": strips}
			edges = oneOf(append(worldsEnd(), Object{"geo_shape": Object{document.PointField: Object{"shape": shape}}}))
		}
	}
	body := located(MostRim, edges, inLimits(index.ID.String(), Object{"gt": last}))
	body["sort"] = []Object{{index.ID.String(): "asc"}}
	return body
}

// located requests filings by their ids and coordinates.
func located(size int, clauses ...Object) Object {
	columns := []string{index.ID.String(), index.Latitude.String(), index.Longitude.String()}
	return filtered(Object{
		"size": size, "track_total_hits": false, "_source": false, "docvalue_fields": columns,
	}, clauses)
}

// strip is the polygon of points within two margins of an edge, and not at the end of the world,
// past which no outline may go.
func strip(a, b index.Point) [][][][2]float64 {
	start, stop := 0.0, 1.0 // the part of the edge that is not there
	x, y := b.Longitude-a.Longitude, b.Latitude-a.Latitude
	for _, axis := range [][3]float64{{a.Longitude, x, 180 - end}, {a.Latitude, y, 90 - end}} {
		origin, length, end := axis[0], axis[1], axis[2]
		switch low, high := (-end-origin)/length, (end-origin)/length; {
		case length != 0:
			start, stop = max(start, min(low, high)), min(stop, max(low, high))
		case math.Abs(origin) > end:
			return nil
		}
	}
	if start > stop {
		return nil
	}
	dx, dy := 2*margin, 0.0 // so far along the edge, which may be a point
	if length := math.Hypot(x, y); length > 0 {
		dx, dy = 2*margin*x/length, 2*margin*y/length
	}
	corner := func(fraction, lengthwise, crosswise float64) [2]float64 {
		return [2]float64{
			a.Longitude + fraction*x + lengthwise*dx - crosswise*dy,
			a.Latitude + fraction*y + lengthwise*dy + crosswise*dx,
		}
	}
	first := corner(start, -1, -1)
	return [][][][2]float64{{{first, corner(stop, 1, -1), corner(stop, 1, 1), corner(start, -1, 1), first}}}
}

// end is how near the end of the world a strip may begin: further than it is wide.
const end = 4 * margin

// worldsEnd selects the filings that strips leave out.
func worldsEnd() (edges []Object) {
	for _, side := range []index.Box{
		{North: 90, South: 90 - 2*end, East: 180, West: -180}, {North: 2*end - 90, South: -90, East: 180, West: -180},
		{North: 90, South: -90, East: 180, West: 180 - 2*end}, {North: 90, South: -90, East: 2*end - 180, West: -180},
	} {
		edges = append(edges, byPoint(side))
	}
	return edges
}

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
		return oneOf(parts(b))
	}
	west, east := b, b // of the antimeridian
	west.East, east.West = world.East, world.West
	return oneOf(append(parts(west), parts(east)...))
}

// parts returns the clauses of which one holds for filings in b, which does not cross the
// antimeridian.
func parts(b index.Box) []Object {
	inner := grown(b, -margin)
	if inner.North <= inner.South || inner.East <= inner.West {
		return []Object{exactly(b, grown(b, margin))}
	}
	clauses := []Object{byPoint(inner)}
	for _, edge := range []struct {
		side  float64
		world float64
		strip index.Box
	}{
		{b.North, world.North, index.Box{North: b.North, South: b.North, East: b.East, West: b.West}},
		{b.South, world.South, index.Box{North: b.South, South: b.South, East: b.East, West: b.West}},
		{b.East, world.East, index.Box{North: b.North, South: b.South, East: b.East, West: b.East}},
		{b.West, world.West, index.Box{North: b.North, South: b.South, East: b.West, West: b.West}},
	} {
		if edge.side != edge.world {
			clauses = append(clauses, exactly(b, grown(edge.strip, margin)))
		}
	}
	return clauses
}

// grown returns b with its edges moved outwards by so many degrees, but not beyond the world's; and
// those that are the world's stay there.
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

// byPoint selects by the geo_point: all of b, and perhaps filings within a margin of it.
func byPoint(b index.Box) Object {
	return Object{"geo_bounding_box": Object{document.PointField: Object{
		"top": b.North, "left": b.West, "bottom": b.South, "right": b.East,
	}}}
}

// exactly selects the filings in b and near part.
func exactly(b, part index.Box) Object {
	return Object{"bool": Object{"filter": []Object{
		byPoint(part),
		inRange(index.Latitude.String(), &b.South, &b.North),
		inRange(index.Longitude.String(), &b.West, &b.East),
	}}}
}
