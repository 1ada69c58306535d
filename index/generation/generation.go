// Package generation owns the life of generations: how one is built, verified, made live, kept,
// rolled back to and deleted, and how two loads are kept apart. It decides that once, above every
// engine: a Lifecycle changes one catalog document (Catalog) and has an engine's Storage do the
// rest. It does no I/O itself, doesn't depend on the form of filings, and never guesses: only the
// catalog's statements hold. Code that only reads needs package index alone.
//
// # Design: the catalog
//
// All that is decided about an index name stands in one document: who holds the lock, the report of
// the load that runs, the live generation, all generations, and the changesets between them. A
// process reads the whole document, and replaces it if nobody else has replaced it since
// (Storage.Replace). So each change is one step, and its reasons still hold when it is made.
//
//	building ──▶ sealed ──▶ tombstoned ──▶ no entry
//
// A generation only moves on along this line. Only a sealed one can be opened, listed by Kept,
// copied or made live. A tombstoned one keeps its entry for as long as its changeset is kept, or a
// changeset without copies reads its filings; without such it has none at once. No name is used
// twice (Catalog.Newest), so the catalog will never want a part that it does not want now: that
// makes deleting safe.
//
// # Design: the order of writes, and the remains of a crash
//
// Each row is one step. The right column names the remains of a load that dies after it; "the next
// load" takes the lock when the lease has expired, and begins by deleting all that is not sealed.
//
//	take the lock: lease and run        a lease, which expires, or is of a dead process (Storage.ProcessLock)
//	alias to the live generation        the same: this repairs an alias that a crash after a promotion left
//	entry, building                     an entry, of which nothing is stored; the next load tombstones it
//	data, sidecars                      rubbish under an entry that is not sealed: the next load deletes it
//	check, mark the data as finished    the same: the data does not say whether it is sealed
//	entry, sealed, with its changeset   a generation that is complete and not live; pruned like others
//	live                                promoted: this is the commit, and services follow it within a second
//	alias to the live generation        an alias that is late; the next to take the lock or to swap repairs it
//	entries tombstoned, changesets      stored data that nothing wants; the next sweep deletes them
//	delete unwanted data                the rest of it, for the next sweep
//	release: no lease                   -
//
// # Design: readers, and one view
//
// Readers follow the catalog by one look a second (view.go): the view that it makes has the Reader
// of the live generation, the changesets, and which generations are kept, withdrawn or lost. It
// never changes, and everything that a caller gets comes from one, so a list has the generation
// that was live just before it. The first caller that needs them reads two things that cost more
// than the catalog: the list of stored parts, and the Readers of generations that requests pin
// (pins). Eight seconds after the last time, a look also compares the live generation with its
// sealing. A swap by this process makes the next caller look.
//
// # Design: a load that wakes up
//
// A load may be stopped at any of these moments for longer than its lease, and go on when another
// one has the lock. Each of its changes of the catalog demands its token in the document that it
// replaces, so none is made. Its writes to storage have no such condition, and need none: it writes
// under its own names, which no catalog has sealed; it deletes parts that it has seen unwanted,
// which they stay for ever (lock.sweep); and it moves the alias only to the generation that the
// catalog then names, and looks again afterwards. Data that it stores after its entry was
// tombstoned is rubbish that the catalog does not name, and the next load sweeps it.
// TestL8_StoppedLoadThatWakesUp and its neighbors stop a load at each of its calls.
//
// # Design: a catalog that is lost
//
// Without its document, stored and finished generations count as sealed, and none as live: readers
// get index.ErrLost, and a rollback or a full load repairs it. Nothing stored and no document is an
// index before its first load.
//
// # Design: the list of withheld filings
//
// It is a separate document next to the catalog, replaced in the same way, by the holder of the
// lock: so a load has read all of it, or begins after it was changed. The catalog keeps the highest
// number that it gave: a list that is lost, or an old one, stops loads instead of letting them
// bring back withheld filings. An entry is added first, and complete last, when nothing that is
// kept has its filings (Lock.Purge): a run that dies in between leaves an entry that each load
// obeys, and that the next run completes.
//
//	entry, not complete                 loads leave its filings out; the next one of any kind does the rest
//	live without them                   older generations have them
//	entries tombstoned, changesets      stored data that nothing wants; the next sweep deletes them
//	changesets stripped                 those that are not yet, for the next run
//	entry, complete                     -
//
// # Design: clocks
//
// Whether a lease has expired is judged by the clocks of two machines, where the engine cannot tell
// whether its holder lives: the holder writes its time when it renews, the next load compares with
// its own. Clocks may differ by LockTTL minus the pause between renewals, 22 seconds. If they
// differ more, a load may lose its lock while it still runs: it fails with ErrLockLost.
package generation

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"filings/index"
	"filings/index/sidecar"
)

