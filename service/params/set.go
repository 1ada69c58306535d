package params

import (
	"slices"
	"time"

	"filings/index"
)

// The setters that several rows have, and those of more than one line. Rows have others themselves.

// equal selects filings of which one of the fields equals one of the values. Rows of the same
// fields select together: filing_type and filing_types are any of all.
func equal(b *builder, v value) {
	i := slices.IndexFunc(b.equal, func(e index.AnyOf) bool { return slices.Equal(e.Fields, v.row.fields) })
	if i < 0 {
		i = len(b.equal)
		b.equal = append(b.equal, index.AnyOf{Fields: v.row.fields})
	}
	b.equal[i].Values = append(b.equal[i].Values, foldAll(v.items())...)
	b.equal[i].Lists = append(b.equal[i].Lists, foldLists(v.lists)...)
}

// equalKnown is equal, of values that filings of the generation should have (rule X63).
func equalKnown(b *builder, v value) {
	b.names(v, false)
	equal(b, v)
}

// exclude leaves out filings of which one of the fields equals one of the values.
func exclude(b *builder, v value) {
	b.names(v, true)
	b.predicates = append(b.predicates, index.Not{Predicate: index.AnyOf{Fields: v.row.fields, Values: foldAll(v.texts),
		Lists: foldLists(v.lists)}})
}

func foldAll(values []string) []string {
	folded := make([]string, len(values))
	for i, v := range values {
		folded[i] = index.Fold(v)
	}
	return folded
}

func foldLists(lists []index.List) (folded []index.List) {
	for _, list := range lists {
		folded = append(folded, index.List{Text: index.Fold(list.Text), Separator: list.Separator})
	}
	return folded
}

// inCounty selects filings of any of the counties, or of every county of such a name.
func inCounty(b *builder, v value) {
	b.names(v, false)
	b.request.County = v.text
	b.predicates = append(b.predicates, index.InCounty(v.items()...))
}

// atAddress selects filings whose address has all parts of one of the values.
func atAddress(b *builder, v value) {
	var patterns []string
	for _, text := range v.texts {
		patterns = append(patterns, index.AddressPatterns(text)...)
	}
	b.predicates = append(b.predicates, index.AnyOf{Fields: v.row.fields, Values: patterns})
}

func anyID(b *builder, v value) { b.predicates = append(b.predicates, index.IDs{IDs: v.ids}) }

func contains(b *builder, v value) {
	b.predicates = append(b.predicates, index.Contains{Text: index.SearchText(v.text)})
}

// present selects filings that have the field; "false" is no filter.
func present(b *builder, v value) {
	if v.text == "true" {
		b.predicates = append(b.predicates, index.Present{Field: v.row.fields[0]})
	}
}

// placed selects filings that lie anywhere in the world, or those that do not.
func placed(b *builder, v value) {
	var anywhere index.Predicate = index.Box{North: 90, South: -90, East: 180, West: -180}
	if v.text != "true" {
		anywhere = index.Not{Predicate: anywhere}
	}
	b.predicates = append(b.predicates, anywhere)
}

func foreclosure(b *builder, v value) {
	field := v.row.fields[0]
	switch v.text {
	case "show":
		b.predicates = append(b.predicates, index.Present{Field: field})
	case "hide":
		b.predicates = append(b.predicates, index.Not{Predicate: index.Present{Field: field}})
	case "active":
		b.predicates = append(b.predicates, index.AnyOf{Fields: []index.Field{field}, Values: b.active})
	}
}

func (b *builder) rangeOf(field index.Field) *bounds {
	i := slices.IndexFunc(b.ranges, func(r bounds) bool { return r.Field == field })
	if i < 0 {
		i = len(b.ranges)
		b.ranges = append(b.ranges, bounds{Range: index.Range{Field: field}})
	}
	return &b.ranges[i]
}

// atLeast selects filings whose field is the number or more. The least number of filings that is
// not below it selects the same ones.
func atLeast(b *builder, v value) {
	r, least := b.rangeOf(v.row.fields[0]), v.decimal.Least()
	r.Min, r.minName, r.min = &least, v.name, v.decimal
}

// atMost selects filings whose field is the number or less.
func atMost(b *builder, v value) {
	r, greatest := b.rangeOf(v.row.fields[0]), v.decimal.Greatest()
	r.Max, r.maxName, r.max = &greatest, v.name, v.decimal
}

// recorded narrows the days of recording to the later start and the earlier end (rule P9); "" is no
// bound. Days as text compare like days.
func (b *builder) recorded(start, end string) {
	b.days.First = max(b.days.First, start)
	if b.days.Last == "" || end != "" && end < b.days.Last {
		b.days.Last = end
	}
}

func addedSince(b *builder, v value) { b.added.First = v.day }

func addedUntil(b *builder, v value) { b.added.Last = v.end }

func lastDays(b *builder, v value) {
	b.request.DependsOnDay = true
	b.recorded(b.now.AddDate(0, 0, -int(v.integer)).Format(time.DateOnly), "")
}

func inMonth(b *builder, v value) {
	b.recorded(v.day.Format(time.DateOnly), v.day.AddDate(0, 1, -1).Format(time.DateOnly))
}

func firstDay(b *builder, v value) {
	b.start = v.day.Format(time.DateOnly)
	b.recorded(b.start, "")
}

func lastDay(b *builder, v value) {
	b.end = v.day.Format(time.DateOnly)
	b.recorded("", b.end)
}

func center(b *builder, v value) {
	point := v.corners[0]
	b.center = &index.Point{Latitude: point.Latitude.Nearest, Longitude: point.Longitude.Nearest}
}

func groupBy(b *builder, v value) {
	for _, name := range v.texts {
		b.request.Groups.Dimensions = append(b.request.Groups.Dimensions, index.Dimension(slices.Index(v.row.Choices, name)))
	}
}

// onlyFields sets the fields of each record.
func onlyFields(b *builder, v value) {
	b.request.Fields = index.SetOf(fieldsOf(v.texts)...)
	b.request.Query.IDsOnly = b.request.Fields == index.SetOf()
}

// fieldsOf are the fields of these names.
func fieldsOf(names []string) []index.Field {
	fields := make([]index.Field, len(names))
	known := index.Fields()
	for i, name := range names {
		named := func(f index.Field) bool { return f.String() == name } // one of fieldNames
		fields[i] = known[slices.IndexFunc(known, named)]
	}
	return fields
}

// names notes that v names values of filings (rule X63).
func (b *builder) names(v value, excluded bool) {
	b.request.Named = append(b.request.Named, Named{v.name, v.row.fields[0], v.items(), v.lists, excluded})
}
