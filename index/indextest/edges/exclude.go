package edges

import (
	"math"
	"slices"
	"strings"

	"filings/index"
)

// noneOf selects the filings with none of the values in a field, folded as service does.
func noneOf(field index.Field, vs ...string) index.Filter {
	folded := make([]string, len(vs))
	for i, v := range vs {
		folded[i] = index.Fold(v)
	}
	return index.Where(index.Not{Predicate: index.AnyOf{Fields: []index.Field{field}, Values: folded}})
}

func excludedTypesGroup() Group {
	longest := strings.Repeat("😀", index.MaxText)
	filing := func(id int64, kind string) *index.Filing { return Filing(id, Values{index.FilingType: kind}) }
	return Group{"X11 types", []*index.Filing{
		filing(1, "Tax Lien"),
		filing(2, "TAX LIEN"),
		filing(3, "Municipal Lien"),
		filing(4, "Tax Lien Release"),
		Filing(5, nil),
		filing(6, "ẞ İ"),
		filing(7, longest),
	}, []Case{
		{"any case, and the missing stay", noneOf(index.FilingType, "tax LIEN"), []int64{3, 4, 5, 6, 7}},
		{"several", noneOf(index.FilingType, "tax lien", "municipal lien", "ẞ İ"), []int64{4, 5, 7}},
		{"unknown", noneOf(index.FilingType, "no such", "*", ""), []int64{1, 2, 3, 4, 5, 6, 7}},
		{"no value at all", noneOf(index.FilingType), []int64{1, 2, 3, 4, 5, 6, 7}},
		{"the longest value", noneOf(index.FilingType, longest), []int64{1, 2, 3, 4, 5, 6}},
		{"longer than any value", noneOf(index.FilingType, longest+longest), []int64{1, 2, 3, 4, 5, 6, 7}},
		{"selected and excluded", Both(AnyOf(index.FilingType, "tax lien", "municipal lien"), noneOf(index.FilingType, "tax lien")), []int64{3}},
		{"the same", Both(AnyOf(index.FilingType, "tax lien"), noneOf(index.FilingType, "tax lien")), nil},
	}}
}

func excludedCategoriesGroup() Group {
	categories := func(id int64, c ...string) *index.Filing { return Filing(id, Values{index.Categories: c}) }
	return Group{"X11 categories", []*index.Filing{
		categories(1, "residential"),
		categories(2, "residential", "land"),
		categories(3, "commercial", "multi_family", "land"),
		categories(4),
		Filing(5, Values{index.PropertyClassification: "land"}),
	}, []Case{
		{"any of several", noneOf(index.Categories, "land"), []int64{1, 4, 5}},
		{"two", noneOf(index.Categories, "land", "residential"), []int64{4, 5}},
		{"all four: the missing stay", noneOf(index.Categories, index.CategoryValues...), []int64{4, 5}},
		{"selected and excluded", Both(AnyOf(index.Categories, "land"), noneOf(index.Categories, "residential")), []int64{3}},
	}}
}

func excludedCountiesGroup() Group {
	county := func(id int64, name string) *index.Filing { return Filing(id, Values{index.County: name}) }
	return Group{"X11 counties", []*index.Filing{
		county(1, "Orange, FL"),
		county(2, "Orange, CA"),
		county(3, "ORANGE, FL"),
		county(4, "Orange Park, FL"),
		county(5, "DoÑa Ana, NM"),
		county(6, "St. Mary, of the Lake, LA"),
	}, []Case{
		{"of one state, in any case", noneOf(index.County, "orange, FL"), []int64{2, 4, 5, 6}},
		{"several, beyond ASCII", noneOf(index.County, "Orange, FL", "Doña Ana, NM"), []int64{2, 4, 6}},
		{"of another state", noneOf(index.County, "Orange, TX"), []int64{1, 2, 3, 4, 5, 6}},
		{"a name with a comma", noneOf(index.County, "st. mary, of the lake, la"), []int64{1, 2, 3, 4, 5}},
		{"of every state", noneOf(index.CountyName, "orange"), []int64{4, 5, 6}},
		{"a name that has a state in it", noneOf(index.CountyName, "orange, fl", "st. mary, of the lake"), []int64{1, 2, 3, 4, 5}},
		{"all of a name but those of a state", Both(index.Where(index.InCounty("Orange")), noneOf(index.County, "Orange, FL")), []int64{2}},
	}}
}

