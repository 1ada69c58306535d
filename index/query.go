package index

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Query selects one page of filings.
type Query struct {
	Where  Filter
	Sort   Sort
	Offset int // filings to skip, 0 or more, however many
	Limit  int // filings to return at the most
	// After is a place in the order of Sort, behind which the page begins: the End of another page of the same generation
	// and Sort, or Behind a filing; "" is the beginning. Offset is 0 with a place.
	After string
	// Bytes is how many bytes the records of the page may have together, 0 for any number: a page that would have more ends
	// before that, with End right there, but never before its first record. It may end somewhat earlier. Offset is 0 with it.
	Bytes int

	// IDsOnly allows records that have the id alone, as AppendIDOnly writes them. An engine that reads no more for that
	// saves most of the work of a page; whole records are right too.
	IDsOnly bool

	// Count asks for the Total of the page. Every engine gives it up to MostCounted filings, and more where that is cheap;
	// elsewhere it may cost much more than the page. It changes nothing else of the page, so it is no part of the canonical
	// text. A page behind a place has no Total.
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
	if q.Bytes > 0 {
		text += " bytes " + strconv.Itoa(q.Bytes)
	}
	if q.After != "" {
		text += " after " + strconv.Quote(q.After)
	}
	return text
}

// Within returns as many of records, from the first on, as q.Bytes has room for, but at least one.
func (q Query) Within(records []Record) []Record {
	bytes := 0
	for i, r := range records {
		if bytes += len(r); i > 0 && q.Bytes > 0 && bytes > q.Bytes {
			return records[:i]
		}
	}
	return records
}

const behindID = "id "

// Behind returns the place behind the filing with this id, for every sort. A page that begins at the End of another one is
// found sooner.
func Behind(id int64) string { return behindID + strconv.FormatInt(id, 10) }

// IDBehind returns the id that after is a place behind of; false where after is a place in an engine's own words.
func IDBehind(after string) (id int64, ok bool, err error) {
	text, ok := strings.CutPrefix(after, behindID)
	if !ok {
		return 0, false, nil
	}
	if id, err = strconv.ParseInt(text, 10, 64); err != nil {
		return 0, true, fmt.Errorf("%w: %w", ErrPlace, err)
	}
	return id, true, nil
}

// Sort orders filings by one field. Filings without a value in it come last in both directions; ties, and the whole
// default order, are by FilingDate descending (missing last), then ID descending. Owner is compared folded.
type Sort struct {
	By        Field // one of SortFields
	Ascending bool
}

// DefaultSort is the order of the list of filings: the newest recording date first.
var DefaultSort = Sort{By: FilingDate}

// SortFields are the fields that filings can be sorted by.
var SortFields = []Field{FilingDate, FilingAmount, CurrentAmount, Owner, CreatedAt}

func (s Sort) String() string {
	if s.Ascending {
		return s.By.String() + " asc"
	}
	return s.By.String() + " desc"
}

// Filter selects the filings for which every predicate holds; the zero Filter selects all. It never changes, so that its
// canonical text, which every cache and tag begins with, is put together once.
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

// Predicates returns the predicates in the order in which they were given. They are read, never changed.
func (w Filter) Predicates() []Predicate { return w.predicates }

// And returns the filter of w's predicates and these.
func (w Filter) And(predicates ...Predicate) Filter {
	return Where(slices.Concat(w.predicates, predicates)...)
}

// String returns the canonical text of w: the order and the repetition of predicates make no difference.
func (w Filter) String() string {
	if w.text == "" {
		return everything
	}
	return w.text
}

// everything is the text of a filter without predicates, and what the text of any other one begins with.
const everything = "where "

// Predicate is a condition on a filing. Engines switch over its types: AnyOf, NoneOf, IDs, Between, Days, Times, Present,
// Box, Contains and Rest. String is its canonical text.
type Predicate interface {
	predicate()
	String() string
}

// AnyOf holds when one of the fields equals one of the values, ignoring case. Values are folded. Fields are County,
// CountyName, City, FilingType, PropertyClassification, Categories or ForeclosureStatus.
type AnyOf struct {
	Fields []Field
	Values []string
}

// NoneOf holds unless Field equals one of the values, ignoring case; of Categories, unless one of them does. A filing
// without the value matches (rule X11). Values are folded. Field is County,
// CountyName, FilingType or Categories.
type NoneOf struct {
	Field  Field
	Values []string
}