// Kinds of errors of the writing side, wrapped with the attempt. Those of package index hold here
// too.
var (
	// ErrLocked: another load holds the lock. It is a *LockedError.
	ErrLocked = errors.New("another load is running")
	// ErrLockLost: the lock was taken by another load after this one had not renewed it in time.
	ErrLockLost = errors.New("the lock of this load was lost")
	// ErrConflict: the live generation is not the one that was expected.
	ErrConflict = errors.New("the live generation has changed")
)

// Hold is why loads are refused (rule X75).
type Hold struct {
	Reason string    `json:"reason"` // "": none was given
	Since  time.Time `json:"since"`
	Live   string    `json:"live"` // the generation that was made live with it
}

// Error says since when loads are held, the reason, and the command that releases them.
func (h *Hold) Error() string {
	reason := ""
	if h.Reason != "" {
		reason = ": " + h.Reason
	}
	return fmt.Sprintf("loads are held since the rollback to %s at %s%s; `filings release` lets them load again",
		h.Live, h.Since.UTC().Format(time.DateTime), reason)
}

// Store is an index.Engine whose generations can be managed.
type Store interface {
	index.Engine
	// LookAgain makes the next caller of Live, Kept or Pin look at the catalog.
	LookAgain()
	// Open returns a Reader of the sealed generation with that name, or index.ErrNotFound;
	// index.ErrChanged if it was altered since.
	Open(ctx context.Context, generation string) (index.Reader, error)
	// Generations lists all generations, the newest first, unsealed ones included.
	Generations(ctx context.Context) ([]Info, error)
	// Swap makes generation `next`, which must be sealed, live in one atomic step if `current` is live
	// now ("" for none; one that is not stored any more counts as none); otherwise it changes nothing
	// and returns ErrConflict.
	Swap(ctx context.Context, current, next string) error
	// SwapAndHold is Swap that refuses loads in the same step, for a reason, until Release.
	SwapAndHold(ctx context.Context, current, next, reason string) error
	// Hold returns why loads are refused; nil: they are not. Release lets them load again, and
	// returns why they were refused.
	Hold(ctx context.Context) (*Hold, error)
	Release(ctx context.Context) (*Hold, error)
	// Fingerprints yields the fingerprint of each filing of a sealed generation, by id;
	// index.ErrNotFound alone where its sidecar is missing.
	Fingerprints(ctx context.Context, generation string) iter.Seq2[index.Fingerprint, error]
	// Stored yields each filing of a sealed generation once, in the engine's order, or an error:
	// all of them came if there was no error. A record may be valid only until the next one.
	Stored(ctx context.Context, generation string) iter.Seq2[index.Stored, error]
	// Retry calls try until its error is none that passes by itself: a load does not end by those.
	Retry(ctx context.Context, try func(context.Context) error) error
	// Lock takes the lock that a load holds, or fails at once with a *LockedError. A lock that was not
	// renewed for LockTTL can be taken by anyone. run says who takes it.
	Lock(ctx context.Context, run Run) (Lock, error)
	// Loads returns the loads that held the lock last, at most 20, the newest first. A load that
	// runs has OutcomeRunning, one that died OutcomeDied. The first one may be a run that changes
	// the withheld filings.
	Loads(ctx context.Context) ([]Run, error)
	// Fresh returns how fresh each county of the live generation is: Loaded is when the last load
	// began that brought or removed filings of it. It is unknown for a generation that an older
	// program built, and for very many counties.
	Fresh(ctx context.Context) (map[string]index.Freshness, error)
	// Withheld returns the list of filings that loads leave out.
	Withheld(ctx context.Context) (Withheld, error)
}

// Repair says how to repair an index.ErrLost.
const Repair = "make another generation live with `filings rollback NAME` (`filings generations` lists them), " +
	"or load all filings again with `filings load`"

