// Package search makes the requests to Elasticsearch: queries become searches here, as values,
// and values become JSON. It is pure: it sends nothing, reads no response, and the same query
// always becomes the same searches, which testdata shows. Package reader sends them.
//
// # Design
//
// A filter becomes clauses (clauses.go), never from text; a box on the map is cut where geo_points
// are rounded (region.go).
//
// A Page is one search for filings in an order. A page at any offset is planned by counting
// (offset.go): a Span is counted by the coarsest of its levels, the Table of the counts says which
// part holds the page, and Next returns the Step that finds it. A page after a position is planned
// without counting, as ranges that are searched one after the other (after.go).
//
// A page that asks for its total has it of the same search, up to 10,000, or of a box all. Beyond
// that a second search counts: a page in another order than the index's would otherwise look at all
// that is counted. One clause alone is counted from the index of its field, two are counted filing
// by filing: so a county by amounts is one number (clauses.go; the column "new county and amount" of
// `make bench-growth`).
//
// encoding/json writes an Object in the order of its names, so that equal searches have equal
// bodies: that of a page in 5 µs, a hundredth of the cost of a page (AMD EPYC;
// `go test -run '^$' -bench Body ./index/elastic/search`).
package search

import (
	"encoding/json"
	"slices"

	"filings/index"
)

// Page is one search for filings: a run of those that its clauses select, in an order. It is a
// plan, made of values alone; Body is the request that it becomes.
type Page struct {
	name     string // tells the clauses from others of the generation
	clauses  []Object
	order    Order
	Known    Position // sort values of all of it, of keys before those of its order
	position Position // the page begins after it; nil: at the beginning
	// Backwards: the filings are found from the end of the order, the last one first.
	Backwards bool
	offset    int64 // filings to skip
	Size      int64 // filings to find at the most
	// Counts is up to how many filings all that the clauses select is counted. 0: it is not, since
	// finding all hits may take longer than the page by two orders of magnitude.
	Counts  int64
	IDsOnly bool // of each filing the id is enough
	// Columns are found of each filing besides its record.
	Columns []string
}

// PageOf returns the filings that q selects, in its order. clauses are those of its filter.
func PageOf(q index.Query, clauses []Object) Page {
	return Page{name: q.Where.String(), clauses: clauses, order: OrderOf(q.Sort), IDsOnly: q.IDsOnly}
}

// PageOfID returns the page of the one filing with this id, in the order of s.
func PageOfID(id int64, s index.Sort) Page {
	return Page{clauses: []Object{{"term": Object{index.ID.String(): id}}}, order: OrderOf(s), Size: 1, IDsOnly: true}
}

// Part returns the part of p with at most size filings from an offset on.
func (p Page) Part(offset, size int64) Page {
	p.offset, p.Size = offset, size
	return p
}

// Body returns the request.
func (p Page) Body() Object {
	body := Object{"from": p.offset, "size": p.Size, "track_total_hits": false, "sort": p.order.body(p.Backwards)}
	if p.Counts > 0 {
		body["track_total_hits"] = p.Counts // which takes hardly longer: it goes on until it has met so many
	}
	if p.position != nil {
		body["search_after"] = p.position.sorted()
	}
	if p.IDsOnly { // from its column: no stored field is read and decompressed
		body["stored_fields"] = "_none_"
		body["docvalue_fields"] = []string{index.ID.String()}
	} else if len(p.Columns) > 0 {
		body["docvalue_fields"] = p.Columns
	}
	return filtered(body, p.clauses)
}

func (p Page) narrow(c Object) Page {
	p.clauses = append(slices.Clip(p.clauses), c)
	return p
}

// withFirst is p when all of it has one value in the first key.
func (p Page) withFirst(value json.RawMessage) Page {
	if rest := p.order.rest(); len(rest) < len(p.order) {
		p.order, p.Known = rest, append(slices.Clip(p.Known), value)
	}
	return p
}

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
