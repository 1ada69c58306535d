package search

import (
	"encoding/json"
	"sort"
	"strconv"

	"filings/index"
	"filings/index/elastic/document"
)

// Table counts the filings of a page's clauses by one field's values, in an order. Filings without a value are the last
// bucket.
type Table struct {
	keys []string // JSON
	ends []int64  // filings up to and including this bucket
	// Width is how many values a bucket has room for where it has more than one: whole numbers from its key on.
	Width int64
}

// Add adds the bucket that follows, with a key as JSON.
func (t *Table) Add(key []byte, count int64) {
	t.keys = append(t.keys, string(key))
	t.ends = append(t.ends, t.Total()+count)
}

// Close adds the bucket of the filings without a value, the key of which is "", where total has more than were added.
func (t *Table) Close(total int64) {
	if without := total - t.Total(); without > 0 {
		t.Add(nil, without)
	}
}

// Total returns how many filings there are.
func (t *Table) Total() int64 {
	if len(t.ends) == 0 {
		return 0
	}
	return t.ends[len(t.ends)-1]
}

// at returns the bucket that holds the filing at a position below Total.
func (t *Table) at(position int64) int {
	return sort.Search(len(t.ends), func(i int) bool { return t.ends[i] > position })
}

// start returns the position of bucket i's first filing.
func (t *Table) start(i int) int64 {
	if i == 0 {
		return 0
	}
	return t.ends[i-1]
}

// missing reports whether bucket i is that of the filings without a value.
func (t *Table) missing(i int) bool { return t.keys[i] == "" }

// Level is a field that filings are counted by.
type Level struct {
	Field      string
	Descending bool
	Parts      bool        // counted by equal parts of the range that its values lie in, not by value
	key        index.Field // the field that Field sorts by: itself, or the one that it is the code of
	code       bool        // Field is the code: filings of one bucket still differ in the key
}

// levels returns the levels by which filings of an order are counted, one after the other, the
// coarsest first.
func levels(s index.Sort) []Level {
	code := func(key index.Field, ascending bool) Level {
		return Level{Field: document.Code(key), Descending: !ascending, key: key, code: true}
	}
	// Days are few enough to be counted by themselves.
	day := Level{Field: index.FilingDate.String(), Descending: true, key: index.FilingDate}
	ids := []Level{code(index.ID, false), {Field: index.ID.String(), Descending: true, key: index.ID, Parts: true}}
	if s.By == index.FilingDate {
		day.Descending = !s.Ascending
		return append([]Level{day}, ids...)
	}
	// Filings are added in a few loads, and a load may have as many times as filings.
	value := Level{Field: OrderOf(s)[0].field, Descending: !s.Ascending, key: s.By, Parts: s.By == index.CreatedAt}
	return append([]Level{code(s.By, s.Ascending), value, day}, ids...)
}

// below returns the levels that tell the filings of one bucket of levels[0] apart. Those without a value are all equal
// in the finer levels of the same key.
func below(levels []Level, missing bool) []Level {
	rest := levels[1:]
	for missing && rest[0].key == levels[0].key {
		rest = rest[1:]
	}
	return rest
}

// buckets returns the part of p whose value at level l lies in t's buckets i to j. Filings without
// a value are not taken together with others: Elasticsearch is slow to join the two.
func (p Page) buckets(l Level, t *Table, i, j int) Page {
	lower, upper := "gte", "lte"
	if l.Descending {
		lower, upper = upper, lower
	}
	var c Object
	switch first, last := json.RawMessage(t.keys[i]), json.RawMessage(t.keys[j]); {
	case t.missing(i):
		c = not(exists(l.Field))
	case t.Width > 1:
		a, _ := strconv.ParseInt(t.keys[i], 10, 64) // which is how parts are written
		b, _ := strconv.ParseInt(t.keys[j], 10, 64)
		c = within(l.Field, Object{"gte": min(a, b), "lt": max(a, b) + t.Width})
	case i == j:
		c = Object{"term": Object{l.Field: first}}
	default:
		c = within(l.Field, Object{lower: first, upper: last})
	}
	part := p.narrow(c)
	part.name += " | " + l.Field + " " + t.keys[i] + " to " + t.keys[j]
	part.Counts = 0
	switch {
	case i != j || t.Width > 1 || l.code && !t.missing(i):
		return part
	case t.missing(i):
		return part.within(missing)
	}
	return part.within(json.RawMessage(t.keys[i]))
}
