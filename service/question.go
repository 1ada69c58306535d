package service

import (
	"slices"
	"strings"
	"time"

	"filings/index"
)

// question is what a query string asks for.
type question struct {
	query index.Query
	state string    // of stats/counties: two capital letters, or ""
	box   index.Box // of the bounds, if they are given
	zoom  int       // of clusters
}

// asker turns given parameters into a question, row by row.
type asker struct {
	now      time.Time
	active   []string // folded foreclosure statuses that count as active
	question question

	where      []index.Predicate
	equal      []index.AnyOf
	ranges     []bounds
	days       index.Days
	start, end time.Time // date_start and date_end
	edges      map[operator]float64
}

// bounds is a range of a number, with the names of the parameters that gave its ends.
type bounds struct {
	index.Between
	minName, maxName string
}

// ask reads g by the table. The first mistake in the order of the table is the one that is reported.
func (t *table) ask(on endpoints, g given, now time.Time, active []string) (question, error) {
	a := &asker{now: now.UTC(), active: active, edges: map[operator]float64{}}
	a.question.query = index.Query{Sort: index.DefaultSort, Limit: defaultLimit}
	for i := range t.rows {
		p := &t.rows[i]
		if p.on&on == 0 {
			continue
		}
		text, name, err := g.one(p)
		if err != nil {
			return question{}, err
		}
		if text == "" {
			continue
		}
		v, given, ok := p.read(text)
		if !ok {
			return question{}, p.mistaken(name, text)
		}
		if given {
			a.apply(p, name, v)
		}
	}
	if err := t.missing(on, a.edges); err != nil {
		return question{}, err
	}
	return a.finish()
}

// missing refuses to do without a box where there is no answer without one. It names all that edges lacks.
func (t *table) missing(on endpoints, edges map[operator]float64) error {
	var names []string
	for i := range t.rows {
		p := &t.rows[i]
		if _, given := edges[p.op]; p.edge() && p.requiredBy(on) && !given {
			names = append(names, p.name)
		}
	}
	if names == nil {
		return nil
	}
	return invalid(strings.Join(names, ", "), "must be given: clusters are those of a box, which has four bounds")
}

// requiredBy reports whether on, which takes p, has no answer without it.
func (p *parameter) requiredBy(on endpoints) bool { return p.required || p.edge() && on == onClusters }

// apply adds what v of p asks for.
func (a *asker) apply(p *parameter, name string, v value) {
	q := &a.question.query
	switch p.op {
	case opEqual:
		a.anyOf(p.fields, append(v.texts, v.text))
	case opInCounty:
		a.where = append(a.where, index.InCounty(v.text))
	case opContains:
		a.where = append(a.where, index.Contains{Text: index.SearchText(v.text)})
	case opAtLeast:
		b := a.between(p.fields[0])
		b.Min, b.minName = &v.number, name
	case opAtMost:
		b := a.between(p.fields[0])
		b.Max, b.maxName = &v.number, name
	case opPresent:
		if v.is {
			a.where = append(a.where, index.Present{Field: p.fields[0], Is: true})
		}
	case opForeclosure:
		a.foreclosure(p.fields[0], v.text)
	case opLastDays, opInMonth, opFrom, opTo:
		a.recorded(p.op, v)
	case opNorth, opSouth, opEast, opWest:
		a.edges[p.op] = v.number
	case opSortBy:
		i := slices.Index(p.choices, v.text)
		q.Sort.By = sorts[i].field
	case opSortOrder:
		q.Sort.Ascending = v.text == "ASC"
	case opLimit:
		q.Limit = min(v.whole, maxLimit)
	case opOffset:
		q.Offset = v.whole
	case opState:
		a.question.state = v.text
	case opZoom:
		a.question.zoom = v.whole
	}
}

// anyOf adds values to the ones that the same fields may equal: filing_type and filing_types together are any of all.
func (a *asker) anyOf(fields []index.Field, values []string) {
	i := slices.IndexFunc(a.equal, func(e index.AnyOf) bool { return slices.Equal(e.Fields, fields) })
	if i < 0 {
		i = len(a.equal)
		a.equal = append(a.equal, index.AnyOf{Fields: fields})
	}
	for _, v := range values {
		if v != "" {
			a.equal[i].Values = append(a.equal[i].Values, index.Fold(v))
		}
	}
}

func (a *asker) between(field index.Field) *bounds {
	i := slices.IndexFunc(a.ranges, func(b bounds) bool { return b.Field == field })
	if i < 0 {
		i = len(a.ranges)
		a.ranges = append(a.ranges, bounds{Between: index.Between{Field: field}})
	}
	return &a.ranges[i]
}

func (a *asker) foreclosure(field index.Field, choice string) {
	switch choice {
	case "show", "hide":
		a.where = append(a.where, index.Present{Field: field, Is: choice == "show"})
	case "active":
		a.where = append(a.where, index.AnyOf{Fields: []index.Field{field}, Values: a.active})
	}
}

// recorded narrows the days of recording (rule P9).
func (a *asker) recorded(op operator, v value) {
	switch op {
	case opLastDays:
		a.from(a.now.AddDate(0, 0, -v.whole))
	case opInMonth:
		a.from(v.day)
		a.to(v.day.AddDate(0, 1, -1))
	case opFrom:
		a.start = v.day
		a.from(v.day)
	case opTo:
		a.end = v.day
		a.to(v.day)
	}
}

// from and to keep the later start and the earlier end. Days as text compare like days.
func (a *asker) from(t time.Time) { a.days.From = max(a.days.From, t.Format(time.DateOnly)) }

func (a *asker) to(t time.Time) {
	day := t.Format(time.DateOnly)
	if a.days.To == "" || day < a.days.To {
		a.days.To = day
	}
}

// finish checks what concerns several parameters, and puts the question together.
func (a *asker) finish() (question, error) {
	for _, e := range a.equal {
		a.where = append(a.where, e)
	}
	for _, b := range a.ranges {
		if b.Min != nil && b.Max != nil && *b.Min > *b.Max {
			return question{}, invalid(b.minName, "must not be above %s", b.maxName)
		}
		a.where = append(a.where, b.Between)
	}
	if !a.start.IsZero() && !a.end.IsZero() && a.start.After(a.end) {
		return question{}, invalid("date_start", "must not be after date_end")
	}
	if a.days != (index.Days{}) {
		a.where = append(a.where, a.days)
	}
	if len(a.edges) == 4 {
		box := index.Box{North: a.edges[opNorth], South: a.edges[opSouth], East: a.edges[opEast], West: a.edges[opWest]}
		if box.South > box.North {
			return question{}, invalid("bounds_south", "must not be above bounds_north")
		}
		a.where = append(a.where, box)
		a.question.box = box
	}
	a.question.query.Where = index.Where(a.where...)
	return a.question, nil
}
