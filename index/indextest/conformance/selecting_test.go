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

	mu       sync.Mutex
	selected map[string][]*index.Filing
}

func newSelecting(o *indextest.Oracle) *selecting {
	return &selecting{Oracle: o, holds: (*indextest.Entry).Holds, order: indextest.Compare, page: pageOf, selected: map[string][]*index.Filing{}}
}

func pageOf(selected []*index.Filing, q index.Query) []*index.Filing {
	selected = selected[min(q.Offset, len(selected)):]
	return selected[:min(q.Limit, len(selected))]
}

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

func (r *selecting) Rows(_ context.Context, q index.Query) ([]index.Record, error) {
	return indextest.Records(r.page(r.choose(q.Where, q.Sort), q)), nil
}

func (r *selecting) Count(_ context.Context, w index.Filter) (int64, error) {
	return int64(len(r.choose(w, index.DefaultSort))), nil
}
