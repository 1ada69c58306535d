package edges

import "filings/index"

// present selects the filings that have a value in a field, or those that have none.
func present(field index.Field, has bool) index.Filter {
	if !has {
		return index.Where(index.Not{Predicate: index.Present{Field: field}})
	}
	return index.Where(index.Present{Field: field})
}

// propertyDataGroup has a filing with every free and enterprise field, and one for each pro field alone.
func propertyDataGroup() Group {
	g := Group{Rule: "P12"}
	all := Filing(1, nil)
	var pro []int64
	for _, field := range index.Fields() {
		switch tier := field.Info().Tier; {
		case tier == index.Pro:
			f := Filing(10+int64(field), nil)
			fill(f, field)
			g.Filings = append(g.Filings, f)
			pro = append(pro, f.ID)
		case field != index.ID && field.Loaded():
			fill(all, field)
		}
	}
	zero := Filing(2, Values{index.Bedrooms: 0})
	g.Filings = append(g.Filings, all, zero, Filing(3, nil))
	g.Cases = []Case{
		{"true: each pro field alone, 0 too", present(index.PropertyData, true), append(pro, 2)},
		{"none", present(index.PropertyData, false), []int64{1, 3}},
	}
	return g
}

// fill gives f a value in field.
func fill(f *index.Filing, field index.Field) {
	switch field.Info().Kind {
	case index.KindCategories:
		f.Categories = []string{"land"}
	case index.KindTime:
		f.CreatedAt = Day("2026-01-01")
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
func ownerKindGroup() Group {
	owner := func(id int64, name string) *index.Filing { return Filing(id, Values{index.Owner: name}) }
	return Group{"A2", []*index.Filing{
		owner(1, "BIRCH FAMILY TRUST"),
		owner(2, "EST OF ALEX BIRCH"),
		owner(3, "ESTATE OF ALEX BIRCH TRUSTEE"),
		owner(4, "BIRCH REAL ESTATE LLC"),
		owner(5, "TRUSTY ESTATES INC"),
		Filing(6, nil),
	}, []Case{
		{"trusts", present(index.Trust, true), []int64{1, 3}},
		{"estates", present(index.Estate, true), []int64{2, 3}},
		{"no trusts", present(index.Trust, false), []int64{2, 4, 5, 6}},
		{"no estates", present(index.Estate, false), []int64{1, 4, 5, 6}},
		{"both", Both(present(index.Trust, true), present(index.Estate, true)), []int64{3}},
	}}
}
