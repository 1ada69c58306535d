package reindexer

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"filings/index"
	"filings/index/generation"
	"filings/index/sidecar"
	"filings/index/trace"
	"filings/reindexer/sieve"
	"filings/reindexer/source"
)

// running is one run: its task and its progress. Its counts and its phase are written by the run
// and read by Progress, so they are safe for concurrent use.
type running struct {
	cfg     Config
	started time.Time
	reading *reading
	rejects *rejects
	lock    generation.Lock // nil: none yet, or a dry run

	counts index.Counts     // of the new generation
	left   index.Counts     // of withheld filings that were read
	sample *sample          // of the new generation
	values *index.Values    // of the new one's filings; of a dry run those of its records; nil: not known
	loaded map[string]int64 // when its counties were loaded last, in seconds of Unix time

	live        generation.Info // the live generation; the zero Info for none
	liveCounts  *index.Counts   // of the live generation, without withheld filings; nil: not known
	exempted    map[string]bool // counties of which liveCounts lacks whole filings
	liveErr     error           // why the live generation cannot be read; nil: it can
	moved       []string        // filings that an update moves to another county
	refusedLoad bool            // a guard refused something that leaving counties out cannot mend

	previous string              // the generation that is live until this one is promoted; "" for none
	added    *added              // of previous; nil: no record needed it yet
	preview  *sidecar.Actions    // of a dry run; nil: it compares nothing
	spread   *valueSorter        // of a dry run that sees all filings of each county that it loads; nil: of none
	changes  *Changes            // nil: there is no changeset
	counties map[string]*Changes // the same by county
	warnings []string

	sieve         *sieve.Sieve                       // of filings that this load excludes; nil: none
	pending       *sieve.Sieve                       // of filings that older generations may still have; nil: none
	pendingFilter *index.Filter                      // selects all that pending may find; nil: not known
	unfinished    func(*generation.Withholding) bool // tells its entries
	active        []int                              // numbers of the entries of sieve
	takes         []change                           // filings of pending in the live generation
	taken         map[int64]bool                     // ids of these, of a full load

	indexed, updated, deleted, missing, rejected, withheld, contacts atomic.Int64

	mu       sync.Mutex
	phase    string
	building string // the generation
	outcome  string
	failure  string
	failed   map[string]string // counties of the plan, and why
	promoted bool
	same     bool          // the load would build the live generation again
	changed  chan struct{} // gets something when a phase begins

	reasons map[Reason]Rejected

	showing sync.Mutex   // Progress has one caller at a time
	span    func(string) // begins that of a phase
}

func newRunning(ctx context.Context, cfg Config, sources []source.Source, started time.Time) *running {
	r := &running{
		cfg: cfg, started: started, counts: index.NewCounts(), left: index.NewCounts(), sample: newSample(),
		values: new(index.Values), loaded: map[string]int64{}, taken: map[int64]bool{}, exempted: map[string]bool{},
		reasons:  map[Reason]Rejected{},
		warnings: []string{}, changed: make(chan struct{}, 1), span: trace.Phases(ctx),
	}
	r.reading = newReading(sources, cfg.Update, cfg.Strict, r.reject)
	r.reading.warn, r.reading.mayEmpty, r.reading.rules.Stored = r.warn, cfg.MayEmpty, cfg.Stored
	if len(cfg.Replace) > 0 {
		r.reading.takeOnly(cfg.Replace)
	}
	r.reading.inputs, r.reading.head = cfg.Inputs, cfg.Head
	r.reading.show, r.reading.onShow = cfg.Show, cfg.OnShow
	return r
}

func (r *running) enter(phase string) {
	r.mu.Lock()
	r.phase = phase
	r.mu.Unlock()
	r.span(phase)
	select {
	case r.changed <- struct{}{}:
	default: // a change that was not looked at yet says as much
	}
	r.show()
}

// warn notes something for the report.
func (r *running) warn(format string, values ...any) {
	r.warnings = append(r.warnings, fmt.Sprintf(format, values...))
	r.cfg.Log.Warn("load: " + r.warnings[len(r.warnings)-1])
}

// builds notes the generation that is built.
func (r *running) builds(generation string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.building = generation
}

