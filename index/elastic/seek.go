package elastic

import (
	"context"
	"encoding/json"
	"slices"

	"filings/index"
)

// Elasticsearch finds the page at an offset by walking there, and refuses beyond 10,000. Here a page is found by
// counting instead: how many of the filings there are for each value that they are sorted by, in order, tells which
// values the page has. Filings with these few values are asked for, from the nearer end. Where too many filings have
// one value, they are counted again by the next thing that orders them, down to the id, which no two share.
//
// Numbers, names and times have too many different values to count them all, so each has a code that is counted first
// (see codes.go).

// level is something that filings are counted by.
type level struct {
	field      string
	descending bool
	key        index.Field // what field orders by: itself, or the field that it is the code of
	code       bool        // field is the code: filings of one bucket still differ in the key
	parts      bool        // counted by equal parts of the range that its values lie in, not by value (see parts.go)
}

// levels returns what filings are counted by for an order, one after the other, the coarsest first.
func levels(s index.Sort) []level {
	code := func(key index.Field, ascending bool) level {
		return level{field: "x.code." + key.String(), descending: !ascending, key: key, code: true}
	}
	day := level{field: index.FilingDate.String(), descending: true, key: index.FilingDate} // has few enough different values itself
	ids := []level{code(index.ID, false), {field: index.ID.String(), descending: true, key: index.ID, parts: true}}
	if s.By == index.FilingDate {
		day.descending = !s.Ascending
		return append([]level{day}, ids...)
	}
	value := level{field: sortOrder(s)[0].field, descending: !s.Ascending, key: s.By}
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
		clauses: append(s.clauses[:len(s.clauses):len(s.clauses)], c),
		order:   s.order,
	}
	if i == j && t.width <= 1 && (!l.code || t.missing(i)) {
		part.order = part.order.within()
	}
	return part
}

// rows returns the page of s at offset, by counting. levels are those that tell s's filings apart.
func (r *reader) rows(ctx context.Context, s span, levels []level, offset, limit int64) ([]index.Record, error) {
	t, err := r.table(ctx, s, levels[0])
	if err != nil {
		return nil, err
	}
	var rows []index.Record
	for end := min(offset+limit, t.total()); offset < end; {
		more, err := r.run(ctx, s, levels, t, offset, end)
		if err != nil {
			return nil, err
		}
		if len(more) == 0 {
			return nil, errAnswer // these filings were counted
		}
		rows, offset = append(rows, more...), offset+int64(len(more))
	}
	return rows, nil
}

// run returns the rows from offset on, up to end at the most: as many as one request can find without going over too
// many others. Usually these are all of them.
func (r *reader) run(ctx context.Context, s span, levels []level, t *table, offset, end int64) ([]index.Record, error) {
	l := levels[0]
	i, last := t.at(offset), t.at(end-1)
	if t.missing(last) && i < last {
		last--
	}
	before := offset - t.start(i)
	for _, j := range []int{last, max(i, last-1), i} { // the buckets between are all within the page: not large
		part, n := s.narrow(l, t, i, j), min(end, t.ends[j])-offset
		after := t.ends[j] - offset - n
		switch {
		case part.order.isIndexOrder() && before+n <= r.longestWalk:
			return r.page(ctx, part, false, before, n)
		case t.ends[j]-t.start(i) > r.largestSpan:
		case min(before, after)+n <= r.longestWalk:
			return r.page(ctx, part, after < before, min(before, after), n)
		}
	}
	// Bucket i is large, and the page lies deep in it.
	rest := levels // of a part there are parts
	if t.width <= 1 {
		rest = below(levels, t.missing(i))
	}
	return r.rows(ctx, s.narrow(l, t, i, i), rest, before, min(end, t.ends[i])-offset)
}

// page asks for filings of s, counted from its end if backwards.
func (r *reader) page(ctx context.Context, s span, backwards bool, from, size int64) ([]index.Record, error) {
	answer, err := r.search(ctx, rowsBody(s.clauses, s.order, backwards, int(from), int(size)))
	if err != nil {
		return nil, err
	}
	records, err := scanHits(answer)
	if backwards {
		slices.Reverse(records)
	}
	return records, err
}

// table counts s's filings by l, or remembers how many there were.
func (r *reader) table(ctx context.Context, s span, l level) (*table, error) {
	name := s.name + " # " + l.field
	if l.descending {
		name += " desc"
	}
	if t, ok := r.tables.get(name); ok {
		return t, nil
	}
	if l.parts {
		t, err := r.countParts(ctx, s, l)
		if err != nil {
			return nil, err
		}
		if t != nil {
			r.tables.put(name, t)
			return t, nil
		}
	}
	t := &table{}
	total, err := r.each(ctx, terms{clauses: s.clauses, field: l.field, descending: l.descending}, func(b bucket) error {
		t.add(b.key, b.count)
		return nil
	})
	if err != nil {
		return nil, err
	}
	t.close(total)
	r.tables.put(name, t)
	return t, nil
}
