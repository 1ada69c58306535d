package reader

import (
	"encoding/json"
	"slices"
	"sort"
	"strconv"

	"filings/index"
	"filings/index/elastic/document"
)

// table counts a span's filings by one field's values, in an order. Filings without a value are the
// last bucket.
type table struct {
	keys []string // JSON
	ends []int64  // filings up to and including this bucket
	size int      // bytes held, about
	// width is how many values a bucket has room for where it has more than one: whole numbers from its key on.
	width int64
}

func (t *table) add(key []byte, count int64) {
	t.keys = append(t.keys, string(key))
	t.ends = append(t.ends, t.total()+count)
	t.size += len(key) + 16 + 8 // text, string header, end
}

// close adds the bucket of the filings without a value, the key of which is "".
func (t *table) close(total int64) {
	if missing := total - t.total(); missing > 0 {
		t.add(nil, missing)
	}
}

func (t *table) total() int64 {
	if len(t.ends) == 0 {
		return 0
	}
	return t.ends[len(t.ends)-1]
}

// at returns the bucket that holds the filing at a position below total.
func (t *table) at(position int64) int {
	return sort.Search(len(t.ends), func(i int) bool { return t.ends[i] > position })
}

// start returns the position of bucket i's first filing.
func (t *table) start(i int) int64 {
	if i == 0 {
		return 0
	}
	return t.ends[i-1]
}

// missing reports whether bucket i is that of the filings without a value.
func (t *table) missing(i int) bool { return t.keys[i] == "" }

// partsClause holds for the values of buckets i to j.
func (t *table) partsClause(field string, i, j int) object {
	first, _ := strconv.ParseInt(t.keys[i], 10, 64) // which is how parts are written
	last, _ := strconv.ParseInt(t.keys[j], 10, 64)
	return within(field, object{"gte": min(first, last), "lt": max(first, last) + t.width})
}

// level is something that filings are counted by.
type level struct {
	field      string
	descending bool
	key        index.Field // what field orders by: itself, or the field that it is the code of
	code       bool        // field is the code: filings of one bucket still differ in the key
	parts      bool        // counted by equal parts of the range that its values lie in, not by value (terms.go)
}

// levels returns what filings are counted by for an order, one after the other, the coarsest first.
func levels(s index.Sort) []level {
	code := func(key index.Field, ascending bool) level {
		return level{field: document.Code(key), descending: !ascending, key: key, code: true}
	}
	day := level{field: index.FilingDate.String(), descending: true, key: index.FilingDate} // has few enough different values itself
	ids := []level{code(index.ID, false), {field: index.ID.String(), descending: true, key: index.ID, parts: true}}
	if s.By == index.FilingDate {
		day.descending = !s.Ascending
		return append([]level{day}, ids...)
	}
	// Filings are added in a few loads, and a load may have as many times as filings.
	value := level{field: sortOrder(s)[0].field, descending: !s.Ascending, key: s.By, parts: s.By == index.CreatedAt}
	return append([]level{code(s.By, s.Ascending), value, day}, ids...)
}

// below returns the levels that tell the filings of one bucket of levels[0] apart. Those without a value are all equal
// in the finer levels of the same key.
func below(levels []level, missing bool) []level {
	rest := levels[1:]
	for missing && rest[0].key == levels[0].key {
		rest = rest[1:]
	}
	return rest
}

// span is a run of neighbouring filings in some order: all those that its clauses select.
type span struct {
	name    string // tells the clauses from others of the generation
	clauses []object
	order   order
	known   place // what all of it is sorted by before the keys of order
	idsOnly bool  // of each filing the id is enough
	counts  int64 // up to how many filings the total is wanted; 0: it is not
}

// narrow returns the part of s whose value at level l lies in t's buckets i to j. Filings without a value are not taken
// together with others: Elasticsearch is slow to join the two.
func (s span) narrow(l level, t *table, i, j int) span {
	lower, upper := "gte", "lte"
	if l.descending {
		lower, upper = upper, lower
	}
	var c object
	switch first, last := json.RawMessage(t.keys[i]), json.RawMessage(t.keys[j]); {
	case t.missing(i):
		c = not(exists(l.field))
	case t.width > 1:
		c = t.partsClause(l.field, i, j)
	case i == j:
		c = object{"term": object{l.field: first}}
	default:
		c = within(l.field, object{lower: first, upper: last})
	}
	part := span{
		name:    s.name + " | " + l.field + " " + t.keys[i] + " to " + t.keys[j],
		clauses: append(slices.Clip(s.clauses), c),
		order:   s.order,
		known:   s.known,
		idsOnly: s.idsOnly,
	}
	if i == j && t.width <= 1 && (!l.code || t.missing(i)) {
		part.order = part.order.within()
		if len(part.order) < len(s.order) {
			value := json.RawMessage(t.keys[i])
			if t.missing(i) {
				value = missing
			}
			part.known = append(slices.Clip(s.known), value)
		}
	}
	return part
}
