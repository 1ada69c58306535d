package search

import (
	"encoding/json"
	"slices"
	"strconv"

	"filings/index"
	"filings/index/elastic/document"
)

// A page after a position is found by the sort values of the filing there (search_after), without
// counting: how deep in the order it lies makes no difference, as long as Elasticsearch does not
// walk there. It does walk in the order of the index, and among filings that are equal in the first
// keys; and filings of a whole order take longer to sort than those of a small range of it. So the
// filings after a position are cut into ranges, which are searched one after the other until the
// page is full. Mostly the first one is enough.

// Ranges returns the ranges of p after a position, in the order of p; reach says how far the first one reaches.
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
	near, far := "lte", "gte"
	if k.ascending {
		near, far = far, near
	}
	return []Page{
		p.narrow(inLimits(k.field, Object{near: start, far: end})),
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
