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
	"filings/reindexer/source"
)

// Part is a county of a plan: the sources from position From in Config.Sources on, up to the next one's, whose records are all of it.
type Part struct {
	County     string
	From       int
	MaxRejects int      // of the records of its sources
	MayEmpty   []string // fields that may be gone of it
}

// PartsError says of the counties of a plan that cannot be loaded why not. Nothing is promoted; the others can be.
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

// partOf returns the part that a source belongs to; nil for none.
func (r *reading) partOf(src source.Source) (part *Part) {
	for i := range r.parts {
		if r.parts[i].From <= src.Arg {
			part = &r.parts[i]
		}
	}
	return part
}

// fails notes why a part cannot be loaded, if err says that, and reports whether it does.
func (r *reading) fails(part *Part, err error) bool {
	ofSource := errors.Is(err, ErrSource) || errors.Is(err, ErrUsage) || errors.Is(err, mapping.ErrProgram) || errors.Is(err, ErrRejected) ||
		errors.Is(err, ErrShrunk) || errors.Is(err, ErrEmptied)
	if part == nil || !ofSource {
		return false
	}
	if r.failed[part.County] == nil {
		r.failed[part.County] = err
	}
	r.spoiled.Store(true)
	return true
}

// partNamed returns the part of a county; nil for none.
func (r *reading) partNamed(county string) *Part {
	i := slices.IndexFunc(r.parts, func(p Part) bool { return index.Fold(p.County) == index.Fold(county) })
	if i < 0 {
		return nil
	}
	return &r.parts[i]
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

// replaced selects the filings of the counties that an update replaces (rule X43); false if it replaces none.
func (cfg Config) replaced() (index.Filter, bool) {
	var counties []string
	for _, county := range cfg.Replace {
		counties = append(counties, index.Fold(county))
	}
	return index.Where(index.AnyOf{Fields: []index.Field{index.County}, Values: counties}), len(counties) > 0
}

// replaces has r take records of these counties alone. Like those of a full load they have no deletions, and each its own id.
func (r *reading) replaces(counties []string) {
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
			h := heldOf(f)
			h.replaced = true
			u.now[f.ID] = h
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
