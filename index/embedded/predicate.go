package embedded

import (
	"context"
	"fmt"
	"math"
	"slices"

	"filings/index"
)

func (g *snapshot) anyOf(ctx context.Context, p index.AnyOf) (condition, error) {
	wanted := func(v string) bool { return slices.Contains(p.Values, v) }
	var all []condition
	for _, field := range p.Fields {
		column, compared := codedCounty, values
		switch field {
		case index.County:
			compared = func(word string) []string { return values(index.Fold(word)) }
		case index.CountyName:
			compared = func(word string) []string {
				name, _ := index.SplitCounty(index.Fold(word))
				return values(name)
			}
		case index.City:
			column = codedCity
		case index.FilingType:
			column = codedType
		case index.PropertyClassification:
			column = codedClassification
		case index.Categories:
			column = codedCategories
		case index.ForeclosureStatus:
			column = codedForeclosure
		default:
			return nil, fmt.Errorf("embedded engine: no values of %v are looked up", field)
		}
		c, err := g.worded(ctx, column, func(word string) bool { return slices.ContainsFunc(compared(word), wanted) })
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return either(all), nil
}

func (g *snapshot) between(p index.Between) (condition, error) {
	if _, ok := numberOf(p.Field); !ok {
		return nil, fmt.Errorf("embedded engine: no ranges of %v", p.Field)
	}
	low, high := math.Inf(-1), math.Inf(1)
	if p.Min != nil {
		low = *p.Min
	}
	if p.Max != nil {
		high = *p.Max
	}
	return inRange(g, p.Field.String(), low, high), nil
}

// inRange holds for values from low to high. A missing number is NaN and in no range.
func inRange[T int64 | float64](g *snapshot, column string, low, high T) condition {
	return func(ctx context.Context, chunk int, bits []uint64) error {
		values, err := readColumn[T](ctx, g, column, chunk)
		if err != nil {
			return err
		}
		for row, v := range values {
			if v >= low && v <= high {
				bits[row/64] |= 1 << (row % 64)
			}
		}
		return nil
	}
}

func (g *snapshot) present(ctx context.Context, p index.Present) (condition, error) {
	switch p.Field {
	case index.ForeclosureStatus:
		return g.worded(ctx, codedForeclosure, func(word string) bool { return (word != "") == p.Is })
	case index.PropertyData, index.Trust, index.Estate:
		trait := p.Field.String()
		return g.worded(ctx, codedTraits, func(word string) bool { return hasValue(word, trait) == p.Is })
	}
	return nil, fmt.Errorf("embedded engine: the presence of %v is not known", p.Field)
}

func (g *snapshot) box(b index.Box) condition {
	return func(ctx context.Context, chunk int, bits []uint64) error {
		latitudes, err := readColumn[float64](ctx, g, index.Latitude.String(), chunk)
		if err != nil {
			return err
		}
		longitudes, err := readColumn[float64](ctx, g, index.Longitude.String(), chunk)
		if err != nil {
			return err
		}
		crosses := b.West > b.East // the antimeridian
		for row, latitude := range latitudes {
			if !(latitude >= b.South && latitude <= b.North) { // nor NaN
				continue
			}
			east, west := longitudes[row] <= b.East, longitudes[row] >= b.West
			if east && west || crosses && (east || west) {
				bits[row/64] |= 1 << (row % 64)
			}
		}
		return nil
	}
}
