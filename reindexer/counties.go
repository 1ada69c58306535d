package reindexer

import (
	"maps"
	"slices"

	"filings/index"
	"filings/index/sidecar"
)

// byCounty counts differences by county (rule X41), one that is written in several cases under the
// writing of the most. Removed filings count where they were, others where they are; a county that
// changed ones leave has them as changed, too.
func byCounty(d *sidecar.Differences) map[string]*Changes {
	sums, names := map[string]sidecar.CountyDifferences{}, map[string]string{}
	for _, county := range slices.Sorted(maps.Keys(d.Counties)) {
		c, folded := d.Counties[county], index.Fold(county)
		sum, most := sums[folded], d.Counties[names[folded]]
		if total(c) > total(most) {
			names[folded] = county
		}
		sums[folded] = sidecar.CountyDifferences{
			Added: sum.Added + c.Added, Left: sum.Left + c.Left,
			Changed: sum.Changed + c.Changed, Removed: sum.Removed + c.Removed,
		}
	}
	changes := map[string]*Changes{}
	for folded, c := range sums {
		changes[names[folded]] = &Changes{c.Added, max(c.Left, c.Changed), c.Removed}
	}
	return changes
}

// total is of a county as it is written.
func total(c sidecar.CountyDifferences) int64 { return c.Added + c.Left + c.Changed + c.Removed }

// countyCounts are those of the report.
func (r *running) countyCounts() map[string]CountyCounts {
	counts := map[string]CountyCounts{}
	if r.counties != nil {
		for county, changes := range r.counties {
			counts[county] = CountyCounts{r.counts.Counties[county].Filings, changes}
		}
		return counts
	}
	for county, c := range r.counts.Counties {
		var changes *Changes
		if r.lock != nil && r.previous == "" {
			changes = &Changes{Added: c.Filings}
		}
		if c.Filings > 0 {
			counts[county] = CountyCounts{c.Filings, changes}
		}
	}
	return counts
}
