package synthetic

import (
	"strconv"

	"filings/index"
)

// Next makes f the next filing. Ids are 1, 2, 3 and so on.
func (g *Generator) Next(f *index.Filing) {
	d := &g.dice
	f.Reset()
	g.id++
	f.ID = g.id
	c := g.pickCounty()
	t := &c.towns[d.early(len(c.towns))]
	kind := g.pickKind()

	f.SetText(index.County, c.full)
	g.recording(f, c)
	g.amounts(f)
	if !d.permille(80) {
		f.SetText(index.Owner, g.owner())
	}
	g.place(f, c, t)
	g.classes(f, kind)
	if d.permille(450) {
		g.property(f, c, t, kind)
	}
	if d.permille(300) {
		g.contacts(f)
	}
}

// recording sets when, how and for whom f was recorded.
func (g *Generator) recording(f *index.Filing, c *county) {
	d := &g.dice
	n := g.calendar.filingDay(d)
	f.CreatedAt = g.calendar.added(d, n)
	date := g.calendar.days[n]
	if !d.permille(30) {
		f.SetText(index.FilingDate, date)
		f.SetText(index.DateRange, g.calendar.ranges[len(c.name)%3][n])
	}
	if !d.permille(2) {
		f.SetText(index.FilingType, pick(d, g.words.filingTypes))
	}
	g.buf = append(append(append(g.buf[:0], c.name...), ' '), pick(d, g.words.holders)...)
	f.SetText(index.FilingHolder, string(g.buf))
	if !d.permille(12) {
		g.buf = append(append(g.buf[:0], date[:4]...), '-', 'A'+byte(d.below(26)), 'L', '-')
		g.buf = strconv.AppendInt(g.buf, g.id+1_000_000, 10)
		f.SetText(index.CaseNumber, string(g.buf))
	}
}

// amounts sets the original and the outstanding amount.
func (g *Generator) amounts(f *index.Filing) {
	d := &g.dice
	cents := d.octaves(14, 5, 14)
	switch n := d.below(1000); {
	case n < 5: // missing
		if d.permille(500) {
			g.cents(f, index.CurrentAmount, cents)
		}
		return
	case n < 11:
		cents = 0
	case n < 20: // a credit
		cents = -d.octaves(10, 4, 4)
	}
	g.cents(f, index.FilingAmount, cents)
	switch n := d.below(100); {
	case n < 3: // missing
	case n < 13: // paid
		g.cents(f, index.CurrentAmount, 0)
	case n < 40: // grown by interest, or paid in part
		g.cents(f, index.CurrentAmount, cents*d.from(20, 180)/100)
	default:
		g.cents(f, index.CurrentAmount, cents)
	}
}

// place sets where the property lies.
func (g *Generator) place(f *index.Filing, c *county, t *town) {
	d := &g.dice
	if d.permille(420) {
		f.SetNumber(index.Latitude, float64(t.lat+d.near())/1e6)
		f.SetNumber(index.Longitude, float64(wrap(t.lon+d.near()))/1e6)
	}
	if d.permille(15) {
		return // neither address nor city
	}
	if !d.permille(100) { // else the city is read from the address
		f.SetText(index.City, t.name)
	}
	g.buf = strconv.AppendInt(g.buf[:0], int64(d.from(1, 9_999)), 10)
	g.buf = append(append(g.buf, ' '), pick(d, g.words.roots)...)
	g.buf = append(append(g.buf, pick(d, g.words.endings)...), ' ')
	g.buf = append(g.buf, pick(d, g.words.streets)...)
	if d.permille(80) {
		g.buf = strconv.AppendInt(append(g.buf, " Unit "...), int64(d.from(1, 400)), 10)
	}
	g.buf = append(append(append(g.buf, ", "...), t.name...), ", "...)
	g.buf = append(append(g.buf, c.state...), ' ')
	g.buf = strconv.AppendInt(g.buf, int64(t.zip), 10)
	f.SetText(index.PropertyAddress, string(g.buf))
}
