// Package index defines filings, queries of them, results, and the interface of engines that store
// them. It does no I/O: index/elastic and index/embedded do, and index/indextest holds both to the
// same responses.
//
// # Design
//
// One table of fields (field.go) drives reading, mapping, rendering and documentation. Values that
// a record implies (its city, its equity, whether a trust owns it) are derived here, once, for
// every engine (derive.go), so engines only store and compare. Text that is compared is folded here
// too (text.go): no engine has a lower-case of its own. The tiles of maps are bounded here, by the
// numbers that engines compare coordinates with (grid.go).
//
// A query is a Filter (predicates that must all hold), a sort, an offset and a limit (query.go). A
// predicate says whether it holds for one filing (predicate.go); engines compile it, and are held
// to the same by tests. The String of a query is canonical: two queries that must have the same
// response have the same text, which makes it a cache key and half an ETag. The text of a filter,
// the expensive part, is computed once, when the filter is made, and kept in it.
//
// Data lives in generations, which package generation builds and which never change. A Reader
// (reader.go) is pinned to one, so values computed from several of its responses are consistent,
// and values cached by (generation, query) stay right for ever.
//
// A Record is the JSON of a filing as the API shows it to the highest tier, fields in the order of
// the table, which is ordered by tier: the fields of a lower tier are a prefix of it (cut.go).
// Engines store that text and hand it through; no layer decodes it on the way.
package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"
)

// Kinds of errors that engines return, wrapped with the attempt that failed.
var (
	// ErrNotFound: there is no such filing or generation.
	ErrNotFound = errors.New("not found")
	// ErrUnavailable: the engine's server did not respond, or not in full.
	ErrUnavailable = errors.New("engine unavailable")
	// ErrGone: the generation that a Reader is of was deleted, or the one that was requested is not
	// kept.
	ErrGone = errors.New("generation is gone")
	// ErrNoOwners: the generation was loaded by a version of the program that did not keep keys of
	// owners, and holders to filter by.
	ErrNoOwners = errors.New("it was loaded before owners were kept")
	// ErrPosition: a Query's Start is no position in the generation.
	ErrPosition = errors.New("no such position")
	// ErrLost: a generation was live once, and now there is none, or it was altered after it was
	// sealed (then it is ErrChanged too). Only an operator can repair that.
	ErrLost = errors.New("the live generation is lost")
	// ErrChanged: a generation was altered after it was sealed: something was deleted from it, or
	// it was replaced.
	ErrChanged = errors.New("it is not what was sealed")
	// ErrDamaged: a part of a generation's file is not as it was written. It is ErrUnavailable too;
	// other parts can be read.
	ErrDamaged = errors.New("the file is damaged")
	// ErrClientGone: the client hung up before its call was made.
	ErrClientGone = fmt.Errorf("the client has left: %w", context.Canceled)
	// ErrSpent: the time of a request is over, and it was spent on computing for it, or on waiting
	// for other calls of its account.
	ErrSpent = fmt.Errorf("its time was spent: %w", context.DeadlineExceeded)
)

// Wrap puts the attempt that failed before an error.
func Wrap(err *error, attempted string) {
	if *err != nil {
		*err = fmt.Errorf("%s: %w", attempted, *err)
	}
}

// Engine has generations, one of which is live.
type Engine interface {
	// Live returns the live generation, at most one second late. Before the first load it is a
	// Reader without filings, whose Generation is "". ErrLost: it is missing, or (noticed within
	// ten seconds) was altered after it was sealed.
	Live(ctx context.Context) (Reader, error)
	// Kept lists, at most one second late, the generations that Pin knows, the newest first: the
	// sealed ones that this program can read. It has any that Live, Pin or Kept returned before, as
	// long as that is kept. If id, a public id or "", is newer than all known ones, it looks again. The
	// list is read, never changed.
	Kept(ctx context.Context, id string) ([]Generation, error)
	// Pin returns a Reader of the kept generation with that public id, or ErrGone, at most one second
	// late; ErrChanged if it was altered since it was sealed.
	Pin(ctx context.Context, id string) (Reader, error)
	// Withdrawn reports, at most one second late, whether a Reader of a generation may still read
	// withheld filings (rule X53): some were withheld since it was opened, and the generation is
	// deleted. A Reader of any other deleted generation may read on.
	Withdrawn(ctx context.Context, generation string) (bool, error)
	History
}

