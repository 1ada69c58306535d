package reindexer

import (
	"context"
	"fmt"
	"slices"

	"filings/index"
	"filings/index/sidecar"
)

// countedAtOnce is how many filings a request counts by county: as many ids as Elasticsearch takes
// are some more.
const countedAtOnce = 50_000

// countChanges counts by county what differs between the live generation and the one that is built
// (rule X41). Removed filings count where they were, others where they are; a county that changed
// ones leave has them as changed, too. The time it takes follows from how many these are. Where
// nothing is built, counties has what is added and changed.
func (r *running) countChanges(
	ctx context.Context, d *sidecar.Differences, live, built index.Reader, counties map[string]*Changes,
) error {
	var added, changed, removed []int64
	for _, one := range d.List {
		switch {
		case !one.Before:
			added = append(added, one.ID)
		case !one.After:
			removed = append(removed, one.ID)
		default:
			changed = append(changed, one.ID)
		}
	}
	for _, part := range []struct {
		reader index.Reader
		ids    []int64
		note   func(c *Changes, filings int64)
	}{
		{built, added, func(c *Changes, filings int64) { c.Added = filings }},
		{built, changed, func(c *Changes, filings int64) { c.Changed = filings }},
		{live, changed, func(c *Changes, filings int64) { c.Changed = max(c.Changed, filings) }},
		{live, removed, func(c *Changes, filings int64) { c.Removed = filings }},
	} {
		filings, err := countIDs(ctx, part.reader, part.ids)
		if err != nil {
			return err
		}
		for county, n := range filings {
			if counties[county] == nil {
				counties[county] = new(Changes)
			}
			part.note(counties[county], n)
		}
	}
	r.counties = counties
	return nil
}

// countIDs counts the filings with some ids by county; none where reader is nil.
func countIDs(ctx context.Context, reader index.Reader, ids []int64) (map[string]int64, error) {
	filings := map[string]int64{}
	if reader == nil {
		return filings, nil
	}
	for chunk := range slices.Chunk(ids, countedAtOnce) {
		byCounty := index.GroupQuery{By: []index.Dimension{index.ByCounty}}
		groups, err := reader.Groups(ctx, index.Where(index.IDs{IDs: chunk}), byCounty)
		if err == nil && groups.List == nil {
			err = errTooManyCounties
		}
		if err != nil {
			return nil, err
		}
		for _, g := range groups.List {
			filings[g.Keys[0]] += g.Filings
		}
	}
	return filings, nil
}

var errTooManyCounties = fmt.Errorf("more than %d counties change", index.MaxGroups)

// countyCounts are those of the report.
func (r *running) countyCounts() map[string]CountyCounts {
	all := map[string]CountyCounts{}
	if r.counties != nil {
		for county, changes := range r.counties {
			all[county] = CountyCounts{r.counts.Counties[county].Filings, changes}
		}
		return all
	}
	for county, c := range r.counts.Counties {
		var changes *Changes
		if r.lock != nil && r.previous == "" {
			changes = &Changes{Added: c.Filings}
		}
		if c.Filings > 0 {
			all[county] = CountyCounts{c.Filings, changes}
		}
	}
	return all
}