// holderGroup has the only filings whose holders no mark is written into (Groups).
func holderGroup() Group {
	longest := strings.Repeat("😀", index.MaxText)
	holder := func(id int64, name string) *index.Filing { return Filing(id, Values{index.FilingHolder: name}) }
	return Group{holderRule, []*index.Filing{
		holder(1, "Sample Fund, LLC"),
		holder(2, "SAMPLE FUND, LLC"),
		holder(3, "Sample Fund"),
		holder(4, "ẞ İ"),
		holder(5, longest),
		Filing(6, nil),
	}, []Case{
		{"any case", AnyOf(index.FilingHolder, "sample fund, llc"), []int64{1, 2}},
		{"no part of a name", AnyOf(index.FilingHolder, "sample"), nil},
		{"beyond ASCII", AnyOf(index.FilingHolder, "ẞ İ"), []int64{4}},
		{"the longest value", AnyOf(index.FilingHolder, longest), []int64{5}},
		{"longer than any value", AnyOf(index.FilingHolder, longest+longest), nil},
		{"excluded in any case, and the missing stay", noneOf(index.FilingHolder, "SAMPLE fund, llc"), []int64{3, 4, 5, 6}},
		{"several excluded", noneOf(index.FilingHolder, "sample fund", longest, "no such"), []int64{1, 2, 4, 6}},
	}}
}

func ownerGroup() Group {
	longest := strings.Repeat("😀", index.MaxText-1) + "x"
	owner := func(id int64, name string) *index.Filing { return Filing(id, Values{index.Owner: name}) }
	of := func(name string) index.Filter { return AnyOf(index.OwnerKey, index.OwnerKeyOf(name)) }
	return Group{"X26", []*index.Filing{
		owner(1, "ROWANGATE, FRANCIS"),
		owner(2, "Francis Rowangate"),
		owner(3, "Rowangate Francis"),
		owner(4, "Röwangate,Francis."),
		owner(5, "Fern & Ash, L.L.C."),
		owner(6, "FERN AND ASH LLC"),
		owner(7, "Fern and Ash"),
		owner(8, "--"),
		owner(9, longest),
		Filing(10, nil),
		owner(11, "l l c"),
		owner(12, "C, L L"), // whose key is how the one before is written
		owner(13, strings.Repeat("ﷺ", index.MaxText)),
	}, []Case{
		{"however it is written", of("francis rowangate"), []int64{1, 2, 4}},
		{"the order of words counts", of("ROWANGATE FRANCIS"), []int64{3}},
		{"legal forms", of("Fern + Ash Limited Liability Company"), []int64{5, 6}},
		{"another legal form, or none", of("fern and ash"), []int64{7}},
		{"no part of a name", of("fern"), nil},
		{"the longest name", of(longest), []int64{9}},
		{"a name that becomes longer", of(strings.Repeat("ﷺ", index.MaxText)), []int64{13}},
		{"a key that is written like another owner", of("C, L L"), []int64{12}},
		{"a writing that is another's key", of("l l c"), []int64{11}},
	}}
}

const holderRule = "X31"

// idsGroup tries ids of its own filings, and of none. All but the last one that there can be are moved with them (Groups).
func idsGroup() Group {
	g := Group{Rule: "X10"}
	var all []int64
	for id := int64(1); id <= 120; id++ {
		g.Filings = append(g.Filings, Filing(id, Values{index.Owner: "OWNER", index.FilingAmount: int(id % 7)}))
		all = append(all, id)
	}
	with := func(ids ...int64) index.Filter { return index.Where(index.IDs{IDs: ids}) }
	low := 3.0
	g.Cases = []Case{
		{"one", with(7), []int64{7}},
		{"several, and the same one twice", with(9, 3, 120, 9), []int64{3, 9, 120}},
		{"some are no filing's", with(5, 999, math.MaxInt64, 1<<32+7, 1<<53+1), []int64{5}},
		{"all are no filing's", with(999, math.MaxInt64), nil},
		{"a hundred", with(slices.Clone(all[10:110])...), all[10:110]},
		{"narrowed", Both(with(6, 7, 8, 13), Between(index.FilingAmount, &low, nil)), []int64{6, 13}},
		{"twice narrowed", Both(with(6, 7, 8), with(7, 8, 9)), []int64{7, 8}},
	}
	for i, c := range g.Cases { // which are moved
		g.Cases[i].Want = slices.Clone(c.Want)
	}
	return g
}

// moved returns w with ids moved as those of a group's filings are.
func moved(w index.Filter, by int64) index.Filter {
	var all []index.Predicate
	for _, p := range w.Predicates() {
		switch of := p.(type) {
		case index.IDs:
			ids := slices.Clone(of.IDs)
			for i := range ids {
				if ids[i] != math.MaxInt64 {
					ids[i] += by
				}
			}
			p = index.IDs{IDs: ids}
		case index.Rest:
			of.ID += by
			p = of
		}
		all = append(all, p)
	}
	return index.Where(all...)
}
