package elastic

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"filings/index"
)

// object is a JSON object of a request. Requests are built from values, never from text.
type object = map[string]any

// clauses returns what w says in Elasticsearch's words: clauses that must all hold. counties are the folded names of all
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
		return anyOf(p), nil
	case index.Between:
		return []object{within(numberField(p.Field), bounds(p.Min, p.Max))}, nil
	case index.Days:
		from, err1 := dayNumber(p.From)
		to, err2 := dayNumber(p.To)
		return []object{within(dayField, bounds(from, to))}, errors.Join(err1, err2)
	case index.Times:
		from, to := p.From.UnixMicro(), p.To.UnixMicro()
		return []object{within(derived(index.CreatedAt), bounds(&from, &to))}, nil
	case index.Present:
		return []object{present(p)}, nil
	case index.Box:
		return box(p), nil
	case index.Contains:
		return []object{contains(p.Text, counties)}, nil
	}
	return nil, fmt.Errorf("elastic: no clause for %T", p)
}

// derived names the field of x that holds field, folded or computed.
func derived(field index.Field) string { return "x." + field.String() }

// numberField names where the number of field stands.
func numberField(field index.Field) string {
	if field == index.EquityPercent {
		return derived(field)
	}
	return field.String()
}

func anyOf(p index.AnyOf) []object {
	values := make([]string, 0, len(p.Values))
	for _, v := range p.Values {
		if len(v) <= maxTerm {
			values = append(values, v)
		}
	}
	ways := make([]object, len(p.Fields))
	for i, field := range p.Fields {
		ways[i] = object{"terms": object{derived(field): values}}
	}
	return []object{either(ways)}
}

// maxTerm is the length, in bytes, of the longest term of an index. No filing has a longer value, and Elasticsearch
// refuses to look for one.
const maxTerm = 32_766

// either returns a clause that holds where one of ways does.
func either(ways []object) object {
	switch len(ways) {
	case 0:
		return object{"match_none": object{}}
	case 1:
		return ways[0]
	}
	return object{"bool": object{"should": ways, "minimum_should_match": 1}}
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

// dayField holds filing dates as numbers of days.
const dayField = "x.day"

// dayNumber returns the days from 1970-01-01 to date; nil for no date.
func dayNumber(date string) (*int64, error) {
	if date == "" {
		return nil, nil
	}
	t, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return nil, err
	}
	const secondsADay = 24 * 60 * 60
	days := t.Unix() / secondsADay // whole: t is a midnight
	return &days, nil
}

// present asks for the filing's mark, which is the field's name.
func present(p index.Present) object {
	marked := object{"term": object{"x.is": p.Field.String()}}
	if p.Is {
		return marked
	}
	return not(marked)
}

// box asks for the coordinates as loaded, which makes edges exact. The geo_point would not help: it is rounded, so that
// the coordinates had to be asked for as well, and together they take longer than the coordinates alone, for boxes of any
// size (half a million filings: 1.1 to 5 ms alone, 1.1 to 8 together).
func box(p index.Box) []object {
	lat, lon := index.Latitude.String(), index.Longitude.String()
	latitudes := within(lat, bounds(&p.South, &p.North))
	if p.West > p.East {
		west, east := bounds(&p.West, nil), bounds(nil, &p.East)
		return []object{latitudes, either([]object{within(lon, west), within(lon, east)})}
	}
	return []object{latitudes, within(lon, bounds(&p.West, &p.East))}
}

// contains asks for a substring. Three characters and more are a phrase of trigrams, one and two the beginning of a
// trigram. Counties are few, so the term is looked for in their names here, and the filings of those that have it are
// asked for.
func contains(text string, counties []string) object {
	var named []string
	for _, county := range counties {
		if strings.Contains(index.Squeeze(county), text) {
			named = append(named, county)
		}
	}
	var ways []object
	switch {
	case strings.Contains(text, textEnd[:1]): // no text holds NUL, but all of them end in it
	case utf8.RuneCountInString(text) < 3:
		ways = append(ways, object{"prefix": object{"x.text": object{"value": text}}})
	default:
		ways = append(ways, object{"match_phrase": object{"x.text": object{"query": text}}})
	}
	if named != nil {
		ways = append(ways, object{"terms": object{derived(index.County): named}})
	}
	return either(ways)
}
