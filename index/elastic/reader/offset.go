package reader

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"filings/index/elastic/client"
	"filings/index/elastic/search"
)

// table counts the filings of s, or returns the table that is kept of them.
func (r *Reader) table(ctx context.Context, s search.Span) (*search.Table, error) {
	return cached(ctx, r, s.Name(), func(ctx context.Context) (t *search.Table, err error) {
		if s.Level().Parts {
			t, err = r.countParts(ctx, s)
		}
		if t == nil && err == nil {
			t, err = r.countValues(ctx, s)
		}
		return t, err
	})
}

// countValues counts the filings of s by value, however many there are.
//
// Counts by key are exact with any number of shards: each one sends its first buckets by the same
// order, so whatever comes first in all of them together is among those. Terms that do not fit into
// one response are requested by a range after the last key.
func (r *Reader) countValues(ctx context.Context, s search.Span) (*search.Table, error) {
	t := &search.Table{}
	total := int64(0)
	for last := json.RawMessage(nil); ; {
		found, err := r.buckets(ctx, s.Values(r.limits.Buckets, last))
		if err != nil {
			return nil, err
		}
		if last == nil {
			total = found.Hits.Total.Value
		}
		values := found.Aggregations.Values
		for _, b := range values.Buckets {
			t.Add(b.Key, b.Filings)
		}
		if values.Rest == 0 || len(values.Buckets) == 0 {
			t.Close(total)
			return t, nil
		}
		last = json.RawMessage(values.Buckets[len(values.Buckets)-1].Key)
	}
}

// Ids have no code that suits them all: numbers that count up from a large one, as times do, share
// their first digits. So where many filings are equal in everything else, they are counted by equal
// parts of the range that their ids lie in, and a part with too many by parts of it again. Counting
// them by id would need a bucket for each filing: for a day of 100,000 filings, megabytes and a
// tenth of a second. The same holds for the microseconds of a day of many additions.

// exactInDouble: each whole number below it, such as a bound of parts, is a double of its own.
const exactInDouble = 1 << 53

// countParts counts the filings of s by parts of the range of its level's values, which are whole
// numbers that no filing lacks. It returns nil where they are too large for Elasticsearch to tell
// them apart in a histogram, or so close together that a part would be one value: then they are
// counted by value.
func (r *Reader) countParts(ctx context.Context, s search.Span) (*search.Table, error) {
	var a struct {
		Aggregations struct {
			Range struct{ Min, Max *float64 }
		}
	}
	if err := r.search(ctx, &a, s.RangeOf()); err != nil {
		return nil, err
	}
	values := a.Aggregations.Range
	if values.Min == nil || values.Max == nil || *values.Max >= exactInDouble {
		return nil, nil
	}
	t := &search.Table{Width: int64(*values.Max-*values.Min)/r.limits.Parts + 1}
	if t.Width == 1 {
		return nil, nil // by value
	}
	found, err := r.buckets(ctx, s.Histogram(t.Width))
	if err != nil {
		return nil, err
	}
	for _, b := range found.Aggregations.Values.Buckets {
		key, err := strconv.ParseFloat(string(b.Key), 64)
		if err != nil {
			return nil, client.ErrResponse
		}
		t.Add(strconv.AppendInt(nil, int64(key), 10), b.Filings)
	}
	return t, nil
}

// buckets is the response to an aggregation "values".
type buckets struct {
	Hits         hits
	Aggregations struct {
		Values struct {
			Rest    int64 `json:"sum_other_doc_count"` // filings whose value is past the last bucket
			Buckets []struct {
				Key     jsontext.Value
				Filings int64 `json:"doc_count"`
			} // nil: none of that name
		}
	}
}

// buckets sends a search with an aggregation "values", whose response must be there with the total.
func (r *Reader) buckets(ctx context.Context, body search.Object) (*buckets, error) {
	var found buckets
	if err := r.search(ctx, &found, body); err != nil {
		return nil, err
	}
	if found.Hits.Total == nil || found.Aggregations.Values.Buckets == nil {
		return nil, client.ErrResponse
	}
	for _, b := range found.Aggregations.Values.Buckets {
		if len(b.Key) == 0 {
			return nil, client.ErrResponse
		}
	}
	return &found, nil
}
