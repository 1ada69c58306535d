package reader

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"filings/index"
	"filings/index/elastic/document"
)

// A page behind a place is found by what the filing there is sorted by (search_after), without counting: how deep in the
// order it lies makes no difference, as long as Elasticsearch does not walk there. It does walk in the order of the index,
// and among filings that are equal in the first key. So what follows a place is cut into ranges, which are requested one
// after the other until the page is full. Mostly the first one is enough.

// part is a range of the filings behind a place, in an order.
type part struct {
	clauses []object
	order   order
	known   place // what all of it is sorted by before the keys of order
	after   place // in order; nil: from the beginning of the range
}

// behind returns the rows of the page behind q.After.
func (r *Reader) behind(ctx context.Context, q index.Query, clauses []object) (found rows, err error) {
	at, tied, err := r.placeAt(ctx, q)
	if err != nil {
		return rows{}, err
	}
	for n := 0; n < q.Limit; n = len(found.records) { // once, but for a limit that is larger than a page may be
		limit := int(min(int64(q.Limit-n), r.longestWalk))
		more, err := r.firstOf(ctx, partsBehind(part{clauses: clauses, order: sortOrder(q.Sort), after: at}, tied), limit, q.IDsOnly)
		if err != nil {
			return rows{}, err
		}
		if found.add(more); len(more.records) < limit {
			break
		}
		at = more.last
	}
	return found, nil
}

// firstOf requests the first filings of parts, one part after the other.
func (r *Reader) firstOf(ctx context.Context, parts []part, size int, idsAlone bool) (found rows, err error) {
	for _, p := range parts {
		body := rowsBody(p.clauses, p.order, false, 0, size-len(found.records))
		if p.after != nil {
			body["search_after"] = p.after.sorted()
		}
		more, err := r.rows(ctx, body, p.known, idsAlone)
		if err != nil {
			return rows{}, err
		}
		if found.add(more); len(found.records) >= size {
			break
		}
	}
	return found, nil
}

// partsBehind cuts the filings of p behind p.after into ranges. tied says that many may be equal in the first key.
func partsBehind(p part, tied bool) []part {
	first, value := p.order[0], p.after[0]
	without := p.narrow(not(exists(first.field)))
	if first.field == document.DayField {
		without.order = sortOrder(index.DefaultSort) // the same, and that of the index
	} else {
		without = without.within(missing)
	}
	isMissing := string(value) == string(missing)
	switch {
	case isMissing && first.field == document.DayField:
		return []part{without}
	case isMissing:
		without.after = p.after[1:]
		return partsBehind(without, false)
	}
	without.after = nil
	switch {
	case p.order.isIndexOrder():
		return []part{p.narrow(within(first.field, object{"lte": value})), without}
	case first.field == document.DayField:
		return append(windows(p), without)
	case tied:
		same := p.narrow(object{"term": object{first.field: value}}).within(value)
		same.after = p.after[1:]
		end := "lt"
		if first.ascending {
			end = "gt"
		}
		beyond := p.narrow(within(first.field, object{end: value}))
		beyond.after = nil
		return append(partsBehind(same, false), beyond, without)
	}
	return []part{p}
}

func (p part) narrow(c object) part {
	p.clauses = append(slices.Clip(p.clauses), c)
	return p
}

// within is p when all of it has one value in the first key.
func (p part) within(value json.RawMessage) part {
	p.order, p.known = p.order.within(), append(slices.Clip(p.known), value)
	return p
}

// windows cuts what follows a day, by ascending days. That is the opposite of the index's order: Elasticsearch meets the
// last filings of a range first, and so visits all of them. Few days are enough for most pages; where they are not,
// filings are rare, so that more days have few of them too.
func windows(p part) (parts []part) {
	from, _ := strconv.ParseInt(string(p.after[0]), 10, 64) // place.fits: it is a number
	for days := int64(8); days <= 512; days *= 8 {
		parts = append(parts, p.narrow(within(document.DayField, object{"gte": from, "lt": from + days})))
		p.after, from = nil, from+days
	}
	return append(parts, p.narrow(within(document.DayField, object{"gte": from})))
}

// The texts of places, in index.Query.After.
const (
	// tiedMark begins the place behind a page whose filings are equal in the first key: probably more of them follow.
	tiedMark = "="
	// longestPlace is how long the text of a place may be, in bytes: it is to fit into an address. An owner may have 8,000
	// characters.
	longestPlace = 200
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
		found, err := r.rows(ctx, rowsBody([]object{{"term": object{index.ID.String(): id}}}, order, false, 0, 1), nil, true)
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
