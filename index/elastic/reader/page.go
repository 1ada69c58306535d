package reader

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"filings/index"
	"filings/index/elastic/client"
	"filings/index/elastic/document"
	"filings/index/elastic/search"
)

// Rows returns a page. Its records share memory with the response that they came in.
func (r *Reader) Rows(ctx context.Context, q index.Query) (page index.Page, err error) {
	defer r.wrap(&err, "reading filings")
	clauses, err := r.clauses(ctx, q.Where)
	if err != nil {
		return index.Page{}, err
	}
	plan := search.PageOf(q, clauses)
	if q.Keys {
		plan.Columns = []string{document.WrittenCity, document.Derived(index.ZIP)}
	}
	found, err := r.found(ctx, q, plan)
	if err != nil {
		return index.Page{}, err
	}
	page = index.Page{Records: q.Fit(found.records), Total: found.total, Counted: found.counted}
	switch n := len(page.Records); {
	case n < len(found.records):
		id, failed := page.Records[n-1].ID()
		if failed != nil {
			err = fmt.Errorf("%w: %w", client.ErrResponse, failed)
		}
		page.End = index.PositionAfter(id)
	case n > 0:
		page.End = search.End(found.first, found.last)
	}
	for i := 0; q.Keys && err == nil && i < len(page.Records); i++ {
		page.Records[i], err = found.stored[i].WithKeys()
	}
	return page, err
}

// found returns the rows of a page of plan, which has all that q selects. So many may be too large
// for a response: a record has at most 100,000 characters, but mostly a few hundred.
func (r *Reader) found(ctx context.Context, q index.Query, plan search.Page) (rows, error) {
	for most := min(int64(q.Limit), r.limits.LongestWalk); ; most = max(1, most/8) {
		searches := ctx
		if q.Bytes > 0 && most > 1 { // a single row is never too large
			searches = client.InParts(ctx)
		}
		found, err := r.collect(searches, q, plan, most)
		if !errors.Is(err, client.ErrTooLarge) {
			return found, err
		}
	}
}

// isFull reports whether rows are as many as q may have, or more than it has room for.
func isFull(q index.Query, found []index.Record) bool {
	return len(found) >= q.Limit || len(q.Fit(found)) < len(found)
}

// collect returns the rows of a page after a position or at an offset: at most so many by a search.
func (r *Reader) collect(ctx context.Context, q index.Query, plan search.Page, most int64) (found rows, err error) {
	var last search.Position
	var reach search.Reach
	if q.Start != "" {
		last, reach, err = r.position(ctx, q)
	} else if q.Count {
		plan.Counts = r.limits.Counted(q)
	}
	// Once, but for a limit that is larger than a search may find.
	for n := 0; err == nil && !isFull(q, found.records); n = len(found.records) {
		var next rows
		offset, limit := int64(q.Offset+n), min(int64(q.Limit-n), most)
		switch {
		case last != nil:
			next, err = r.firstOf(ctx, plan.Ranges(last, reach), limit, q)
		case offset <= r.limits.Uncounted(q.Sort)-limit:
			next, err = r.rows(ctx, plan.Part(offset, limit))
		default:
			next, err = r.seek(ctx, search.Spanning(plan, q.Sort), min(offset, maxOffset), limit)
		}
		if n == 0 {
			found.total, found.counted, plan.Counts = next.total, next.counted, 0
		}
		if found.add(next); int64(len(next.records)) < limit {
			break
		}
		if last != nil {
			last, reach = next.last, search.ReachOf(next.first, next.last)
		}
	}
	return found, err
}

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
		var next rows
		if step := r.limits.Next(s, t, offset, end); step.Narrower != nil {
			next, err = r.seek(ctx, *step.Narrower, step.Offset, step.End-step.Offset)
		} else {
			next, err = r.rows(ctx, step.Page)
		}
		if err != nil {
			return rows{}, err
		}
		if len(next.records) == 0 {
			return rows{}, client.ErrResponse // these filings were counted
		}
		found.add(next)
		offset += int64(len(next.records))
	}
	return found, nil
}

