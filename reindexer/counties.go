package reindexer

import (
	"context"
	"errors"
	"fmt"

	"filings/index"
	"filings/index/generation"
)

// countedAtOnce is how many filings a request counts by county: as many ids as Elasticsearch takes are some more.
const countedAtOnce = 50_000

// countChanges counts by county what differs between the live generation and the one that is built (rule X41). Removed filings
// count where they were, others where they are; a county that changed ones leave has them as changed, too. The time it takes follows
// from how many these are.
func (r *running) countChanges(ctx context.Context, d *generation.Differences, live, built index.Reader) error {
	counties, were := map[string]*Changes{}, map[string]*Changes{}
	parts := [4]struct {
		of  index.Reader
		in  map[string]*Changes
		n   func(*Changes) *int64
		ids []int64
	}{
		{of: built, in: counties, n: func(c *Changes) *int64 { return &c.Added }},
		{of: built, in: counties, n: func(c *Changes) *int64 { return &c.Changed }},
		{of: live, in: counties, n: func(c *Changes) *int64 { return &c.Removed }},
		{of: live, in: were, n: func(c *Changes) *int64 { return &c.Changed }},
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
			if p.in[g.Keys[0]] == nil {
				p.in[g.Keys[0]] = &Changes{}
			}
			*p.n(p.in[g.Keys[0]]) += g.Filings
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
		if kind == 1 {
			parts[3].ids = append(parts[3].ids, one.ID)
		}
		if err := errors.Join(count(kind, countedAtOnce), count(3, countedAtOnce)); err != nil {
			return err
		}
	}
	for kind := range parts {
		if err := count(kind, 1); err != nil {
			return err
		}
	}
	for county, was := range were {
		if counties[county] == nil {
			counties[county] = &Changes{}
		}
		counties[county].Changed = max(counties[county].Changed, was.Changed)
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