// IDs holds when ID is one of these: 1 to MaxIDs of them (rule X10).
type IDs struct{ IDs []int64 }

// MaxIDs is how many ids a client may filter by: as many as a page has filings.
const MaxIDs = 100

// Between holds when the number in Field is at least Min and at most Max; nil is no bound. A filing without the number
// does not match. Fields are FilingAmount, LotSizeAcres or EquityPercent.
type Between struct {
	Field    Field
	Min, Max *float64
}

// Days holds when FilingDate is From or later and To or earlier, both YYYY-MM-DD; "" is no bound. A filing without a
// date does not match.
type Days struct{ From, To string }

// Times holds when CreatedAt is From or later and To or earlier, to the microsecond.
type Times struct{ From, To time.Time }

// Present holds when Field has a value (Is) or has none (not Is). Fields are ForeclosureStatus, PropertyData, Trust or
// Estate.
type Present struct {
	Field Field
	Is    bool
}

// Box holds when the filing's point lies inside, edges included, exactly. West > East crosses the antimeridian: then
// longitudes from West to 180 and from -180 to East are inside.
type Box struct{ North, South, East, West float64 }

// Contains holds when Text, which is a SearchText, is a substring of the SearchText of Owner, PropertyAddress,
// CaseNumber or County.
type Contains struct{ Text string }

// Rest holds for the filings from a place in the default order on: those whose FilingDate is Date and whose ID is at most
// ID, and all behind them. Date "" is the place of filings without one, which come last.
type Rest struct {
	Date string
	ID   int64
}

func (AnyOf) predicate()    {}
func (NoneOf) predicate()   {}
func (IDs) predicate()      {}
func (Between) predicate()  {}
func (Days) predicate()     {}
func (Times) predicate()    {}
func (Present) predicate()  {}
func (Box) predicate()      {}
func (Contains) predicate() {}
func (Rest) predicate()     {}

func (p AnyOf) String() string {
	names := make([]string, len(p.Fields))
	for i, f := range p.Fields {
		names[i] = f.String()
	}
	return list(names) + " in " + quoted(p.Values)
}

func (p NoneOf) String() string { return p.Field.String() + " not in " + quoted(p.Values) }

func (p IDs) String() string {
	ids := make([]string, len(p.IDs))
	for i, id := range p.IDs {
		ids[i] = strconv.FormatInt(id, 10)
	}
	return "id in " + list(ids)
}

// quoted writes a list of texts.
func quoted(texts []string) string {
	values := make([]string, len(texts))
	for i, v := range texts {
		values[i] = strconv.Quote(v)
	}
	return list(values)
}

// list writes a list whose order and repetitions make no difference.
func list(items []string) string {
	slices.SortFunc(items, cmp.Compare[string])
	return "(" + strings.Join(slices.Compact(items), ",") + ")"
}

func (p Between) String() string {
	bound := func(v *float64) string {
		if v == nil {
			return ""
		}
		return string(AppendNumber(nil, *v))
	}
	return p.Field.String() + " in [" + bound(p.Min) + "," + bound(p.Max) + "]"
}

func (p Days) String() string { return "filingDate in [" + p.From + "," + p.To + "]" }

func (p Times) String() string {
	micros := func(t time.Time) string { return strconv.FormatInt(t.UnixMicro(), 10) }
	return "createdAt in [" + micros(p.From) + "," + micros(p.To) + "]"
}

func (p Present) String() string { return p.Field.String() + " present " + strconv.FormatBool(p.Is) }

func (p Box) String() string {
	var b []byte
	for _, v := range []float64{p.North, p.South, p.East, p.West} {
		b = append(AppendNumber(b, v), ',')
	}
	return "box(" + string(b[:len(b)-1]) + ")"
}

func (p Contains) String() string { return "contains " + strconv.Quote(p.Text) }

func (p Rest) String() string {
	return "rest from (" + p.Date + "," + strconv.FormatInt(p.ID, 10) + ")"
}

// InCounty selects the filings of a county: `Orange, FL` is that one, `Orange` every county of that name (rule P6).
func InCounty(name string) Predicate {
	return AnyOf{Fields: []Field{County, CountyName}, Values: []string{Fold(name)}}
}
