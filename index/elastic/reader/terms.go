package reader

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"filings/index/elastic/client"
)

// value is the value of a metric; 0 over no values, for which Elasticsearch has null.
type value struct{ Value float64 }

// optional is the value of a metric; nil over no values, where 0 is a value.
type optional struct{ Value *float64 }

// bucket is one value of a field, how many filings have it, and the metrics that were requested.
type bucket struct {
	Key                  jsontext.Value
	Filings              int64 `json:"doc_count"`
	Count, Sum, Min, Max value
	Points               value
	First, Last, Added   optional
}

// buckets is the response to an aggregation "by".
type buckets struct {
	Hits         hits
	Aggregations struct {
		By struct {
			Other   int64    `json:"sum_other_doc_count"` // filings whose value is beyond the last bucket
			Buckets []bucket // nil: none of that name
		}
	}
}

// hits has how many filings there are, those without a value included; nil if the response does not say.
type hits struct {
	Total *struct{ Value int64 }
}

// terms requests how many filings have each value of a field.
type terms struct {
	clauses    []object // which filings
	field      string
	descending bool
	metrics    object // aggregations within each bucket, or nil
}

// each calls visit with every value that q's filings have, in order, however many there are, and returns how many
// filings there are, those without a value included.
//
// Counts by key are exact with any number of shards: each one sends its first buckets by the same order, so whatever
// comes first in all of them together is among those. What does not fit into one response is requested by a range behind
// the last key.
func (r *Reader) each(ctx context.Context, q terms, visit func(bucket) error) (total int64, err error) {
	clauses := q.clauses
	for page := 0; ; page++ {
		found, err := r.buckets(ctx, q.body(clauses, r.most))
		if err != nil {
			return 0, err
		}
		by := found.Aggregations.By
		for _, b := range by.Buckets {
			if err := visit(b); err != nil {
				return 0, err
			}
		}
		if page == 0 {
			total = found.Hits.Total.Value
		}
		if by.Other == 0 || len(by.Buckets) == 0 {
			return total, nil
		}
		behind := "gt"
		if q.descending {
			behind = "lt"
		}
		last := json.RawMessage(by.Buckets[len(by.Buckets)-1].Key)
		clauses = append(slices.Clip(q.clauses), within(q.field, object{behind: last}))
	}
}

func (q terms) body(clauses []object, size int) object {
	by := object{"terms": object{"field": q.field, "size": size, "order": object{"_key": direction(!q.descending)}}}
	if q.metrics != nil {
		by["aggs"] = q.metrics
	}
	return aggregate(clauses, object{"by": by})
}

// buckets sends a search with an aggregation "by", whose response must be there with the total.
func (r *Reader) buckets(ctx context.Context, body object) (*buckets, error) {
	var found buckets
	if err := r.searchInto(ctx, &found, body); err != nil {
		return nil, err
	}
	missing := func(b bucket) bool { return len(b.Key) == 0 }
	if by := found.Aggregations.By.Buckets; found.Hits.Total == nil || by == nil || slices.ContainsFunc(by, missing) {
		return nil, client.ErrResponse
	}
	return &found, nil
}

// table counts s's filings by l, or returns the table that is kept of them.
func (r *Reader) table(ctx context.Context, s span, l level) (*table, error) {
	name := s.name + " # " + l.field + " " + direction(!l.descending)
	return cached(ctx, r, name, func(ctx context.Context) (*table, int, error) {
		var t *table
		var err error
		if l.parts {
			t, err = r.countParts(ctx, s, l)
		}
		if t == nil && err == nil {
			t, err = r.countValues(ctx, s, l)
		}
		if err != nil {
			return nil, 0, err
		}
		return t, t.size, nil
	})
}

func (r *Reader) countValues(ctx context.Context, s span, l level) (*table, error) {
	t := &table{}
	total, err := r.each(ctx, terms{clauses: s.clauses, field: l.field, descending: l.descending}, func(b bucket) error {
		t.add(b.Key, b.Filings)
		return nil
	})
	t.close(total)
	return t, err
}

// Ids have no code that suits them all: numbers that count up from a large one, as times do, share their first digits.
// So where many filings are equal in everything else, they are counted by equal parts of the range that their ids lie
// in, and a part with too many by parts of it again. Counting them by id would need a bucket for each filing: for a day
// of 100,000 filings, megabytes and a tenth of a second. The same holds for the microseconds of a day of many additions.

// exactInDouble: below it, each whole number is a double of its own, and so are the bounds of parts.
const exactInDouble = 1 << 53

// countParts counts s's filings by parts of the range of l's values, which are whole numbers that no filing lacks. It
// returns nil where they are too large for Elasticsearch to tell them apart in a histogram, or so close together that a part
// would be one value: then they are counted by value.
func (r *Reader) countParts(ctx context.Context, s span, l level) (*table, error) {
	var a struct {
		Aggregations struct {
			Range struct{ Min, Max *float64 }
		}
	}
	err := r.searchInto(ctx, &a, aggregate(s.clauses, object{"range": object{"stats": object{"field": l.field}}}))
	if err != nil {
		return nil, err
	}
	of := a.Aggregations.Range
	if of.Min == nil || of.Max == nil || *of.Max >= exactInDouble {
		return nil, nil
	}
	t := &table{width: int64(*of.Max-*of.Min)/r.parts + 1}
	if t.width == 1 {
		return nil, nil // by value
	}
	found, err := r.buckets(ctx, aggregate(s.clauses, object{"by": object{"histogram": object{
		"field": l.field, "interval": t.width, "min_doc_count": 1, "order": object{"_key": direction(!l.descending)},
	}}}))
	if err != nil {
		return nil, err
	}
	for _, b := range found.Aggregations.By.Buckets {
		key, err := strconv.ParseFloat(string(b.Key), 64)
		if err != nil {
			return nil, client.ErrResponse
		}
		t.add(strconv.AppendInt(nil, int64(key), 10), b.Filings)
	}
	return t, nil
}
