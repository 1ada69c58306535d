package indextest

import (
	"math"
	"math/big"

	"filings/index"
)

// near reports whether e is at most so far from the center of p: by the chord between two points of the sphere, which is what the haversine
// formula comes from.
func (e *Entry) near(p index.Circle) bool {
	lat, ok1 := e.Number(index.Latitude)
	lon, ok2 := e.Number(index.Longitude)
	return ok1 && ok2 && Distance(p.Center, index.Point{Latitude: lat, Longitude: lon}) <= p.Radius
}

// Distance returns the meters between two points, along the sphere of rule X34.
func Distance(a, b index.Point) float64 {
	vector := func(p index.Point) [3]float64 {
		sin, cos := math.Sincos(p.Latitude / 180 * math.Pi)
		east, ahead := math.Sincos(p.Longitude / 180 * math.Pi)
		return [3]float64{cos * ahead, cos * east, sin}
	}
	u, v := vector(a), vector(b)
	chord := math.Hypot(math.Hypot(u[0]-v[0], u[1]-v[1]), u[2]-v[2])
	return 2 * 6_371_008.8 * math.Asin(min(1, chord/2))
}

// CornersAt returns the corners at some points.
func CornersAt(points ...index.Point) []index.Corner {
	corners := make([]index.Corner, len(points))
	for i, p := range points {
		corners[i] = index.Corner{Latitude: index.Decimal{Nearest: p.Latitude}, Longitude: index.Decimal{Nearest: p.Longitude}}
	}
	return corners
}

// Covers reports whether a point is in p or on its outline, in fractions: where the edges cross the parallel of the point, those to the west
// of it are counted.
func Covers(p index.Polygon, at index.Point) bool {
	lat, lon := fraction(at.Latitude), fraction(at.Longitude)
	west := 0
	for i, c := range p.Corners {
		d := p.Corners[(i+1)%len(p.Corners)]
		if at.Latitude < min(c.Latitude, d.Latitude) || at.Latitude > max(c.Latitude, d.Latitude) {
			continue
		}
		south, north := written(p.Corner(i).Latitude), written(p.Corner(i+1).Latitude)
		from, to := written(p.Corner(i).Longitude), written(p.Corner(i+1).Longitude)
		if south.Cmp(north) > 0 {
			south, north, from, to = north, south, to, from
		}
		if lat.Cmp(south) < 0 || lat.Cmp(north) > 0 {
			continue
		}
		if south.Cmp(north) == 0 {
			if from.Cmp(lon)*to.Cmp(lon) <= 0 {
				return true
			}
			continue
		}
		end := new(big.Rat).Set(north)
		share := new(big.Rat).Quo(new(big.Rat).Sub(lat, south), north.Sub(north, south))
		crossing := from.Add(from, share.Mul(share, to.Sub(to, from)))
		switch crossing.Cmp(lon) {
		case 0:
			return true
		case -1:
			if lat.Cmp(end) < 0 { // an edge has its southern end, and not its northern one
				west++
			}
		}
	}
	return west%2 == 1
}

// covered reports whether e has a point that p covers.
func (e *Entry) covered(p index.Polygon) bool {
	lat, ok1 := e.Number(index.Latitude)
	lon, ok2 := e.Number(index.Longitude)
	return ok1 && ok2 && Covers(p, index.Point{Latitude: lat, Longitude: lon})
}

// fraction is the decimal that stands for v in a record.
func fraction(v float64) *big.Rat { return written(index.Decimal{Nearest: v}) }

// written is a number as a request has it.
func written(d index.Decimal) *big.Rat {
	r, ok := new(big.Rat).SetString(d.String())
	if !ok {
		panic("no decimal")
	}
	return r
}
