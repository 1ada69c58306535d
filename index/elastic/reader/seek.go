package reader

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"filings/index"
	"filings/index/elastic/client"
	"filings/index/elastic/document"
)

// Elasticsearch finds the page at an offset by walking there, and refuses beyond 10,000. Here a page is found by
// counting instead: how many of the filings there are for each value that they are sorted by, in order, shows which
// values the page has. Filings with these few values are requested, from the nearer end. Where too many filings have
// one value, they are counted again by the next thing that orders them, down to the id, which no two share.
//
// Numbers, names and times have too many different values to count them all, so each has a code that is counted first
// (package document).

// Rows returns a page. Its records share memory with the response that they came in.
func (r *Reader) Rows(ctx context.Context, q index.Query) (page index.Page, err error) {
	defer r.wrap(&err, "reading filings")
	clauses, err := r.clauses(ctx, q.Where)
	if err != nil {
		return index.Page{}, err
	}
	find := r.atOffset
	if q.After != "" {
		find = r.behind
	}
	most := min(int64(q.Limit), r.longestWalk)
	found, err := find(bounded(ctx, q, most), q, clauses, most)
	for errors.Is(err, client.ErrTooLarge) {
		most = max(1, most/8) // at most 100,000 characters of each, but mostly a few hundred
		found, err = find(bounded(ctx, q, most), q, clauses, most)
	}
	if err != nil {
		return index.Page{}, err
	}
	page = index.Page{Records: found.records, End: found.end(), Total: found.total, Counted: found.counted}
	if n := len(q.Within(found.records)); n < len(found.records) {
		page.Records = found.records[:n]
		page.End, err = placeBehind(found.records[n-1])
	}
	return page, err
}

// bounded returns the context of the searches of q for at most so many rows. A single row is never too large.
func bounded(ctx context.Context, q index.Query, most int64) context.Context {
	if q.Bytes == 0 || most <= 1 {
		return ctx
	}
	return client.InParts(ctx)
}

// enough reports whether rows are as many as q may have, or more than it has room for.
func enough(q index.Query, found []index.Record) bool {
	return len(found) >= q.Limit || len(q.Within(found)) < len(found)
}

// atOffset returns the rows of a page that is found by its offset, at most so many by a search.
func (r *Reader) atOffset(ctx context.Context, q index.Query, clauses []object, most int64) (found rows, err error) {
	s := span{name: q.Where.String(), clauses: clauses, order: sortOrder(q.Sort), idsOnly: q.IDsOnly}
	for n := 0; !enough(q, found.records); n = len(found.records) { // once, but for a limit that is larger than a search may find
		offset, limit := int64(q.Offset+n), min(int64(q.Limit-n), most)
		s.counts = 0
		if q.Count && n == 0 {
			s.counts = r.counted(q)
		}
		var more rows
		if offset <= r.uncounted(q.Sort)-limit {
			more, err = r.page(ctx, s, false, offset, limit)
		} else {
			more, err = r.seek(ctx, s, levels(q.Sort), min(offset, maxOffset), limit)
		}
		if err != nil {
			return rows{}, err
		}
		if n == 0 {
			found.total, found.counted = more.total, more.counted
		}
		if found.add(more); int64(len(more.records)) < limit {
			break
		}
	}
	return found, nil
}

// counted returns up to how many filings are counted with a page of q. Before it finds the first filing in a box,
// Elasticsearch has found all of them, so that it may as well count them, where nothing else is looked at behind the page.
func (r *Reader) counted(q index.Query) int64 {
	inBox := slices.ContainsFunc(q.Where.Predicates(), func(p index.Predicate) bool { _, is := p.(index.Box); return is })
	if inBox && q.Sort == index.DefaultSort {
		return everything
	}
	return r.mostCounted
}

// everything makes Elasticsearch count all hits, as `true` does.
const everything = math.MaxInt32

// uncounted returns up to which offset + limit a page is requested without counting.
func (r *Reader) uncounted(s index.Sort) int64 {
	switch s {
	case index.DefaultSort:
		return r.longestWalk // the order of the index: filings behind the page are not visited
	case index.Sort{By: index.FilingDate, Ascending: true}:
		return 0 // the opposite: all filings are visited, which takes longer than counting them by day
	}
	return r.firstPages
}

// maxOffset keeps the sum of an offset and a limit within 64 bits. No index holds as many filings.
const maxOffset = math.MaxInt64 / 2

// seek returns the page of s at offset, by counting. levels are those that tell s's filings apart.
func (r *Reader) seek(ctx context.Context, s span, levels []level, offset, limit int64) (found rows, err error) {
	t, err := r.table(ctx, s, levels[0])
	if err != nil {
		return rows{}, err
	}
	found.total, found.counted = t.total(), true
	for end := min(offset+limit, t.total()); offset < end; {
		more, err := r.run(ctx, s, levels, t, offset, end)
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

// run returns the rows from offset on, up to end at the most: as many as one request can find without going over too
// many others. Usually these are all of them.
func (r *Reader) run(ctx context.Context, s span, levels []level, t *table, offset, end int64) (rows, error) {
	l := levels[0]
	i, last := t.at(offset), t.at(end-1)
	if t.missing(last) && i < last {
		last--
	}
	before := offset - t.start(i)
	for _, j := range []int{last, max(i, last-1), i} { // the buckets between are all within the page: not large
		part, n := s.narrow(l, t, i, j), min(end, t.ends[j])-offset
		after := t.ends[j] - offset - n
		switch {
		case part.order.isIndexOrder() && before+n <= r.longestWalk:
			return r.page(ctx, part, false, before, n)
		case t.ends[j]-t.start(i) > r.largestSpan:
		case min(before, after)+n <= r.longestWalk:
			return r.page(ctx, part, after < before, min(before, after), n)
		}
	}
	// Bucket i is large, and the page lies deep in it.
	rest := levels // of a part there are parts
	if t.width <= 1 {
		rest = below(levels, t.missing(i))
	}
	return r.seek(ctx, s.narrow(l, t, i, i), rest, before, min(end, t.ends[i])-offset)
}

// page requests filings of s, counted from its end if backwards.
func (r *Reader) page(ctx context.Context, s span, backwards bool, from, size int64) (rows, error) {
	body := rowsBody(s.clauses, s.order, backwards, int(from), int(size))
	if s.counts > 0 {
		body = counting(body, s.counts)
	}
	found, err := r.rows(ctx, body, s.known, s.idsOnly)
	if backwards {
		slices.Reverse(found.records)
		found.first, found.last = found.last, found.first
	}
	return found, err
}

// rows returns what a search finds. known is what all of it is sorted by before the keys of the search.
func (r *Reader) rows(ctx context.Context, body object, known place, idsAlone bool) (found rows, err error) {
	read := document.Records
	if idsAlone {
		body, read = idsOnly(body), document.IDs
	}
	response, err := r.search(ctx, body)
	if err != nil {
		return rows{}, err
	}
	found.total, found.counted = document.Total(response)
	if found.records, err = read(response); err == nil && len(found.records) > 0 {
		first, last := document.Sorts(response)
		found.first, err = placeOf(known, first)
		if err == nil {
			found.last, err = placeOf(known, last)
		}
	}
	if err != nil {
		return rows{}, fmt.Errorf("%w: %w", client.ErrResponse, err)
	}
	return found, nil
}