// end notes how the run ended.
func (r *running) end(ctx context.Context, err error) {
	failed := map[string]string{}
	if r.cfg.Failing != nil {
		failing := r.cfg.Failing(ctx, err)
		for _, county := range slices.Sorted(maps.Keys(failing))[:min(len(failing), generation.MaxFailed)] {
			failed[county] = shortened(failing[county], longestReason)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = failed
	r.outcome = generation.OutcomePromoted
	if r.same {
		r.outcome = generation.OutcomeUnchanged
	}
	if err != nil {
		r.outcome = generation.OutcomeFailed
		r.failure = shortened(err, longestFailure)
	}
}

// longestFailure and longestReason are how many bytes of an error, and a county's, the catalog
// keeps.
const longestFailure, longestReason = 1000, 300

func shortened(err error, most int) string {
	return strings.ToValidUTF8(err.Error()[:min(len(err.Error()), most)], "")
}

// show shows the state of the run.
func (r *running) show() {
	r.showing.Lock()
	defer r.showing.Unlock()
	r.cfg.Progress.Show(r.status())
}

// reject counts, writes and shows a reject.
func (r *running) reject(reject Reject) error {
	r.rejected.Add(1)
	r.countReason(reject)
	return r.rejects.add(reject, func() {
		r.showing.Lock()
		defer r.showing.Unlock()
		r.cfg.Progress.Reject(reject)
	})
}

func (r *running) countReason(reject Reject) {
	reason := Reason{reject.Field, ofRecord.ReplaceAllStringFunc(reject.Reason, func(s string) string {
		if r, _ := utf8.DecodeRuneInString(s); unicode.IsLetter(r) {
			return s
		}
		return "…"
	})}
	if _, known := r.reasons[reason]; !known && len(r.reasons) >= mostReasons {
		reason = Reason{Text: "other reasons"}
	}
	rejected := r.reasons[reason]
	if rejected.Records++; rejected.Records == 1 {
		rejected.First = reject.Error()
	}
	r.reasons[reason] = rejected
}

// put puts f into build, if there is one that may still be promoted, and expects to find it there.
func (r *running) put(ctx context.Context, f *index.Filing, h index.FilingValues, build generation.Build) error {
	r.count(h, 1)
	r.sample.offer(f.ID, f)
	if r.spread != nil {
		if err := r.spread.add(f); err != nil {
			return err
		}
	}
	if r.preview != nil {
		d := index.Derive(f)
		r.preview.Put(index.FingerprintOf(f, &d, index.AppendRecord(nil, f)))
		return nil
	}
	if !r.mayPromote(build) {
		return nil
	}
	return build.Put(ctx, f)
}

// mayPromote reports whether a generation is built that may still be promoted.
func (r *running) mayPromote(build generation.Build) bool {
	return build != nil && !r.tooMany() && !r.reading.spoiled.Load()
}

// tooMany reports whether more records were rejected than is allowed.
func (r *running) tooMany() bool { return r.rejected.Load() > int64(r.cfg.MaxRejects) }

// status is the Status that Progress shows.
func (r *running) status() Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	return Status{
		Phase: r.phase, Generation: r.building, Elapsed: r.cfg.Now().Sub(r.started),
		Read: r.reading.read.Load(), Indexed: r.indexed.Load(), Updated: r.updated.Load(), Deleted: r.deleted.Load(),
		Missing: r.missing.Load(), Rejected: r.rejected.Load(),
		Bytes: r.reading.bytes.Load(), TotalBytes: source.TotalBytes(r.reading.sources),
	}
}

// run is the Run that the lock publishes to other processes.
func (r *running) run() generation.Run {
	r.mu.Lock()
	defer r.mu.Unlock()
	return generation.Run{
		Outcome: r.outcome, Holder: r.cfg.Holder, Started: r.started, Renewed: r.cfg.Now(),
		Phase: r.phase, Generation: r.building,
		Read: r.reading.read.Load(), Indexed: r.indexed.Load() + r.updated.Load(),
		Rejected: r.rejected.Load(), Withheld: r.withheld.Load(),
		Bytes: r.reading.bytes.Load(), TotalBytes: source.TotalBytes(r.reading.sources),
		Source: r.reading.current(), Error: r.failure, Failed: r.failed,
		Withholds: r.cfg.Withhold != nil,
	}
}

// report is the Report of Run, after everything else has ended.
func (r *running) report() Report {
	report := Report{
		Read: r.reading.read.Load(), Indexed: r.indexed.Load(), Updated: r.updated.Load(), Deleted: r.deleted.Load(),
		Missing: r.missing.Load(), Rejected: r.rejected.Load(),
		Withheld: r.withheld.Load(), WithheldContacts: r.contacts.Load(), TakenOut: int64(len(r.takes)),
		Identical: r.reading.identical, Rounded: r.reading.rounded, Normalized: r.reading.normalized,
		Uncomputed: r.reading.uncomputed, Unread: r.reading.unread,
		IgnoredFields: r.reading.rules.Ignored, Filings: r.counts.Filings,
		Sources: r.reading.counts, Counties: r.countyCounts(), Warnings: r.warnings,
		Changes: r.changes, Reasons: r.reasons, Seconds: seconds(r.cfg.Now().Sub(r.started)),
		Promoted: r.promoted, Unchanged: r.same,
	}
	if r.cfg.DryRun {
		report.Fields = valuesOf(r.values)
	}
	if r.promoted {
		report.Generation = r.building
	}
	return report
}
