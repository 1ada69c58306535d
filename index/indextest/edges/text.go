package edges

import (
	"strings"

	"filings/index"
)

// hostile are values that mean something to a query language, a pattern, a path or a C string. They are ordinary text.
var hostile = []string{`*`, `?`, `%`, `_`, `\`, `"`, `'`, `' OR 1=1 --`, `{"match_all":{}}`, `[a TO b]`, `a*`, `/./`, "\x01", "x\x7fy"}

func countyGroup() Group {
	county := func(id int64, name string) *index.Filing { return Filing(id, Values{index.County: name}) }
	in := func(name string) index.Filter { return index.Where(index.InCounty(name)) }
	return Group{"P6", []*index.Filing{
		county(1, "Orange, FL"),
		county(2, "Orange, CA"),
		county(3, "ORANGE, FL"),
		county(4, "Orange Park, FL"),
		county(5, "St. John's, FL"),
		county(6, "DoÑa Ana, NM"),
		county(7, "Aleutians West, AK"),
	}, []Case{
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

func cityGroup() Group {
	address := func(id int64, a string) *index.Filing { return Filing(id, Values{index.PropertyAddress: a}) }
	g := Group{"P7", []*index.Filing{
		Filing(1, Values{index.City: "Sample Springs", index.PropertyAddress: "1 Elm St, Elsewhere, FL 32801"}),
		address(2, "2 Elm St, Sample Springs, FL"),
		address(3, "3 Elm St, SAMPLE SPRINGS , FL 32801-1234"),
		address(4, "4 Elm St, Unit 5, Sample Springs, fl  32801"),
		address(5, "5 Elm St, Sample Springs"),
		address(6, "6 Elm St, Sample Springs, Florida"),
		address(7, "7 Elm St"),
		Filing(8, Values{index.City: "sample springs north"}),
		Filing(9, Values{index.City: "ÉVREMONDE"}),
		address(10, "10 Elm St, Elsewhere, FL 32801"),
	}, []Case{
		{"as loaded or from the address", AnyOf(index.City, "Sample Springs"), []int64{1, 2, 3, 4}},
		{"the loaded one goes first", AnyOf(index.City, "Elsewhere"), []int64{10}},
		{"any case beyond ASCII", AnyOf(index.City, "évremonde"), []int64{9}},
		{"no part of a name", AnyOf(index.City, "Springs"), nil},
	}}
	return withHostile(g, index.City)
}

// withHostile adds a filing and a case for each hostile value in field.
func withHostile(g Group, field index.Field) Group {
	for i, v := range hostile {
		id := int64(500 + i)
		g.Filings = append(g.Filings, Filing(id, Values{field: v}))
		g.Cases = append(g.Cases, Case{"hostile " + v, AnyOf(field, v), []int64{id}})
	}
	return g
}

func typeGroup() Group {
	longest := strings.Repeat("😀", index.MaxText)
	return withHostile(Group{"P8", []*index.Filing{
		Filing(1, Values{index.FilingType: "Tax Lien"}),
		Filing(2, Values{index.FilingType: "TAX LIEN"}),
		Filing(3, Values{index.FilingType: "Municipal Lien"}),
		Filing(4, Values{index.FilingType: "Tax Lien Release"}),
		Filing(5, nil),
		Filing(6, Values{index.FilingType: "STRASSE ẞ İ Σ"}),
		Filing(7, Values{index.FilingType: longest}),
		Filing(8, Values{index.FilingType: longest[4:]}),
	}, []Case{
		{"any case", AnyOf(index.FilingType, "tax lien"), []int64{1, 2}},
		{"any of them", AnyOf(index.FilingType, "tax lien", "municipal lien"), []int64{1, 2, 3}},
		{"one twice", AnyOf(index.FilingType, "tax lien", "tax lien"), []int64{1, 2}},
		{"an unknown one beside", AnyOf(index.FilingType, "tax lien", "no such"), []int64{1, 2}},
		{"unknown", AnyOf(index.FilingType, "no such"), nil},
		{"lower case character by character", AnyOf(index.FilingType, "STRASSE ẞ İ Σ"), []int64{6}},
		{"no full case folding", AnyOf(index.FilingType, "strasse ss i̇ ς"), nil},
		{"the longest value", AnyOf(index.FilingType, longest), []int64{7}},
		{"longer than any value", AnyOf(index.FilingType, longest+longest), nil},
	}}, index.FilingType)
}

func propertyGroup() Group {
	categories := func(id int64, c ...string) *index.Filing { return Filing(id, Values{index.Categories: c}) }
	class := func(id int64, c string) *index.Filing { return Filing(id, Values{index.PropertyClassification: c}) }
	either := func(v string) index.Filter {
		fields := []index.Field{index.PropertyClassification, index.Categories}
		return index.Where(index.AnyOf{Fields: fields, Values: []string{index.Fold(v)}})
	}
	return Group{"P11", []*index.Filing{
		categories(1, "residential"),
		categories(2, "residential", "land"),
		categories(3, "commercial", "multi_family", "land"),
		categories(4),
		class(5, "Residential"),
		class(6, "Vacant Land"),
		Filing(7, Values{index.PropertyClassification: "Commercial", index.Categories: []string{"land"}}),
	}, []Case{
		{"one category", AnyOf(index.Categories, "land"), []int64{2, 3, 7}},
		{"any of two", AnyOf(index.Categories, "residential", "multi_family"), []int64{1, 2, 3}},
		{"all four", AnyOf(index.Categories, index.CategoryValues...), []int64{1, 2, 3, 7}},
		{"both", Both(AnyOf(index.Categories, "residential"), AnyOf(index.Categories, "land")), []int64{2}},
		{"property_type by class or category", either("RESIDENTIAL"), []int64{1, 2, 5}},
		{"property_type by either", either("commercial"), []int64{3, 7}},
		{"property_type outside the four", either("vacant land"), []int64{6}},
		{"property_type is whole", either("vacant"), nil},
	}}
}

func foreclosureGroup() Group {
	status := func(id int64, s string) *index.Filing { return Filing(id, Values{index.ForeclosureStatus: s}) }
	return Group{"P14", []*index.Filing{
		status(1, "Active"),
		status(2, "Notice of Default"),
		status(3, "Released"),
		Filing(4, nil),
		status(5, " "),
	}, []Case{
		{"show", present(index.ForeclosureStatus, true), []int64{1, 2, 3, 5}},
		{"hide", present(index.ForeclosureStatus, false), []int64{4}},
		{"active", AnyOf(index.ForeclosureStatus, "active", "notice of default", "auction"), []int64{1, 2}},
		{"none active", AnyOf(index.ForeclosureStatus), nil},
		{"show and hide", Both(present(index.ForeclosureStatus, true), present(index.ForeclosureStatus, false)), nil},
	}}
}
