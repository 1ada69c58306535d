package indextest

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"filings/index"
)

// Oracle is a Reader that evaluates each query by plain loops over the filings.
type Oracle struct {
	generation string
	filings    []*Entry

	mu      sync.Mutex
	sorted  map[index.Sort][]*Entry // all filings, in each order that was needed
	records map[*index.Filing]index.Record
	words   map[string]int // filings by word

	owned      map[string][]*Entry // by key
	portfolios map[string]index.Portfolio
}

// Entry is a filing and what is computed once for all queries.
type Entry struct {
	*index.Filing
	Derived  index.Derived
	Searched [4]string // the texts that Contains looks in
	ownerKey string
	address  string // its word
}

// NewEntry returns the Entry of f.
func NewEntry(f *index.Filing) *Entry {
	e := &Entry{Filing: f, Derived: index.Derive(f), ownerKey: ownerKey(f.Text(index.Owner))}
	e.address = e.Derived.AddressWord(f)
	for i, field := range []index.Field{index.Owner, index.PropertyAddress, index.CaseNumber, index.County} {
		e.Searched[i] = index.SearchText(f.Text(field))
	}
	return e
}

var _ index.Reader = (*Oracle)(nil)

// NewOracle returns a Reader of filings, whose ids differ, under the name of a generation. It keeps the filings.
func NewOracle(generation string, filings []*index.Filing) *Oracle {
	o := &Oracle{generation: generation, filings: make([]*Entry, len(filings)), sorted: map[index.Sort][]*Entry{}, records: map[*index.Filing]index.Record{}}
	for i, f := range filings {
		o.filings[i] = NewEntry(f)
	}
	return o
}

// Generation implements index.Reader.
func (o *Oracle) Generation() string { return o.generation }

// Entries returns all filings, in the order in which it got them. They are read, never changed.
func (o *Oracle) Entries() []*Entry { return o.filings }

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
func (o *Oracle) inOrder(s index.Sort) []*Entry {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.sorted[s] == nil {
		o.sorted[s] = slices.SortedFunc(slices.Values(o.filings), func(a, b *Entry) int { return Compare(s, a.Filing, b.Filing) })
	}
	return o.sorted[s]
}

// Rows implements index.Reader.
func (o *Oracle) Rows(_ context.Context, q index.Query) (index.Page, error) {
	selected := o.Select(q.Where, q.Sort)
	total := int64(len(selected))
	if q.Start != "" {
		last, err := o.last(q.Start)
		if err != nil {
			return index.Page{}, err
		}
		for len(selected) > 0 && Compare(q.Sort, selected[0], last) <= 0 {
			selected = selected[1:]
		}
	}
	selected = selected[min(q.Offset, len(selected)):]
	selected = selected[:max(0, min(q.Limit, len(selected)))]
	page := PageOf(selected, Within(q.Bytes, o.Records(selected)))
	for i := range page.Records {
		if q.Keys {
			page.Records[i] = Keyed(selected[i])
		}
	}
	if q.Count && q.Start == "" {
		page.Total, page.Counted = total, true
	}
	return page, nil
}

// PageOf returns the page of these records, which the filings begin with.
func PageOf(filings []*index.Filing, records []index.Record) index.Page {
	page := index.Page{Records: records}
	if n := len(records); n > 0 {
		page.End = index.PositionAfter(filings[n-1].ID)
	}
	return page
}

// last returns the filing that a position is after.
func (o *Oracle) last(after string) (*index.Filing, error) {
	id, ok, err := index.IDOfPosition(after)
	i := slices.IndexFunc(o.filings, func(e *Entry) bool { return e.ID == id })
	if !ok || err != nil || i < 0 {
		return nil, cmp.Or(err, index.ErrPosition)
	}
	return o.filings[i].Filing, nil
}

// Records is the function of that name for filings that o keeps, each of which it writes once. The records are not to be changed.
func (o *Oracle) Records(filings []*index.Filing) []index.Record {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := make([]index.Record, len(filings))
	for i, f := range filings {
		r, ok := o.records[f]
		if !ok {
			r = slices.Clip(index.AppendRecord(nil, f))
			o.records[f] = r
		}
		all[i] = r
	}
	return all
}

// Records returns the records of filings.
func Records(filings []*index.Filing) []index.Record {
	rs := make([]index.Record, len(filings))
	for i, f := range filings {
		rs[i] = index.AppendRecord(nil, f)
	}
	return rs
}

// Keyed returns the record of f with its keys.
func Keyed(f *index.Filing) index.Record {
	e, record := NewEntry(f), index.AppendRecord(nil, f)
	record = append(record[:len(record)-1], `,"ownerKey":`...)
	record = append(appendText(record, e.ownerKey), `,"addressKey":`...)
	return append(appendText(record, e.addressKey()), '}')
}

func appendText(dst []byte, text string) []byte {
	if text == "" {
		return append(dst, "null"...)
	}
	return index.AppendString(dst, text)
}

// Seen returns the record of f as a tier sees it.
func Seen(f *index.Filing, t index.Tier) string {
	seen, err := index.Record(index.AppendRecord(nil, f)).AppendFields(nil, t, 0)
	if err != nil {
		panic(err) // AppendRecord has made it
	}
	return string(seen)
}

// Within returns as many of records, from the first on, as have so many bytes together, but at least one; all for 0.
func Within(bytes int, records []index.Record) []index.Record {
	sum := 0
	for i, r := range records {
		if sum += len(r); i > 0 && bytes > 0 && sum > bytes {
			return records[:i]
		}
	}
	return records
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

// Filings implements index.Reader.
func (o *Oracle) Filings(_ context.Context, ids []int64) ([]index.Record, error) {
	records := make([]index.Record, len(ids))
	for i, id := range ids {
		for _, e := range o.filings {
			if e.ID == id {
				records[i] = index.AppendRecord(nil, e.Filing)
			}
		}
	}
	return records, nil
}

// Compare compares filings as s sorts them: those without the value last in both directions, ties by recording date
// descending (missing last), then by id descending.
func Compare(s index.Sort, a, b *index.Filing) int {
	return cmp.Or(
		CompareBy(s, a, b),
		CompareBy(index.DefaultSort, a, b),
		cmp.Compare(b.ID, a.ID),
	)
}

// CompareBy compares filings by the sort value alone.
func CompareBy(s index.Sort, a, b *index.Filing) int {
	switch hasA, hasB := a.Has(s.Field), b.Has(s.Field); {
	case !hasA && !hasB:
		return 0
	case !hasA:
		return 1
	case !hasB:
		return -1
	}
	if !s.Ascending {
		a, b = b, a
	}
	switch s.Field {
	case index.FilingDate:
		return cmp.Compare(a.Text(index.FilingDate), b.Text(index.FilingDate))
	case index.Owner:
		return cmp.Compare(index.Fold(a.Text(index.Owner)), index.Fold(b.Text(index.Owner)))
	case index.CreatedAt:
		return cmp.Compare(a.CreatedAt.UnixMicro(), b.CreatedAt.UnixMicro())
	}
	x, _ := a.Number(s.Field)
	y, _ := b.Number(s.Field)
	return cmp.Compare(x, y)
}
