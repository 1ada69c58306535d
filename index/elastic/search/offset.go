package search

import (
	"encoding/json"
	"math"
	"sort"
	"strconv"

	"filings/index"
	"filings/index/elastic/document"
)

// Elasticsearch finds the page at an offset by walking there, and refuses past 10,000. Here a page
// is found by counting instead: how many of the filings there are for each value that they are
// sorted by, in order, shows which values the page has. Filings with these few values are searched,
// from the nearer end. Where too many filings have one value, they are counted again by the next
// thing that orders them, down to the id, which no two share.
//
// Numbers, names and times have too many different values to count them all, so each has a code
// that is counted first (package document).

// Limits are where one path to a page becomes more expensive than another. Tests lower them, so
// that few filings are enough to take all paths.
type Limits struct {
	FirstPages  int64 // offset + limit up to which most orders do without counting
	LongestWalk int64 // filings that Elasticsearch may keep to find a page, with the page; the largest page
	LargestSpan int64 // filings that may be looked at to find a page in another order than the index's
	MostCounted int64 // filings that are counted with a page
	Buckets     int   // of one response; Elasticsearch allows 65,536 by default
	Parts       int64 // that a range of whole numbers is cut into (Level.Parts)
}

// Usual limits were measured with half a million filings. Sorted by owner, the first page takes 3
// ms, the one at 180 takes 10, the one at 1,000 takes 50; after counting, each takes 2. Counting
// takes 20 to 80, once for each filter and order.
var Usual = Limits{
	FirstPages: 200, LongestWalk: 2_500, LargestSpan: 10_000, MostCounted: index.MostCounted,
	Buckets: 65_000, Parts: 1024,
}

// unlimited makes Elasticsearch count all hits, as `true` does.
const unlimited = math.MaxInt32

// Counted returns up to how many filings are counted with a page of q. Before it finds the first
// filing in a box or region, Elasticsearch has found all of them, so that it may as well count
// them, where nothing else is looked at after the page.
func (l Limits) Counted(q index.Query) int64 {
	if q.Where.Reads(index.Latitude) && q.Sort == index.DefaultSort {
		return unlimited
	}
	return l.MostCounted
}

// Uncounted returns up to which offset + limit a page is searched without counting.
func (l Limits) Uncounted(s index.Sort) int64 {
	switch s {
	case index.DefaultSort:
		return l.LongestWalk // the order of the index: filings after the page are not visited
	case index.Sort{Field: index.FilingDate, Ascending: true}:
		return 0 // the opposite: all filings are visited, which takes longer than counting them by day
	}
	return l.FirstPages
}

// Span is a run of filings that is counted to find some of them by their offset.
type Span struct {
	Page
	levels []Level // that its filings differ in, the coarsest first
}

// Spanning returns the span of p, which is in the order of s.
func Spanning(p Page, s index.Sort) Span { return Span{p, levels(s)} }

// Level is the values that the span is counted by.
func (s Span) Level() Level { return s.levels[0] }

// Name tells the table of the span from others of the generation.
func (s Span) Name() string {
	return s.name + " # " + s.Level().Field + " " + direction(!s.Level().Descending)
}

// Values requests how many filings of s have each value, in an aggregation "values": the first ones
// in order, or those after the last one of another response.
func (s Span) Values(buckets int, last json.RawMessage) Object {
	level := s.Level()
	if last != nil {
		limit := key{ascending: !level.Descending}.laterLimit()
		s.Page = s.narrow(inLimits(level.Field, Object{limit: last}))
	}
	return Aggregate(s.clauses, Object{"values": Object{"terms": Object{
		"field": level.Field, "size": buckets, "order": Object{"_key": direction(!level.Descending)},
	}}})
}

// RangeOf requests the least and the greatest value of the field that s is counted by.
func (s Span) RangeOf() Object {
	return Aggregate(s.clauses, Object{"range": Object{"stats": Object{"field": s.Level().Field}}})
}

