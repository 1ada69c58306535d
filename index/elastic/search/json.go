// Package search says what is requested of Elasticsearch: queries become searches here, as values, and values become JSON. It is
// pure: it sends nothing, reads no response, and the same query always becomes the same searches, which testdata shows.
// Package reader sends them.
//
// # Design
//
// A filter becomes clauses (clauses.go), never from text; a box on the map is cut where geo_points are rounded (box.go).
//
// A Page is one search for filings in an order. A page at any offset is planned by counting (offset.go): a Span is counted by
// the coarsest of its levels, the Table of the counts says which part holds the page, and Next returns the Step that finds it.
// A page after a position is planned without counting, as ranges that are searched one after the other (after.go).
//
// A page that asks for its total has it of the same search, up to 10,000, or of a box all. Beyond that a second search
// counts: a page in another order than the index's would otherwise look at all that is counted. One clause alone is counted from
// the index of its field, two are counted filing by filing: so a county by amounts is one number (county.go; the column
// "new county and amount" of `make bench-growth`).
//
// Append writes the body of a page in 1.8 µs; encoding/json takes 4.8 and json/v2 5.3 (AMD EPYC; `go test -run '^$' -bench
// Append ./index/elastic/search`), of the 130 that the service spends on a page.
package search

import (
	"encoding/json"
	"slices"
	"strconv"

	"filings/index"
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

// Count requests the exact number of filings, and nothing else.
func Count(clauses []Object) Object {
	return filtered(Object{"size": 0, "track_total_hits": true}, clauses)
}

// Aggregate requests aggregations and the number of filings.
func Aggregate(clauses []Object, aggs Object) Object {
	body := Count(clauses)
	body["aggs"] = aggs
	return body
}

// direction names an order.
func direction(ascending bool) string {
	if ascending {
		return "asc"
	}
	return "desc"
}

// Append appends the body of a search as JSON. The members of an object are in the order of their names, so that
// equal searches have equal bodies. Searches are made of few types, for which this takes a third of the time of
// encoding/json; it writes the rest.
func Append(dst []byte, v any) (_ []byte, err error) {
	switch v := v.(type) {
	case Object:
		names := make([]string, 0, 8) // on the stack: hardly an object has more
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		dst = append(dst, '{')
		for i, name := range names {
			dst = append(index.AppendString(separated(dst, i), name), ':')
			if dst, err = Append(dst, v[name]); err != nil {
				return nil, err
			}
		}
		return append(dst, '}'), nil
	case []Object:
		dst = append(dst, '[')
		for i, o := range v {
			if dst, err = Append(separated(dst, i), o); err != nil {
				return nil, err
			}
		}
		return append(dst, ']'), nil
	case []string:
		dst = append(dst, '[')
		for i, s := range v {
			dst = index.AppendString(separated(dst, i), s)
		}
		return append(dst, ']'), nil
	case string:
		return index.AppendString(dst, v), nil
	case bool:
		return strconv.AppendBool(dst, v), nil
	case int:
		return strconv.AppendInt(dst, int64(v), 10), nil
	case int64:
		return strconv.AppendInt(dst, v, 10), nil
	case json.RawMessage:
		return append(dst, v...), nil
	}
	text, err := json.Marshal(v)
	return append(dst, text...), err
}

// separated appends what stands before the i-th item of a list or an object.
func separated(dst []byte, i int) []byte {
	if i > 0 {
		return append(dst, ',')
	}
	return dst
}
