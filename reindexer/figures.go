package reindexer

import (
	"encoding/json"
	"math"
	"math/bits"

	"filings/index"
)

// figures count filings by county, and how many of them have a value in each field: by them a generation is compared with the
// live one before it replaces that (rule X42).
type figures struct {
	counties map[string]*countyFigures
	// fields says whether filled is known: of a generation that an older program built it is not, nor of one with very many
	// counties, whose figures would make the catalog large.
	fields bool
}

type countyFigures struct {
	filings int64
	filled  *[64]int64 // by index.Field; nil: not known
}

// mostCounties is up to how many counties fields are counted, and kept in the catalog. There are some 3,200.
const mostCounties = 5_000

// unguarded are fields of which the figures say nothing: a filing without them is none, or its record does not have them.
const unguarded = 1<<index.ID | 1<<index.County | 1<<index.City | 1<<index.CreatedAt

func newFigures() *figures { return &figures{counties: map[string]*countyFigures{}, fields: true} }

// clone returns a copy of g.
func (g *figures) clone() *figures {
	all := &figures{counties: make(map[string]*countyFigures, len(g.counties)), fields: g.fields}
	for county, c := range g.counties {
		one := *c
		if c.filled != nil {
			filled := *c.filled
			one.filled = &filled
		}
		all.counties[county] = &one
	}
	return all
}

// of returns the figures of a county, zero where it has no filings.
func (g *figures) of(county string) *countyFigures {
	if c := g.counties[county]; c != nil {
		return c
	}
	return &countyFigures{}
}

// count counts n filings with values in these fields.
func (g *figures) count(county string, filled uint64, n int64) {
	c := g.counties[county]
	if c == nil {
		c = &countyFigures{}
		g.fields = g.fields && len(g.counties) < mostCounties
		if g.fields {
			c.filled = new([64]int64)
		}
		g.counties[county] = c
	}
	c.filings += n
	for filled &^= unguarded; filled != 0 && g.fields; filled &= filled - 1 {
		c.filled[bits.TrailingZeros64(filled)] += n
	}
}

// keptFigures are figures in the catalog. A row has a county's filings and then a number for each of the fields.
type keptFigures struct {
	Fields   []string           `json:"fields"`
	Counties map[string][]int64 `json:"counties"`
}

// encode returns what the catalog keeps of g; nil for nothing.
func (g *figures) encode() []byte {
	if !g.fields {
		return nil
	}
	kept := keptFigures{Counties: map[string][]int64{}}
	for county, c := range g.counties {
		if c.filings > 0 {
			kept.Counties[county] = []int64{c.filings}
		}
	}
	for _, field := range index.Fields() {
		some := false
		for county := range kept.Counties {
			some = some || g.counties[county].filled[field] > 0
		}
		if !some {
			continue
		}
		kept.Fields = append(kept.Fields, field.String())
		for county, row := range kept.Counties {
			kept.Counties[county] = append(row, g.counties[county].filled[field])
		}
	}
	text, _ := json.Marshal(kept) // of numbers and texts
	return text
}

// decodeFigures returns what a catalog has kept; false for nothing.
func decodeFigures(text []byte) (*figures, bool) {
	var kept keptFigures
	if len(text) == 0 || json.Unmarshal(text, &kept) != nil {
		return nil, false
	}
	g := newFigures()
	for county, row := range kept.Counties {
		c := &countyFigures{filled: new([64]int64)}
		g.counties[county] = c
		for i, n := range row {
			if i == 0 {
				c.filings = n
			} else if field, known := index.ByName(kept.Fields[i-1]); known {
				c.filled[field] = n
			}
		}
	}
	return g, true
}

// FieldValues are the values of a field in the records of a dry run. Those of numbers and dates have a Least and a Greatest,
// those of amounts and other numbers that can be added a Sum too.
type FieldValues struct {
	Filled   float64 `json:"filled"` // share of the records that have one, 0 to 1
	Least    any     `json:"least,omitempty"`
	Greatest any     `json:"greatest,omitempty"`
	Sum      any     `json:"sum,omitempty"`
}

// sums sum up the fields of the records of a dry run.
type sums struct {
	records int64
	fields  [64]struct {
		filled      int64
		first, last string // dates
		least, most float64
		sum         float64 // of cents, where they are amounts
	}
}

func (v *sums) add(f *index.Filing) {
	v.records++
	for filled := f.Filled(); filled != 0; filled &= filled - 1 {
		field := index.Field(bits.TrailingZeros64(filled))
		of := &v.fields[field]
		if number, ok := f.Number(field); ok {
			if of.filled == 0 {
				of.least, of.most = number, number
			}
			of.least, of.most, of.sum = min(of.least, number), max(of.most, number), of.sum+index.Cents(number)
		} else if text := f.Text(field); field.Info().Kind == index.KindDate {
			if of.filled == 0 || text < of.first {
				of.first = text
			}
			of.last = max(of.last, text)
		}
		of.filled++
	}
}

// report returns the values of each field that a record can have.
func (v *sums) report() map[string]FieldValues {
	all := map[string]FieldValues{}
	for _, field := range index.Fields() {
		of := v.fields[field]
		if !field.Loaded() || v.records == 0 {
			continue
		}
		values := FieldValues{Filled: math.Round(float64(of.filled)/float64(v.records)*1e6) / 1e6}
		if of.filled > 0 {
			switch field.Info().Kind {
			case index.KindDate:
				values.Least, values.Greatest = of.first, of.last
			case index.KindAmount, index.KindNumber:
				values.Least, values.Greatest = of.least, of.most
				if !math.IsInf(of.sum, 0) {
					values.Sum = index.Dollars(of.sum)
				}
			case index.KindInteger, index.KindLatitude, index.KindLongitude:
				values.Least, values.Greatest = of.least, of.most
			}
		}
		all[field.String()] = values
	}
	return all
}
