package search

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"filings/index"
	"filings/index/address"
	"filings/index/elastic/document"
)

// Object is a JSON object of a request. Requests are built from values, never from text.
type Object = map[string]any

// filtered adds the query that requests all of clauses to body.
func filtered(body Object, clauses []Object) Object {
	if len(clauses) > 0 {
		body["query"] = Object{"bool": Object{"filter": clauses}}
	}
	return body
}

// Known is the knowledge of a generation that clauses are made with.
type Known struct {
	Counties func() ([]string, error)        // the folded names of all counties, for a search term
	Rim      func(index.Region) (Rim, error) // of a region
}

// Clauses translates w to clauses that must all hold.
func Clauses(w index.Filter, k Known) (clauses []Object, err error) {
	clauses = make([]Object, len(w.Predicates()))
	for i, p := range w.Predicates() {
		if clauses[i], err = clause(p, k); err != nil {
			return nil, err
		}
	}
	return clauses, nil
}

func clause(p index.Predicate, k Known) (Object, error) {
	switch p := p.(type) {
	case index.AnyOf:
		return anyOf(p), nil
	case index.Not:
		c, err := clause(p.Predicate, k)
		return not(c), err
	case index.IDs:
		return Object{"terms": Object{index.ID.String(): p.IDs}}, nil
	case index.Range:
		return inRange(numberField(p.Field), p.Min, p.Max), nil
	case index.Days:
		first, err1 := document.Day(p.First)
		last, err2 := document.Day(p.Last)
		return inRange(document.DayField, first, last), errors.Join(err1, err2)
	case index.Times:
		first, last := p.Micros()
		return inRange(document.Derived(index.CreatedAt), &first, &last), nil
	case index.Present: // by the filing's mark, which is the field's name
		return Object{"term": Object{document.MarksField: p.Field.String()}}, nil
	case index.Box:
		return box(p), nil
	case index.Region:
		rim, err := k.Rim(p)
		return region(p, rim), err
	case index.Contains:
		return contains(p.Texts(), k)
	case index.Rest:
		return rest(p)
	}
	return nil, fmt.Errorf("elastic: no clause for %T", p)
}

// rest selects by a position in the default order.
func rest(p index.Rest) (Object, error) {
	ids := inLimits(index.ID.String(), Object{"lte": p.ID})
	undated := not(exists(document.DayField))
	day, err := document.Day(p.Date)
	if err != nil || day == nil {
		return Object{"bool": Object{"filter": []Object{undated, ids}}}, err
	}
	sameDay := Object{"term": Object{document.DayField: *day}}
	earlier := inLimits(document.DayField, Object{"lt": *day})
	return oneOf([]Object{earlier, undated, {"bool": Object{"filter": []Object{sameDay, ids}}}}), nil
}

// numberField names where the number of field stands.
func numberField(field index.Field) string {
	if field == index.EquityPercent {
		return document.Derived(field)
	}
	return field.String()
}

func anyOf(p index.AnyOf) Object {
	if slices.Contains(p.Fields, index.AddressKey) {
		return anyAddress(p.Values)
	}
	values := make([]string, 0, len(p.Values))
	for _, v := range p.Values {
		if slices.Contains(p.Fields, index.State) { // alone is as written: groups have it
			v = strings.ToUpper(v)
		}
		if len(v) <= maxTerm {
			values = append(values, v)
		}
	}
	options := make([]Object, len(p.Fields))
	for i, field := range p.Fields {
		options[i] = Object{"terms": Object{document.Derived(field): values}}
	}
	return oneOf(options)
}

// anyAddress selects by patterns of addresses. Few filings have the street and number of each.
func anyAddress(patterns []string) Object {
	options := make([]Object, 0, len(patterns))
	for _, pattern := range patterns {
		if len(pattern) > index.MaxAddress {
			continue
		}
		var terms []Object
		for _, term := range address.Terms(pattern) {
			terms = append(terms, Object{"term": Object{document.AddressField: term}})
		}
		options = append(options, Object{"bool": Object{"filter": terms}})
	}
	return oneOf(options)
}

// maxTerm is the length, in bytes, of the longest term of an index. No filing has a longer value,
// and Elasticsearch refuses to search for one.
const maxTerm = 32_766

// mostTerms is how many terms Elasticsearch takes in one clause, by default.
const mostTerms = 65_536

// oneOf returns a clause that holds where one of options does.
func oneOf(options []Object) Object {
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

// inLimits returns a clause that holds for values within limits.
func inLimits(field string, limits Object) Object { return Object{"range": Object{field: limits}} }

// inRange returns a clause that holds for values between two; nil is no bound. No value at all is
// not between any.
func inRange[T any](field string, least, greatest *T) Object {
	limits := Object{}
	if least != nil {
		limits["gte"] = *least
	}
	if greatest != nil {
		limits["lte"] = *greatest
	}
	if len(limits) == 0 {
		return exists(field)
	}
	return inLimits(field, limits)
}

// contains selects by substrings, any of them. Counties are few, so the terms are searched in their
// names here, and the filings of those that have one are selected.
func contains(texts []string, k Known) (Object, error) {
	counties, err := k.Counties()
	if err != nil {
		return nil, err
	}
	var named []string
	for _, county := range counties {
		if slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(index.Squeeze(county), text) }) {
			named = append(named, county)
		}
	}
	var options []Object
	for _, text := range texts {
		if !strings.Contains(text, document.TextEnd[:1]) { // no text holds NUL, but all of them end in it
			options = append(options, inTexts(text))
		}
	}
	for part := range slices.Chunk(named, mostTerms) {
		options = append(options, Object{"terms": Object{document.Derived(index.County): part}})
	}
	return oneOf(options), nil
}

// inTexts selects by a substring of the search texts. Three characters and more are a phrase of
// trigrams, one and two the beginning of a trigram. A term with runs is found by these first, so
// that the phrase is compared in few filings, if it has to be.
func inTexts(text string) Object {
	if utf8.RuneCountInString(text) < 3 {
		return Object{"prefix": Object{document.TextField: Object{"value": text}}}
	}
	phrase := Object{"match_phrase": Object{document.TextField: Object{"query": text}}}
	runs := index.Runs(text)
	if len(runs) == 0 {
		return phrase
	}
	clauses := make([]Object, 0, len(runs)+1)
	whole := false // a run is all of text, and whatever filing is selected by it has it
	for _, run := range runs {
		letters := []rune(run.Text)
		if run.EndsWord {
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
