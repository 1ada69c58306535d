package elastic

import (
	"context"
	"sort"
	"strconv"
	"time"

	"filings/index"
)

// Statistics tell at each request how many filings were added lately. The range moves with the clock, so its count is
// never asked for twice; but filings are added in a few loads, and the tables by which pages are found tell how many
// were added up to any moment: by day, and within the days on which the range begins and ends. Asking for these ranges
// takes Elasticsearch about 2 ms, each time.

// countTimes counts the filings that were added within p.
func (r *reader) countTimes(ctx context.Context, p index.Times) (int64, error) {
	to, err := r.addedUpTo(ctx, p.To.UnixMicro())
	if err != nil {
		return 0, err
	}
	before, err := r.addedUpTo(ctx, p.From.UnixMicro()-1)
	if err != nil {
		return 0, err
	}
	return max(0, to-before), nil
}

// addedUpTo counts the filings that were added at a time in microseconds or before.
func (r *reader) addedUpTo(ctx context.Context, micros int64) (int64, error) {
	order := index.Sort{By: index.CreatedAt, Ascending: true}
	all, levels := span{index.Filter{}.String(), nil, sortOrder(order)}, levels(order)
	days, err := r.table(ctx, all, levels[0])
	if err != nil {
		return 0, err
	}
	day := strconv.Quote(time.UnixMicro(micros).UTC().Format(time.DateOnly))
	i := days.search(func(key string) bool { return key >= day })
	if i == len(days.keys) || days.keys[i] != day {
		return days.start(i), nil
	}
	times, err := r.table(ctx, all.narrow(levels[0], days, i, i), levels[1])
	if err != nil {
		return 0, err
	}
	j := times.search(func(key string) bool {
		at, _ := strconv.ParseInt(key, 10, 64) // the field is a long
		return at > micros
	})
	return days.start(i) + times.start(j), nil
}

// search returns the first bucket of t for whose key is holds, that of the filings without a value if it holds for none,
// or the number of buckets.
func (t *table) search(is func(key string) bool) int {
	return sort.Search(len(t.keys), func(i int) bool { return t.missing(i) || is(t.keys[i]) })
}
