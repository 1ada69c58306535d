// Package edges holds the filings that tests of engines need besides plausible ones: filings made by hand, a group for each
// rule of the decisions, with filters and the ids that they must select; and fuzzed ones, which are synthetic filings with
// edge values. It refuses to know engines, and how their responses are compared.
package edges

import "filings/index"

// Groups returns a Group for each rule, their filings marked and with different ids.
func Groups() []Group {
	groups := []Group{
		countyGroup(), cityGroup(), typeGroup(), dayGroup(), amountGroup(), countyAmountGroup(), acresGroup(), propertyGroup(),
		propertyDataGroup(), equityGroup(), foreclosureGroup(), boxGroup(), antimeridianGroup(), circleGroup(), polygonGroup(),
		searchGroup(), shortGroup(), characterGroup(), controlGroup(), longGroup(), createdGroup(), ownerKindGroup(),
		excludedTypesGroup(), excludedCategoriesGroup(), excludedCountiesGroup(), holderGroup(), ownerGroup(), idsGroup(), restGroup(),
		stateGroup(), zipGroup(), addressGroup(), currentAmountGroup(), addedGroup(),
	}
	for n, g := range groups {
		for _, f := range g.Filings {
			f.ID += int64(1000 * (n + 1))
			if g.Rule != holderRule {
				f.SetText(index.FilingHolder, g.Rule) // in the record, to see in a failure where a filing belongs
			}
		}
		for j, c := range g.Cases {
			g.Cases[j].Where = moved(c.Where, int64(1000*(n+1)))
			for i := range c.Want {
				c.Want[i] += int64(1000 * (n + 1))
			}
		}
	}
	return groups
}

// Mark returns the predicate that selects the filings of g, and makes them match it. Nothing searches filing types,
// so that the mark disturbs no rule but P8 and its opposite, whose filings are marked by dates.
func (g Group) Mark() index.Predicate {
	if day := map[string]string{"P8": "1808-08-08", "X11 types": "1811-11-11"}[g.Rule]; day != "" {
		for _, f := range g.Filings {
			f.SetText(index.FilingDate, day)
		}
		return index.Days{First: day, Last: day}
	}
	for _, f := range g.Filings {
		f.SetText(index.FilingType, "Mark "+g.Rule)
	}
	return index.AnyOf{Fields: []index.Field{index.FilingType}, Values: []string{index.Fold("Mark " + g.Rule)}}
}
