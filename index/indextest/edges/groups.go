// Package edges holds the filings that tests of engines need beside plausible ones: filings made by hand, a group for each
// rule of the decisions, with filters and the ids that they must select; and fuzzed ones, which are synthetic filings with
// edge values. It refuses to know engines, and how their responses are compared.
package edges

import "filings/index"

// Groups returns a Group for each rule, their filings marked and with different ids.
func Groups() []Group {
	groups := []Group{
		countyGroup(), cityGroup(), typeGroup(), dayGroup(), amountGroup(), acresGroup(), propertyGroup(),
		propertyDataGroup(), equityGroup(), foreclosureGroup(), boxGroup(), antimeridianGroup(),
		searchGroup(), shortGroup(), characterGroup(), controlGroup(), longGroup(), createdGroup(), ownerKindGroup(),
	}
	for n, g := range groups {
		for _, f := range g.Filings {
			f.ID += int64(1000 * (n + 1))
			f.SetText(index.FilingHolder, g.Rule) // in the record, to see in a failure where a filing belongs
		}
		for _, c := range g.Cases {
			for i := range c.Want {
				c.Want[i] += int64(1000 * (n + 1))
			}
		}
	}
	return groups
}

// Mark returns the predicate that selects the filings of g, and makes them match it. Nothing searches filing types,
// so that the mark disturbs no rule but P8, whose filings are marked by a date.
func (g Group) Mark() index.Predicate {
	if g.Rule == "P8" {
		for _, f := range g.Filings {
			f.SetText(index.FilingDate, "1808-08-08")
		}
		return index.Days{From: "1808-08-08", To: "1808-08-08"}
	}
	for _, f := range g.Filings {
		f.SetText(index.FilingType, "Mark "+g.Rule)
	}
	return index.AnyOf{Fields: []index.Field{index.FilingType}, Values: []string{index.Fold("Mark " + g.Rule)}}
}
