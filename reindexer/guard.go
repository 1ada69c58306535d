package reindexer

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"filings/index"
)

// guard refuses a generation that differs from the live one as mistakes do (rules L10 and X42). It compares what the generation
// will hold, which verification makes sure of, so that one that is refused is not sealed first. All that is wrong is said at once.
func (r *running) guard() error {
	r.warnGone()
	var all error
	for _, guard := range []func() error{r.guardSize, r.guardCounties, r.guardFields, r.guardMoves} {
		switch err := guard(); {
		case all == nil:
			all = err
		case err != nil:
			all = fmt.Errorf("%w; %w", all, err)
		}
	}
	if failed := r.reading.failedParts(); failed != nil && !r.others {
		return failed
	}
	return all
}

// refuses notes what a guard refuses of a county: of one of a plan, the others can be loaded without it.
func (r *running) refuses(county string, kind error, found string) string {
	if !r.reading.failCounty(r.reading.planned(county).County, fmt.Errorf("%w: %s", kind, found)) {
		r.others = true
	}
	return found
}

// guardSize compares all filings but those of counties that may shrink. A full load without filings passes only where any
// shrinking would, although nothing may have been there before: its source was a broken pipe rather than a county without filings.
func (r *running) guardSize() error {
	before, now := r.before, r.figures.total()
	if r.live != nil {
		before = r.live.total()
	}
	if now == 0 && before == 0 && r.withheld.Load() == 0 && !r.cfg.Update && r.cfg.MaxShrink < 100 {
		return fmt.Errorf("%w: %d records were read, %d rejected; nothing is promoted (--max-shrink 100 promotes a generation without filings)",
			ErrEmpty, r.reading.read.Load(), r.rejected.Load())
	}
	if r.live != nil {
		for county, of := range r.live.counties {
			if r.mayShrink(county) {
				before -= of.filings
			}
		}
		for county, of := range r.figures.counties {
			if r.mayShrink(county) {
				now -= of.filings
			}
		}
	}
	gone := before - now
	if float64(gone)*100 <= r.cfg.MaxShrink*float64(before) {
		return nil
	}
	return fmt.Errorf("%w: %d instead of %d, which is %.1f %% fewer; at most %v %% are allowed (--max-shrink)",
		ErrShrunk, now, before, float64(gone)*100/float64(before), r.cfg.MaxShrink)
}

// mayShrink reports whether a county was named as one that may have fewer filings, in any case.
func (r *running) mayShrink(county string) bool {
	return slices.ContainsFunc(r.cfg.MayShrink, func(named string) bool { return index.Fold(named) == index.Fold(county) })
}

const (
	// guarded is from how many filings on a county is compared: of fewer, half may be gone on any day.
	guarded = 20
	// large is from how many filings on a county may shrink by no more than all filings may.
	large = 200
)

// guardCounties refuses counties that vanish, or shrink too much.
func (r *running) guardCounties() error {
	if r.live == nil || r.cfg.MaxShrink == 100 {
		return nil
	}
	var found, options []string
	live, figures := r.live.folded(), r.figures.folded()
	for _, county := range slices.Sorted(maps.Keys(r.live.counties)) {
		before, now := live.of(index.Fold(county)).filings, figures.of(index.Fold(county)).filings
		delete(live.counties, index.Fold(county)) // other cases of its name are of the same figures
		most := 50.                               // percent
		if before >= large {
			most = r.cfg.MaxShrink
		}
		vanishes, shrinks := now == 0 && before > 0, before >= guarded && float64(before-now)*100 > most*float64(before)
		if (vanishes || shrinks) && !r.mayShrink(county) {
			found = append(found, r.refuses(county, ErrShrunk, fmt.Sprintf("%d instead of %d of %s", now, before, county)))
			options = append(options, "--may-shrink "+strconv.Quote(county))
		}
	}
	if len(found) > shownRefusals { // more than a command should name, and than the message does
		options = []string{"--max-shrink 100"}
	}
	return refusal(ErrShrunk, found, len(found), options)
}

// warnGone says which counties vanish where none is compared.
func (r *running) warnGone() {
	if r.was == nil || r.cfg.MaxShrink < 100 {
		return
	}
	was, now := r.was.folded(), r.figures.folded()
	for _, county := range slices.Sorted(maps.Keys(r.was.counties)) {
		name := index.Fold(county)
		if before := was.of(name).filings; before > 0 && now.of(name).filings == 0 && !r.mayShrink(county) {
			r.warn("%s has no filing any more, and had %d: --max-shrink 100 compares nothing", county, before)
		}
		delete(was.counties, name) // other cases of its name
	}
}

// guardFields refuses fields that half of a county's filings had and hardly one has now.
func (r *running) guardFields() error {
	if r.live == nil || !r.live.fields || !r.figures.fields {
		return nil
	}
	var found, options []string
	live, figures := r.live.folded(), r.figures.folded()
	for _, county := range slices.Sorted(maps.Keys(r.live.counties)) {
		before, now := live.of(index.Fold(county)), figures.of(index.Fold(county))
		delete(live.counties, index.Fold(county))
		if before.filings < guarded || now.filings == 0 {
			continue
		}
		for _, field := range index.Fields() {
			had, has := before.filled[field], now.filled[field]
			if 2*had < before.filings || 100*has > now.filings || slices.Contains(r.cfg.MayEmpty, field.String()) {
				continue
			}
			if slices.Contains(r.reading.planned(county).MayEmpty, field.String()) {
				continue
			}
			found = append(found, r.refuses(county, ErrEmptied, fmt.Sprintf("%d of %d filings of %s have %s, and %d of %d had", has, now.filings, county, field, had, before.filings)))
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
	r.others = r.others || r.moves > 0
	return refusal(ErrMoved, r.moved, r.moves, []string{"--may-move"})
}

// shownRefusals is how many counties or filings a refusal names.
const shownRefusals = 5

// refusal returns an error of a kind that says what was found, of so many in all, and which options allow it; nil where nothing
// was.
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
	return fmt.Errorf("%w: %s%s; nothing is promoted (where that is right, %s allows it)", kind, strings.Join(found, ", "), more,
		strings.Join(options, " "))
}
