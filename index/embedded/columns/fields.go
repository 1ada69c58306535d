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
	codedCity:   {"city", func(_ *index.Filing, d *index.Derived) string { return d.WrittenCity }},
	{"filingType", text(index.FilingType)},
	{"propertyClassification", text(index.PropertyClassification)},
	{"categories", func(f *index.Filing, _ *index.Derived) string { return index.Fold(joined(f.Categories)) }},
	{"foreclosureStatus", folded(index.ForeclosureStatus)},
	{"dateRange", text(index.DateRange)},
	{"filingHolder", text(index.FilingHolder)},
	codedTraits:  {"traits", traits},
	codedZIP:     {"zip", func(_ *index.Filing, d *index.Derived) string { return d.ZIP }},
	codedOwner:   {"ownerKey", text(index.Owner)}, // a row's word lists the key too, before it; "" without a key
	codedAddress: {"addressKey", func(f *index.Filing, d *index.Derived) string { return d.AddressWord(f) }},
}

type codedField struct {
	name string
	word func(*index.Filing, *index.Derived) string
}

// isSorted reports whether words of the i-th coded column are found by their first values: there may be
// as many as filings, and a client asks for a hundred.
func isSorted(i int) bool { return i == codedZIP || i == codedOwner || i == codedAddress }

// Positions in coded.
const (
	codedDate    = 0
	codedCounty  = 1
	codedCity    = 2
	codedTraits  = 9
	codedZIP     = 10
	codedOwner   = 11
	codedAddress = 12
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
	{index.EquityPercent, equityPercent},
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

func equityPercent(_ *index.Filing, d *index.Derived) (float64, bool) {
	return d.EquityPercent, d.HasEquity
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

// dimension returns the coded column that has the keys of d, and which keys a word of it has: "" for none.
func dimension(d index.Dimension) (column string, keys func(word string) []string) {
	one := func(part func(word string) string) func(string) []string {
		return func(word string) []string { return []string{part(word)} }
	}
	whole := one(func(word string) string { return word })
	switch d {
	case index.ByState:
		return "county", one(func(county string) string { _, state := index.SplitCounty(county); return state })
	case index.ByCounty:
		return "county", whole
	case index.ByCity:
		return "city", whole
	case index.ByFilingType:
		return "filingType", whole
	case index.ByDay:
		return "filingDate", whole
	case index.ByMonth:
		return "filingDate", one(month)
	case index.ByYear:
		return "filingDate", one(func(date string) string { return date[:min(len(date), len("2006"))] })
	case index.ByPropertyClassification:
		return "propertyClassification", whole
	case index.ByHolder:
		return "filingHolder", whole
	case index.ByOwner:
		return coded[codedOwner].name, one(writtenOwner)
	case index.ByAddress:
		return coded[codedAddress].name, whole
	case index.ByDateRange:
		return "dateRange", whole
	}
	return "categories", func(word string) []string {
		if word == "" {
			return []string{""}
		}
		return slices.Compact(slices.Sorted(slices.Values(listed(word))))
	}
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

func lists(word, v string) bool { return slices.Contains(listed(word), v) }

// writtenOwner returns the owner as written of a word of that column.
func writtenOwner(word string) string {
	_, written, _ := strings.Cut(word, valueEnd)
	return written
}

// month returns the month of a day, "" for none.
func month(date string) string { return date[:min(len(date), len("2006-01"))] }
