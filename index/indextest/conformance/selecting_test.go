package conformance

import (
	"context"
	"slices"
	"sync"

	"filings/index"
	"filings/index/indextest"
)

// selecting is a Reader like the oracle, but for the parts of it that a test makes wrong. It caches what filters
// select: crawling over the oracle itself would sort everything again for each page.
type selecting struct {
	*indextest.Oracle
	holds func(*indextest.Entry, index.Predicate) bool
	order func(s index.Sort, a, b *index.Filing) int
	page  func(selected []*index.Filing, q index.Query) []*index.Filing
	// after is how many of the selected filings there are up to a position, which is where one of them lies.
	next func(selected []*index.Filing, s index.Sort, last int) int
	// total is what the page rows of the selected filings has for its total; false: it has none.
	total  func(selected, rows []*index.Filing) (int64, bool)
	within func(bytes int, records []index.Record) []index.Record
	keyed  func(*index.Filing) index.Record

	mu       sync.Mutex
	selected map[string][]*index.Filing
}

func newSelecting(o *indextest.Oracle) *selecting {
	return &selecting{Oracle: o, holds: (*indextest.Entry).Holds, order: indextest.Compare, page: pageOf, next: next, total: totalOf,
		within: indextest.Within, keyed: indextest.Keyed, selected: map[string][]*index.Filing{}}
}

func pageOf(selected []*index.Filing, q index.Query) []*index.Filing {
	selected = selected[min(q.Offset, len(selected)):]
	return selected[:min(q.Limit, len(selected))]
}

func next(_ []*index.Filing, _ index.Sort, last int) int { return last + 1 }

func totalOf(selected, _ []*index.Filing) (int64, bool) { return int64(len(selected)), true }

func (r *selecting) choose(w index.Filter, s index.Sort) []*index.Filing {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := w.String() + s.String()
	if found, ok := r.selected[key]; ok {
		return found
	}
	var found []*index.Filing
	for _, e := range r.Entries() {
		if !slices.ContainsFunc(w.Predicates(), func(p index.Predicate) bool { return !r.holds(e, p) }) {
			found = append(found, e.Filing)
		}
	}
	slices.SortFunc(found, func(a, b *index.Filing) int { return r.order(s, a, b) })
	r.selected[key] = found
	return found
}

func (r *selecting) Rows(_ context.Context, q index.Query) (index.Page, error) {
	all := r.choose(q.Where, q.Sort)
	rest := all
	if q.Start != "" {
		id, _, err := index.IDOfPosition(q.Start)
		last := slices.IndexFunc(all, func(f *index.Filing) bool { return f.ID == id })
		if err != nil || last < 0 {
			return index.Page{}, index.ErrPosition
		}
		rest = all[r.next(all, q.Sort, last):]
	}
	rows := r.page(rest, q)
	page := indextest.PageOf(rows, r.within(q.Bytes, r.Records(rows)))
	for i := range page.Records {
		if q.Keys {
			page.Records[i] = r.keyed(rows[i])
		}
	}
	if q.Count {
		page.Total, page.Counted = r.total(all, rows)
	}
	return page, nil
}

func (r *selecting) Count(_ context.Context, w index.Filter) (int64, error) {
	return int64(len(r.choose(w, index.DefaultSort))), nil
}
