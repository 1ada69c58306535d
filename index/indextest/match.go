package indextest

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"filings/index"
)

// matches reports whether every predicate of w holds for e.
func (e *Entry) matches(w index.Filter) bool {
	for _, p := range w.Predicates() {
		if !e.Holds(p) {
			return false
		}
	}
	return true
}

// Holds reports whether p holds for e.
func (e *Entry) Holds(p index.Predicate) bool {
	switch p := p.(type) {
	case index.AnyOf:
		for _, field := range p.Fields {
			if field == index.AddressKey {
				return slices.ContainsFunc(p.Values, e.isAt)
			}
			for _, v := range e.folded(field) {
				if slices.Contains(p.Values, v) {
					return true
				}
			}
		}
		return false
	case index.Not:
		return !e.Holds(p.Predicate)
	case index.IDs:
		return slices.Contains(p.IDs, e.ID)
	case index.Range:
		v, ok := e.Value(p.Field)
		return ok && (p.Min == nil || v >= *p.Min) && (p.Max == nil || v <= *p.Max)
	case index.Days:
		day := e.Text(index.FilingDate)
		return day != "" && (p.First == "" || day >= p.First) && (p.Last == "" || day <= p.Last)
	case index.Times:
		t := e.CreatedAt.Truncate(time.Microsecond)
		return e.Has(index.CreatedAt) && (p.First.IsZero() || !t.Before(p.First.Truncate(time.Microsecond))) &&
			(p.Last.IsZero() || !t.After(p.Last))
	case index.Present:
		return e.Present(p.Field)
	case index.Box:
		return e.Inside(p)
	case index.Circle:
		return e.near(p)
	case index.Polygon:
		return e.covered(p)
	case index.Contains:
		for _, term := range append([]string{p.Text}, p.Alternatives...) {
			if slices.ContainsFunc(e.Searched[:], func(text string) bool { return strings.Contains(text, term) }) {
				return true
			}
		}
		return false
	case index.Rest:
		day := e.Text(index.FilingDate)
		if day == p.Date {
			return e.ID <= p.ID
		}
		return day < p.Date // "" among them, and nothing is before it
	}
	panic(fmt.Sprintf("the oracle knows no predicate %T", p))
}

// isAt reports whether the address of e matches a pattern.
func (e *Entry) isAt(pattern string) bool {
	is, err := path.Match(pattern, e.address)
	return is && err == nil
}

// folded returns the values that AnyOf compares, folded; none where the filing lacks the field.
func (e *Entry) folded(field index.Field) []string {
	var values []string
	switch field {
	case index.CountyName:
		values = []string{e.Derived.CountyName}
	case index.OwnerKey:
		values = []string{e.ownerKey}
	case index.City:
		values = []string{e.Derived.City}
	case index.State:
		_, state := index.SplitCounty(e.Text(index.County))
		values = []string{state}
	case index.ZIP:
		values = []string{e.Derived.ZIP}
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

// Value returns the number that Range compares.
func (e *Entry) Value(field index.Field) (float64, bool) {
	if field == index.EquityPercent {
		return e.Derived.EquityPercent, e.Derived.HasEquity
	}
	return e.Number(field)
}

// Present reports whether e has a value in field, as a Present predicate means it.
func (e *Entry) Present(field index.Field) bool {
	switch field {
	case index.PropertyData:
		return e.Derived.PropertyData
	case index.Trust:
		return e.Derived.Trust
	case index.Estate:
		return e.Derived.Estate
	}
	return e.Has(field)
}

// Inside reports whether e has a point, and b has it inside.
func (e *Entry) Inside(b index.Box) bool {
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