// LockTTL is how long a lock holds without being renewed, where the engine cannot tell that its
// holder died. Holders renew four times as often.
const LockTTL = 30 * time.Second

// LockedError says who holds the lock.
type LockedError struct{ Run Run }

func (e *LockedError) Error() string {
	return "another load is running: " + e.Run.Holder + ", since " + e.Run.Started.UTC().Format(time.RFC3339) +
		", phase " + e.Run.Phase
}

func (e *LockedError) Unwrap() error { return ErrLocked }

// Run is the status of a load, which it publishes while it runs.
type Run struct {
	Holder     string    `json:"holder"` // host and process
	Started    time.Time `json:"started"`
	Renewed    time.Time `json:"renewed"`
	Phase      string    `json:"phase"` // preparing, loading, sealing, verifying, comparing, promoting, pruning
	Generation string    `json:"generation"`
	Read       int64     `json:"read"`
	Indexed    int64     `json:"indexed"`
	Rejected   int64     `json:"rejected"`
	Withheld   int64     `json:"withheld,omitempty"`
	Bytes      int64     `json:"bytes,omitempty"`      // read of the sources as they are stored
	TotalBytes int64     `json:"totalBytes,omitempty"` // of the sources; 0: not known
	Source     string    `json:"source,omitempty"`     // that is read, or was read last
	Error      string    `json:"error,omitempty"`      // why it failed
	Outcome    string    `json:"outcome"`              // one of these at the end; of a load that died it stays ""
	// Failed says of the counties of a plan that stay as they were why, of at most MaxFailed of them.
	Failed map[string]string `json:"failed,omitempty"`
	// Withholds: the run isn't a load, but changes the withheld filings. It is kept until the next
	// run begins.
	Withholds bool `json:"withholds,omitempty"`
}

// MaxFailed bounds Run.Failed, which each look at the catalog reads, of 20 runs.
const MaxFailed = 100

// Failing returns the counties that the last load of them left as they were, and why (rule X76).
// None of runs, the newest first, has looked at them since, as fresh says of the live generation.
func Failing(runs []Run, fresh map[string]index.Freshness) map[string]string {
	failing := map[string]string{}
	for _, run := range runs {
		for county, reason := range run.Failed {
			if _, newer := failing[county]; !newer && run.Started.Unix() > fresh[county].Checked {
				failing[county] = reason
			}
		}
	}
	return failing
}

// OnlyLoads returns the loads among runs.
func OnlyLoads(runs []Run) []Run {
	return slices.DeleteFunc(slices.Clone(runs), func(r Run) bool { return r.Withholds })
}

// Outcomes of loads.
const (
	OutcomePromoted = "promoted"
	OutcomeFailed   = "failed"
	// OutcomeUnchanged: the load would have built the live generation again.
	OutcomeUnchanged = "unchanged"
	// OutcomeRunning and OutcomeDied: Store.Loads has them for loads that did not report their end.
	OutcomeRunning = "running"
	OutcomeDied    = "died"
)

// Lock is the right to build, promote and delete generations. After the lock was lost its methods
// return ErrLockLost and change nothing.
type Lock interface {
	// Renew keeps the lock for another LockTTL and publishes run.
	Renew(ctx context.Context, run Run) error
	// Begin makes a new, unsealed generation: empty, or a copy of the sealed generation `source`.
	Begin(ctx context.Context, source string) (Build, error)
	// Promote is Swap, on the condition that the lock still holds at that very moment.
	Promote(ctx context.Context, current, next string) error
	// Refresh has the catalog keep how fresh the counties of a sealed generation are.
	Refresh(ctx context.Context, generation string, fresh map[string]index.Freshness) error
	// Delete deletes a generation that is not live, sealed or not. Its changeset stays if it was
	// promoted. The filings that kept changesets need stay, too: they can be read as before.
	Delete(ctx context.Context, generation string) error
	// Clear deletes the unsealed generations that dead loads left behind, and returns their names.
	Clear(ctx context.Context) (cleared []string, err error)
	// Prune deletes generations, and returns their names: all sealed ones but the live one, `previous`
	// ("" for none), and the newest others, `keep` in all with `previous`. It also deletes all
	// changesets but those of the newest `changesets` promoted generations, the filings of deleted
	// generations that only the deleted changesets needed, and remains of unpromoted changesets whose
	// generations are deleted.
	Prune(ctx context.Context, previous string, keep, changesets int) (pruned []string, err error)
	// Withhold changes the list of withheld filings, which do may be called with more than once.
	Withhold(ctx context.Context, do func(w *Withheld) error) error
	// Purge deletes withheld filings from all that is kept. It deletes and returns the generations
	// that have some of them by `holds`. `live`, which has none, must be live. Changesets that
	// would read a deleted generation are deleted too; in others, strip replaces each copy of a
	// filing.
	Purge(ctx context.Context, live string, holds func(ctx context.Context, name string) (bool, error),
		strip func(index.Version) index.Version) (purged []string, err error)
	// Release gives the lock up.
	Release(ctx context.Context) error
}

