package reindexer

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"strings"
	"time"

	"filings/index"
	"filings/reindexer/record"
)

const (
	// touched is of how many of a county's filings, a part of it, the load changes something before
	// medians are compared: the median of fewer moves by the county's own changes, not by the way
	// it was read.
	touched = 10
	// apart is how many times as large a median may be.
	apart = 10
	// late is which part of a county's dates may lie after today.
	late = 10
	// older is how many days older the newest date of a county may be.
	older = 7
)

// guardValues refuses ids and values that differ from the live ones as mistakes do, and warns of
// possible ones. built is nil in a dry run.
func (r *running) guardValues(ctx context.Context, live, built index.Reader) error {
	if r.cfg.MaxShrink == 100 || r.cfg.Withhold != nil {
		return nil
	}
	shapes, err := map[string]shape{}, error(nil)
	if r.spread != nil {
		if shapes, err = r.spread.shapes(ctx, r.counts, r.today()); err != nil {
			return err
		}
	}
	ids, values := refusals{kind: ErrRenewed}, refusals{kind: ErrValues}
	for _, c := range r.compareCounties() {
		if c.now.Filings < guarded || r.counties != nil && c.Changes == (Changes{}) {
			continue
		}
		had := c.live.Filings
		if had >= guarded && 2*c.Removed > had && 2*c.Added >= c.Removed && !names(r.cfg.MayRenew, c.name) {
			r.refuse(&ids, c.name, "renewed", nil, "%d of %d filings of %s are gone, and %d with other ids have come",
				c.Removed, had, c.name, c.Added)
		}
		r.warnOfMany(c)
		now, known := shapes[index.Fold(c.name)]
		if built != nil {
			now, err = r.shapeOf(ctx, built, c.name, c.now)
		} else if !known {
			continue // of an update that is tried: it sees its own records alone
		}
		old := newShape()
		if err == nil && !r.exempted[index.Fold(c.name)] { // else it has values that are to be gone
			old, err = r.shapeOf(ctx, live, c.name, c.live)
		}
		if err != nil {
			return fmt.Errorf("comparing the values of %s: %w", c.name, err)
		}
		r.guardShape(&values, c, old, now)
	}
	return r.refused(ids.error(), values.error())
}

// warnOfMany warns of a county that grows, or changes, as one does that is read in another way.
func (r *running) warnOfMany(c comparedCounty) {
	live, now := c.live.Filings, c.now.Filings
	if live < guarded {
		return
	}
	if 2*(now-live) > live {
		r.warn("%s has %d filings, and had %d: look whether its sources have each filing once, and with the id that it had%s",
			c.name, now, live, r.readAt(c.name, index.ID))
	}
	if 2*c.Changed > live {
		r.warn("%d of %d filings of %s have other values than before: look at some of them, and at the columns that they "+
			"are read from%s", c.Changed, live, c.name, r.readAt(c.name, index.ID))
	}
}

// readAt says which line of a mapping reads a county's field, such as " (orange.jq:3)"; "" for
// none.
func (r *running) readAt(county string, field index.Field) string {
	word := regexp.MustCompile(`\b` + field.String() + `\b`)
	for _, input := range r.reading.inputs {
		m := input.Mapping
		if m == nil || index.Fold(input.County) != index.Fold(county) && !strings.Contains(m.Text, county) {
			continue
		}
		for i, line := range strings.Split(m.Text, "\n") {
			if word.MatchString(line) {
				return fmt.Sprintf(" (%s:%d)", m.Name, i+1)
			}
		}
	}
	return ""
}

// guardShape refuses values of a county that have become others.
func (r *running) guardShape(findings *refusals, c comparedCounty, old, now shape) {
	if r.counties == nil || touched*(c.Added+c.Changed+c.Removed) >= c.live.Filings {
		for i, field := range amounts() {
			oldMedian, median := old.medians[i], now.medians[i]
			far := max(math.Abs(oldMedian), math.Abs(median)) > apart*min(math.Abs(oldMedian), math.Abs(median))
			if far && !r.mayChange(c.name, field) {
				r.refuse(findings, c.name, "changed", &field, "the median %s of %s is %s, and was %s%s", field, c.name,
					index.AppendNumber(nil, median), index.AppendNumber(nil, oldMedian), r.readAt(c.name, field))
			}
		}
	}
	field := index.FilingDate
	switch dates := c.now.Has(field); {
	case dates < few || r.cfg.Stored || r.mayChange(c.name, field): // a restored generation was live with these
	case late*now.later > dates && late*old.later <= c.live.Has(field):
		r.refuse(findings, c.name, "changed", &field, "%d of %d dates of %s lie after today%s", now.later, dates, c.name,
			r.readAt(c.name, field))
	case now.newest > 0 && c.live.Filings >= guarded && daysBetween(now.newest, old.newest) > older:
		r.refuse(findings, c.name, "changed", &field, "the newest filing of %s is of %s, and there is one of %s", c.name,
			index.DayText(now.newest), index.DayText(old.newest))
	}
}

func daysBetween(start, end uint32) int {
	day := func(n uint32) time.Time {
		return time.Date(int(n/10_000), time.Month(n/100%100), int(n%100), 0, 0, 0, 0, time.UTC)
	}
	return int(day(end).Sub(day(start)) / (24 * time.Hour))
}

// today is the day on which the load began, in UTC: no county of the United States is ahead of it.
func (r *running) today() time.Time { return r.started.UTC().Truncate(24 * time.Hour) }

// shapeOf reads the shape of a county's values. Engines find it by their orders, so that none
// of the values is kept.
func (r *running) shapeOf(
	ctx context.Context, reader index.Reader, county string, c index.CountyCounts,
) (s shape, err error) {
	inCounty := index.AnyOf{Fields: []index.Field{index.County}, Values: []string{index.Fold(county)}}
	s = newShape()
	for i, field := range amounts() {
		if filled := c.Has(field); filled >= few && err == nil {
			var f *index.Filing
			order := index.Sort{Field: field, Ascending: true}
			if f, err = filingAt(ctx, reader, index.Where(inCounty), order, middle(filled)); f != nil {
				s.medians[i], _ = f.Number(field)
			}
		}
	}
	if err == nil && c.Has(index.FilingDate) > 0 {
		arrived := index.Days{Last: r.today().Format(time.DateOnly)}
		var f *index.Filing
		if f, err = filingAt(ctx, reader, index.Where(inCounty, arrived), index.DefaultSort, 0); f != nil {
			s.newest = index.DayNumber(f.Text(index.FilingDate))
		}
		if err == nil {
			future := index.Days{First: r.today().AddDate(0, 0, 1).Format(time.DateOnly)}
			s.later, err = reader.Count(ctx, index.Where(inCounty, future))
		}
	}
	return s, err
}

// filingAt returns a filing by its place in an order; nil if there are not that many.
func filingAt(
	ctx context.Context, reader index.Reader, filter index.Filter, order index.Sort, place int64,
) (*index.Filing, error) {
	page, err := reader.Rows(ctx, index.Query{Where: filter, Sort: order, Offset: int(place), Limit: 1})
	if err != nil || len(page.Records) == 0 {
		return nil, err
	}
	return record.Decode(page.Records[0])
}
