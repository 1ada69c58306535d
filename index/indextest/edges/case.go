package edges

import (
	"math"

	"filings/index"
)

// Group holds what tries one rule. Its filings share a mark, and each of its cases is searched among them.
type Group struct {
	Rule    string
	Filings []*index.Filing
	Cases   []Case
}

// Case is a filter and the ids of the filings of its Group that it selects.
type Case struct {
	Name  string
	Where index.Filter
	Want  []int64
}

// InBox selects the filings in a box.
func InBox(north, south, east, west float64) index.Filter {
	return index.Where(index.Box{North: north, South: south, East: east, West: west})
}

// Box returns a box.
func Box(north, south, east, west float64) index.Box {
	return index.Box{North: north, South: south, East: east, West: west}
}

// Between selects the filings whose number in a field is in a range.
func Between(field index.Field, low, high *float64) index.Filter {
	return index.Where(index.Range{Field: field, Min: low, Max: high})
}

// Contains selects the filings in which a term is found.
func Contains(term string) index.Filter {
	return index.Where(index.Contains{Text: index.SearchText(term)})
}

// AnyOf selects the filings with one of the values in a field, folded as service does.
func AnyOf(field index.Field, vs ...string) index.Filter {
	folded := make([]string, len(vs))
	for i, v := range vs {
		folded[i] = index.Fold(v)
	}
	return index.Where(index.AnyOf{Fields: []index.Field{field}, Values: folded})
}

// Addresses selects the filings whose address has all parts of one of these, as the service does.
func Addresses(texts ...string) index.Predicate {
	p := index.AnyOf{Fields: []index.Field{index.AddressKey}}
	for _, text := range texts {
		p.Values = append(p.Values, index.AddressPatterns(text)...)
	}
	return p
}

// Both returns the filter of the predicates of two.
func Both(a, b index.Filter) index.Filter { return a.And(b.Predicates()...) }

var negativeZero = math.Copysign(0, -1)

func dayGroup() Group {
	date := func(id int64, d string) *index.Filing { return Filing(id, Values{index.FilingDate: d}) }
	days := func(from, to string) index.Filter { return index.Where(index.Days{First: from, Last: to}) }
	return Group{"P9", []*index.Filing{
		date(1, "2023-12-31"),
		date(2, "2024-01-01"),
		date(3, "2024-02-29"),
		date(4, "2024-03-01"),
		date(5, "1600-01-01"),
		date(6, "2999-12-31"),
		Filing(7, nil),
		date(8, "1969-12-31"),
	}, []Case{
		{"both ends inside", days("2024-01-01", "2024-03-01"), []int64{2, 3, 4}},
		{"one day", days("2024-02-29", "2024-02-29"), []int64{3}},
		{"no upper end", days("2024-02-29", ""), []int64{3, 4, 6}},
		{"no lower end", days("", "1969-12-31"), []int64{5, 8}},
		{"first and last day", days("1600-01-01", "2999-12-31"), []int64{1, 2, 3, 4, 5, 6, 8}},
		{"before the first day", days("", "1599-12-31"), nil},
		{"more years than there are", days("0001-01-01", "9999-12-31"), []int64{1, 2, 3, 4, 5, 6, 8}},
		{"narrowed", Both(days("2024-01-01", ""), days("", "2024-02-29")), []int64{2, 3}},
		{"narrowed to nothing", Both(days("2024-03-01", ""), days("", "2024-02-29")), nil},
		{"start after end", days("2024-03-01", "2024-01-01"), nil},
	}}
}
