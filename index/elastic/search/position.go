package search

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"filings/index"
	"filings/index/elastic/document"
)

// key is a field to sort by.
type key struct {
	field     string
	ascending bool
}

// laterLimit names the limit of a range of values after one of k.
func (k key) laterLimit() string {
	if k.ascending {
		return "gt"
	}
	return "lt"
}

// Order is a whole order: no two filings are equal in it.
type Order []key

// OrderOf returns the order that s names: ties by filing date, then by id, both descending.
func OrderOf(s index.Sort) Order {
	date := key{field: document.DayField}
	id := key{field: index.ID.String()}
	switch s.Field {
	case index.FilingDate:
		date.ascending = s.Ascending
		return Order{date, id}
	case index.Owner, index.CreatedAt:
		return Order{{document.Derived(s.Field), s.Ascending}, date, id}
	}
	return Order{{s.Field.String(), s.Ascending}, date, id}
}

// rest returns the order of filings that are equal in o's first key.
func (o Order) rest() Order {
	if o[0].field == document.DayField {
		return o // the index is sorted by day and id: more is less here
	}
	return o[1:]
}

// isIndexOrder reports whether o is the order of the index, in which Elasticsearch finds a page
// without looking at the filings after it.
func (o Order) isIndexOrder() bool { return slices.Equal(o, OrderOf(index.DefaultSort)) }

// body returns the sort of a request. Missing values come last; first if the order is backwards.
func (o Order) body(backwards bool) []Object {
	missing := "_last"
	if backwards {
		missing = "_first"
	}
	keys := make([]Object, len(o))
	for i, k := range o {
		keys[i] = Object{k.field: Object{"order": direction(k.ascending != backwards), "missing": missing}}
	}
	return keys
}

// direction names an order.
func direction(ascending bool) string {
	if ascending {
		return "asc"
	}
	return "desc"
}

// Position is the sort values of a filing, as JSON: one for each key of an order, null where it has
// none.
type Position []json.RawMessage

var missing = json.RawMessage("null")

// PositionOf returns the position of a hit: the values known before, and those that the search
// sorted it by, an array.
func PositionOf(known Position, sorted []byte) (p Position, err error) {
	if err := json.Unmarshal(sorted, &p); err != nil {
		return nil, err
	}
	for i, v := range p[:max(0, len(p)-1)] {
		if standsForMissing(v) {
			p[i] = missing
		}
	}
	return slices.Concat(known, p), nil
}

// append appends p as JSON.
func (p Position) append(dst []byte) []byte {
	separator := byte('[')
	for _, v := range p {
		dst = append(append(dst, separator), v...)
		separator = ','
	}
	return append(dst, ']')
}

// standsForMissing reports whether Elasticsearch sorts a missing value as v: infinities, of
// integers the farthest.
func standsForMissing(v json.RawMessage) bool {
	switch string(v) {
	case firstInteger, lastInteger, `"-Infinity"`, `"Infinity"`:
		return true
	}
	return false
}

// sorted is p as Elasticsearch sorts it where days descend, and where the other values are not
// missing.
func (p Position) sorted() Position {
	p = slices.Clone(p)
	for i, v := range p {
		if string(v) == string(missing) {
			p[i] = json.RawMessage(firstInteger)
		}
	}
	return p
}

var firstInteger, lastInteger = strconv.Itoa(math.MinInt64), strconv.Itoa(math.MaxInt64)

// fits reports whether p has a value of the right type, or none, for each key of an order, and an
// id.
func (p Position) fits(o Order) bool {
	if len(p) != len(o) || string(p[len(p)-1]) == string(missing) {
		return false
	}
	for i, v := range p {
		if string(v) != string(missing) && !isOf(o[i].field, v) {
			return false
		}
	}
	return true
}

// isOf reports whether v, which is JSON, can be a value of a field that is sorted by.
func isOf(field string, v json.RawMessage) (ok bool) {
	var err error
	switch field {
	case document.Derived(index.Owner):
		return v[0] == '"'
	case index.FilingAmount.String(), index.CurrentAmount.String():
		_, err = strconv.ParseFloat(string(v), 64)
	default:
		_, err = strconv.ParseInt(string(v), 10, 64)
	}
	return err == nil
}

