package reindexer

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/bits"

	"filings/index"
	"filings/reindexer/record"
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

// folded returns the figures by the folded names of counties: another case of a name is no other county.
func (g *figures) folded() *figures {
	all := &figures{counties: map[string]*countyFigures{}, fields: g.fields}
	for county, c := range g.counties {
		name := index.Fold(county)
		sum := all.counties[name]
		if sum == nil {
			sum = &countyFigures{filled: new([64]int64)}
			all.counties[name] = sum
		}
		sum.filings += c.filings
		for i := range sum.filled {
			if c.filled != nil {
				sum.filled[i] += c.filled[i]
			}
		}
	}
	return all
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

// total returns how many filings there are.
func (g *figures) total() (n int64) {
	for _, c := range g.counties {
		n += c.filings
	}
	return n
}

// keptFigures are figures in the catalog. A row has a county's filings and then a number for each of the fields.
type keptFigures struct {
	Made     string             `json:"made,omitempty"` // what made the generation (rule X46)
	Fields   []string           `json:"fields"`
	Counties map[string][]int64 `json:"counties"`
}

// encode returns what the catalog keeps of g, and of what made the generation; nil for nothing.
func (g *figures) encode(made string) []byte {
	kept := keptFigures{Made: made}
	if g.fields {
		g.keep(&kept)
	} else if made == "" {
		return nil
	}
	text, _ := json.Marshal(kept) // of numbers and texts
	return text
}

func (g *figures) keep(kept *keptFigures) {
	kept.Counties = map[string][]int64{}
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
}

// decodeFigures returns what a catalog has kept; false for nothing.
func decodeFigures(text []byte) (*figures, bool) {
	var kept keptFigures
	if len(text) == 0 || json.Unmarshal(text, &kept) != nil || kept.Counties == nil {
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

// valuesOf returns the values of each field that a record can have.
func valuesOf(v *index.Values) map[string]FieldValues {
	all := map[string]FieldValues{}
	records := v[index.ID].Filled
	for _, field := range index.Fields() {
		of := v[field]
		if !field.Loaded() || records == 0 {
			continue
		}
		values := FieldValues{Filled: math.Round(float64(of.Filled)/float64(records)*1e6) / 1e6}
		if least, greatest := of.Extremes(field); least != nil {
			values.Least, values.Greatest = least, greatest
		}
		if kind := field.Info().Kind; of.Filled > 0 && (kind == index.KindAmount || kind == index.KindNumber) && !math.IsInf(of.Sum, 0) {
			values.Sum = index.Dollars(of.Sum)
		}
		all[field.String()] = values
	}
	return all
}

// countAgain counts the values of all filings that r has: an update took the last filing out that had the least or the greatest of
// a field, or what is live was loaded before values were counted.
func countAgain(ctx context.Context, r index.Reader) (*index.Values, error) {
	values := new(index.Values)
	for after, more := "", true; more; {
		page, err := r.Rows(ctx, index.Query{Sort: index.DefaultSort, Limit: countedRows, After: after, Bytes: countedBytes})
		if err != nil {
			return nil, fmt.Errorf("counting the values of fields: %w", err)
		}
		for _, row := range page.Records {
			f, err := record.Decode(row)
			if err != nil {
				return nil, err
			}
			values.Count(index.HeldOf(f), 1)
		}
		after, more = page.End, len(page.Records) > 0
	}
	return values, nil
}

// countedRows and countedBytes are how much is read at a time.
const countedRows, countedBytes = 1_000, 4 << 20