// Build fills a new generation. Its methods are called by one goroutine.
type Build interface {
	// Generation names the generation that is built.
	Generation() string
	// Put adds f, or replaces the filing with f's id. f may be reused after the call. It may return an
	// error that an earlier Put caused.
	Put(ctx context.Context, f *index.Filing) error
	// Remove removes a filing. A missing one is no error.
	Remove(ctx context.Context, id int64) error
	// Erase has Seal leave nothing of removed or replaced filings in storage, however long that
	// takes.
	Erase()
	// Seal waits until every Put and Remove was accepted, makes the generation readable and
	// unchangeable, lets check, if there is one, look at it, and returns its counts. Only then is
	// the generation sealed: one that fails the check, or whose load dies during it, never is. Seal
	// fails if only one filing was not accepted, and with check's error.
	Seal(ctx context.Context, check Check) (index.Counts, error)
	// Fingerprints is Store.Fingerprints of this generation, for the Check of Seal.
	Fingerprints(ctx context.Context) iter.Seq2[index.Fingerprint, error]
	// Differences returns the differences of this generation from the one that it was begun from:
	// once, for the Check of Seal. It compares only filings that were put or removed.
	Differences(ctx context.Context) (*sidecar.Differences, error)
	// WriteChangeset writes the changeset that leads to this generation from s.Parent, a sealed
	// one. It is called by the Check of Seal, once, with the counts of s and the differences by id;
	// no Reader sees the changeset before the generation is promoted, and none at all if it never
	// is. It may read the filings that differ, in both generations.
	WriteChangeset(ctx context.Context, s index.Changeset, differences []sidecar.Difference) error
	// Keep has the catalog keep the load's figures of the generation: Info.Counts, in the load's
	// own JSON, the values of its fields, and the freshness of its counties. Every look at the live
	// generation reads them, so they are small.
	Keep(counts []byte, values *index.Values, fresh map[string]index.Freshness)
	// Abort deletes the generation.
	Abort(ctx context.Context) error
}

// Check looks at a generation that is about to be sealed: by its Reader and its index.Counts.
type Check func(ctx context.Context, r index.Reader, holds index.Counts) error

// Info describes a generation. As JSON it is a row of `filings generations --json`, which lists the
// sealed ones (Served).
type Info struct {
	Name      string        `json:"name"`
	CreatedAt time.Time     `json:"createdAt"`
	Filings   int64         `json:"filings"` // that were sealed; 0 if it is damaged
	Bytes     int64         `json:"bytes"`
	Live      bool          `json:"live"`
	Changes   *Changes      `json:"changes"` // of its load, if it was promoted; nil: not known
	Sealed    bool          `json:"-"`       // false: being built, or left behind by a load that died
	Counts    []byte        `json:"-"`       // as Build.Keep was given them; nil for none
	Values    *index.Values `json:"-"`       // of its fields; nil where they are not known
	// Fresh says how fresh counties are, as Build.Keep or Lock.Refresh was given it.
	Fresh map[string]index.Freshness `json:"-"`
	// Damaged is why it cannot be read, if that is known; index.ErrChanged: it was replaced.
	Damaged error `json:"-"`
}

// Changes counts the filings that a load added, changed and removed since the generation before.
type Changes struct {
	Added   int64  `json:"added"`
	Changed int64  `json:"changed"`
	Removed int64  `json:"removed"`
	Since   string `json:"since"`
}

// Served returns the sealed ones of generations; if there is none, [] and not null in JSON.
func Served(generations []Info) []Info {
	return slices.DeleteFunc(append([]Info{}, generations...), func(g Info) bool { return !g.Sealed })
}
