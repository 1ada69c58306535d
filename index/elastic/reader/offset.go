package reader

import (
	"context"
	"math"
	"strconv"

	"filings/index/elastic/client"
	"filings/index/elastic/search"
)

// maxOffset keeps the sum of an offset and a limit within 64 bits. No index holds as many filings.
const maxOffset = math.MaxInt64 / 2

// seek returns the rows of s at offset, by counting (package search says how).
func (r *Reader) seek(ctx context.Context, s search.Span, offset, limit int64) (found rows, err error) {
	t, err := r.table(ctx, s)
	if err != nil {
		return rows{}, err
	}
	found.total, found.counted = t.Total(), true
	for end := min(offset+limit, t.Total()); offset < end; {
		var more rows
		if step := r.limits.Next(s, t, offset, end); step.Narrower != nil {
			more, err = r.seek(ctx, *step.Narrower, step.Offset, step.End-step.Offset)
		} else {
			more, err = r.rows(ctx, step.Page)
		}
		if err != nil {
			return rows{}, err
		}
		if len(more.records) == 0 {
			return rows{}, client.ErrResponse // these filings were counted
		}
		found.add(more)
		offset += int64(len(more.records))
	}
	return found, nil
}

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

func (r *Reader) countValues(ctx context.Context, s search.Span) (*search.Table, error) {
	t := &search.Table{}
	total, err := r.each(ctx, s.Values(), func(b bucket) error {
		t.Add(b.Key, b.Filings)
		return nil
	})
	t.Close(total)
	return t, err
}

// Ids have no code that suits them all: numbers that count up from a large one, as times do, share
// their first digits. So where many filings are equal in everything else, they are counted by equal
// parts of the range that their ids lie in, and a part with too many by parts of it again. Counting
// them by id would need a bucket for each filing: for a day of 100,000 filings, megabytes and a
// tenth of a second. The same holds for the microseconds of a day of many additions.

// exactInDouble: below it, each whole number is a double of its own, and so are the bounds of parts.
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
	for _, b := range found.Aggregations.By.Buckets {
		key, err := strconv.ParseFloat(string(b.Key), 64)
		if err != nil {
			return nil, client.ErrResponse
		}
		t.Add(strconv.AppendInt(nil, int64(key), 10), b.Filings)
	}
	return t, nil
}