// The texts of positions, in index.Query.Start.
const (
	// tiedMark begins the position after a page once for each key in which all of its filings are
	// equal: probably more of them follow. Then comes how far the next page is expected to reach in
	// the key after these, and the position.
	tiedMark = "="
	// longestPosition is how long the text of a position may be, in bytes: it is to fit into an
	// address. An owner may have 8,000 characters.
	longestPosition = 200
)

// End returns the text of the position after a page, from those of its first and its last filing.
func End(first, last Position) string {
	reach := ReachOf(first, last)
	text := last.append(append([]byte(strings.Repeat(tiedMark, reach.ties)), reach.end...))
	if len(text) > longestPosition {
		id, _ := strconv.ParseInt(string(last[len(last)-1]), 10, 64)
		return index.PositionAfter(id)
	}
	return string(text)
}

// ReadEnd reads a text of End, or one that a client made up, for the order of s: else
// index.ErrPosition.
func ReadEnd(end string, s index.Sort) (p Position, reach Reach, err error) {
	order := OrderOf(s)
	text := strings.TrimLeft(end, tiedMark)
	reach.ties = len(end) - len(text)
	values := json.NewDecoder(strings.NewReader(text))
	if !strings.HasPrefix(text, "[") {
		err = values.Decode(&reach.end)
		text = text[values.InputOffset():]
	}
	if err != nil || json.Unmarshal([]byte(text), &p) != nil || !p.fits(order) || !reach.fits(order) {
		return nil, Reach{}, fmt.Errorf("%w: %.100q", index.ErrPosition, end)
	}
	return p, reach, nil
}

// Reach is how far the page after another one is expected to reach: a crawl reads neighboring
// pages, which are about as dense in their order. It decides which range is searched first, never
// which filings are found.
type Reach struct {
	ties int             // keys in which all filings of the page before are equal
	end  json.RawMessage // a value of the key after these; nil: unknown
}

// reachFactor times the width of the page before is searched first. A range of a few hundred
// filings is found as fast as one of a hundred, and fewer pages need a second search.
const reachFactor = 4

// ReachOf returns the reach after a page, from the positions of its first and its last filing.
func ReachOf(first, last Position) (r Reach) {
	if string(first[len(first)-1]) == string(last[len(last)-1]) {
		return Reach{} // one filing
	}
	for r.ties < len(last)-1 && string(first[r.ties]) == string(last[r.ties]) {
		r.ties++
	}
	r.end = reachEnd(first[r.ties], last[r.ties])
	return r
}

// reachEnd returns the number reachFactor times as far after last as last is after first, up or
// down; nil if there is none. Without it a page of 100 of 525,682 filings, the first added first,
// took 8.4 times as long, one by ascending amounts 1.06 times; by owners, whose names are no
// numbers, Elasticsearch skips as well by itself.
func reachEnd(first, last json.RawMessage) json.RawMessage {
	start, stop := string(first), string(last)
	if start == stop || start == string(missing) || stop == string(missing) {
		return nil
	}
	a, err1 := strconv.ParseInt(start, 10, 64)
	b, err2 := strconv.ParseInt(stop, 10, 64)
	if err1 == nil && err2 == nil {
		width := b - a
		end := b + reachFactor*width
		if width > math.MaxInt64/reachFactor || width < math.MinInt64/reachFactor || (end > b) != (b > a) {
			return nil
		}
		return strconv.AppendInt(nil, end, 10)
	}
	x, err1 := strconv.ParseFloat(start, 64)
	y, err2 := strconv.ParseFloat(stop, 64)
	end := y + reachFactor*(y-x)
	if err1 != nil || err2 != nil || math.IsInf(end, 0) {
		return nil
	}
	return strconv.AppendFloat(nil, end, 'g', -1, 64)
}

// fits reports whether r can be the reach in an order.
func (r Reach) fits(o Order) bool {
	return r.ties < len(o) && (r.end == nil || isOf(o[r.ties].field, r.end))
}