// firstOf returns the first filings of successive ranges, until they are enough for q.
func (r *Reader) firstOf(ctx context.Context, ranges []search.Page, size int64, q index.Query) (found rows, err error) {
	for _, p := range ranges {
		next, err := r.rows(ctx, p.Part(0, size-int64(len(found.records))))
		if err != nil {
			return rows{}, err
		}
		if found.add(next); int64(len(found.records)) >= size || isFull(q, found.records) {
			break
		}
	}
	return found, nil
}

// position reads q.Start, which a client may have made up.
func (r *Reader) position(ctx context.Context, q index.Query) (search.Position, search.Reach, error) {
	id, isID, err := index.IDOfPosition(q.Start)
	if !isID {
		return search.ReadEnd(q.Start, q.Sort)
	}
	if err != nil {
		return nil, search.Reach{}, err
	}
	found, err := r.rows(ctx, search.PageOfID(id, q.Sort))
	if err == nil && len(found.records) == 0 {
		err = fmt.Errorf("%w: there is no filing %d", index.ErrPosition, id)
	}
	return found.last, search.Reach{}, err
}

// rows are successive filings of an order, with the positions of the first and the last one.
type rows struct {
	records     []index.Record
	first, last search.Position
	stored      []index.Stored // the same filings, if the search was for columns
	total       int64          // of all that the order has, if counted
	counted     bool
}

// add appends the filings after r's. The total stays: next is a part.
func (r *rows) add(next rows) {
	if len(next.records) == 0 {
		return
	}
	if len(r.records) == 0 {
		r.first = next.first
	}
	r.records, r.stored = append(r.records, next.records...), append(r.stored, next.stored...)
	r.last = next.last
}

// rows returns the filings that a search finds.
func (r *Reader) rows(ctx context.Context, p search.Page) (found rows, err error) {
	var response []byte
	if err := r.search(ctx, &response, p.Body()); err != nil {
		return rows{}, err
	}
	read := document.Records
	if p.IDsOnly {
		read = document.IDs
	}
	found.total, found.counted = document.Total(response)
	if len(p.Columns) > 0 {
		found.stored, err = storedHits(response)
		for _, s := range found.stored {
			found.records = append(found.records, s.Record)
		}
	} else {
		found.records, err = read(response)
	}
	if err == nil && len(found.records) > 0 {
		first, last := document.Sorts(response)
		if found.first, err = search.PositionOf(p.Known, first); err == nil {
			found.last, err = search.PositionOf(p.Known, last)
		}
	}
	if err != nil {
		return rows{}, fmt.Errorf("%w: %w", client.ErrResponse, err)
	}
	if p.Backwards {
		slices.Reverse(found.stored)
		slices.Reverse(found.records)
		found.first, found.last = found.last, found.first
	}
	return found, nil
}

// storedHit is a hit of a search for columns.
type storedHit struct {
	Source jsontext.Value `json:"_source"`
	Fields struct {
		City    []string `json:"x.writtenCity"`
		ZIP     []string `json:"x.zip"`
		Created []int64  `json:"x.createdAt"`
	}
	Sort jsontext.Value
}

// stored returns the filing of h; without a column that was not searched for.
func (h storedHit) stored() (s index.Stored, err error) {
	s.City, s.ZIP, s.Created = strings.Join(h.Fields.City, ""), strings.Join(h.Fields.ZIP, ""), index.NoTime
	for _, micros := range h.Fields.Created {
		s.Created = micros
	}
	if s.Record, err = document.Canonical(h.Source); err != nil {
		err = fmt.Errorf("%w: %w", client.ErrResponse, err)
	}
	return s, err
}

// storedHits returns the filings in the response to such a search.
func storedHits(response []byte) ([]index.Stored, error) {
	var found struct{ Hits struct{ Hits []storedHit } }
	err := client.Decode(response, &found)
	if err == nil && found.Hits.Hits == nil {
		err = client.ErrResponse
	}
	filings := make([]index.Stored, len(found.Hits.Hits))
	for i := 0; err == nil && i < len(filings); i++ {
		filings[i], err = found.Hits.Hits[i].stored()
	}
	return filings, err
}
