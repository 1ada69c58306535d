package search

import (
	"filings/index"
	"filings/index/elastic/document"
)

// TermGroups requests so many groups, as they are written. No text is empty, so that "" is no value.
func TermGroups(clauses []Object, dimension index.Dimension, most int) Object {
	terms := Object{"field": document.Key(dimension), "missing": "", "size": most}
	return groupsBody(clauses, Object{"terms": terms, "aggs": amountsOfGroups()})
}

func groupsBody(clauses []Object, groups Object) Object {
	return filtered(Object{"size": 0, "track_total_hits": false, "aggs": Object{"groups": groups}}, clauses)
}

// amountsOfGroups are the metrics of a group: the sum is one of cents, the others are of dollars, as loaded.
func amountsOfGroups() Object {
	return Object{
		"amounts": Object{"stats": Object{"field": index.FilingAmount.String()}},
		"sum":     Object{"sum": Object{"field": document.CentsField}},
	}
}

// GroupKey is the key of a bucket by the positions of the dimensions; "" for no value, which is
// null in a request and a response.
type GroupKey struct {
	First  string `json:"0"`
	Second string `json:"1"`
}

// CompositeGroups requests so many groups, as they are written, after a key.
func CompositeGroups(clauses []Object, dimensions []index.Dimension, amounts bool, most int, after *GroupKey) Object {
	sources := make([]Object, len(dimensions))
	for i, d := range dimensions {
		sources[i] = Object{position(i): Object{"terms": Object{"field": document.Key(d), "missing_bucket": true}}}
	}
	composite := Object{"size": most, "sources": sources}
	if after != nil {
		key := Object{}
		for i, value := range []string{after.First, after.Second}[:len(dimensions)] {
			if key[position(i)] = value; value == "" {
				key[position(i)] = nil
			}
		}
		composite["after"] = key
	}
	groups := Object{"composite": composite}
	if amounts {
		groups["aggs"] = amountsOfGroups()
	}
	return groupsBody(clauses, groups)
}

func position(i int) string { return [2]string{"0", "1"}[i] }
