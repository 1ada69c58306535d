package index

import (
	"context"
	"errors"
	"time"
)

// Kinds of errors that engines return, wrapped with what was attempted.
var (
	// ErrNotFound: there is no such filing or generation.
	ErrNotFound = errors.New("not found")
	// ErrUnavailable: the engine's server did not answer, or not in full.
	ErrUnavailable = errors.New("engine unavailable")
	// ErrGone: the generation that a Reader is pinned to was deleted. Ask the Engine for a new Reader.
	ErrGone = errors.New("generation is gone")
	// ErrLocked: another load holds the lock. It is a *LockedError.
	ErrLocked = errors.New("another load is running")
	// ErrLockLost: the lock was taken by another load after this one had not renewed it in time.
	ErrLockLost = errors.New("the lock of this load was lost")
	// ErrConflict: the live generation is not the one that was expected.
	ErrConflict = errors.New("the live generation has changed")
)

// Engine answers queries.
type Engine interface {
	// Live returns a Reader of the generation that is live now. It never is older than a swap a second ago. Before the
	// first load it is a Reader without filings, whose Generation is "".
	Live(ctx context.Context) (Reader, error)
}

// Reader answers from one generation. It is safe for concurrent use. Every method may return ErrUnavailable or ErrGone,
// and ends with its context.
type Reader interface {
	// Generation names the generation.
	Generation() string
	// Rows returns the records of a page, an empty one past the end.
	Rows(ctx context.Context, q Query) ([]Record, error)
	// Count returns how many filings w selects, exactly.
	Count(ctx context.Context, w Filter) (int64, error)
	// Filing returns one filing, or ErrNotFound.
	Filing(ctx context.Context, id int64) (Record, error)
	// Stats returns figures over all filings.
	Stats(ctx context.Context) (Stats, error)
	// Counties returns figures of each county as written on the records, sorted by CompareCounties.
	Counties(ctx context.Context) ([]CountyStats, error)
	// Distinct returns the different values that the selected filings have in f, which is Month or DateRange, sorted.
	Distinct(ctx context.Context, w Filter, f Field) ([]string, error)
	// Cells returns what there is to say of the filings that both w and g's box select, by the tiles of g: those that have
	// any, sorted by CompareCells.
	Cells(ctx context.Context, w Filter, g Grid) ([]Cell, error)
}

// Remembers is what a Reader may be beside: one that knows answers without asking anybody.
type Remembers interface {
	// Counted returns what Count would, if that is known.
	Counted(w Filter) (total int64, known bool)
}

// Stats are figures over all filings of a generation. Amounts are FilingAmounts, in cents where the name says so.
type Stats struct {
	Filings              int64
	Owners               int64 // owners that differ in more than case
	Amounts              int64 // filings that have an amount
	SumCents             float64
	MinAmount, MaxAmount float64 // dollars; 0 where no filing has an amount
	Trusts, Estates      int64
	TrustsOrEstates      int64 // a filing that is both counts once
}

// CountyStats are figures over the filings of one county.
type CountyStats struct {
	County               string // as on the records: "Orange, FL"
	Filings              int64
	Amounts              int64
	SumCents             float64
	MinAmount, MaxAmount float64
}

// CompareCounties orders county names by the code points of their folded form, then as written (rule A5).
func CompareCounties(a, b string) int {
	if c := compare(Fold(a), Fold(b)); c != 0 {
		return c
	}
	return compare(a, b)
}

// CompareByState orders county names by state, then as CompareCounties does (rule A6).
func CompareByState(a, b string) int {
	_, sa := SplitCounty(a)
	_, sb := SplitCounty(b)
	if c := compare(sa, sb); c != 0 {
		return c
	}
	return CompareCounties(a, b)
}