// Reader reads one generation. It is safe for concurrent use. Every method may return
// ErrUnavailable or ErrGone, and ends with its context.
type Reader interface {
	// Generation names the generation.
	Generation() string
	// Rows returns a page, an empty one past the end; ErrPosition where there is no position
	// q.Start.
	Rows(ctx context.Context, q Query) (Page, error)
	// Count returns how many filings w selects, exactly.
	Count(ctx context.Context, w Filter) (int64, error)
	// Filings returns the records with these ids, in the order of ids; nil where there is no such
	// filing.
	Filings(ctx context.Context, ids []int64) ([]Record, error)
	// Stats returns stats of all filings.
	Stats(ctx context.Context) (Stats, error)
	// Counties returns stats of each county as written on the records, sorted by CompareCounties.
	Counties(ctx context.Context) ([]CountyStats, error)
	// Groups sums up the filings that w selects by their keys in one or two different dimensions.
	Groups(ctx context.Context, w Filter, q GroupQuery) (Groups, error)
	// Cells describes the filings that both w and g's box select, by the tiles of g: those that
	// have any, sorted by CompareCells.
	Cells(ctx context.Context, w Filter, g Grid) ([]Cell, error)
	// Owners returns a page of portfolios; ErrNoOwners where the generation has none.
	Owners(ctx context.Context, q OwnerQuery) (Owners, error)
	// Nearest returns the corrections of each word (rule X29): of the words of all Owners and
	// PropertyAddresses those at the smallest distance within its Reach, at most MaxNearest by
	// falling filings, then code point; nil for a word that is one of them, and where none is near.
	// ErrNoOwners as above.
	Nearest(ctx context.Context, words []string) ([][]string, error)
}

// Page is a part of the filings that a Query selects.
type Page struct {
	Records []Record
	// End is the position after the last record, in the engine's own words: Query.Start of the next
	// page. It is "" where there are no records.
	End string
	// Total is how many filings the Query's Where selects, exactly, if Counted says so, as it does
	// where Query.Count asked for it and they are few. Otherwise Total is 0, and Reader.Count has
	// to say it.
	Total   int64
	Counted bool

	cuts [][Hidden]int // where the part of each tier ends in each record, once they were looked at: see Check
}

// Stats are counts and sums over all filings of a generation. Amounts are FilingAmounts, in cents
// where the name says so.
type Stats struct {
	Filings              int64
	Owners               int64 // owners that differ in more than case
	Amounts              int64 // filings that have an amount
	SumCents             float64
	MinAmount, MaxAmount float64 // dollars; 0 where no filing has an amount
	Trusts, Estates      int64
	TrustsOrEstates      int64 // a filing that is both counts once
	Added                int64 // filings that have a CreatedAt
	// FirstAdded and LastAdded are the earliest and the latest CreatedAt; zero where no filing has
	// one.
	FirstAdded, LastAdded time.Time
}

// AddedWithin returns the number of filings added between two times, with microsecond precision.
// It knows only if all or none were added then, which FirstAdded and LastAdded tell. A load gives
// all its filings the same time, so that is the usual case.
func (s Stats) AddedWithin(first, last time.Time) (n int64, known bool) {
	first, last = first.Truncate(time.Microsecond), last.Truncate(time.Microsecond)
	switch {
	case s.LastAdded.IsZero():
		return 0, false
	case s.LastAdded.Before(first) || s.FirstAdded.After(last):
		return 0, true
	case !s.FirstAdded.Before(first) && !s.LastAdded.After(last):
		return s.Added, true
	}
	return 0, false
}

// CountyStats are the same over the filings of one county.
type CountyStats struct {
	County               string // as on the records: "Orange, FL"
	Filings              int64
	Amounts              int64
	SumCents             float64
	MinAmount, MaxAmount float64

	WithCoordinates                 int64     // filings that have both
	FirstFilingDate, LastFilingDate string    // of those that have one; "" for none
	LastAdded                       time.Time // the latest CreatedAt, to the microsecond; zero for none
}

type detached struct{}

// Detach returns a context for a call whose caller gets no result after ctx has ended, and does not
// wait either: the engine may continue until its server has ended the call as well.
func Detach(ctx context.Context) context.Context { return context.WithValue(ctx, detached{}, true) }

// IsDetached reports whether ctx is one that Detach returned.
func IsDetached(ctx context.Context) bool { return ctx.Value(detached{}) != nil }

// Recovered makes a panic on a goroutine of our own an error: the recovery of a request does not
// reach there.
func Recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
	}
}

// Damage is the first damage that calls of a Reader have met in its file. It is that Reader's: a
// file that is put in its place gets another one.
type Damage struct{ met atomic.Pointer[error] }

// Meet keeps the first damage, and reports whether err is that.
func (d *Damage) Meet(err error) (first bool) { return d.met.CompareAndSwap(nil, &err) }

// Met returns the damage; nil for none.
func (d *Damage) Met() error {
	if err := d.met.Load(); err != nil {
		return *err
	}
	return nil
}

// DamageOf returns the damage that calls of r have met; nil for none.
func DamageOf(r Reader) error {
	if file, ok := r.(interface{ Met() error }); ok {
		return file.Met()
	}
	return nil
}

