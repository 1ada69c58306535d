package reader

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"filings/index"
	"filings/index/elastic/document"
)

// key is a field to sort by.
type key struct {
	field     string
	ascending bool
}

// order is a whole order: no two filings are equal in it.
type order []key

// sortOrder returns the order that s names: ties by filing date, then by id, both descending.
func sortOrder(s index.Sort) order {
	date := key{field: document.DayField}
	id := key{field: index.ID.String()}
	switch s.By {
	case index.FilingDate:
		date.ascending = s.Ascending
		return order{date, id}
	case index.Owner, index.CreatedAt:
		return order{{document.Derived(s.By), s.Ascending}, date, id}
	}
	return order{{s.By.String(), s.Ascending}, date, id}
}

// within returns the order of filings that are equal in o's first key.
func (o order) within() order {
	if o[0].field == document.DayField {
		return o // the index is sorted by day and id: more is less here
	}
	return o[1:]
}

// isIndexOrder reports whether o is the order of the index, in which Elasticsearch finds a page without looking at the
// filings behind it.
func (o order) isIndexOrder() bool { return slices.Equal(o, sortOrder(index.DefaultSort)) }

// body returns the sort of a request. Missing values come last, or first where the order is backwards.
func (o order) body(backwards bool) []object {
	missing := "_last"
	if backwards {
		missing = "_first"
	}
	keys := make([]object, len(o))
	for i, k := range o {
		keys[i] = object{k.field: object{"order": direction(k.ascending != backwards), "missing": missing}}
	}
	return keys
}

// rowsBody requests a page, without the total: finding all hits may take longer than the page by two orders of magnitude.
func rowsBody(clauses []object, o order, backwards bool, from, size int) object {
	return filtered(object{
		"from": from, "size": size, "track_total_hits": false, "sort": o.body(backwards),
	}, clauses)
}

// counting makes a search count its hits up to so many, which takes hardly longer: it goes on until it has met them.
func counting(body object, most int64) object {
	body["track_total_hits"] = most
	return body
}

// place is what a filing is sorted by, as JSON: a value for each key of an order, null where it has none.
type place []json.RawMessage

var missing = json.RawMessage("null")

// rows are filings that follow one another in an order, with the places of the first and the last one.
type rows struct {
	records     []index.Record
	first, last place
	total       int64 // of all that the order has, if counted
	counted     bool
}

// add appends what follows r. The total stays: more is a part.
func (r *rows) add(more rows) {
	if len(more.records) == 0 {
		return
	}
	if len(r.records) == 0 {
		r.first = more.first
	}
	r.records, r.last = append(r.records, more.records...), more.last
}

// placeOf returns the place of a hit: what was known of it, and what it was sorted by, an array.
func placeOf(known place, sorted []byte) (p place, err error) {
	if err := json.Unmarshal(sorted, &p); err != nil {
		return nil, err
	}
	for i, v := range p[:max(0, len(p)-1)] {
		if stands(v) {
			p[i] = missing
		}
	}
	return slices.Concat(known, p), nil
}

// stands reports whether v is what Elasticsearch sorts by where there is no value: infinities, of integers the farthest.
func stands(v json.RawMessage) bool {
	switch string(v) {
	case firstInteger, lastInteger, `"-Infinity"`, `"Infinity"`:
		return true
	}
	return false
}

// sorted is p as Elasticsearch sorts it where days descend, and where the other values are not missing.
func (p place) sorted() place {
	p = slices.Clone(p)
	for i, v := range p {
		if string(v) == string(missing) {
			p[i] = json.RawMessage(firstInteger)
		}
	}
	return p
}

var firstInteger, lastInteger = strconv.Itoa(math.MinInt64), strconv.Itoa(math.MaxInt64)

// idsOnly makes hits have the id alone, from its column: no stored field is read and decompressed.
func idsOnly(body object) object {
	body["stored_fields"] = "_none_"
	body["docvalue_fields"] = []string{index.ID.String()}
	return body
}
