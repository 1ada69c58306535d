package elastic

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
)

// Ids have no code that suits them all: numbers that count up from a large one, as times do, share their first digits.
// So where many filings are equal in everything else, they are counted by equal parts of the range that their ids lie
// in, and a part with too many by parts of it again. Counting them by id would answer with a bucket for each filing: for
// a day of 100,000 filings, megabytes and a tenth of a second.

// exactInDouble: below it, each whole number is a double of its own, and so are the bounds of parts.
const exactInDouble = 1 << 53

// countParts counts s's filings by parts of the range of l's values, which are whole numbers that no filing lacks. It
// returns nil where they are too large for Elasticsearch to tell them apart in a histogram, or so close together that a part
// would be one value: then they are counted by value.
func (r *reader) countParts(ctx context.Context, s span, l level) (*table, error) {
	body := countBody(s.clauses)
	body["aggs"] = object{"range": object{"stats": object{"field": l.field}}}
	answer, err := r.search(ctx, body)
	if err != nil {
		return nil, err
	}
	var a struct {
		Aggs struct {
			Range struct{ Min, Max *float64 }
		} `json:"aggregations"`
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		return nil, fmt.Errorf("%w: %w", errAnswer, err)
	}
	if a.Aggs.Range.Min == nil || a.Aggs.Range.Max == nil || *a.Aggs.Range.Max >= exactInDouble {
		return nil, nil
	}
	t := &table{width: int64(*a.Aggs.Range.Max-*a.Aggs.Range.Min)/r.parts + 1}
	if t.width == 1 {
		return nil, nil // by value
	}
	direction := "asc"
	if l.descending {
		direction = "desc"
	}
	body["aggs"] = object{"by": object{"histogram": object{
		"field": l.field, "interval": t.width, "min_doc_count": 1, "order": object{"_key": direction},
	}}}
	if answer, err = r.search(ctx, body); err != nil {
		return nil, err
	}
	_, err = scanBuckets(answer, func(b bucket) error {
		key, err := strconv.ParseFloat(string(b.key), 64)
		if err != nil {
			return errAnswer
		}
		t.add(strconv.AppendInt(nil, int64(key), 10), b.count)
		return nil
	})
	return t, err
}

// partsClause holds for the values of buckets i to j.
func (t *table) partsClause(field string, i, j int) object {
	first, _ := strconv.ParseInt(t.keys[i], 10, 64) // countParts wrote them
	last, _ := strconv.ParseInt(t.keys[j], 10, 64)
	return within(field, object{"gte": min(first, last), "lt": max(first, last) + t.width})
}
