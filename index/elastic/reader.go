package elastic

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync/atomic"

	"filings/index"
)

// reader answers from one generation, which is an index of that name. Because a generation never changes, what it
// computed once it keeps: the counties, the number of owners, and the tables by which offsets are found.
type reader struct {
	c          *client
	generation string
	limits

	counties lazy[[]index.CountyStats]
	owners   lazy[int64]
	tables   *tables

	gone atomic.Bool // an answer said that the index was deleted
}

var _ index.Reader = (*reader)(nil)

// limits are where one way to an answer becomes dearer than another. Tests lower them, so that few filings are enough
// to go all ways.
type limits struct {
	firstPages  int64 // offset + limit up to which most orders do without counting
	longestWalk int64 // filings that Elasticsearch may keep in order to find a page, itself included; also the largest page
	largestSpan int64 // filings that Elasticsearch may look at to find a page, where their order is not that of the index
	buckets     int   // of one answer; Elasticsearch allows 65,536 by default
	parts       int64 // that a range of ids is cut into (parts.go)
}

// usual limits were measured with half a million filings. Sorted by owner, the first page takes 3 ms, the one at 180
// takes 10, the one at 1,000 takes 50; after counting, each takes 2. Counting takes 20 to 80, once for each filter and
// order.
var usual = limits{firstPages: 200, longestWalk: 2_500, largestSpan: 10_000, buckets: 65_000, parts: 1024}

// tableRoom is the memory, in bytes, for the tables of one generation: a table of 5,000 codes takes 150 kB.
const tableRoom = 16 << 20

func newReader(c *client, generation string) *reader {
	return &reader{
		c: c, generation: generation, limits: usual,
		counties: newLazy[[]index.CountyStats](), owners: newLazy[int64](), tables: newTables(tableRoom),
	}
}

func (r *reader) Generation() string { return r.generation }

// Rows returns the records of a page. They share memory with the answer that they came in.
func (r *reader) Rows(ctx context.Context, q index.Query) ([]index.Record, error) {
	clauses, err := r.clauses(ctx, q.Where)
	if err != nil {
		return nil, fmt.Errorf("reading filings of %s: %w", r.generation, err)
	}
	s := span{q.Where.String(), clauses, sortOrder(q.Sort)}
	var rows []index.Record
	for len(rows) < q.Limit { // once, but for a limit that is larger than a page may be
		offset, limit := int64(q.Offset+len(rows)), min(int64(q.Limit-len(rows)), r.longestWalk)
		var more []index.Record
		if offset <= r.uncounted(q.Sort)-limit {
			more, err = r.page(ctx, s, false, offset, limit)
		} else {
			more, err = r.rows(ctx, s, levels(q.Sort), min(offset, maxOffset), limit)
		}
		if err != nil {
			return nil, fmt.Errorf("reading filings of %s: %w", r.generation, err)
		}
		if rows = append(rows, more...); int64(len(more)) < limit {
			break
		}
	}
	return rows, nil
}

// uncounted returns up to which offset + limit a page is asked for without counting.
func (r *reader) uncounted(s index.Sort) int64 {
	switch s {
	case index.DefaultSort:
		return r.longestWalk // the order of the index: filings behind the page are not looked at
	case index.Sort{By: index.FilingDate, Ascending: true}:
		return 0 // the opposite: all filings are looked at, which takes longer than counting them by day
	}
	return r.firstPages
}

// maxOffset keeps the sum of an offset and a limit within 64 bits. No index holds as many filings.
const maxOffset = math.MaxInt64 / 2

// Count returns how many filings w selects.
func (r *reader) Count(ctx context.Context, w index.Filter) (int64, error) {
	n, err := r.count(ctx, w)
	if err != nil {
		return 0, fmt.Errorf("counting filings of %s: %w", r.generation, err)
	}
	return n, nil
}

func (r *reader) count(ctx context.Context, w index.Filter) (int64, error) {
	if ps := w.Predicates(); len(ps) == 1 {
		if p, ok := ps[0].(index.Times); ok {
			return r.countTimes(ctx, p)
		}
	}
	clauses, err := r.clauses(ctx, w)
	if err != nil {
		return 0, err
	}
	answer, err := r.search(ctx, countBody(clauses))
	if err != nil {
		return 0, err
	}
	c := cursor{b: answer}
	if !c.find("hits") || !c.find("total") || !c.find("value") {
		return 0, errAnswer
	}
	if n := c.integer(); !c.bad {
		return n, nil
	}
	return 0, errAnswer
}

// Filing returns one filing, or index.ErrNotFound.
func (r *reader) Filing(ctx context.Context, id int64) (index.Record, error) {
	answer, err := r.ask(ctx, http.MethodGet, "_doc/"+strconv.FormatInt(id, 10), nil, nil)
	if err == nil {
		var record index.Record
		if record, err = scanDocument(answer); err == nil {
			return record, nil
		}
	}
	return nil, fmt.Errorf("reading filing %d of %s: %w", id, r.generation, err)
}

// Filings returns the records with these ids.
func (r *reader) Filings(ctx context.Context, ids []int64) ([]index.Record, error) {
	records := make([]index.Record, len(ids))
	for i, id := range ids {
		record, err := r.Filing(ctx, id)
		if err != nil && !errors.Is(err, index.ErrNotFound) {
			return nil, err
		}
		records[i] = record
	}
	return records, nil
}

// search sends a search. allow_partial_search_results makes a failed shard an error there already.
func (r *reader) search(ctx context.Context, body object) ([]byte, error) {
	b, err := appendBody(make([]byte, 0, 512), body)
	if err != nil {
		return nil, err
	}
	return r.ask(ctx, http.MethodPost, "_search", url.Values{"allow_partial_search_results": {"false"}}, b)
}

// ask sends a request about the generation's index, and notes when there is no such index any more.
func (r *reader) ask(ctx context.Context, method, path string, query url.Values, body []byte) ([]byte, error) {
	answer, err := r.c.read(ctx, method, "/"+r.generation+"/"+path, query, body)
	if errors.Is(err, index.ErrGone) {
		r.gone.Store(true)
	}
	return answer, err
}

// clauses translates w. Only a search term needs to know the counties.
func (r *reader) clauses(ctx context.Context, w index.Filter) ([]object, error) {
	var counties []string
	if slices.ContainsFunc(w.Predicates(), func(p index.Predicate) bool { _, ok := p.(index.Contains); return ok }) {
		figures, err := r.counties.get(ctx, r.countCounties)
		if err != nil {
			return nil, err
		}
		for _, c := range figures {
			counties = append(counties, index.Fold(c.County))
		}
		counties = slices.Compact(counties)
	}
	return clauses(w, counties)
}
