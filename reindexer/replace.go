package reindexer

import (
	"context"
	"fmt"
	"slices"

	"filings/index"
	"filings/index/generation"
	"filings/reindexer/record"
)

// replacedRows is how many filings of a county are read at once.
const replacedRows = 1_000

// replaced selects the filings of the counties that an update replaces (rule X43); false for none.
func (cfg Config) replaced() (index.Filter, bool) {
	var counties []string
	for _, county := range cfg.Replace {
		counties = append(counties, index.Fold(county))
	}
	return index.Where(index.AnyOf{Fields: []index.Field{index.County}, Values: counties}), len(counties) > 0
}

// holdReplaced reads the filings of the counties that the update replaces.
func (u *update) holdReplaced(ctx context.Context) error {
	filter, more := u.run.cfg.replaced()
	for cursor := ""; more; {
		page, err := u.live.Rows(ctx, index.Query{Where: filter, Sort: index.DefaultSort, Limit: replacedRows, Start: cursor})
		if err != nil {
			return fmt.Errorf("reading the filings of %q: %w", u.run.cfg.Replace, err)
		}
		for _, row := range page.Records {
			f, err := record.Decode(row)
			if err != nil {
				return err
			}
			p := liveFiling(f)
			p.replaced = true
			u.now[f.ID] = p
		}
		cursor, more = page.End, len(page.Records) == replacedRows
	}
	return nil
}

// removeOthers removes the filings of these counties that the update did not bring.
func (u *update) removeOthers(ctx context.Context, build generation.Build) error {
	var ids []int64
	for id, h := range u.now {
		if h.replaced {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		if err := u.change(ctx, &change{filing: index.Filing{ID: id}, deleted: true}, build); err != nil {
			return err
		}
	}
	return nil
}
