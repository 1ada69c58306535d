package synthetic

// county is a county with its invented towns.
type county struct {
	name, state string
	full        string // "Orange, FL"
	towns       []town
}

// town is an invented town. Its center is in millionths of a degree.
type town struct {
	name     string
	zip      int
	lat, lon int
}

// firstShare is how many filings in a thousand are in the first county.
const firstShare = 600

// pickCounty draws a county: the first one mostly, the later ones ever less.
func (g *Generator) pickCounty() *county {
	if g.dice.permille(firstShare) {
		return &g.counties[0]
	}
	return &g.counties[1+g.dice.early(len(g.counties)-1)]
}

// newCounties gives each county its towns.
func newCounties(w words) []county {
	places := places()
	counties := make([]county, len(places))
	for i, p := range places {
		n := 4
		if i == 0 {
			n = 9
		}
		c := county{name: p.name, state: p.state, full: p.name + ", " + p.state}
		d := newDice(uint64(i)) // its own: the towns are the same for every seed
		for range n {
			c.towns = append(c.towns, town{
				name: pick(&d, w.roots[:12]) + pick(&d, w.townEndings),
				zip:  10_000 + 1_300*i + d.below(100),
				lat:  p.lat*10_000 + d.from(-townSpread, townSpread)/4,
				lon:  wrap(p.lon*10_000 + d.from(-townSpread, townSpread)),
			})
		}
		counties[i] = c
	}
	return counties
}

// wrap brings a longitude in millionths of a degree into [-180, 180].
func wrap(lon int) int {
	switch {
	case lon > 180_000_000:
		return lon - 360_000_000
	case lon < -180_000_000:
		return lon + 360_000_000
	}
	return lon
}

// near draws a distance from a town's center in millionths of a degree: mostly small, at most 60,000 (some 6 km).
func (d *dice) near() int {
	spread := 60_000 >> d.below(4)
	return d.from(-spread, spread)
}
