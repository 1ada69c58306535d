package reindexer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"filings/index"
	"filings/index/generation"
	"filings/reindexer/mapping"
	"filings/reindexer/record"
)

// PartsError says of the counties of a plan that cannot be loaded why not. Nothing is promoted; the
// others can be.
type PartsError struct{ Failed map[string]error }

// Error names the counties and what is wrong with each.
func (e *PartsError) Error() string {
	var all []string
	for _, county := range slices.Sorted(maps.Keys(e.Failed)) {
		all = append(all, county+": "+e.Failed[county].Error())
	}
	return strings.Join(all, "; ")
}

// Unwrap returns what is wrong with the counties.
func (e *PartsError) Unwrap() []error { return slices.Collect(maps.Values(e.Failed)) }

// failCounty records err as the reason why a county of the plan is not loaded. It returns false if
// err concerns the whole load.
func (r *reading) failCounty(county string, err error) bool {
	ofSource := errors.Is(err, ErrSource) || errors.Is(err, ErrUsage) || errors.Is(err, mapping.ErrProgram) ||
		errors.Is(err, ErrRejected) || Refused(err)
	if county == "" || !ofSource {
		return false
	}
	if r.failed[county] == nil {
		r.failed[county] = err
	}
	r.spoiled.Store(true)
	return true
}

// planned returns the first input of a county of the plan; the zero one for a county that it does
// not name.
func (r *reading) planned(county string) Input {
	for _, input := range r.inputs {
		if input.County != "" && index.Fold(input.County) == index.Fold(county) {
			return input
		}
	}
	return Input{}
}

// failedParts returns the error of the parts that cannot be loaded; nil if all can.
func (r *reading) failedParts() error {
	if len(r.failed) == 0 {
		return nil
	}
	return &PartsError{r.failed}
}

// replacedRows is how many filings of a county are read at once.
const replacedRows = 1_000

// replaced selects the filings of the counties that an update replaces (rule X43); false if it
// replaces none.
func (cfg Config) replaced() (index.Filter, bool) {
	var counties []string
	for _, county := range cfg.Replace {
		counties = append(counties, index.Fold(county))
	}
	return index.Where(index.AnyOf{Fields: []index.Field{index.County}, Values: counties}), len(counties) > 0
}

// takeOnly has r take records of these counties alone. Like those of a full load they have no
// deletions, and each its own id.
func (r *reading) takeOnly(counties []string) {
	r.rules.Update, r.seen = false, idSet{}
	for _, county := range counties {
		r.only = append(r.only, index.Fold(county))
	}
}

// holdReplaced reads the filings of the counties that the update replaces.
func (u *update) holdReplaced(ctx context.Context) error {
	where, some := u.run.cfg.replaced()
	for after := ""; some; {
		page, err := u.live.Rows(ctx, index.Query{Where: where, Sort: index.DefaultSort, Limit: replacedRows, After: after})
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
		after, some = page.End, len(page.Records) == replacedRows
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
