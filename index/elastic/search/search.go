// Package search makes the requests to Elasticsearch: queries become searches here, as values,
// and values become JSON. It is pure: it sends nothing, reads no response, and the same query
// always becomes the same searches, which testdata shows. Package reader sends them.
//
// # Design
//
// A filter becomes clauses (clauses.go), never from text; a box on the map is cut where geo_points
// are rounded (box.go).
//
// A Page is one search for filings in an order. A page at any offset is planned by counting
// (offset.go): a Span is counted by the coarsest of its levels, the Table of the counts says which
// part holds the page, and Next returns the Step that finds it. A page after a position is planned
// without counting, as ranges that are searched one after the other (after.go).
//
// A page that asks for its total has it of the same search, up to 10,000, or of a box all. Beyond
// that a second search counts: a page in another order than the index's would otherwise look at all
// that is counted. One clause alone is counted from the index of its field, two are counted filing
// by filing: so a county by amounts is one number (county.go; the column "new county and amount" of
// `make bench-growth`).
//
// encoding/json writes an Object in the order of its names, so that equal searches have equal
// bodies: that of a page in 5 µs, a hundredth of the cost of a page (AMD EPYC;
// `go test -run '^$' -bench Body ./index/elastic/search`).
package search

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
