package index

import (
	"errors"
	"fmt"
	"math"
	"math/big"
)

// Point is where a filing is, as loaded.
type Point struct{ Latitude, Longitude float64 }

// Region is a predicate on where a filing is (rule X34); one without coordinates is in none.
// Engines sort most filings by Bounds, Meets or an index of theirs, and let Has decide on the rest.
type Region interface {
	Predicate
	// Has reports whether a point lies inside, rim included.
	Has(Point) bool
	// Bounds returns a box around the region.
	Bounds() Box
	// Meets reports whether the rim may meet b. If it does not, Has is the same for all of b.
	// Longitudes of b may pass 180.
	Meets(b Box) bool
}

// Circle holds for the points at most Radius meters from Center, by the haversine formula.
type Circle struct {
	Center Point
	Radius float64 // 1 to MaxRadius
}

// MaxRadius is the largest radius of a Circle, in meters.
const MaxRadius = 100_000

// earth is the radius of a Circle's sphere in meters: the mean radius of the Earth (rule X34).
const earth = 6_371_008.8

// Polygon holds inside the even-odd outline through Corners and back to the first one, in the plane
// of degrees, edges included. It is exact in the decimals that records and requests have.
type Polygon struct {
	Corners []Point
	exact   []Corner // the same, where these are not the shortest decimals of Corners; else nil
}

// Corner is a corner of a Polygon as a request has it.
type Corner struct{ Latitude, Longitude Decimal }

// MinCorners and MaxCorners are how many corners a client may give a Polygon.
const MinCorners, MaxCorners = 3, 100

// NewPolygon returns the polygon of corners, or says why there is none.
func NewPolygon(corners []Corner) (Polygon, error) {
	p, exact := Polygon{}, make([][2]*big.Rat, len(corners))
	for i, c := range corners {
		exact[i] = [2]*big.Rat{c.Latitude.fraction(), c.Longitude.fraction()}
		p.Corners = append(p.Corners, Point{c.Latitude.Nearest, c.Longitude.Nearest})
		if c.Latitude.text+c.Longitude.text != "" {
			p.exact = corners
		}
	}
	half, odd := big.NewRat(180, 1), map[end]bool{}
	for i := range corners {
		a, b, start, finish := p.Corner(i), p.Corner(i+1), exact[i], exact[(i+1)%len(exact)]
		high, wide := new(big.Rat).Sub(finish[0], start[0]), new(big.Rat).Sub(finish[1], start[1])
		if new(big.Rat).Abs(high).Cmp(half) >= 0 || new(big.Rat).Abs(wide).Cmp(half) >= 0 {
			return p, fmt.Errorf("must not have an edge of 180 degrees or more, as from %v,%v to %v,%v",
				a.Latitude, a.Longitude, b.Latitude, b.Longitude)
		}
		if high.Sign() == 0 && wide.Sign() == 0 {
			continue
		}
		edge := lineThrough(start, high, wide)
		for _, e := range []end{{edge, a}, {edge, b}} {
			if odd[e] = !odd[e]; !odd[e] {
				delete(odd, e)
			}
		}
	}
	if len(odd) == 0 {
		return p, errors.New("must have an area")
	}
	return p, nil
}

// end is an end of an edge. If an even number of a line's edges ends at each corner, the edges
// lie on each of its points in pairs, so that no area is on one side of it alone.
type end struct {
	line
	Corner
}

// line is one in the plane of degrees, as fractions: any two points on it make the same.
type line struct{ slope, crossing string }

// lineThrough returns the line through a point that is high degrees further north where it is wide
// degrees further east.
func lineThrough(point [2]*big.Rat, high, wide *big.Rat) line {
	if wide.Sign() == 0 {
		return line{crossing: point[1].String()}
	}
	slope, rise := new(big.Rat).Quo(high, wide), new(big.Rat)
	return line{slope.String(), rise.Sub(point[0], rise.Mul(point[1], slope)).String()}
}

// edge returns the ends of an edge.
func (p Polygon) edge(i int) (a, b Point) { return p.Corners[i], p.Corners[(i+1)%len(p.Corners)] }

// Corner returns a corner as the request had it, of which Corners has the nearest Point. The one
// after the last is the first.
func (p Polygon) Corner(i int) Corner {
	i %= len(p.Corners)
	if p.exact != nil {
		return p.exact[i]
	}
	return cornerAt(p.Corners[i])
}

// cornerAt is the Corner that a Point is.
func cornerAt(p Point) Corner {
	return Corner{Decimal{Nearest: p.Latitude}, Decimal{Nearest: p.Longitude}}
}

