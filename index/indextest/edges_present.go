package indextest

import "filings/index"

// propertyDataGroup has a filing with every free and enterprise field, and one for each pro field alone.
func propertyDataGroup() group {
	g := group{rule: "P12"}
	all := made(1, nil)
	var pro []int64
	for _, field := range index.Fields() {
		switch tier := field.Info().Tier; {
		case tier == index.Pro:
			f := made(10+int64(field), nil)
			fill(f, field)
			g.filings = append(g.filings, f)
			pro = append(pro, f.ID)
		case field != index.ID && field.Loaded():
			fill(all, field)
		}
	}
	zero := made(2, values{index.Bedrooms: 0})
	g.filings = append(g.filings, all, zero, made(3, nil))
	g.cases = []edgeCase{
		{"true: each pro field alone, 0 too", index.Where(index.Present{Field: index.PropertyData, Is: true}), append(pro, 2)},
		{"none", index.Where(index.Present{Field: index.PropertyData}), []int64{1, 3}},
	}
	return g
}

// fill gives f a value in field.
func fill(f *index.Filing, field index.Field) {
	switch field.Info().Kind {
	case index.KindCategories:
		f.Categories = []string{"land"}
	case index.KindTime:
		f.CreatedAt = day("2026-01-01")
	case index.KindCounty:
		f.SetText(field, "Somewhere, ZZ")
	case index.KindDate:
		f.SetText(field, "2020-02-20")
	case index.KindDateRange:
		f.SetText(field, "2020-02-01 to 2020-02-29")
	case index.KindText, index.KindLongText:
		f.SetText(field, "text of "+field.String())
	default:
		f.SetNumber(field, 7)
	}
}

// ownerKindGroup holds what Derive says of owners (its own tests try the words) to what engines make of it.
func ownerKindGroup() group {
	owner := func(id int64, name string) *index.Filing { return made(id, values{index.Owner: name}) }
	is := func(field index.Field, is bool) index.Filter {
		return index.Where(index.Present{Field: field, Is: is})
	}
	return group{"A2", []*index.Filing{
		owner(1, "BIRCH FAMILY TRUST"),
		owner(2, "EST OF ALEX BIRCH"),
		owner(3, "ESTATE OF ALEX BIRCH TRUSTEE"),
		owner(4, "BIRCH REAL ESTATE LLC"),
		owner(5, "TRUSTY ESTATES INC"),
		made(6, nil),
	}, []edgeCase{
		{"trusts", is(index.Trust, true), []int64{1, 3}},
		{"estates", is(index.Estate, true), []int64{2, 3}},
		{"no trusts", is(index.Trust, false), []int64{2, 4, 5, 6}},
		{"no estates", is(index.Estate, false), []int64{1, 4, 5, 6}},
		{"both", both(is(index.Trust, true), is(index.Estate, true)), []int64{3}},
	}}
}
