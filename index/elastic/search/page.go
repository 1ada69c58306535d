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
// without counting, as ranges that are searched one after the other (Page.Ranges).
//
// A page that asks for its total has it of the same search, up to 10,000, or of a box all. Beyond
// that a second search counts: a page in another order than the index's would otherwise look at all
// that is counted. One clause alone is counted from the index of its field, two are counted filing
// by filing: so a county by amounts is one number (aggregates.go; the column "new county and
// amount" of `make bench-growth`).
//
// encoding/json writes an Object in the order of its names, so that equal searches have equal
// bodies: that of a page in 5 µs, a hundredth of the cost of a page (AMD EPYC;
// `go test -run '^$' -bench Body ./index/elastic/search`).
package search

import (
	"encoding/json"
	"slices"
	"strconv"

	"filings/index"
	"filings/index/elastic/document"
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

// A page after a position is found by the sort values of the filing there (search_after), without
// counting: how deep in the order it lies makes no difference, as long as Elasticsearch does not
// walk there. It does walk in the order of the index, and among filings that are equal in the first
// keys; and filings of a whole order take longer to sort than those of a small range of it. So the
// filings after a position are cut into ranges, which are searched one after the other until the
// page is full. Mostly the first one is enough.

// Ranges returns the ranges of p after a position, in its order; reach ends the first one.
func (p Page) Ranges(start Position, reach Reach) []Page {
	p.position = start
	first, value := p.order[0], start[0]
	isMissing := string(value) == string(missing)
	valueless := p.narrow(not(exists(first.field)))
	ties := valueless
	if !isMissing {
		ties = p.narrow(Object{"term": Object{first.field: value}})
	}
	if first.field == document.DayField {
		valueless.order = OrderOf(index.DefaultSort) // the same, and that of the index
		ties.order = valueless.order
	} else {
		valueless, ties = valueless.withFirst(missing), ties.withFirst(value)
		ties.position = start[1:]
	}
	valueless.position = nil
	switch {
	case reach.ties == 0 && !isMissing:
		return p.reaching(reach.end, valueless)
	case first.field != document.DayField:
		if reach.ties--; reach.ties < 0 {
			reach = Reach{}
		}
		return afterTies(p, valueless, ties.Ranges(ties.position, reach))
	case reach.end == nil:
		return afterTies(p, valueless, []Page{ties})
	}
	return afterTies(p, valueless, ties.cut(ties.order[1], ties.position[1], reach.end))
}

// afterTies returns the ranges of p: filings that are equal to its position in the first key, later
// ones, and those without a value.
func afterTies(p, valueless Page, ties []Page) []Page {
	first, value := p.order[0], p.position[0]
	if string(value) == string(missing) {
		return ties
	}
	p.position = nil
	rest := []Page{p.narrow(inLimits(first.field, Object{first.laterLimit(): value}))}
	if first.field == document.DayField && first.ascending {
		day, _ := strconv.ParseInt(string(value), 10, 64) // Position.fits: it is a number
		rest = windows(p, day+1)
	}
	return slices.Concat(ties, rest, []Page{valueless})
}

// reaching returns the ranges of p up to end, after that, and without a value in the first key.
func (p Page) reaching(end json.RawMessage, valueless Page) []Page {
	first, value := p.order[0], p.position[0]
	switch {
	case first.field == document.DayField && first.ascending:
		day, _ := strconv.ParseInt(string(value), 10, 64)
		if end == nil {
			return append(windows(p, day), valueless)
		}
		last, _ := strconv.ParseInt(string(end), 10, 64)
		return slices.Concat(p.cut(first, value, end)[:1], windows(p, max(day, last+1)), []Page{valueless})
	case end != nil:
		return append(p.cut(first, value, end), valueless)
	case p.order.isIndexOrder():
		return []Page{p.narrow(inLimits(first.field, Object{"lte": value})), valueless}
	}
	return []Page{p} // with those without a value
}

// cut cuts p at a value of a key, in which the filings after p's position begin at start.
func (p Page) cut(k key, start, end json.RawMessage) []Page {
	first, last := "lte", "gte"
	if k.ascending {
		first, last = last, first
	}
	return []Page{
		p.narrow(inLimits(k.field, Object{first: start, last: end})),
		p.narrow(inLimits(k.field, Object{k.laterLimit(): end})),
	}
}

// windows cuts the filings from a day on, by ascending days. That is the opposite of the index's
// order: Elasticsearch meets the last filings of a range first, and so visits all of them. Few days
// are enough for most pages; where they are not, filings are rare, so that more days have few of
// them too.
func windows(p Page, day int64) (ranges []Page) {
	for days := int64(8); days <= 512; days *= 8 {
		ranges = append(ranges, p.narrow(inLimits(document.DayField, Object{"gte": day, "lt": day + days})))
		p.position, day = nil, day+days
	}
	return append(ranges, p.narrow(inLimits(document.DayField, Object{"gte": day})))
}