// Has implements Region: whether a line to the east crosses the outline an odd number of times.
func (p Polygon) Has(point Point) (inside bool) {
	exactly := cornerAt(point)
	for i := range p.Corners {
		a, b := p.edge(i)
		if point.Latitude < min(a.Latitude, b.Latitude) || max(a.Latitude, b.Latitude) < point.Latitude {
			continue
		}
		start, finish := p.Corner(i), p.Corner(i+1)
		low, high := start.Latitude.Cmp(exactly.Latitude), finish.Latitude.Cmp(exactly.Latitude)
		if low*high > 0 {
			continue
		}
		left := side(start, finish, exactly)
		if left == 0 && start.Longitude.Cmp(exactly.Longitude)*finish.Longitude.Cmp(exactly.Longitude) <= 0 {
			return true
		}
		if (low > 0) != (high > 0) && (left > 0) == (high > low) {
			inside = !inside
		}
	}
	return inside
}

// side is positive where p lies on the left of the line from a to b, with the north above; negative
// on the right, 0 on the line.
func side(a, b, p Corner) float64 {
	x, y := b.Longitude.Nearest-a.Longitude.Nearest, b.Latitude.Nearest-a.Latitude.Nearest
	dx, dy := p.Longitude.Nearest-a.Longitude.Nearest, p.Latitude.Nearest-a.Latitude.Nearest
	left := x*dy - y*dx
	// Numbers up to 180 are 2e-14 or less from their decimals, differences 8e-14. That, times the
	// other factor, is the largest error.
	if math.Abs(left) > 2e-13*(math.Abs(x)+math.Abs(y)+math.Abs(dx)+math.Abs(dy))+1e-25 {
		return left
	}
	product := func(a, b, c, d Decimal) *big.Rat { // (a-b)(c-d)
		difference := new(big.Rat).Sub(a.fraction(), b.fraction())
		return difference.Mul(difference, new(big.Rat).Sub(c.fraction(), d.fraction()))
	}
	first := product(b.Longitude, a.Longitude, p.Latitude, a.Latitude)
	second := product(b.Latitude, a.Latitude, p.Longitude, a.Longitude)
	return float64(first.Cmp(second))
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

// slack is more degrees, or millionths of a meter, than computing with floats may lose.
const slack = 1e-9

// Meets implements Region: neither b's sides nor an edge's separates the two.
func (p Polygon) Meets(b Box) bool {
	m := Point{(b.North + b.South) / 2, (b.East + b.West) / 2}
	high, wide := (b.North-b.South)/2+slack, (b.East-b.West)/2+slack
	for i := range p.Corners {
		a, c := p.edge(i)
		if max(a.Latitude, c.Latitude) < m.Latitude-high || min(a.Latitude, c.Latitude) > m.Latitude+high ||
			max(a.Longitude, c.Longitude) < m.Longitude-wide || min(a.Longitude, c.Longitude) > m.Longitude+wide {
			continue
		}
		x, y := c.Longitude-a.Longitude, c.Latitude-a.Latitude
		if math.Abs(x*(m.Latitude-a.Latitude)-y*(m.Longitude-a.Longitude)) <= math.Abs(x)*high+math.Abs(y)*wide {
			return true
		}
	}
	return false
}

// Has implements Region.
func (p Circle) Has(point Point) bool { return p.Center.distance(point) <= p.Radius }

// distance is that of the haversine formula, in meters.
func (p Point) distance(q Point) float64 {
	half := func(x, y float64) float64 { s := math.Sin((y - x) * math.Pi / 360); return s * s }
	h := half(p.Latitude, q.Latitude) +
		math.Cos(p.Latitude*math.Pi/180)*math.Cos(q.Latitude*math.Pi/180)*half(p.Longitude, q.Longitude)
	return 2 * earth * math.Asin(math.Sqrt(min(1, h)))
}

// Bounds implements Region. It crosses the antimeridian where the circle does or touches it, and
// goes around the world at a pole.
func (p Circle) Bounds() Box {
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

// Meets implements Region: no point of b is further from its middle than along a parallel and a
// meridian.
func (p Circle) Meets(b Box) bool {
	m := Point{(b.North + b.South) / 2, (b.East + b.West) / 2}
	reach := ((b.North-b.South)/2 + (b.East-b.West)/2*math.Cos(m.Latitude*math.Pi/180)) * math.Pi / 180 * earth
	return math.Abs(p.Center.distance(m)-p.Radius) <= reach+earth*slack
}

func (p Circle) holds(f *Filing, _ *Derived) bool  { return holdsAt(p, f) }
func (p Polygon) holds(f *Filing, _ *Derived) bool { return holdsAt(p, f) }

// holdsAt reports whether f has a point that r has.
func holdsAt(r interface{ Has(Point) bool }, f *Filing) bool {
	lat, hasLatitude := f.Number(Latitude)
	lon, hasLongitude := f.Number(Longitude)
	return hasLatitude && hasLongitude && r.Has(Point{lat, lon})
}

func (p Circle) String() string {
	return "near(" + string(appendPoints(nil, p.Center)) + " " + string(AppendNumber(nil, p.Radius)) + ")"
}

func (p Polygon) String() string {
	text := string(appendPoints(nil, p.Corners...))
	for i, c := range p.exact {
		if i == 0 {
			text += " exactly "
		}
		text += c.Latitude.text + "," + c.Longitude.text + ";"
	}
	return "polygon(" + text + ")"
}

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