// OneFiling returns one filing of r, or ErrNotFound.
func OneFiling(ctx context.Context, r Reader, id int64) (Record, error) {
	records, err := r.Filings(ctx, []int64{id})
	if err == nil && records[0] == nil {
		err = fmt.Errorf("filing %d: %w", id, ErrNotFound)
	}
	if err != nil {
		return nil, err
	}
	return records[0], nil
}

// Probe fails unless r can be searched, and gives records whose members are their own: it reads one
// row, of which every part of the engine has its share, and that filing alone, and cuts the record
// for each tier.
func Probe(ctx context.Context, r Reader) error {
	page, err := r.Rows(ctx, Query{Sort: DefaultSort, Limit: 1})
	if err != nil || len(page.Records) == 0 {
		return err
	}
	id, err := page.Records[0].ID()
	if err != nil {
		return fmt.Errorf("a page of %s: %w", r.Generation(), err)
	}
	record, err := OneFiling(ctx, r, id)
	if err == nil {
		err = record.Check()
	}
	if err != nil {
		return fmt.Errorf("filing %d of %s: %w", id, r.Generation(), err)
	}
	return nil
}

// CompareCounties orders county names by the code points of their folded form, then as written
// (rule A5).
func CompareCounties(a, b string) int {
	return cmp.Or(cmp.Compare(Fold(a), Fold(b)), cmp.Compare(a, b))
}

// CompareByState orders county names by state, then their parts without the state as
// CompareCounties does (rule A6): Lee comes before Lee (X), although the comma after it sorts after
// a blank.
func CompareByState(a, b string) int {
	countyA, stateA := SplitCounty(a)
	countyB, stateB := SplitCounty(b)
	return cmp.Or(cmp.Compare(stateA, stateB), CompareCounties(countyA, countyB))
}

// Empty is the Reader of a service that has no filings yet.
type Empty struct{}

var _ Reader = Empty{}

func (Empty) Generation() string                           { return "" }
func (Empty) Rows(context.Context, Query) (Page, error)    { return Page{Counted: true}, nil }
func (Empty) Count(context.Context, Filter) (int64, error) { return 0, nil }
func (Empty) Filings(_ context.Context, ids []int64) ([]Record, error) {
	return make([]Record, len(ids)), nil
}
func (Empty) Stats(context.Context) (Stats, error)                       { return Stats{}, nil }
func (Empty) Counties(context.Context) ([]CountyStats, error)            { return nil, nil }
func (Empty) Groups(context.Context, Filter, GroupQuery) (Groups, error) { return Groups{}, nil }
func (Empty) Cells(context.Context, Filter, Grid) ([]Cell, error)        { return nil, nil }
func (Empty) Owners(context.Context, OwnerQuery) (Owners, error)         { return Owners{}, nil }
func (Empty) Nearest(_ context.Context, words []string) ([][]string, error) {
	return make([][]string, len(words)), nil
}

// Generation describes a generation that can be read.
type Generation struct {
	Name      string
	CreatedAt time.Time // when it was begun, to the microsecond
	Filings   int64
	Live      bool
	Values    *Values              // of its fields; nil where its load did not count them. They are read, never changed
	Fresh     map[string]Freshness // by county; nil where that is not known. It is read, never changed
}

// Freshness says how fresh a county's filings are (rule X56). Times are Unix seconds; 0: unknown.
type Freshness struct {
	Loaded      int64  `json:"loaded,omitempty"`  // when the last load began that brought or removed some
	Checked     int64  `json:"checked,omitempty"` // when the last load began that found these to be all of them
	Updated     int64  `json:"updated,omitempty"` // when their source says that it was
	Source      string `json:"source,omitempty"`  // its name; "": the plan has none
	Attribution string `json:"attribution,omitempty"`
}

// ID returns g's public id.
func (g Generation) ID() string { return GenerationID(g.Name) }

// GenerationLayout is how the time at which a generation was begun is written, in UTC: in its name,
// and as its public id. So ids sort by time.
const GenerationLayout = "20060102-150405.000000"

// GenerationID returns the public id (rule X1) of the generation with that name: the time in it. ""
// for a name without one, such as that of Empty.
func GenerationID(name string) string {
	name = name[:max(strings.LastIndex(name, "-v"), 0)]
	id := name[max(len(name)-len(GenerationLayout), 0):]
	if !ValidGenerationID(id) {
		return ""
	}
	return id
}

// ValidGenerationID reports whether id has the form of a generation's public id.
func ValidGenerationID(id string) bool {
	t, err := time.Parse(GenerationLayout, id)
	var written [len(GenerationLayout)]byte
	// Parse takes more than Format writes.
	return err == nil && string(t.AppendFormat(written[:0], GenerationLayout)) == id
}
