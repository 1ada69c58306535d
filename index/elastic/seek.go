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
}

// levels returns what filings are counted by for an order, one after the other, the coarsest first.
func levels(s index.Sort) []level {
	code := func(key index.Field) level { return level{"x.code." + key.String(), true, key} }
	day := level{index.FilingDate.String(), true, index.FilingDate} // its own code
	ids := []level{code(index.ID), {index.ID.String(), true, index.ID}}
	if s.By == index.FilingDate {
		day.descending = !s.Ascending
		return append([]level{day}, ids...)
	}
	coarse, fine := code(s.By), level{sortOrder(s)[0].field, !s.Ascending, s.By}
	coarse.descending = !s.Ascending
	return append([]level{coarse, fine, day}, ids...)
}

// below returns the levels that tell the filings of one bucket of levels[0] apart. Those without a value are all equal
// in the finer levels of the same key.
func below(levels []level, missing bool) []level {
	rest := levels[1:]
	for missing && len(rest) > 0 && rest[0].key == levels[0].key {
		rest = rest[1:]
	}
	return rest
}

// span is a run of neighbouring filings in some order: all those that its clauses select.
type span struct {
	name    string // tells the clauses from others of the generation
	clauses []object
}

// narrow returns the part of s whose value at level l lies in t's buckets i to j.
func (s span) narrow(l level, t *table, i, j int) span {
	lower, upper, before := "gte", "lte", "lt"
	if l.descending {
		lower, upper, before = "lte", "gte", "gt"
	}
	var c object
	switch first, last := json.RawMessage(t.keys[i]), json.RawMessage(t.keys[j]); {
	case t.missing(i):
		c = not(exists(l.field))
	case t.missing(j):
		c = not(within(l.field, object{before: first}))
	case i == j:
		c = object{"term": object{l.field: first}}
	default:
		c = within(l.field, object{lower: first, upper: last})
	}
	return span{
		name:    s.name + " | " + l.field + " " + t.keys[i] + " to " + t.keys[j],
		clauses: append(s.clauses[:len(s.clauses):len(s.clauses)], c),
	}
}

// seeker finds pages of one order.
type seeker struct {
	*reader
	order order
}

// rows returns the page of s at offset. levels are those that tell s's filings apart.
func (k seeker) rows(ctx context.Context, s span, levels []level, offset, limit int64) ([]index.Record, error) {
	if offset+limit <= k.firstPages {
		return k.page(ctx, s, false, offset, limit)
	}
	l := levels[0]
	t, err := k.table(ctx, s, l)
	if err != nil || offset >= t.total() {
		return nil, err
	}
	limit = min(limit, t.total()-offset)
	i, j := t.at(offset), t.at(offset+limit-1)
	before, after := offset-t.start(i), t.ends[j]-offset-limit
	if walk := min(before, after); walk+limit <= k.longestWalk {
		return k.page(ctx, s.narrow(l, t, i, j), after < before, walk, limit)
	}
	// Bucket i is large, and the page lies deep in it. It may reach into those behind.
	inside := min(limit, t.ends[i]-offset)
	rows, err := k.rows(ctx, s.narrow(l, t, i, i), below(levels, t.missing(i)), before, inside)
	if err != nil || inside == limit {
		return rows, err
	}
	rest, err := k.page(ctx, s.narrow(l, t, i+1, j), false, 0, limit-inside)
	return append(rows, rest...), err
}

// page asks for filings of s, counted from its end if backwards.
func (k seeker) page(ctx context.Context, s span, backwards bool, from, size int64) ([]index.Record, error) {
	answer, err := k.search(ctx, rowsBody(s.clauses, k.order, backwards, int(from), int(size)))
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
func (k seeker) table(ctx context.Context, s span, l level) (*table, error) {
	name := s.name + " # " + l.field
	if l.descending {
		name += " desc"
	}
	if t, ok := k.tables.get(name); ok {
		return t, nil
	}
	t := &table{}
	total, err := k.each(ctx, terms{clauses: s.clauses, field: l.field, descending: l.descending}, func(b bucket) error {
		t.add(b.key, b.count)
		return nil
	})
	if err != nil {
		return nil, err
	}
	t.close(total)
	k.tables.put(name, t)
	return t, nil
}
