package changes

import (
	"fmt"
	"slices"
	"strings"

	"filings/index"
)

// selects reports whether w selects a version: never one that is not there.
func selects(w index.Filter, v index.Version) (bool, error) {
	if v.Record == nil || len(w.Predicates()) == 0 {
		return v.Record != nil, nil
	}
	f, err := v.Filing()
	if err != nil {
		return false, err
	}
	d := index.Derive(f)
	for _, p := range w.Predicates() {
		if holds, err := holds(p, f, &d); !holds || err != nil {
			return false, err
		}
	}
	return true, nil
}

// holds reports whether p holds for f, of which d is derived.
func holds(p index.Predicate, f *index.Filing, d *index.Derived) (bool, error) {
	switch p := p.(type) {
	case index.AnyOf:
		return slices.ContainsFunc(p.Fields, func(field index.Field) bool { return anyOf(field, p.Values, f, d) }), nil
	case index.NoneOf:
		return !anyOf(p.Field, p.Values, f, d), nil
	case index.IDs:
		return slices.Contains(p.IDs, f.ID), nil
	case index.Between:
		v, ok := f.Number(p.Field)
		if p.Field == index.EquityPercent {
			v, ok = d.EquityPercent, d.HasEquity
		}
		return ok && (p.Min == nil || *p.Min <= v) && (p.Max == nil || v <= *p.Max), nil
	case index.Days:
		day := f.Text(index.FilingDate)
		return day != "" && p.From <= day && (p.To == "" || day <= p.To), nil
	case index.Present:
		return present(p.Field, f, d) == p.Is, nil
	case index.Box:
		return inside(p, f), nil
	case index.Contains:
		return strings.Contains(index.SearchText(f.Text(index.County)), p.Text) ||
			slices.ContainsFunc(d.Search, func(text string) bool { return strings.Contains(text, p.Text) }), nil
	}
	return false, fmt.Errorf("changes are not selected by %T", p) // Times and Rest, which no client's filter has
}

// anyOf reports whether a value in field, folded, is one of values.
func anyOf(field index.Field, values []string, f *index.Filing, d *index.Derived) bool {
	switch field {
	case index.Categories:
		return slices.ContainsFunc(f.Categories, func(c string) bool { return slices.Contains(values, index.Fold(c)) })
	case index.County:
		return one(d.County, values)
	case index.CountyName:
		return one(d.CountyName, values)
	case index.City:
		return one(d.City, values)
	}
	return one(index.Fold(f.Text(field)), values)
}

func one(value string, values []string) bool { return value != "" && slices.Contains(values, value) }

func present(field index.Field, f *index.Filing, d *index.Derived) bool {
	switch field {
	case index.PropertyData:
		return d.PropertyData
	case index.Trust:
		return d.Trust
	case index.Estate:
		return d.Estate
	}
	return f.Has(field)
}

func inside(b index.Box, f *index.Filing) bool {
	lat, ok := f.Number(index.Latitude)
	lon, also := f.Number(index.Longitude)
	if !ok || !also || lat < b.South || b.North < lat {
		return false
	}
	if b.West > b.East {
		return b.West <= lon || lon <= b.East
	}
	return b.West <= lon && lon <= b.East
}
