package indextest

import (
	"strings"

	"filings/index"
)

// anyOf asks for values in one field, as service does: folded.
func anyOf(field index.Field, vs ...string) index.Filter {
	folded := make([]string, len(vs))
	for i, v := range vs {
		folded[i] = index.Fold(v)
	}
	return index.Where(index.AnyOf{Fields: []index.Field{field}, Values: folded})
}

// both returns the filter of the predicates of two.
func both(a, b index.Filter) index.Filter { return a.And(b.Predicates()...) }

// hostile are values that mean something to a query language, a pattern, a path or a C string. They are ordinary text.
var hostile = []string{`*`, `?`, `%`, `_`, `\`, `"`, `'`, `' OR 1=1 --`, `{"match_all":{}}`, `[a TO b]`, `a*`, `/./`, "\x01", "x\x7fy"}

func countyGroup() group {
	county := func(id int64, name string) *index.Filing { return made(id, values{index.County: name}) }
	in := func(name string) index.Filter { return index.Where(index.InCounty(name)) }
	return group{"P6", []*index.Filing{
		county(1, "Orange, FL"),
		county(2, "Orange, CA"),
		county(3, "ORANGE, FL"),
		county(4, "Orange Park, FL"),
		county(5, "St. John's, FL"),
		county(6, "DoÑa Ana, NM"),
		county(7, "Aleutians West, AK"),
	}, []edgeCase{
		{"one county", in("Orange, FL"), []int64{1, 3}},
		{"any case", in("oRaNgE, fl"), []int64{1, 3}},
		{"every county of the name", in("Orange"), []int64{1, 2, 3}},
		{"name in any case", in("ORANGE"), []int64{1, 2, 3}},
		{"no prefix", in("Orang"), nil},
		{"name with blank", in("orange park"), []int64{4}},
		{"name with quote", in("st. john's"), []int64{5}},
		{"name beyond ASCII", in("doña ana"), []int64{6}},
		{"other state", in("Orange, TX"), nil},
		{"state alone", in("FL"), nil},
		{"pattern", in("Orange*"), nil},
		{"with NUL", in("orange\x00"), nil},
	}}
}

func cityGroup() group {
	address := func(id int64, a string) *index.Filing { return made(id, values{index.PropertyAddress: a}) }
	g := group{"P7", []*index.Filing{
		made(1, values{index.City: "Sample Springs", index.PropertyAddress: "1 Elm St, Elsewhere, FL 32801"}),
		address(2, "2 Elm St, Sample Springs, FL"),
		address(3, "3 Elm St, SAMPLE SPRINGS , FL 32801-1234"),
		address(4, "4 Elm St, Unit 5, Sample Springs, fl  32801"),
		address(5, "5 Elm St, Sample Springs"),
		address(6, "6 Elm St, Sample Springs, Florida"),
		address(7, "7 Elm St"),
		made(8, values{index.City: "sample springs north"}),
		made(9, values{index.City: "ÉVREMONDE"}),
		address(10, "10 Elm St, Elsewhere, FL 32801"),
	}, []edgeCase{
		{"as loaded or from the address", anyOf(index.City, "Sample Springs"), []int64{1, 2, 3, 4}},
		{"the loaded one goes first", anyOf(index.City, "Elsewhere"), []int64{10}},
		{"any case beyond ASCII", anyOf(index.City, "évremonde"), []int64{9}},
		{"no part of a name", anyOf(index.City, "Springs"), nil},
	}}
	return withHostile(g, index.City)
}

// withHostile adds a filing and a case for each hostile value in field.
func withHostile(g group, field index.Field) group {
	for i, v := range hostile {
		id := int64(500 + i)
		g.filings = append(g.filings, made(id, values{field: v}))
		g.cases = append(g.cases, edgeCase{"hostile " + v, anyOf(field, v), []int64{id}})
	}
	return g
}

func typeGroup() group {
	longest := strings.Repeat("😀", index.MaxText)
	return withHostile(group{"P8", []*index.Filing{
		made(1, values{index.FilingType: "Tax Lien"}),
		made(2, values{index.FilingType: "TAX LIEN"}),
		made(3, values{index.FilingType: "Municipal Lien"}),
		made(4, values{index.FilingType: "Tax Lien Release"}),
		made(5, nil),
		made(6, values{index.FilingType: "STRASSE ẞ İ Σ"}),
		made(7, values{index.FilingType: longest}),
		made(8, values{index.FilingType: longest[4:]}),
	}, []edgeCase{
		{"any case", anyOf(index.FilingType, "tax lien"), []int64{1, 2}},
		{"any of them", anyOf(index.FilingType, "tax lien", "municipal lien"), []int64{1, 2, 3}},
		{"one twice", anyOf(index.FilingType, "tax lien", "tax lien"), []int64{1, 2}},
		{"an unknown one beside", anyOf(index.FilingType, "tax lien", "no such"), []int64{1, 2}},
		{"unknown", anyOf(index.FilingType, "no such"), nil},
		{"lower case character by character", anyOf(index.FilingType, "STRASSE ẞ İ Σ"), []int64{6}},
		{"no full case folding", anyOf(index.FilingType, "strasse ss i̇ ς"), nil},
		{"the longest value", anyOf(index.FilingType, longest), []int64{7}},
		{"longer than any value", anyOf(index.FilingType, longest+longest), nil},
	}}, index.FilingType)
}

func propertyGroup() group {
	categories := func(id int64, c ...string) *index.Filing { return made(id, values{index.Categories: c}) }
	class := func(id int64, c string) *index.Filing { return made(id, values{index.PropertyClassification: c}) }
	either := func(v string) index.Filter {
		fields := []index.Field{index.PropertyClassification, index.Categories}
		return index.Where(index.AnyOf{Fields: fields, Values: []string{index.Fold(v)}})
	}
	return group{"P11", []*index.Filing{
		categories(1, "residential"),
		categories(2, "residential", "land"),
		categories(3, "commercial", "multi_family", "land"),
		categories(4),
		class(5, "Residential"),
		class(6, "Vacant Land"),
		made(7, values{index.PropertyClassification: "Commercial", index.Categories: []string{"land"}}),
	}, []edgeCase{
		{"one category", anyOf(index.Categories, "land"), []int64{2, 3, 7}},
		{"any of two", anyOf(index.Categories, "residential", "multi_family"), []int64{1, 2, 3}},
		{"all four", anyOf(index.Categories, index.CategoryValues...), []int64{1, 2, 3, 7}},
		{"both", both(anyOf(index.Categories, "residential"), anyOf(index.Categories, "land")), []int64{2}},
		{"property_type by class or category", either("RESIDENTIAL"), []int64{1, 2, 5}},
		{"property_type by either", either("commercial"), []int64{3, 7}},
		{"property_type outside the four", either("vacant land"), []int64{6}},
		{"property_type is whole", either("vacant"), nil},
	}}
}

func foreclosureGroup() group {
	status := func(id int64, s string) *index.Filing { return made(id, values{index.ForeclosureStatus: s}) }
	present := func(is bool) index.Filter { return index.Where(index.Present{Field: index.ForeclosureStatus, Is: is}) }
	return group{"P14", []*index.Filing{
		status(1, "Active"),
		status(2, "Notice of Default"),
		status(3, "Released"),
		made(4, nil),
		status(5, " "),
	}, []edgeCase{
		{"show", present(true), []int64{1, 2, 3, 5}},
		{"hide", present(false), []int64{4}},
		{"active", anyOf(index.ForeclosureStatus, "active", "notice of default", "auction"), []int64{1, 2}},
		{"none active", anyOf(index.ForeclosureStatus), nil},
		{"show and hide", both(present(true), present(false)), nil},
	}}
}
