package search

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"filings/index"
	"filings/index/elastic/document"
)

// Known is what Clauses need to know of a generation.
type Known struct {
	Counties []string       // the folded names of all counties, which only a search term needs (NeedsCounties)
	Rims     map[string]Rim // of the filter's regions, by their texts
	Runs     bool           // its documents have document.RunsField
}

// Clauses translates w to clauses that must all hold.
func Clauses(w index.Filter, of Known) ([]Object, error) {
	all := make([]Object, 0, len(w.Predicates()))
	for _, p := range w.Predicates() {
		c, err := clause(p, of)
		if err != nil {
			return nil, err
		}
		all = append(all, c...)
	}
	return all, nil
}

func clause(p index.Predicate, of Known) ([]Object, error) {
	switch p := p.(type) {
	case index.AnyOf:
		return []Object{anyOf(p)}, nil
	case index.NoneOf:
		return []Object{not(anyOf(index.AnyOf{Fields: []index.Field{p.Field}, Values: p.Values}))}, nil
	case index.IDs:
		return []Object{{"terms": Object{index.ID.String(): p.IDs}}}, nil
	case index.Between:
		return []Object{between(numberField(p.Field), p.Min, p.Max)}, nil
	case index.Days:
		from, err1 := document.Day(p.From)
		to, err2 := document.Day(p.To)
		return []Object{between(document.DayField, from, to)}, errors.Join(err1, err2)
	case index.Times:
		from, to := p.From.UnixMicro(), p.To.UnixMicro()
		return []Object{between(document.Derived(index.CreatedAt), &from, &to)}, nil
	case index.Present:
		return []Object{present(p)}, nil
	case index.Box:
		return []Object{box(p)}, nil
	case index.Region:
		return []Object{region(p, of.Rims[p.String()])}, nil
	case index.Contains:
		return []Object{contains(p.Texts(), of)}, nil
	case index.Rest:
		c, err := rest(p)
		return []Object{c}, err
	}
	return nil, fmt.Errorf("elastic: no clause for %T", p)
}

// rest selects by a position in the default order.
func rest(p index.Rest) (Object, error) {
	ids := within(index.ID.String(), Object{"lte": p.ID})
	undated := not(exists(document.DayField))
	day, err := document.Day(p.Date)
	if err != nil || day == nil {
		return Object{"bool": Object{"filter": []Object{undated, ids}}}, err
	}
	of := Object{"term": Object{document.DayField: *day}}
	earlier := within(document.DayField, Object{"lt": *day})
	return either([]Object{earlier, undated, {"bool": Object{"filter": []Object{of, ids}}}}), nil
}

// numberField names where the number of field stands.
func numberField(field index.Field) string {
	if field == index.EquityPercent {
		return document.Derived(field)
	}
	return field.String()
}

func anyOf(p index.AnyOf) Object {
	values := make([]string, 0, len(p.Values))
	for _, v := range p.Values {
		if len(v) <= maxTerm {
			values = append(values, v)
		}
	}
	options := make([]Object, len(p.Fields))
	for i, field := range p.Fields {
		options[i] = Object{"terms": Object{document.Derived(field): values}}
	}
	return either(options)
}

// maxTerm is the length, in bytes, of the longest term of an index. No filing has a longer value, and Elasticsearch
// refuses to search for one.
const maxTerm = 32_766

// mostTerms is how many terms Elasticsearch takes in one clause, by default.
const mostTerms = 65_536

// either returns a clause that holds where one of options does.
func either(options []Object) Object {
	switch len(options) {
	case 0:
		return Object{"match_none": Object{}}
	case 1:
		return options[0]
	}
	return Object{"bool": Object{"should": options, "minimum_should_match": 1}}
}

func not(c Object) Object { return Object{"bool": Object{"must_not": c}} }

func exists(field string) Object { return Object{"exists": Object{"field": field}} }

// within returns a clause that holds for values within limits.
func within(field string, limits Object) Object { return Object{"range": Object{field: limits}} }

// between returns a clause that holds for values between two; nil is no bound. No value at all is not between any.
func between[T any](field string, from, to *T) Object {
	limits := Object{}
	if from != nil {
		limits["gte"] = *from
	}
	if to != nil {
		limits["lte"] = *to
	}
	if len(limits) == 0 {
		return exists(field)
	}
	return within(field, limits)
}

// present selects by the filing's mark, which is the field's name.
func present(p index.Present) Object {
	marked := Object{"term": Object{document.MarksField: p.Field.String()}}
	if p.Is {
		return marked
	}
	return not(marked)
}

// contains selects by substrings, any of them. Counties are few, so the terms are searched in their names here, and the filings of
// those that have one are selected.
func contains(texts []string, of Known) Object {
	var named []string
	for _, county := range of.Counties {
		if slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(index.Squeeze(county), text) }) {
			named = append(named, county)
		}
	}
	var options []Object
	for _, text := range texts {
		if !strings.Contains(text, document.TextEnd[:1]) { // no text holds NUL, but all of them end in it
			options = append(options, inTexts(text, of.Runs))
		}
	}
	for part := range slices.Chunk(named, mostTerms) {
		options = append(options, Object{"terms": Object{document.Derived(index.County): part}})
	}
	return either(options)
}

// inTexts selects by a substring of the search texts. Three characters and more are a phrase of trigrams, one and two the beginning of a
// trigram. What has runs is looked for by these first, so that the phrase is compared in few filings, if it has to be.
func inTexts(text string, byRuns bool) Object {
	if utf8.RuneCountInString(text) < 3 {
		return Object{"prefix": Object{document.TextField: Object{"value": text}}}
	}
	phrase := Object{"match_phrase": Object{document.TextField: Object{"query": text}}}
	runs := index.Runs(text)
	if !byRuns || len(runs) == 0 {
		return phrase
	}
	clauses := make([]Object, 0, len(runs)+1)
	whole := false // a run is all of text, and whatever filing is selected by it has it
	for _, run := range runs {
		letters := []rune(run.Text)
		if run.Ends {
			end := letters[max(0, len(letters)-document.RunLetters+1):]
			clauses = append(clauses, Object{"term": Object{document.RunsField: Object{"value": string(end)}}})
			continue
		}
		start := letters[:min(len(letters), document.RunLetters)]
		clauses = append(clauses, Object{"prefix": Object{document.RunsField: Object{"value": string(start)}}})
		whole = len(start) == len(letters) && run.Text == text
	}
	if whole {
		return clauses[0]
	}
	return Object{"bool": Object{"filter": append(clauses, phrase)}}
}

// NeedsOwners reports whether Clauses are of what documents have since document.OwnersSince.
func NeedsOwners(w index.Filter) bool {
	of := func(field index.Field) bool { return field == index.OwnerKey || field == index.FilingHolder }
	return slices.ContainsFunc(w.Predicates(), func(p index.Predicate) bool {
		any, isAny := p.(index.AnyOf)
		none, isNone := p.(index.NoneOf)
		return isAny && slices.ContainsFunc(any.Fields, of) || isNone && of(none.Field)
	})
}

// NeedsCounties reports whether Clauses needs to know the counties.
func NeedsCounties(w index.Filter) bool {
	return slices.ContainsFunc(w.Predicates(), func(p index.Predicate) bool { _, is := p.(index.Contains); return is })
}
