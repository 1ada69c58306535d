package embedded

import (
	"slices"
	"strings"

	"filings/index"
)

// coded is the table of the columns that are looked up by word. A row holds one word, "" where the filing has none; a
// word may list several values (see joined).
var coded = [...]struct {
	column string
	word   func(*index.Filing, *index.Derived) string
}{
	codedDate:           {"filingDate", text(index.FilingDate)},
	codedCounty:         {"county", text(index.County)},
	codedCity:           {"city", func(_ *index.Filing, d *index.Derived) string { return d.City }},
	codedType:           {"filingType", folded(index.FilingType)},
	codedClassification: {"propertyClassification", folded(index.PropertyClassification)},
	codedCategories:     {"categories", func(f *index.Filing, _ *index.Derived) string { return index.Fold(joined(f.Categories)) }},
	codedForeclosure:    {"foreclosureStatus", folded(index.ForeclosureStatus)},
	codedDateRange:      {"dateRange", text(index.DateRange)},
	codedTraits:         {"traits", traits},
}

const (
	codedDate = iota
	codedCounty
	codedCity
	codedType
	codedClassification
	codedCategories
	codedForeclosure
	codedDateRange
	codedTraits
	numCoded
)

// numberFilingAmount is the place of FilingAmount in numbers.
const numberFilingAmount = 0

// numbers is the table of the columns of numbers; NaN is a missing one.
var numbers = [...]struct {
	field index.Field
	value func(*index.Filing, *index.Derived) (float64, bool)
}{
	numberFilingAmount: {index.FilingAmount, number(index.FilingAmount)},
	{index.CurrentAmount, number(index.CurrentAmount)},
	{index.Latitude, number(index.Latitude)},
	{index.Longitude, number(index.Longitude)},
	{index.LotSizeAcres, number(index.LotSizeAcres)},
	{index.EquityPercent, func(_ *index.Filing, d *index.Derived) (float64, bool) { return d.EquityPercent, d.HasEquity }},
}

const numNumbers = len(numbers)

func text(field index.Field) func(*index.Filing, *index.Derived) string {
	return func(f *index.Filing, _ *index.Derived) string { return f.Text(field) }
}

func folded(field index.Field) func(*index.Filing, *index.Derived) string {
	return func(f *index.Filing, _ *index.Derived) string { return index.Fold(f.Text(field)) }
}

func number(field index.Field) func(*index.Filing, *index.Derived) (float64, bool) {
	return func(f *index.Filing, _ *index.Derived) (float64, bool) { return f.Number(field) }
}

// traits lists which of the yes-or-no fields hold.
func traits(_ *index.Filing, d *index.Derived) string {
	var hold []string
	for _, trait := range [...]struct {
		field index.Field
		holds bool
	}{{index.PropertyData, d.PropertyData}, {index.Trust, d.Trust}, {index.Estate, d.Estate}} {
		if trait.holds {
			hold = append(hold, trait.field.String())
		}
	}
	return joined(hold)
}

// valueEnd separates the values of a word. No text of a filing contains it (rule L4).
const valueEnd = "\x00"

func joined(values []string) string { return strings.Join(values, valueEnd) }

// values returns what word lists.
func values(word string) []string {
	if word == "" {
		return nil
	}
	return strings.Split(word, valueEnd)
}

// hasValue reports whether word lists v.
func hasValue(word, v string) bool { return slices.Contains(values(word), v) }
