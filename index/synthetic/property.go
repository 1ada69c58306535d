package synthetic

import (
	"bytes"
	"strconv"

	"filings/index"
)

// kind is what a property is: an index into index.CategoryValues.
type kind int

const (
	residential kind = iota
	commercial
	multiFamily
	land
)

func (g *Generator) pickKind() kind {
	switch n := g.dice.below(100); {
	case n < 64:
		return residential
	case n < 76:
		return commercial
	case n < 85:
		return multiFamily
	}
	return land
}

// classes sets propertyClassification and categories, for most filings both.
func (g *Generator) classes(f *index.Filing, k kind) {
	d := &g.dice
	if d.permille(700) {
		f.SetText(index.PropertyClassification, index.CategoryValues[k])
	}
	if d.permille(750) {
		f.Categories = append(f.Categories, index.CategoryValues[k])
		if k != land && d.permille(60) {
			f.Categories = append(f.Categories, index.CategoryValues[land])
		}
	}
}

// property sets the pro fields, each of them missing now and then.
func (g *Generator) property(f *index.Filing, c *county, t *town, k kind) {
	d := &g.dice
	g.maybe(f, index.YearBuilt, d.from(1890, 2025))
	if k != land {
		g.maybe(f, index.Bedrooms, 1+d.early(8))
		if !d.permille(100) {
			f.SetNumber(index.Bathrooms, float64(2+d.early(9))/2)
		}
		g.maybe(f, index.SquareFootage, d.octaves(9, 2, 4))
	}
	if !d.permille(100) {
		f.SetNumber(index.LotSizeAcres, float64(d.octaves(3, 5, 8))/100)
	}
	g.value(f)
	g.sale(f)
	if d.permille(120) {
		f.SetText(index.ForeclosureStatus, pick(d, g.words.statuses))
	}
	if !d.permille(150) {
		f.SetText(index.PropertyType, g.propertyType(k))
	}
	if address := f.Text(index.PropertyAddress); address != "" && !d.permille(100) {
		f.SetText(index.StandardizedAddress, string(bytes.ToUpper(append(g.buf[:0], address...))))
	}
	if d.permille(600) {
		f.SetText(index.AISummary, g.summary(c, t, k))
	}
}

// maybe sets a whole number, but for one filing in ten.
func (g *Generator) maybe(f *index.Filing, field index.Field, v int) {
	if !g.dice.permille(100) {
		f.SetNumber(field, float64(v))
	}
}

// value sets the estimated value, and the equity as a share of it: a few owe more than they own.
func (g *Generator) value(f *index.Filing) {
	d := &g.dice
	value := d.octaves(16, 3, 5) / 100 * 100
	g.maybe(f, index.EstimatedValue, value)
	g.maybe(f, index.HomeEquityEstimate, value/100*d.from(-10, 100))
}

func (g *Generator) sale(f *index.Filing) {
	d := &g.dice
	if d.permille(800) {
		f.SetText(index.LastSaleDate, g.calendar.days[d.below(saleDays)])
		g.maybe(f, index.LastSalePrice, d.octaves(15, 3, 5)/100*100)
	}
}

func (g *Generator) propertyType(k kind) string {
	switch types := g.words.propertyTypes; k {
	case commercial:
		return types[4]
	case multiFamily:
		return types[3]
	case land:
		return types[5]
	default:
		return types[[]int{0, 0, 0, 0, 1, 1, 2, 6}[g.dice.below(8)]]
	}
}

func (g *Generator) summary(c *county, t *town, k kind) string {
	d := &g.dice
	g.buf = append(append(g.buf[:0], "Made-up "...), index.CategoryValues[k]...)
	g.buf = append(append(g.buf, " property in "...), t.name...)
	g.buf = append(append(g.buf, ", "...), c.full...)
	g.buf = append(append(g.buf, ", near the "...), pick(d, g.words.colors)...)
	g.buf = append(append(g.buf, " "...), pick(d, g.words.roots)...)
	g.buf = append(g.buf, " Library. Open filings on record: "...)
	g.buf = strconv.AppendInt(g.buf, int64(1+d.early(6)), 10)
	return string(append(g.buf, '.'))
}
