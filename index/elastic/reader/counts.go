package reader

import (
	"context"
	"strconv"

	"filings/index/elastic/client"
)

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