// Histogram requests how many filings of s there are in each part, of so many values, of the range
// that its values lie in.
func (s Span) Histogram(width int64) Object {
	return Aggregate(s.clauses, Object{"values": Object{"histogram": Object{
		"field": s.Level().Field, "interval": width, "min_doc_count": 1,
		"order": Object{"_key": direction(!s.Level().Descending)},
	}}})
}

// Step is the plan for some filings of a span: a search for them; or, where they lie deep among
// many that the span's table does not tell apart, a narrower span, which is counted in turn.
type Step struct {
	Page        Page
	Narrower    *Span // nil: Page finds them
	Offset, End int64 // where they begin and end in Narrower
}

// Next returns the step for the filings of s, which t counts, from offset on, up to end at the
// most: as many as one search can find without going over too many others. Usually these are all of
// them.
func (l Limits) Next(s Span, t *Table, offset, end int64) Step {
	level := s.Level()
	i, last := t.bucket(offset), t.bucket(end-1)
	if t.missing(last) && i < last {
		last--
	}
	head := offset - t.start(i)
	for _, j := range []int{last, max(i, last-1), i} { // the buckets between are all within the page: not large
		part, n := s.buckets(level, t, i, j), min(end, t.ends[j])-offset
		tail := t.ends[j] - offset - n
		switch {
		case part.order.isIndexOrder() && head+n <= l.LongestWalk:
			return Step{Page: part.Part(head, n)}
		case t.ends[j]-t.start(i) > l.LargestSpan:
		case min(head, tail)+n <= l.LongestWalk:
			part.Backwards = tail < head
			return Step{Page: part.Part(min(head, tail), n)}
		}
	}
	rest := s.levels // of a part there are parts
	if t.Width <= 1 {
		rest = finer(s.levels, t.missing(i))
	}
	return Step{Narrower: &Span{s.buckets(level, t, i, i), rest}, Offset: head, End: min(end, t.ends[i]) - t.start(i)}
}

// Table counts the filings of a page's clauses by one field's values, in an order. Filings without
// a value are the last bucket.
type Table struct {
	keys []string // JSON
	ends []int64  // filings up to and including this bucket
	// Width, if above 1, is how many whole numbers a bucket has room for, from its key on.
	Width int64
}

// Add adds the bucket that follows, with a key as JSON.
func (t *Table) Add(key []byte, count int64) {
	t.keys = append(t.keys, string(key))
	t.ends = append(t.ends, t.Total()+count)
}

// Close adds the bucket of filings without a value, with the key "", if total has more.
func (t *Table) Close(total int64) {
	if valueless := total - t.Total(); valueless > 0 {
		t.Add(nil, valueless)
	}
}

// Total returns how many filings there are.
func (t *Table) Total() int64 {
	if len(t.ends) == 0 {
		return 0
	}
	return t.ends[len(t.ends)-1]
}

// bucket returns the bucket that holds the filing at a position below Total.
func (t *Table) bucket(position int64) int {
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
	if s.Field == index.FilingDate {
		day.Descending = !s.Ascending
		return append([]Level{day}, ids...)
	}
	// Filings are added in a few loads, and a load may have as many times as filings.
	value := Level{Field: OrderOf(s)[0].field, Descending: !s.Ascending, key: s.Field, Parts: s.Field == index.CreatedAt}
	return append([]Level{code(s.Field, s.Ascending), value, day}, ids...)
}

// finer returns the levels that tell the filings of one bucket of levels[0] apart. Those without a
// value are all equal in the finer levels of the same key.
func finer(levels []Level, missing bool) []Level {
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
		c = inLimits(l.Field, Object{"gte": min(a, b), "lt": max(a, b) + t.Width})
	case i == j:
		c = Object{"term": Object{l.Field: first}}
	default:
		c = inLimits(l.Field, Object{lower: first, upper: last})
	}
	part := p.narrow(c)
	part.name += " | " + l.Field + " " + t.keys[i] + " to " + t.keys[j]
	part.Counts = 0
	switch {
	case i != j || t.Width > 1 || l.code && !t.missing(i):
		return part
	case t.missing(i):
		return part.withFirst(missing)
	}
	return part.withFirst(json.RawMessage(t.keys[i]))
}
