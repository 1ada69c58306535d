package index

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Query selects one page of filings.
type Query struct {
	Where  Filter
	Sort   Sort
	Offset int // filings to skip, 0 or more, however many
	Limit  int // filings to return at the most
	// Start is the position in the order of Sort at which the page begins: the End of another page
	// of the same generation and Sort, or PositionAfter a filing; "" is the beginning. Offset is 0
	// with a position.
	Start string
	// Bytes bounds the size of the records together; 0: no bound. A page has at least one record,
	// may end somewhat before the bound, and has its End there. Offset is 0 with it.
	Bytes int

	// IDsOnly allows records that have the id alone, as AppendIDOnly writes them. An engine that
	// reads no more for that saves most of the work of a page; whole records are right too.
	IDsOnly bool
	// Keys asks for records with keys (Version.WithKeys), which Bytes does not count.
	Keys bool

	// Count asks for the Total of the page. Every engine gives it up to MostCounted filings, and
	// more where that is cheap; elsewhere it may cost much more than the page. It changes nothing
	// more of the page, so it is no part of the canonical text. A page that begins at a position
	// has no Total.
	Count bool
}

// MostCounted is up to how many filings a page that asks for its Total has it.
const MostCounted = 10_000

// String returns the canonical text of q.
func (q Query) String() string {
	text := q.Where.String() + " sort " + q.Sort.String() +
		" offset " + strconv.Itoa(q.Offset) + " limit " + strconv.Itoa(q.Limit)
	if q.IDsOnly {
		text += " ids only"
	}
	if q.Keys {
		text += " keys"
	}
	if q.Bytes > 0 {
		text += " bytes " + strconv.Itoa(q.Bytes)
	}
	if q.Start != "" {
		text += " after " + strconv.Quote(q.Start)
	}
	return text
}

// Fit returns as many of records, from the first on, as q.Bytes has room for, but at least one.
func (q Query) Fit(records []Record) []Record {
	bytes := 0
	for i, r := range records {
		if bytes += len(r); i > 0 && q.Bytes > 0 && bytes > q.Bytes {
			return records[:i]
		}
	}
	return records
}

const afterID = "id "

// PositionAfter returns the position after the filing with this id, for every sort. A page that
// begins at the End of another one is found sooner.
func PositionAfter(id int64) string { return afterID + strconv.FormatInt(id, 10) }

// IDOfPosition returns the id that PositionAfter made a position of; false for a position in an
// engine's own words.
func IDOfPosition(position string) (id int64, ok bool, err error) {
	text, ok := strings.CutPrefix(position, afterID)
	if !ok {
		return 0, false, nil
	}
	if id, err = strconv.ParseInt(text, 10, 64); err != nil {
		return 0, true, fmt.Errorf("%w: %w", ErrPosition, err)
	}
	return id, true, nil
}

// Sort orders filings by one field. Filings without a value in it come last in both directions;
// ties, and the whole default order, are by FilingDate descending (missing last), then ID
// descending. Owner is compared folded.
type Sort struct {
	Field     Field // one of SortFields
	Ascending bool
}

// DefaultSort is the order of the list of filings: the newest recording date first.
var DefaultSort = Sort{Field: FilingDate}

// SortFields are the fields that filings can be sorted by.
var SortFields = []Field{FilingDate, FilingAmount, CurrentAmount, Owner, CreatedAt}

func (s Sort) String() string {
	if s.Ascending {
		return s.Field.String() + " asc"
	}
	return s.Field.String() + " desc"
}

// Filter selects the filings for which every predicate holds; the zero Filter selects all. It never
// changes, so that its canonical text, which every cache and tag begins with, is put together once.
type Filter struct {
	predicates []Predicate
	text       string
}

// Where returns the filter of these predicates, which must not be changed any more.
func Where(predicates ...Predicate) Filter {
	texts := make([]string, len(predicates))
	for i, p := range predicates {
		texts[i] = p.String()
	}
	slices.Sort(texts)
	return Filter{predicates, everything + strings.Join(slices.Compact(texts), " and ")}
}

// Predicates returns the predicates in the order in which they were given. They are read, never
// changed.
func (w Filter) Predicates() []Predicate { return w.predicates }

// And returns the filter of w's predicates and these.
func (w Filter) And(predicates ...Predicate) Filter {
	return Where(slices.Concat(w.predicates, predicates)...)
}

// Holds reports whether w selects f.
func (w Filter) Holds(f *Filing) bool {
	d := Derive(f)
	return !slices.ContainsFunc(w.predicates, func(p Predicate) bool { return !p.holds(f, &d) })
}

// Reads reports whether w looks at one of these fields.
func (w Filter) Reads(fields ...Field) bool {
	return slices.ContainsFunc(w.predicates, func(p Predicate) bool {
		return slices.ContainsFunc(p.Reads(), func(f Field) bool { return slices.Contains(fields, f) })
	})
}

// ByClock reports whether w has Clocked Times: hardly two requests have the same text then.
func (w Filter) ByClock() bool {
	return slices.ContainsFunc(w.predicates, func(p Predicate) bool {
		times, ok := p.(Times)
		return ok && times.Clocked
	})
}

// String returns the canonical text of w: the order and the repetition of predicates make no
// difference.
func (w Filter) String() string {
	if w.text == "" {
		return everything
	}
	return w.text
}

// everything is the text of a filter without predicates; the texts of all others begin with it.
const everything = "where "
