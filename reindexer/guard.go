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
// compares what the generation will hold, which verification makes sure of, so that one that is
// refused is not sealed first. The error has all that is wrong.
func (r *running) guard() error {
	now := r.counts
	counties := r.compareCounties(now)
	r.warnGone(counties)
	fields := r.was != nil && !r.was.WithoutFields && !now.WithoutFields
	var all error
	for _, err := range []error{
		r.guardSize(now), r.guardCounties(counties), r.guardFields(counties, fields), r.guardMoves(),
	} {
		switch {
		case all == nil:
			all = err
		case err != nil:
			all = fmt.Errorf("%w; %w", all, err)
		}
	}
	if failed := r.reading.failedParts(); failed != nil && !r.refusedLoad {
		return failed
	}
	return all
}

// refuseCounty records a refusal. A load with a plan can go on without that county.
func (r *running) refuseCounty(county string, kind error, found string) string {
	if !r.reading.failCounty(r.reading.planned(county).County, fmt.Errorf("%w: %s", kind, found)) {
		r.refusedLoad = true
	}
	return found
}

// comparedCounty is a county of the live generation with its counts then and now.
type comparedCounty struct {
	name        string
	before, now index.CountyCounts
}

// compareCounties returns the counties of the live generation. Another case of a name is no other
// county.
func (r *running) compareCounties(now index.Counts) (all []comparedCounty) {
	if r.was == nil {
		return nil
	}
	before, after := folded(*r.was), folded(now)
	for _, county := range slices.Sorted(maps.Keys(r.was.Counties)) {
		name := index.Fold(county)
		if was, first := before.Counties[name]; first {
			all = append(all, comparedCounty{county, was, after.Counties[name]})
			delete(before.Counties, name)
		}
	}
	return all
}

func folded(counts index.Counts) index.Counts {
	all := index.NewCounts()
	for county, c := range counts.Counties {
		all.AddCounty(index.Fold(county), c, 1)
	}
	return all
}

// guardSize compares all filings but those of counties that may shrink. A full load without filings
// passes only where any shrinking would, although nothing may have been there before: its source
// was a broken pipe rather than a county without filings.
func (r *running) guardSize(counts index.Counts) error {
	before, now := int64(0), counts.Filings
	if r.was != nil {
		before = r.was.Filings
	}
	if now == 0 && before == 0 && r.withheld.Load() == 0 && !r.cfg.Update && r.cfg.MaxShrink < 100 {
		return fmt.Errorf("%w: %d records were read, %d rejected; nothing is promoted (--max-shrink 100 promotes "+
			"a generation without filings)", ErrEmpty, r.reading.read.Load(), r.rejected.Load())
	}
	if r.was != nil {
		before, now = before-r.shrinking(*r.was), now-r.shrinking(counts)
	}
	gone := before - now
	if float64(gone)*100 <= r.cfg.MaxShrink*float64(before) {
		return nil
	}
	return fmt.Errorf("%w: %d instead of %d, which is %.1f %% fewer; at most %v %% are allowed (--max-shrink)",
		ErrShrunk, now, before, float64(gone)*100/float64(before), r.cfg.MaxShrink)
}

// shrinking returns how many filings are of counties that may have fewer.
func (r *running) shrinking(counts index.Counts) (filings int64) {
	for county, c := range counts.Counties {
		if r.mayShrink(county) {
			filings += c.Filings
		}
	}
	return filings
}

// mayShrink reports whether a county was named as one that may have fewer filings, in any case.
func (r *running) mayShrink(county string) bool {
	return slices.ContainsFunc(r.cfg.MayShrink, func(named string) bool { return index.Fold(named) == index.Fold(county) })
}

const (
	// guarded is from how many filings on a county is compared: of fewer, half may be gone on any
	// day.
	guarded = 20
	// large is from how many filings on a county may shrink by no more than all filings may.
	large = 200
)

// guardCounties refuses counties that vanish, or shrink too much.
func (r *running) guardCounties(counties []comparedCounty) error {
	if r.cfg.MaxShrink == 100 {
		return nil
	}
	var found, options []string
	for _, c := range counties {
		before, now, percent := c.before.Filings, c.now.Filings, 50.
		if before >= large {
			percent = r.cfg.MaxShrink
		}
		vanishes, shrinks := now == 0 && before > 0, before >= guarded && float64(before-now)*100 > percent*float64(before)
		if (vanishes || shrinks) && !r.mayShrink(c.name) {
			found = append(found, r.refuseCounty(c.name, ErrShrunk, fmt.Sprintf("%d instead of %d of %s", now, before, c.name)))
			options = append(options, "--may-shrink "+strconv.Quote(c.name))
		}
	}
	if len(found) > shownRefusals { // more than a command should name, and than the message does
		options = []string{"--max-shrink 100"}
	}
	return refusal(ErrShrunk, found, len(found), options)
}

// warnGone names the counties that vanish where none is compared.
func (r *running) warnGone(counties []comparedCounty) {
	for _, c := range counties {
		if r.cfg.MaxShrink == 100 && c.before.Filings > 0 && c.now.Filings == 0 && !r.mayShrink(c.name) {
			r.warn("%s has no filing any more, and had %d: --max-shrink 100 compares nothing", c.name, c.before.Filings)
		}
	}
}

// guardFields refuses fields that half of a county's filings had and hardly one has now.
func (r *running) guardFields(counties []comparedCounty, known bool) error {
	if !known || r.ignoresLive() {
		return nil
	}
	var found, options []string
	for _, c := range counties {
		before, now := c.before.Filings, c.now.Filings
		if before < guarded || now == 0 {
			continue
		}
		for _, field := range index.Fields() {
			had, has := c.before.Has(field), c.now.Has(field)
			mayEmpty := slices.Contains(r.cfg.MayEmpty, field.String()) ||
				slices.Contains(r.reading.planned(c.name).MayEmpty, field.String())
			if 2*had < before || 100*has > now || mayEmpty {
				continue
			}
			found = append(found, r.refuseCounty(c.name, ErrEmptied,
				fmt.Sprintf("%d of %d filings of %s have %s, and %d of %d had", has, now, c.name, field, had, before)))
			options = append(options, "--may-empty "+field.String())
		}
	}
	return refusal(ErrEmptied, found, len(found), options)
}

// guardMoves refuses an update that changes the county of a filing: two counties have the same ids.
func (r *running) guardMoves() error {
	if r.cfg.MayMove {
		return nil
	}
	r.refusedLoad = r.refusedLoad || r.moves > 0
	return refusal(ErrMoved, r.moved, r.moves, []string{"--may-move"})
}

// shownRefusals is how many counties or filings a refusal names.
const shownRefusals = 5

// refusal returns an error of a kind with the first of so many findings, and the options that allow
// them; nil for no finding.
func refusal(kind error, found []string, all int, options []string) error {
	if len(found) == 0 {
		return nil
	}
	more := ""
	if all > shownRefusals {
		found, more = found[:shownRefusals], fmt.Sprintf(", and %d more", all-shownRefusals)
	}
	slices.Sort(options)
	options = slices.Compact(options)
	return fmt.Errorf("%w: %s%s; nothing is promoted (where that is right, %s allows it)",
		kind, strings.Join(found, ", "), more, strings.Join(options, " "))
}
