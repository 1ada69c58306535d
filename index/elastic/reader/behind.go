package reader

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"filings/index"
	"filings/index/elastic/client"
	"filings/index/elastic/document"
)

// A page behind a place is found by what the filing there is sorted by (search_after), without counting: how deep in the
// order it lies makes no difference, as long as Elasticsearch does not walk there. It does walk in the order of the index,
// and among filings that are equal in the first keys; and filings of a whole order take longer to sort than those of a
// small range of it. So what follows a place is cut into ranges (reach.go), which are requested one after the other until
// the page is full. Mostly the first one is enough.

// part is a range of the filings behind a place, in an order.
type part struct {
	clauses []object
	order   order
	known   place // what all of it is sorted by before the keys of order
	after   place // in order; nil: from the beginning of the range
}

// behind returns the rows of the page behind q.After, at most so many by a search.
func (r *Reader) behind(ctx context.Context, q index.Query, clauses []object, most int64) (found rows, err error) {
	at, near, err := r.placeAt(ctx, q)
	if err != nil {
		return rows{}, err
	}
	for n := 0; !enough(q, found.records); n = len(found.records) { // once, but for a limit that is larger than a search may find
		limit := int(min(int64(q.Limit-n), most))
		more, err := r.firstOf(ctx, partsBehind(part{clauses: clauses, order: sortOrder(q.Sort), after: at}, near), limit, q)
		if err != nil {
			return rows{}, err
		}
		if found.add(more); len(more.records) < limit {
			break
		}
		at, near = more.last, reachOf(more.first, more.last)
	}
	return found, nil
}

// firstOf requests the first filings of parts, one part after the other, until they are enough for q.
func (r *Reader) firstOf(ctx context.Context, parts []part, size int, q index.Query) (found rows, err error) {
	for _, p := range parts {
		body := rowsBody(p.clauses, p.order, false, 0, size-len(found.records))
		if p.after != nil {
			body["search_after"] = p.after.sorted()
		}
		more, err := r.rows(ctx, body, p.known, q.IDsOnly)
		if err != nil {
			return rows{}, err
		}
		if found.add(more); len(found.records) >= size || enough(q, found.records) {
			break
		}
	}
	return found, nil
}

// partsBehind cuts the filings of p behind p.after into ranges, the first of which reaches as far as near says.
func partsBehind(p part, near reach) []part {
	first, value := p.order[0], p.after[0]
	isMissing := string(value) == string(missing)
	without := p.narrow(not(exists(first.field)))
	same := without
	if !isMissing {
		same = p.narrow(object{"term": object{first.field: value}})
	}
	if first.field == document.DayField {
		without.order = sortOrder(index.DefaultSort) // the same, and that of the index
		same.order = without.order
	} else {
		without, same = without.within(missing), same.within(value)
		same.after = p.after[1:]
	}
	without.after = nil
	ties := near.ties > 0 || isMissing
	switch {
	case !ties:
		return p.reaching(near.until, without)
	case first.field != document.DayField:
		if near.ties--; near.ties < 0 {
			near = reach{}
		}
		return behindTies(p, without, partsBehind(same, near))
	case near.until == nil:
		return behindTies(p, without, []part{same})
	}
	return behindTies(p, without, same.cut(same.order[1], same.after[1], near.until))
}

// behindTies returns the parts of p: those that are equal to its place in the first key, what lies beyond, and what has
// no value.
func behindTies(p, without part, same []part) []part {
	first, value := p.order[0], p.after[0]
	if string(value) == string(missing) {
		return same
	}
	p.after = nil
	beyond := []part{p.narrow(within(first.field, object{ahead(first): value}))}
	if first.field == document.DayField && first.ascending {
		day, _ := strconv.ParseInt(string(value), 10, 64) // place.fits: it is a number
		beyond = windows(p, day+1)
	}
	return slices.Concat(same, beyond, []part{without})
}

// reaching returns the parts of p up to until, behind that, and without a value in the first key.
func (p part) reaching(until json.RawMessage, without part) []part {
	first, value := p.order[0], p.after[0]
	switch {
	case first.field == document.DayField && first.ascending:
		day, _ := strconv.ParseInt(string(value), 10, 64)
		if until == nil {
			return append(windows(p, day), without)
		}
		last, _ := strconv.ParseInt(string(until), 10, 64)
		return slices.Concat(p.cut(first, value, until)[:1], windows(p, max(day, last+1)), []part{without})
	case until != nil:
		return append(p.cut(first, value, until), without)
	case p.order.isIndexOrder():
		return []part{p.narrow(within(first.field, object{"lte": value})), without}
	}
	return []part{p} // with those without a value
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

// windows cuts what lies from a day on, by ascending days. That is the opposite of the index's order: Elasticsearch meets the
// last filings of a range first, and so visits all of them. Few days are enough for most pages; where they are not,
// filings are rare, so that more days have few of them too.
func windows(p part, from int64) (parts []part) {
	for days := int64(8); days <= 512; days *= 8 {
		parts = append(parts, p.narrow(within(document.DayField, object{"gte": from, "lt": from + days})))
		p.after, from = nil, from+days
	}
	return append(parts, p.narrow(within(document.DayField, object{"gte": from})))
}

// The texts of places, in index.Query.After.
const (
	// tiedMark begins the place behind a page once for each key in which all of its filings are equal: probably more of
	// them follow. Then comes how far the next page is expected to reach in the key after these, and the place.
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
	near := reachOf(r.first, r.last)
	text := append([]byte(strings.Repeat(tiedMark, near.ties)), near.until...)
	text, _ = appendBody(text, r.last) // which was JSON before
	if len(text) > longestPlace {
		id, _ := strconv.ParseInt(string(r.last[len(r.last)-1]), 10, 64)
		return index.Behind(id)
	}
	return string(text)
}

// placeBehind returns the text of the place behind a record.
func placeBehind(record index.Record) (string, error) {
	var values [index.NumReturned][]byte
	err := record.Values(&values, index.ID)
	id, failed := strconv.ParseInt(string(values[index.ID]), 10, 64)
	if err = errors.Join(err, failed); err != nil {
		return "", fmt.Errorf("%w: %w", client.ErrResponse, err)
	}
	return index.Behind(id), nil
}

// placeAt reads q.After, which a client may have made up.
func (r *Reader) placeAt(ctx context.Context, q index.Query) (p place, near reach, err error) {
	order := sortOrder(q.Sort)
	if id, is, err := index.IDBehind(q.After); is || err != nil {
		if err != nil {
			return nil, reach{}, err
		}
		found, err := r.rows(ctx, rowsBody([]object{{"term": object{index.ID.String(): id}}}, order, false, 0, 1), nil, true)
		if err == nil && len(found.records) == 0 {
			err = fmt.Errorf("%w: there is no filing %d", index.ErrPlace, id)
		}
		return found.last, reach{}, err
	}
	text := strings.TrimLeft(q.After, tiedMark)
	near.ties = len(q.After) - len(text)
	values := json.NewDecoder(strings.NewReader(text))
	if !strings.HasPrefix(text, "[") {
		err = values.Decode(&near.until)
		text = text[values.InputOffset():]
	}
	if err != nil || json.Unmarshal([]byte(text), &p) != nil || !p.fits(order) || !near.fits(order) {
		return nil, reach{}, fmt.Errorf("%w: %.100q", index.ErrPlace, q.After)
	}
	return p, near, nil
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
