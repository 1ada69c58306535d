package reindexer

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"filings/index"
)

// guard refuses a generation that differs from the live one as mistakes do (rules L10 and X42). It
// compares the counts that the generation will have, which verification makes sure of, so a refused
// one is not sealed first. The error has all faults.
func (r *running) guard() error {
	counties := r.compareCounties()
	r.warnGone(counties)
	fields := r.liveCounts != nil && !r.liveCounts.WithoutFields && !r.counts.WithoutFields
	return r.refused(r.guardSize(r.counts), r.guardCounties(counties), r.guardFields(counties, fields), r.guardMoves())
}

// refused returns the error of a load that guards refuse: that of the counties of a plan where it
// can do without these.
func (r *running) refused(errs ...error) (joined error) {
	for _, err := range errs {
		switch {
		case joined == nil:
			joined = err
		case err != nil:
			joined = fmt.Errorf("%w; %w", joined, err)
		}
	}
	if failed := r.reading.failedParts(); failed != nil && !r.refusedLoad {
		return failed
	}
	return joined
}

// refusals are a guard's findings, and the options that allow them.
type refusals struct {
	kind           error
	found, options []string
}

// refuse notes that a county is not to be promoted unless `name` is allowed, of a field or of the
// county. A load with a plan can go on without that county.
func (r *running) refuse(findings *refusals, county, name string, field *index.Field, format string, values ...any) {
	found, option, inPlan := fmt.Sprintf(format, values...), "--allow "+name+"="+strconv.Quote(county), name
	if field != nil {
		inPlan = name + "=" + field.String()
		option = "--allow " + inPlan
	}
	planned := r.reading.planned(county).County
	if !r.reading.failCounty(planned, fmt.Errorf("%w: %s (allow: [%s] lets it pass)", findings.kind, found, inPlan)) {
		r.refusedLoad = true
	}
	findings.found, findings.options = append(findings.found, found), append(findings.options, option)
}

// comparedCounty is a county of the live generation, or of the new one, with its counts.
type comparedCounty struct {
	name      string
	live, now index.CountyCounts
	Changes   // none where they are not known
}

// compareCounties returns the counties of both generations. Another case of a name is no other
// county.
func (r *running) compareCounties() (compared []comparedCounty) {
	live, liveFolded, newFolded := index.NewCounts(), index.NewCounts(), folded(r.counts)
	if r.liveCounts != nil {
		live, liveFolded = *r.liveCounts, folded(*r.liveCounts)
	}
	changes := map[string]Changes{}
	for county, c := range r.counties {
		sum := changes[index.Fold(county)]
		changes[index.Fold(county)] = Changes{sum.Added + c.Added, sum.Changed + c.Changed, sum.Removed + c.Removed}
	}
	for _, counties := range []map[string]index.CountyCounts{live.Counties, r.counts.Counties} {
		for _, county := range slices.Sorted(maps.Keys(counties)) {
			name := index.Fold(county)
			_, had := liveFolded.Counties[name]
			if _, stays := newFolded.Counties[name]; had || stays {
				compared = append(compared,
					comparedCounty{county, liveFolded.Counties[name], newFolded.Counties[name], changes[name]})
				delete(liveFolded.Counties, name)
				delete(newFolded.Counties, name)
			}
		}
	}
	return compared
}

// guardSize compares all filings but those of counties that may shrink. A full load without filings
// passes only where any shrinking would, although nothing may have been there before: its source
// was a broken pipe rather than a county without filings.
func (r *running) guardSize(counts index.Counts) error {
	live, now := int64(0), counts.Filings
	if r.liveCounts != nil {
		live = r.liveCounts.Filings
	}
	if now == 0 && live == 0 && r.withheld.Load() == 0 && !r.cfg.Update && r.cfg.MaxShrink < 100 {
		return fmt.Errorf("%w: %d records were read, %d rejected; nothing is promoted (--force promotes "+
			"a generation without filings)", ErrEmpty, r.reading.read.Load(), r.rejected.Load())
	}
	if r.liveCounts != nil {
		live, now = live-r.shrinking(*r.liveCounts), now-r.shrinking(counts)
	}
	gone := live - now
	if float64(gone)*100 <= r.cfg.MaxShrink*float64(live) {
		return nil
	}
	return fmt.Errorf("%w: %d instead of %d, which is %.1f %% fewer; at most %v %% are allowed (--max-shrink)",
		ErrShrunk, now, live, float64(gone)*100/float64(live), r.cfg.MaxShrink)
}

