package elastic

import (
	"context"
	"encoding/json"
)

// bucket is one value of a field, and how many filings have it.
type bucket struct {
	key   json.RawMessage
	count int64
	text  []byte // the whole bucket, with what was asked for besides
}

// terms asks how many filings have each value of a field.
type terms struct {
	clauses    []object // which filings
	field      string
	descending bool
	besides    object // aggregations within each bucket, or nil
}

// each calls visit with every value that q's filings have, in order, however many there are, and returns how many
// filings there are, those without a value included.
//
// Counts by key are exact with any number of shards: each one sends its first buckets by the same order, so whatever
// comes first in all of them together is among those. What does not fit into one answer is asked for by a range behind
// the last key.
func (r *reader) each(ctx context.Context, q terms, visit func(bucket) error) (total int64, err error) {
	clauses := q.clauses
	for page := 0; ; page++ {
		answer, err := r.search(ctx, q.body(clauses, r.buckets))
		if err != nil {
			return 0, err
		}
		var last json.RawMessage
		found, err := scanBuckets(answer, func(b bucket) error {
			last = b.key
			return visit(b)
		})
		if err != nil {
			return 0, err
		}
		if page == 0 {
			total = found.total
		}
		if found.other == 0 || last == nil {
			return total, nil
		}
		behind := "gt"
		if q.descending {
			behind = "lt"
		}
		clauses = append(q.clauses[:len(q.clauses):len(q.clauses)], within(q.field, object{behind: last}))
	}
}

func (q terms) body(clauses []object, size int) object {
	direction := "asc"
	if q.descending {
		direction = "desc"
	}
	by := object{"terms": object{"field": q.field, "size": size, "order": object{"_key": direction}}}
	if q.besides != nil {
		by["aggs"] = q.besides
	}
	body := countBody(clauses)
	body["aggs"] = object{"by": by}
	return body
}

// found is what an answer to terms says besides its buckets.
type found struct {
	total int64 // filings
	other int64 // filings whose value is beyond the last bucket
}

func scanBuckets(answer []byte, visit func(bucket) error) (f found, err error) {
	c := cursor{b: answer}
	if !c.find("hits") || !c.find("total") || !c.find("value") {
		return f, errAnswer
	}
	f.total = c.integer()
	for range 2 {
		c.leave()
	}
	if !c.seek("aggregations") || !c.find("by") || !c.enter('{') {
		return f, errAnswer
	}
	for c.next('}') {
		switch string(c.key()) {
		case "sum_other_doc_count":
			f.other = c.integer()
		case "buckets":
			if err := c.buckets(visit); err != nil {
				return f, err
			}
		default:
			c.skip()
		}
	}
	if c.bad {
		return f, errAnswer
	}
	return f, nil
}

func (c *cursor) buckets(visit func(bucket) error) error {
	if !c.enter('[') {
		return errAnswer
	}
	for c.next(']') {
		var b bucket
		b.text = c.skip()
		in := cursor{b: b.text}
		if !in.enter('{') {
			return errAnswer
		}
		for in.next('}') {
			switch string(in.key()) {
			case "key":
				b.key = in.skip()
			case "doc_count":
				b.count = in.integer()
			default:
				in.skip()
			}
		}
		if in.bad || b.key == nil {
			return errAnswer
		}
		if err := visit(b); err != nil {
			return err
		}
	}
	return nil
}
