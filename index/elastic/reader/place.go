package reader

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"filings/index"
	"filings/index/elastic/document"
)

// place is what a filing is sorted by, as JSON: a value for each key of an order, null where it has none.
type place []json.RawMessage

var missing = json.RawMessage("null")

// rows are filings that follow one another in an order, with the places of the first and the last one.
type rows struct {
	records     []index.Record
	first, last place
}

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

// The texts of places, in index.Query.After.
const (
	// tiedMark begins the place behind a page whose filings are equal in the first key: probably more of them follow.
	tiedMark = "="
	// longestPlace is how long the text of a place may be, in bytes: it is to fit into an address. An owner may have 8,000
	// characters.
	longestPlace = 400
)

// end returns the text of the place behind r, "" behind nothing.
func (r *rows) end() string {
	if len(r.records) == 0 {
		return ""
	}
	text, _ := appendBody(nil, r.last) // which was JSON before
	id := string(r.last[len(r.last)-1])
	switch {
	case len(text) > longestPlace:
		n, _ := strconv.ParseInt(id, 10, 64)
		return index.Behind(n)
	case len(r.records) > 1 && string(r.first[0]) == string(r.last[0]):
		return tiedMark + string(text)
	}
	return string(text)
}

// placeAt reads q.After, which a client may have made up.
func (r *Reader) placeAt(ctx context.Context, q index.Query) (p place, tied bool, err error) {
	order := sortOrder(q.Sort)
	if id, is, err := index.IDBehind(q.After); is || err != nil {
		if err != nil {
			return nil, false, err
		}
		found, err := r.rows(ctx, rowsBody([]object{{"term": object{index.ID.String(): id}}}, order, false, 0, 1), nil)
		if err == nil && len(found.records) == 0 {
			err = fmt.Errorf("%w: there is no filing %d", index.ErrPlace, id)
		}
		return found.last, false, err
	}
	text, tied := strings.CutPrefix(q.After, tiedMark)
	if err := json.Unmarshal([]byte(text), &p); err != nil || !p.fits(order) {
		return nil, false, fmt.Errorf("%w: %.100q", index.ErrPlace, q.After)
	}
	return p, tied, nil
}

// fits reports whether p has a value of the right type, or none, for each key of an order, and an id.
func (p place) fits(o order) bool {
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
func isOf(field string, v json.RawMessage) (is bool) {
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