func compare(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// Store is an Engine whose generations can be managed.
type Store interface {
	Engine
	// Open returns a Reader of a sealed generation, or ErrNotFound.
	Open(ctx context.Context, generation string) (Reader, error)
	// Generations lists all generations, the newest first, unsealed ones included.
	Generations(ctx context.Context) ([]Generation, error)
	// Swap makes generation `to`, which must be sealed, live in one atomic step if `from` is live now ("" for none);
	// else it changes nothing and returns ErrConflict.
	Swap(ctx context.Context, from, to string) error
	// Lock takes the lock that a load holds, or fails at once with a *LockedError. A lock that was not renewed for
	// LockTTL is anybody's. run says who takes it.
	Lock(ctx context.Context, run Run) (Lock, error)
	// Running returns the load that holds the lock, or nil.
	Running(ctx context.Context) (*Run, error)
	// LastRun returns what the load that holds the lock, or held it last, published last; nil before the first load.
	LastRun(ctx context.Context) (*Run, error)
}

// LockTTL is how long a lock holds without being renewed, where the engine cannot tell that its holder died. Holders
// renew four times as often.
const LockTTL = 30 * time.Second

// LockedError says who holds the lock.
type LockedError struct{ Run Run }

func (e *LockedError) Error() string {
	return "another load is running: " + e.Run.Holder + ", since " + e.Run.Started.UTC().Format(time.RFC3339) +
		", phase " + e.Run.Phase
}

func (e *LockedError) Unwrap() error { return ErrLocked }

// Run is what a load tells about itself while it runs.
type Run struct {
	Holder     string    `json:"holder"` // host and process
	Started    time.Time `json:"started"`
	Renewed    time.Time `json:"renewed"`
	Phase      string    `json:"phase"` // preparing, loading, sealing, verifying, promoting, pruning
	Generation string    `json:"generation"`
	Read       int64     `json:"read"`
	Indexed    int64     `json:"indexed"`
	Rejected   int64     `json:"rejected"`
	Outcome    string    `json:"outcome"` // OutcomePromoted or OutcomeFailed at the end; of a load that died it stays ""
}

// Outcomes of loads.
const (
	OutcomePromoted = "promoted"
	OutcomeFailed   = "failed"
)

// Lock is the right to build, promote and delete generations. After the lock was lost its methods return ErrLockLost
// and change nothing.
type Lock interface {
	// Renew keeps the lock for another LockTTL and publishes run.
	Renew(ctx context.Context, run Run) error
	// Begin makes a new, unsealed generation: empty, or with the filings of the sealed generation `from`.
	Begin(ctx context.Context, from string) (Build, error)
	// Promote is Swap, on the condition that the lock still holds at that very moment.
	Promote(ctx context.Context, from, to string) error
	// Delete deletes a generation that is not live, sealed or not.
	Delete(ctx context.Context, generation string) error
	// Release gives the lock up.
	Release(ctx context.Context) error
}

// Build fills a new generation. Its methods are called by one goroutine.
type Build interface {
	// Generation names the generation that is built.
	Generation() string
	// Put adds f, or replaces the filing with f's id. f may be reused after the call. It may return an error that an
	// earlier Put caused.
	Put(ctx context.Context, f *Filing) error
	// Remove removes a filing. Removing what is not there is no error.
	Remove(ctx context.Context, id int64) error
	// Has reports whether the generation that was copied by Begin has the filing.
	Has(ctx context.Context, ids []int64) ([]bool, error)
	// Seal waits until every Put and Remove was accepted, makes the generation readable and unchangeable, lets check, if
	// there is one, look at it, and returns what it holds. Only then is the generation sealed: one that fails the check,
	// or whose load dies during it, never is. Seal fails if only one filing was not accepted, and with check's error.
	Seal(ctx context.Context, check Check) (Tally, error)
	// Abort deletes the generation.
	Abort(ctx context.Context) error
}

// Check looks at a generation that is about to be sealed: by a Reader of it, and by the Tally of what it holds.
type Check func(ctx context.Context, r Reader, holds Tally) error

// Generation describes a generation.
type Generation struct {
	Name      string
	CreatedAt time.Time
	Filings   int64
	Bytes     int64
	Live      bool
	Sealed    bool // false: being built, or left behind by a load that died
}
