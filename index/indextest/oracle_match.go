package indextest

import (
	"fmt"
	"slices"
	"strings"

	"filings/index"
)

// matches reports whether every predicate of w holds for e.
func (e *entry) matches(w index.Filter) bool {
	for _, p := range w.Predicates() {
		if !e.holds(p) {
			return false
		}
	}
	return true
}

func (e *entry) holds(p index.Predicate) bool {
	switch p := p.(type) {
	case index.AnyOf:
		for _, field := range p.Fields {
			for _, v := range e.folded(field) {
				if slices.Contains(p.Values, v) {
					return true
				}
			}
		}
		return false
	case index.Between:
		v, ok := e.value(p.Field)
		return ok && (p.Min == nil || v >= *p.Min) && (p.Max == nil || v <= *p.Max)
	case index.Days:
		day := e.Text(index.FilingDate)
		return day != "" && (p.From == "" || day >= p.From) && (p.To == "" || day <= p.To)
	case index.Times:
		t := e.CreatedAt.UnixMicro()
		return e.Has(index.CreatedAt) && t >= p.From.UnixMicro() && t <= p.To.UnixMicro()
	case index.Present:
		return e.present(p.Field) == p.Is
	case index.Box:
		return e.inside(p)
	case index.Contains:
		return slices.ContainsFunc(e.searched[:], func(text string) bool { return strings.Contains(text, p.Text) })
	}
	panic(fmt.Sprintf("the oracle knows no predicate %T", p))
}

// folded returns the values that AnyOf compares, folded; none where the filing lacks the field.
func (e *entry) folded(field index.Field) []string {
	var values []string
	switch field {
	case index.CountyName:
		values = []string{e.derived.CountyName}
	case index.City:
		values = []string{e.derived.City}
	case index.Categories:
		values = slices.Clone(e.Categories)
	default:
		values = []string{e.Text(field)}
	}
	for i, v := range values {
		values[i] = index.Fold(v)
	}
	return slices.DeleteFunc(values, func(v string) bool { return v == "" })
}

// value returns the number that Between compares.
func (e *entry) value(field index.Field) (float64, bool) {
	if field == index.EquityPercent {
		return e.derived.EquityPercent, e.derived.HasEquity
	}
	return e.Number(field)
}

func (e *entry) present(field index.Field) bool {
	switch field {
	case index.PropertyData:
		return e.derived.PropertyData
	case index.Trust:
		return e.derived.Trust
	case index.Estate:
		return e.derived.Estate
	}
	return e.Has(field)
}

func (e *entry) inside(b index.Box) bool {
	lat, ok1 := e.Number(index.Latitude)
	lon, ok2 := e.Number(index.Longitude)
	if !ok1 || !ok2 || lat < b.South || lat > b.North {
		return false
	}
	if b.West > b.East {
		return lon >= b.West || lon <= b.East
	}
	return lon >= b.West && lon <= b.East
}
