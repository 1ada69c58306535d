package indextest

import (
	"context"
	"slices"
	"sync"

	"filings/index"
)

// Oracle is a Reader that answers by plain loops over the filings.
type Oracle struct {
	generation string
	filings    []*entry

	mu     sync.Mutex
	sorted map[index.Sort][]*entry // all filings, in each order that was asked for
}

// entry is a filing and what can be said of it once for all questions.
type entry struct {
	*index.Filing
	derived  index.Derived
	searched [4]string // the texts that Contains looks in
}

func newEntry(f *index.Filing) *entry {
	e := &entry{Filing: f, derived: index.Derive(f)}
	for i, field := range []index.Field{index.Owner, index.PropertyAddress, index.CaseNumber, index.County} {
		e.searched[i] = index.SearchText(f.Text(field))
	}
	return e
}

var _ index.Reader = (*Oracle)(nil)

// NewOracle returns a Reader of filings, whose ids differ, under the name of a generation. It keeps the filings.
func NewOracle(generation string, filings []*index.Filing) *Oracle {
	o := &Oracle{generation: generation, filings: make([]*entry, len(filings)), sorted: map[index.Sort][]*entry{}}
	for i, f := range filings {
		o.filings[i] = newEntry(f)
	}
	return o
}

// Generation implements index.Reader.
func (o *Oracle) Generation() string { return o.generation }

// Select returns the filings that w selects, all of them, in the order of s.
func (o *Oracle) Select(w index.Filter, s index.Sort) []*index.Filing {
	var selected []*index.Filing
	for _, e := range o.inOrder(s) {
		if e.matches(w) {
			selected = append(selected, e.Filing)
		}
	}
	return selected
}

// inOrder returns all filings in the order of s, sorted once.
func (o *Oracle) inOrder(s index.Sort) []*entry {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.sorted[s] == nil {
		o.sorted[s] = slices.SortedFunc(slices.Values(o.filings), func(a, b *entry) int { return order(s, a.Filing, b.Filing) })
	}
	return o.sorted[s]
}

// Rows implements index.Reader.
func (o *Oracle) Rows(_ context.Context, q index.Query) ([]index.Record, error) {
	selected := o.Select(q.Where, q.Sort)
	selected = selected[min(q.Offset, len(selected)):]
	return records(selected[:min(q.Limit, len(selected))]), nil
}

func records(filings []*index.Filing) []index.Record {
	rs := make([]index.Record, len(filings))
	for i, f := range filings {
		rs[i] = index.AppendRecord(nil, f)
	}
	return rs
}

// Count implements index.Reader.
func (o *Oracle) Count(_ context.Context, w index.Filter) (n int64, _ error) {
	for _, e := range o.filings {
		if e.matches(w) {
			n++
		}
	}
	return n, nil
}

// Filing implements index.Reader.
func (o *Oracle) Filing(_ context.Context, id int64) (index.Record, error) {
	for _, e := range o.filings {
		if e.ID == id {
			return index.AppendRecord(nil, e.Filing), nil
		}
	}
	return nil, index.ErrNotFound
}

// Filings implements index.Reader.
func (o *Oracle) Filings(ctx context.Context, ids []int64) ([]index.Record, error) {
	records := make([]index.Record, len(ids))
	for i, id := range ids {
		records[i], _ = o.Filing(ctx, id) // nil where it is not found
	}
	return records, nil
}
