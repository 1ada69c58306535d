package columns

import (
	"slices"
	"strings"

	"filings/index"
)

// coded is the table of the columns that are looked up by word. A row holds one word, "" where the filing has none; a
// word may list several values (see joined). A column that belongs to a field has its name.
var coded = [...]codedField{
	codedDate:   {"filingDate", text(index.FilingDate)},
	codedCounty: {"county", text(index.County)},
	{"city", func(_ *index.Filing, d *index.Derived) string { return d.City }},
	{"filingType", folded(index.FilingType)},
	{"propertyClassification", folded(index.PropertyClassification)},
	{"categories", func(f *index.Filing, _ *index.Derived) string { return index.Fold(joined(f.Categories)) }},
	{"foreclosureStatus", folded(index.ForeclosureStatus)},
	{"dateRange", text(index.DateRange)},
	codedTraits: {"traits", traits},
}

type codedField struct {
	name string
	word func(*index.Filing, *index.Derived) string
}

// Positions in coded.
const (
	codedDate   = 0
	codedCounty = 1
	codedTraits = 8
)

// numbers is the table of the columns of numbers; NaN is a missing one.
var numbers = [...]struct {
	field index.Field
	value func(*index.Filing, *index.Derived) (float64, bool)
}{
	numberFilingAmount: {index.FilingAmount, number(index.FilingAmount)},
	{index.CurrentAmount, number(index.CurrentAmount)},
	numberLatitude:  {index.Latitude, number(index.Latitude)},
	numberLongitude: {index.Longitude, number(index.Longitude)},
	{index.LotSizeAcres, number(index.LotSizeAcres)},
	{index.EquityPercent, func(_ *index.Filing, d *index.Derived) (float64, bool) { return d.EquityPercent, d.HasEquity }},
}

// Positions in numbers.
const (
	numberFilingAmount = 0
	numberLatitude     = 2
	numberLongitude    = 3
)

// numberOf returns the position of field in numbers, -1 if it has no column of numbers.
func numberOf(field index.Field) int {
	for i, c := range numbers {
		if c.field == field {
			return i
		}
	}
	return -1
}

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
	if d.PropertyData {
		hold = append(hold, index.PropertyData.String())
	}
	if d.Trust {
		hold = append(hold, index.Trust.String())
	}
	if d.Estate {
		hold = append(hold, index.Estate.String())
	}
	return joined(hold)
}

// valueEnd separates the values of a word. No text of a filing contains it (rule L4).
const valueEnd = "\x00"

func joined(values []string) string { return strings.Join(values, valueEnd) }

// listed returns the values that word lists.
func listed(word string) []string {
	if word == "" {
		return nil
	}
	return strings.Split(word, valueEnd)
}

// lists reports whether word lists v.
func lists(word, v string) bool { return slices.Contains(listed(word), v) }
