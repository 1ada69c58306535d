package reindexer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"filings/index"
	"filings/reindexer/mapping"
	"filings/reindexer/source"
)

const (
	// maxPlaces is of how many repeated ids both places are said.
	maxPlaces = 20
	// maxRepeated is how many records with repeated ids wait for their source's end.
	maxRepeated = 10_000
)

// settle finds out which of the records with repeated ids are of rows that are the same as others, and
// rejects all others (rules L5 and X42). It reads the sources again, up to the i-th, where they can be:
// the first row of every id would take more memory than the ids do. Of a load that fails they are not
// read again, and all are rejects.
func (r *reading) settle(ctx context.Context, i int, good bool) error {
	first, wanted := map[int64]Reject{}, map[int64]bool{}
	made := map[int64]string{}
	for _, repeat := range r.repeated {
		wanted[repeat.reject.ID] = true
	}
	if len(wanted) > 0 && good {
		again := newReading(r.sources[:i+1], true, r.rules.Strict, func(Reject) error { return nil })
		again.programs, again.rules.Stored = r.programs, r.rules.Stored
		_ = again.readSources(ctx, func(f *index.Filing, _ bool) error { // rows that cannot be read again are as others
			if _, known := first[f.ID]; wanted[f.ID] && !known {
				first[f.ID] = Reject{File: again.count.Name, Line: again.row.Line, Record: again.row.Text()}
				made[f.ID] = string(index.AppendRecord(nil, f))
			}
			if len(first) == len(wanted) {
				return io.EOF
			}
			return nil
		})
	}
	for _, repeat := range r.repeated {
		origin, known := first[repeat.reject.ID]
		same := known && origin.Record == repeat.reject.Record && made[repeat.reject.ID] == repeat.made
		if same && (origin.File != repeat.reject.File || origin.Line != repeat.reject.Line) {
			if r.identical++; r.identical == 1 {
				r.sameAt = fmt.Sprintf("%s:%d", repeat.reject.File, repeat.reject.Line)
			}
			continue
		}
		if known && r.places < maxPlaces {
			r.places++
			r.warn("two records have the id %d: %s:%d and %s:%d, which is rejected", repeat.reject.ID, origin.File, origin.Line,
				repeat.reject.File, repeat.reject.Line)
		}
		r.count.Rejected++
		if err := r.reject(repeat.reject); err != nil {
			return err
		}
	}
	r.repeated = nil
	return nil
}

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

// planned returns the first input of a county of the plan; the zero one for an unnamed county.
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

// takeOnly has r take records of these counties alone. Like those of a full load they have no
// deletions, and each its own id.
func (r *reading) takeOnly(counties []string) {
	r.rules.Update, r.seen = false, idSet{}
	for _, county := range counties {
		r.only = append(r.only, index.Fold(county))
	}
}

// mistyped returns ErrUsage for a name that a mapping itself gives and no field has: its rows do not.
func (r *reading) mistyped(src source.Source, made map[string]any, row any) error {
	members, _ := row.(map[string]any)
	m := r.inputOf(src).Mapping
	for _, name := range slices.Sorted(maps.Keys(made)) {
		_, known := index.ByName(name)
		if _, ofRow := members[name]; known || ofRow || m == nil {
			continue
		}
		key := regexp.MustCompile(`(?m)^.*\b` + regexp.QuoteMeta(name) + `"?\s*:`).FindStringIndex(m.Text)
		if key != nil {
			return fmt.Errorf("%w: %s:%d: no field has the name %q%s", ErrUsage, m.Name,
				1+strings.Count(m.Text[:key[0]], "\n"), name, nearest(name, fieldNames()))
		}
	}
	return nil
}

// warnOfIgnored says which names of records differ from those of fields in case and signs alone.
func (r *reading) warnOfIgnored() {
	for _, name := range slices.Sorted(maps.Keys(r.rules.Ignored)) {
		for _, field := range fieldNames() {
			if plainName(name) == plainName(field) {
				r.warn("no field has the name %q, which %d records have: is %q meant?", name, r.rules.Ignored[name], field)
			}
		}
	}
}

// warnOfSum warns of a source whose last record, below a header, says that it is a sum or a note.
func (r *reading) warnOfSum(src source.Source, rows *source.Reader, last *source.Row) {
	row, _ := last.Value.(map[string]any)
	for _, name := range rows.Columns {
		if text, _ := row[name].(string); source.IsSum(text) {
			r.warn("%s: its last row, in line %d, looks like a sum or a note, and is loaded as a filing: %s is %q; leave "+
				"it out, as with where,%s != %s", src.Name, last.Line, name, text, name, text)
			return
		}
	}
}

// countUnread counts values that the mapping of a source could not read, and warns if they are
// many, or if the mapping skips everything.
func (r *reading) countUnread(src source.Source) {
	p := r.programOf(src)
	if p == nil {
		return
	}
	unread, many := p.Unread()
	for field, n := range unread {
		if r.unread == nil {
			r.unread = map[string]int64{}
		}
		r.unread[field] += n
	}
	for _, field := range many {
		r.warn("%s: %s could not be read from %d values, more than 5 %%: see how %s reads it", src.Name, field,
			unread[field], p.Name())
	}
	members, rows := p.Tried()
	for _, member := range members {
		r.warn("%s: a try of %s leaves out what fails in %d of %d rows (%s): `catch unread` counts it by field",
			src.Name, p.Name(), rows[member], r.count.Rows, cmp.Or(member, "of no field"))
	}
	if r.count.Rows > 0 && r.count.LeftOut == r.count.Rows {
		r.warn("%s: all of its %d rows are left out by %s", src.Name, r.count.Rows, p.Name())
	}
}
