package reader

import (
	"context"
	"encoding/json"
	"slices"

	"filings/index/elastic/client"
)

// bucket is one value of a field, and how many filings have it. It is valid until its visitor returns.
type bucket struct {
	key     json.RawMessage
	count   int64
	metrics map[string]float64 // of terms.metrics, by name; 0 over no values
}

// terms requests how many filings have each value of a field.
type terms struct {
	clauses    []object // which filings
	field      string
	descending bool
	metrics    object // aggregations within each bucket that have one value, or nil
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
		response, err := r.search(ctx, q.body(clauses, r.buckets))
		if err != nil {
			return 0, err
		}
		var last json.RawMessage
		found, err := readBuckets(response, func(b bucket) error {
			last = append(last[:0], b.key...)
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

// found is what a response to terms says besides its buckets.
type found struct {
	total int64 // filings
	other int64 // filings whose value is beyond the last bucket
}

// readBuckets calls visit with the buckets of the aggregation "by" in a response.
func readBuckets(response []byte, visit func(bucket) error) (f found, err error) {
	whole := 0 // parts of the response that are there
	w := client.Walk(response)
	for name := range w.Object() {
		switch string(name) {
		case "hits":
			if f.total, err = readTotal(w); err != nil {
				return f, err
			}
			whole++
		case "aggregations":
			for range w.Object() { // one
				for name := range w.Object() {
					switch string(name) {
					case "sum_other_doc_count":
						f.other = w.Integer()
					case "buckets":
						whole++
						if err := visitBuckets(w, visit); err != nil {
							return f, err
						}
					}
				}
			}
		}
	}
	if whole != 2 {
		return f, client.ErrResponse
	}
	return f, w.Err()
}

func visitBuckets(w *client.Walker, visit func(bucket) error) error {
	var b bucket
	for range w.Array() {
		b.key = b.key[:0]
		clear(b.metrics)
		for name := range w.Object() {
			switch string(name) {
			case "key":
				b.key = append(b.key, w.Raw()...)
			case "doc_count":
				b.count = w.Integer()
			default:
				if w.Next() == '{' {
					b.readMetric(string(name), w)
				}
			}
		}
		if w.Err() != nil || len(b.key) == 0 {
			return client.ErrResponse
		}
		if err := visit(b); err != nil {
			return err
		}
	}
	return w.Err()
}

func (b *bucket) readMetric(metric string, w *client.Walker) {
	if b.metrics == nil {
		b.metrics = map[string]float64{}
	}
	for name := range w.Object() {
		if string(name) == "value" {
			b.metrics[metric] = w.Number()
		}
	}
}

// readTotal reads the exact number of hits of the object "hits".
func readTotal(w *client.Walker) (int64, error) {
	total := int64(-1)
	for name := range w.Object() {
		if string(name) == "total" {
			for name := range w.Object() {
				if string(name) == "value" {
					total = w.Integer()
				}
			}
		}
	}
	if w.Err() != nil || total < 0 {
		return 0, client.ErrResponse
	}
	return total, nil
}
