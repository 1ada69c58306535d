package index

import (
	"errors"
	"fmt"
	"math"
	"math/big"
)

// Point is where a filing is, as loaded.
type Point struct{ Latitude, Longitude float64 }

// Region is a predicate on where a filing is (rule X34); one without coordinates is in none. Engines sort most filings by Bounds, Meets
// or an index of theirs, and let Has decide on the rest.
type Region interface {
	Predicate
	// Has reports whether a point lies inside, rim included.
	Has(Point) bool
	// Bounds returns a box around the region.
	Bounds() Box
	// Meets reports whether the rim may meet b. Where it does not, Has is the same for all of b. Longitudes of b may pass 180.
	Meets(b Box) bool
}

// Near holds for the points at most Radius metres from Center, by the haversine formula.
type Near struct {
	Center Point
	Radius float64 // 1 to MaxRadius
}

// MaxRadius is the largest radius of Near, in metres.
const MaxRadius = 100_000

// earth is the mean radius of the Earth in metres, to which the sphere of Near has it (rule X34).
const earth = 6_371_008.8

// Polygon holds inside the even-odd outline through Corners and back to the first one, in the plane of degrees, edges included. It is exact
// in the decimals that records and requests have, of which the numbers here are the nearest ones.
type Polygon struct{ Corners []Point }

// MinCorners and MaxCorners are how many corners a client may give a Polygon.
const MinCorners, MaxCorners = 3, 100

// NewPolygon returns the polygon of corners, or says why there is none.
func NewPolygon(corners []Point) (Polygon, error) {
	p := Polygon{corners}
	half, turned := big.NewRat(180, 1), errors.New("must have an area")
	for i := range corners {
		a, b := p.edge(i)
		for _, ends := range [][2]float64{{a.Latitude, b.Latitude}, {a.Longitude, b.Longitude}} {
			if long := new(big.Rat).Sub(decimal(ends[0]), decimal(ends[1])); long.Abs(long).Cmp(half) >= 0 {
				return p, fmt.Errorf("must not have an edge of 180 degrees or more, as from %v,%v to %v,%v", a.Latitude, a.Longitude, b.Latitude, b.Longitude)
			}
		}
		if turned != nil && !p.cancels(a, b) {
			turned = nil
		}
	}
	return p, turned
}

// cancels reports whether the edges on the line through a and b lie on each of its points in pairs, so that no area is on one side of it
// alone: then each of their ends is one of an even number of them.
func (p Polygon) cancels(a, b Point) bool {
	odd := map[Point]bool{}
	for i := range p.Corners {
		if c, d := p.edge(i); side(a, b, c) == 0 && side(a, b, d) == 0 {
			for _, end := range []Point{c, d} {
				if odd[end] = !odd[end]; !odd[end] {
					delete(odd, end)
				}
			}
		}
	}
	return a == b || len(odd) == 0
}

// edge returns the ends of an edge.
func (p Polygon) edge(i int) (a, b Point) { return p.Corners[i], p.Corners[(i+1)%len(p.Corners)] }

// Has implements Region: whether a line to the east crosses the outline an odd number of times.
func (p Polygon) Has(at Point) (inside bool) {
	for i := range p.Corners {
		a, b := p.edge(i)
		if at.Latitude < min(a.Latitude, b.Latitude) || max(a.Latitude, b.Latitude) < at.Latitude {
			continue
		}
		left := side(a, b, at)
		if left == 0 && min(a.Longitude, b.Longitude) <= at.Longitude && at.Longitude <= max(a.Longitude, b.Longitude) {
			return true
		}
		if (a.Latitude > at.Latitude) != (b.Latitude > at.Latitude) && (left > 0) == (b.Latitude > a.Latitude) {
			inside = !inside
		}
	}
	return inside
}

// side is positive where p lies on the left of the line from a to b, with the north above; negative on the right, 0 on the line.
func side(a, b, p Point) float64 {
	x, y := b.Longitude-a.Longitude, b.Latitude-a.Latitude
	dx, dy := p.Longitude-a.Longitude, p.Latitude-a.Latitude
	left := x*dy - y*dx
	// Numbers up to 180 are 2e-14 or less from their decimals, differences 8e-14. That, times the other factor, is what may be wrong.
	if math.Abs(left) > 2e-13*(math.Abs(x)+math.Abs(y)+math.Abs(dx)+math.Abs(dy))+1e-25 {
		return left
	}
	of := func(a, b, c, d float64) *big.Rat { // (a-b)(c-d)
		first, second := new(big.Rat).Sub(decimal(a), decimal(b)), new(big.Rat).Sub(decimal(c), decimal(d))
		return first.Mul(first, second)
	}
	return float64(of(b.Longitude, a.Longitude, p.Latitude, a.Latitude).Cmp(of(b.Latitude, a.Latitude, p.Longitude, a.Longitude)))
}

