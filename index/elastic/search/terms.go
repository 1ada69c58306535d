package search

import (
	"encoding/json"
	"slices"

	"filings/index"
)

// Terms requests how many filings have each value of a field, in an aggregation "by".
type Terms struct {
	Clauses    []Object // which filings
	Field      string
	Descending bool
	Metrics    Object // aggregations within each bucket, or nil
}

// Body returns the request of the first buckets in order.
func (t Terms) Body(buckets int) Object {
	values := Object{"terms": Object{"field": t.Field, "size": buckets, "order": Object{"_key": direction(!t.Descending)}}}
	if t.Metrics != nil {
		values["aggs"] = t.Metrics
	}
	return Aggregate(t.Clauses, Object{"by": values})
}

// After returns the request for the values after a last key.
func (t Terms) After(last json.RawMessage) Terms {
	rest := within(t.Field, Object{key{ascending: !t.Descending}.after(): last})
	t.Clauses = append(slices.Clip(t.Clauses), rest)
	return t
}

// RangeOf requests the least and the greatest value of the field that s is counted by.
func (s Span) RangeOf() Object {
	return Aggregate(s.clauses, Object{"range": Object{"stats": Object{"field": s.Level().Field}}})
}

// Values requests how many filings of s have each value.
func (s Span) Values() Terms {
	return Terms{Clauses: s.clauses, Field: s.Level().Field, Descending: s.Level().Descending}
}

// Histogram requests how many filings of s there are in each part, of so many values, of the range
// that its values lie in.
func (s Span) Histogram(width int64) Object {
	return Aggregate(s.clauses, Object{"by": Object{"histogram": Object{
		"field": s.Level().Field, "interval": width, "min_doc_count": 1,
		"order": Object{"_key": direction(!s.Level().Descending)},
	}}})
}

// ByIDs requests filings by their ids, in the order of these, with the cities that are written on
// them, and how many there are.
func ByIDs(ids []int64, columns ...string) Object {
	return Object{
		"size": len(ids), "track_total_hits": true, "query": Object{"terms": Object{index.ID.String(): ids}},
		"sort": []Object{{index.ID.String(): "asc"}}, "docvalue_fields": columns,
	}
}
