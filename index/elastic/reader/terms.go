package reader

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"filings/index/elastic/client"
	"filings/index/elastic/search"
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
			Other   int64    `json:"sum_other_doc_count"` // filings whose value is past the last bucket
			Buckets []bucket // nil: none of that name
		}
	}
}

// hits has how many filings there are, those without a value included; nil if the response does not say.
type hits struct {
	Total *struct{ Value int64 }
}

// visitBuckets calls visit with every value that q's filings have, in order, however many there
// are, and returns how many filings there are, those without a value included.
//
// Counts by key are exact with any number of shards: each one sends its first buckets by the same
// order, so whatever comes first in all of them together is among those. Terms that do not fit into
// one response are requested by a range after the last key.
func (r *Reader) visitBuckets(ctx context.Context, q search.Terms, visit func(bucket) error) (total int64, err error) {
	next := q
	for page := 0; ; page++ {
		found, err := r.buckets(ctx, next.Body(r.limits.Buckets))
		if err != nil {
			return 0, err
		}
		terms := found.Aggregations.By
		for _, b := range terms.Buckets {
			if err := visit(b); err != nil {
				return 0, err
			}
		}
		if page == 0 {
			total = found.Hits.Total.Value
		}
		if terms.Other == 0 || len(terms.Buckets) == 0 {
			return total, nil
		}
		next = q.After(json.RawMessage(terms.Buckets[len(terms.Buckets)-1].Key))
	}
}

// buckets sends a search with an aggregation "by", whose response must be there with the total.
func (r *Reader) buckets(ctx context.Context, body search.Object) (*buckets, error) {
	var found buckets
	if err := r.search(ctx, &found, body); err != nil {
		return nil, err
	}
	missing := func(b bucket) bool { return len(b.Key) == 0 }
	terms := found.Aggregations.By.Buckets
	if found.Hits.Total == nil || terms == nil || slices.ContainsFunc(terms, missing) {
		return nil, client.ErrResponse
	}
	return &found, nil
}