// Bounds implements Region.
func (p Polygon) Bounds() Box {
	b := Box{North: -90, South: 90, East: -180, West: 180}
	for _, c := range p.Corners {
		b.North, b.South = max(b.North, c.Latitude), min(b.South, c.Latitude)
		b.East, b.West = max(b.East, c.Longitude), min(b.West, c.Longitude)
	}
	return b
}

// slack is more degrees, or millionths of a metre, than computing with floats may lose.
const slack = 1e-9

// Meets implements Region: neither b's sides nor an edge's separates the two.
func (p Polygon) Meets(b Box) bool {
	at := Point{(b.North + b.South) / 2, (b.East + b.West) / 2}
	high, wide := (b.North-b.South)/2+slack, (b.East-b.West)/2+slack
	for i := range p.Corners {
		a, c := p.edge(i)
		if max(a.Latitude, c.Latitude) < at.Latitude-high || min(a.Latitude, c.Latitude) > at.Latitude+high ||
			max(a.Longitude, c.Longitude) < at.Longitude-wide || min(a.Longitude, c.Longitude) > at.Longitude+wide {
			continue
		}
		x, y := c.Longitude-a.Longitude, c.Latitude-a.Latitude
		if math.Abs(x*(at.Latitude-a.Latitude)-y*(at.Longitude-a.Longitude)) <= math.Abs(x)*high+math.Abs(y)*wide {
			return true
		}
	}
	return false
}

// Has implements Region.
func (p Near) Has(at Point) bool { return p.Center.distance(at) <= p.Radius }

// distance is that of the haversine formula, in metres.
func (p Point) distance(to Point) float64 {
	half := func(from, to float64) float64 { s := math.Sin((to - from) * math.Pi / 360); return s * s }
	h := half(p.Latitude, to.Latitude) +
		math.Cos(p.Latitude*math.Pi/180)*math.Cos(to.Latitude*math.Pi/180)*half(p.Longitude, to.Longitude)
	return 2 * earth * math.Asin(math.Sqrt(min(1, h)))
}

// Bounds implements Region. It crosses the antimeridian where the circle does or touches it, and goes around the world at a pole.
func (p Near) Bounds() Box {
	angle := p.Radius/earth + slack
	high := angle * 180 / math.Pi
	b := Box{North: p.Center.Latitude + high, South: p.Center.Latitude - high, East: 180, West: -180}
	if b.North >= 90 || b.South <= -90 {
		b.North, b.South = min(b.North, 90), max(b.South, -90)
		return b
	}
	wide := math.Asin(math.Sin(angle)/math.Cos(p.Center.Latitude*math.Pi/180)) * 180 / math.Pi
	if b.East = p.Center.Longitude + wide; b.East >= 180 {
		b.East -= 360
	}
	if b.West = p.Center.Longitude - wide; b.West <= -180 {
		b.West += 360
	}
	return b
}

// Meets implements Region: no point of b is further from its center than along a parallel and a meridian.
func (p Near) Meets(b Box) bool {
	at := Point{(b.North + b.South) / 2, (b.East + b.West) / 2}
	reach := ((b.North-b.South)/2 + (b.East-b.West)/2*math.Cos(at.Latitude*math.Pi/180)) * math.Pi / 180 * earth
	return math.Abs(p.Center.distance(at)-p.Radius) <= reach+earth*slack
}

func (p Near) holds(f *Filing, _ *Derived) bool    { return holdsAt(p, f) }
func (p Polygon) holds(f *Filing, _ *Derived) bool { return holdsAt(p, f) }

// holdsAt reports whether f has a point that r has.
func holdsAt(r interface{ Has(Point) bool }, f *Filing) bool {
	lat, ok := f.Number(Latitude)
	lon, also := f.Number(Longitude)
	return ok && also && r.Has(Point{lat, lon})
}

func (p Near) String() string {
	return "near(" + string(appendPoints(nil, p.Center)) + " " + string(AppendNumber(nil, p.Radius)) + ")"
}

func (p Polygon) String() string { return "polygon(" + string(appendPoints(nil, p.Corners...)) + ")" }

// appendPoints appends points as requests have them.
func appendPoints(dst []byte, points ...Point) []byte {
	for i, p := range points {
		if i > 0 {
			dst = append(dst, ';')
		}
		dst = AppendNumber(append(AppendNumber(dst, p.Latitude), ','), p.Longitude)
	}
	return dst
}