// shrinking returns how many filings are of counties that may have fewer.
func (r *running) shrinking(counts index.Counts) (filings int64) {
	for county, c := range counts.Counties {
		if names(r.cfg.MayShrink, county) {
			filings += c.Filings
		}
	}
	return filings
}

// names reports whether a county is one of these names, in any case.
func names(counties []string, county string) bool {
	return slices.ContainsFunc(counties, func(named string) bool { return index.Fold(named) == index.Fold(county) })
}

const (
	// guarded is from how many filings on a county is compared: of fewer, half may be gone any day.
	guarded = 20
	// large is from how many filings on a county may shrink by no more than all filings may.
	large = 200
)

// guardCounties refuses counties that vanish, or shrink too much.
func (r *running) guardCounties(counties []comparedCounty) error {
	if r.cfg.MaxShrink == 100 {
		return nil
	}
	findings := refusals{kind: ErrShrunk}
	for _, c := range counties {
		live, now, percent := c.live.Filings, c.now.Filings, 50.
		if live >= large {
			percent = r.cfg.MaxShrink
		}
		vanishes, shrinks := now == 0 && live > 0, live >= guarded && float64(live-now)*100 > percent*float64(live)
		if (vanishes || shrinks) && !names(r.cfg.MayShrink, c.name) {
			r.refuse(&findings, c.name, "shrunk", nil, "%d instead of %d of %s", now, live, c.name)
		}
	}
	return findings.error()
}

// warnGone names the counties that vanish where none is compared.
func (r *running) warnGone(counties []comparedCounty) {
	for _, c := range counties {
		if r.cfg.MaxShrink == 100 && c.live.Filings > 0 && c.now.Filings == 0 && !names(r.cfg.MayShrink, c.name) {
			r.warn("%s has no filing any more, and had %d: --force compares nothing", c.name, c.live.Filings)
		}
	}
}

// mayChange reports whether the values of a field of a county may be gone, or be others.
func (r *running) mayChange(county string, field index.Field) bool {
	return slices.Contains(r.cfg.MayChange, field.String()) ||
		slices.Contains(r.reading.planned(county).MayChange, field.String())
}

// guardFields refuses fields of which more than half of a county's values are gone (rule X68), or
// that half of its filings had and hardly one has now.
func (r *running) guardFields(counties []comparedCounty, known bool) error {
	if !known || r.ignoresLive() {
		return nil
	}
	findings := refusals{kind: ErrEmptied}
	for _, c := range counties {
		live, now := c.live.Filings, c.now.Filings
		if live < guarded || now == 0 {
			continue
		}
		for _, field := range index.Fields() {
			had, filled := c.live.Has(field), c.now.Has(field)
			// Neither does a county that shrinks lose a field, nor one that others are added to.
			halved := had >= few && 2*filled < had && 2*filled*live < had*now
			if emptied := 2*had >= live && 100*filled <= now; (halved || emptied) && !r.mayChange(c.name, field) {
				r.refuse(&findings, c.name, "changed", &field, "%d of %d filings of %s have %s, and %d of %d had", filled, now,
					c.name, field, had, live)
			}
		}
	}
	return findings.error()
}

// guardMoves refuses an update that changes the county of a filing: two counties have the same ids.
func (r *running) guardMoves() error {
	if r.cfg.MayMove || len(r.moved) == 0 {
		return nil
	}
	r.refusedLoad = true
	return refusals{ErrMoved, r.moved, []string{"--allow moved"}}.error()
}

// shownRefusals is how many counties or filings a refusal names. A command names as many counties.
const shownRefusals = 5

// error returns an error with the first findings, and the options that allow all; nil for none.
func (r refusals) error() error {
	found, options, more := r.found, r.options, ""
	if len(found) == 0 {
		return nil
	}
	if len(found) > shownRefusals {
		found, more = found[:shownRefusals], fmt.Sprintf(", and %d more", len(found)-shownRefusals)
	}
	slices.Sort(options)
	if options = slices.Compact(options); len(options) > shownRefusals && r.kind != ErrEmptied {
		options = []string{"--force"}
	}
	return fmt.Errorf("%w: %s%s; nothing is promoted (where that is right, %s allows it)",
		r.kind, strings.Join(found, ", "), more, strings.Join(options, " "))
}
