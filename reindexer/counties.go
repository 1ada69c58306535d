package reindexer

import (
	"context"
	"fmt"

	"filings/index"
	"filings/index/generation"
)

// countedAtOnce is how many filings a request counts by county: as many ids as Elasticsearch takes are some more.
const countedAtOnce = 50_000

// countChanges counts by county what differs between the live generation and the one that is built (rule X41). Removed filings
// count where they were, others where they are. The time it takes follows from how many these are.
func (r *running) countChanges(ctx context.Context, d *generation.Differences, live, built index.Reader) error {
	counties := map[string]*Changes{}
	parts := [3]struct {
		of  index.Reader
		n   func(*Changes) *int64
		ids []int64
	}{
		{of: built, n: func(c *Changes) *int64 { return &c.Added }},
		{of: built, n: func(c *Changes) *int64 { return &c.Changed }},
		{of: live, n: func(c *Changes) *int64 { return &c.Removed }},
	}
	count := func(kind, atLeast int) error {
		p := &parts[kind]
		if len(p.ids) < atLeast {
			return nil
		}
		groups, err := p.of.Groups(ctx, index.Where(index.IDs{IDs: p.ids}), index.GroupQuery{By: []index.Dimension{index.ByCounty}})
		if err == nil && groups.List == nil {
			err = errTooManyCounties
		}
		for _, g := range groups.List {
			if counties[g.Keys[0]] == nil {
				counties[g.Keys[0]] = &Changes{}
			}
			*p.n(counties[g.Keys[0]]) += g.Filings
		}
		p.ids = nil
		return err
	}
	for _, one := range d.List {
		kind := 1
		if !one.Before {
			kind = 0
		} else if !one.After {
			kind = 2
		}
		parts[kind].ids = append(parts[kind].ids, one.ID)
		if err := count(kind, countedAtOnce); err != nil {
			return err
		}
	}
	for kind := range parts {
		if err := count(kind, 1); err != nil {
			return err
		}
	}
	r.counties = counties
	return nil
}

var errTooManyCounties = fmt.Errorf("more than %d counties change", index.MaxGroups)

// countyCounts are those of the report.
func (r *running) countyCounts() map[string]CountyCounts {
	all := map[string]CountyCounts{}
	if r.counties != nil {
		for county, changes := range r.counties {
			all[county] = CountyCounts{r.expect.checksum.Counties[county].Filings, changes}
		}
		return all
	}
	for county, c := range r.expect.checksum.Counties {
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
