package reader

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"filings/index"
	"filings/index/elastic/client"
	"filings/index/elastic/document"
)

// clauses translates w to clauses that must all hold. counties are the folded names of all
// counties of the generation.
func clauses(w index.Filter, counties []string) ([]object, error) {
	all := make([]object, 0, len(w.Predicates()))
	for _, p := range w.Predicates() {
		c, err := clause(p, counties)
		if err != nil {
			return nil, err
		}
		all = append(all, c...)
	}
	return all, nil
}

func clause(p index.Predicate, counties []string) ([]object, error) {
	switch p := p.(type) {
	case index.AnyOf:
		return []object{anyOf(p)}, nil
	case index.NoneOf:
		return []object{not(anyOf(index.AnyOf{Fields: []index.Field{p.Field}, Values: p.Values}))}, nil
	case index.IDs:
		return []object{{"terms": object{index.ID.String(): p.IDs}}}, nil
	case index.Between:
		return []object{within(numberField(p.Field), bounds(p.Min, p.Max))}, nil
	case index.Days:
		from, err1 := document.Day(p.From)
		to, err2 := document.Day(p.To)
		return []object{within(document.DayField, bounds(from, to))}, errors.Join(err1, err2)
	case index.Times:
		from, to := p.From.UnixMicro(), p.To.UnixMicro()
		return []object{within(document.Derived(index.CreatedAt), bounds(&from, &to))}, nil
	case index.Present:
		return []object{present(p)}, nil
	case index.Box:
		return []object{box(p)}, nil
	case index.Contains:
		return []object{contains(p.Text, counties)}, nil
	case index.Rest:
		c, err := rest(p)
		return []object{c}, err
	}
	return nil, fmt.Errorf("elastic: no clause for %T", p)
}

// rest selects by a place in the default order.
func rest(p index.Rest) (object, error) {
	ids := object{"range": object{index.ID.String(): object{"lte": p.ID}}}
	undated := not(exists(document.DayField))
	day, err := document.Day(p.Date)
	if err != nil || day == nil {
		return object{"bool": object{"filter": []object{undated, ids}}}, err
	}
	of := object{"term": object{document.DayField: *day}}
	earlier := object{"range": object{document.DayField: object{"lt": *day}}}
	return either([]object{earlier, undated, {"bool": object{"filter": []object{of, ids}}}}), nil
}

// numberField names where the number of field stands.
func numberField(field index.Field) string {
	if field == index.EquityPercent {
		return document.Derived(field)
	}
	return field.String()
}

func anyOf(p index.AnyOf) object {
	values := make([]string, 0, len(p.Values))
	for _, v := range p.Values {
		if len(v) <= maxTerm {
			values = append(values, v)
		}
	}
	options := make([]object, len(p.Fields))
	for i, field := range p.Fields {
		options[i] = object{"terms": object{document.Derived(field): values}}
	}
	return either(options)
}

// maxTerm is the length, in bytes, of the longest term of an index. No filing has a longer value, and Elasticsearch
// refuses to search for one.
const maxTerm = 32_766

// mostTerms is how many terms Elasticsearch takes in one clause, by default.
const mostTerms = 65_536

// either returns a clause that holds where one of options does.
func either(options []object) object {
	switch len(options) {
	case 0:
		return object{"match_none": object{}}
	case 1:
		return options[0]
	}
	return object{"bool": object{"should": options, "minimum_should_match": 1}}
}

func not(c object) object { return object{"bool": object{"must_not": c}} }

func exists(field string) object { return object{"exists": object{"field": field}} }

// within returns a clause that holds for values within limits, none of which is a value at all.
func within(field string, limits object) object {
	if len(limits) == 0 {
		return exists(field)
	}
	return object{"range": object{field: limits}}
}

// bounds returns the limits of a range; nil is none.
func bounds[T any](from, to *T) object {
	limits := object{}
	if from != nil {
		limits["gte"] = *from
	}
	if to != nil {
		limits["lte"] = *to
	}
	return limits
}

// present selects by the filing's mark, which is the field's name.
func present(p index.Present) object {
	marked := object{"term": object{document.MarksField: p.Field.String()}}
	if p.Is {
		return marked
	}
	return not(marked)
}

// contains selects by a substring. Three characters and more are a phrase of trigrams, one and two the beginning of a
// trigram. Counties are few, so the term is searched in their names here, and the filings of those that have it are
// selected.
func contains(text string, counties []string) object {
	var named []string
	for _, county := range counties {
		if strings.Contains(index.Squeeze(county), text) {
			named = append(named, county)
		}
	}
	var options []object
	switch {
	case strings.Contains(text, document.TextEnd[:1]): // no text holds NUL, but all of them end in it
	case utf8.RuneCountInString(text) < 3:
		options = append(options, object{"prefix": object{document.TextField: object{"value": text}}})
	default:
		options = append(options, object{"match_phrase": object{document.TextField: object{"query": text}}})
	}
	for part := range slices.Chunk(named, mostTerms) {
		options = append(options, object{"terms": object{document.Derived(index.County): part}})
	}
	return either(options)
}

// clauses translates w. Only a search term needs to know the counties.
func (r *Reader) clauses(ctx context.Context, w index.Filter) ([]object, error) {
	var counties []string
	if slices.ContainsFunc(w.Predicates(), func(p index.Predicate) bool { _, ok := p.(index.Contains); return ok }) {
		var err error
		if counties, err = r.countyNames(ctx); err != nil {
			return nil, err
		}
	}
	return clauses(w, counties)
}

// Count returns how many filings w selects.
func (r *Reader) Count(ctx context.Context, w index.Filter) (n int64, err error) {
	defer r.wrap(&err, "counting filings")
	clauses, err := r.clauses(ctx, w)
	if err != nil {
		return 0, err
	}
	var found struct{ Hits hits }
	if err := r.searchInto(ctx, &found, countBody(clauses)); err != nil {
		return 0, err
	}
	if found.Hits.Total == nil {
		return 0, client.ErrResponse
	}
	return found.Hits.Total.Value, nil
}

// Distinct returns the different values of f, which is index.Month or index.DateRange. Both sort as text does.
func (r *Reader) Distinct(ctx context.Context, w index.Filter, f index.Field) (values []string, err error) {
	defer r.wrap(&err, "reading the values of "+f.String())
	field := f.String()
	if f == index.Month {
		field = document.Derived(f)
	}
	clauses, err := r.clauses(ctx, w)
	if err != nil {
		return nil, err
	}
	_, err = r.each(ctx, terms{clauses: clauses, field: field}, func(b bucket) error {
		var v string
		err := client.Decode(b.Key, &v)
		values = append(values, v)
		return err
	})
	return values, err
}
