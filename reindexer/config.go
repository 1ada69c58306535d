package reindexer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"filings/index"
	"filings/index/generation"
	"filings/reindexer/record"
	"filings/reindexer/sieve"
	"filings/reindexer/source"
)

// Kinds of errors of Run, wrapped with the event. Errors of the store (generation.ErrLocked,
// index.ErrUnavailable, …) stay recognizable too. After any error nothing has changed: the
// generation that was live still is.
var (
	// ErrUsage: the Config makes no sense.
	ErrUsage = source.ErrUsage
	// ErrSource: a source is missing, cannot be read to its end, or has a wrong form.
	ErrSource = source.ErrUnreadable
	// ErrRejected: more records were rejected than is allowed.
	ErrRejected = errors.New("too many rejected records")
	// ErrShrunk: the new generation has far fewer filings than the live one.
	ErrShrunk = errors.New("far fewer filings than now")
	// ErrEmpty: the new generation of a full load has no filings, nor has the live one, if any.
	ErrEmpty = errors.New("no filings were loaded")
	// ErrEmptied: a field that filings of a county had is gone (rule X42).
	ErrEmptied = errors.New("fields have no values any more")
	// ErrNoRows: a source is a header alone (rule X42).
	ErrNoRows = errors.New("it has a header and no rows")
	// ErrMoved: an update changes the county of a filing (rule X42).
	ErrMoved = errors.New("filings change their county")
	// ErrRenewed: the filings of a county have other ids (rule X68).
	ErrRenewed = errors.New("filings have other ids than now")
	// ErrValues: the values of a county are others, as those of a mistake are (rule X68).
	ErrValues = errors.New("values are not as they were")
	// ErrVerification: the filings in the store are not those that were read.
	ErrVerification = errors.New("the new generation is not what was read")
)

// Config names the sources of a load and its options.
type Config struct {
	Store   generation.Store
	Inputs  []Input   // of a plan those of a county next to each other
	Query   string    // for addresses of PostgreSQL; without one of these it must be ""
	Stdin   io.Reader // read for "-"
	Servers source.Servers
	// Temporary is how many bytes the sources may have in temporary files at once; 0: any.
	Temporary int64
	Plan      string // path of the file that names all these; "" for none
	Head      int    // rows that a dry run reads of each source; 0: all

	StdinName string // of Stdin in reports and errors; "": "-"

	// Failing, if it is not nil, says of the counties of a plan why they stay as they were, of a load
	// that ended with an error or nil.
	Failing func(ctx context.Context, err error) map[string]error

	Update bool // apply changes to a copy of the live generation
	// Replace makes it an update whose records are all filings of these counties: others are
	// removed.
	Replace []string
	// Withhold, if it is not nil, makes it an update without sources, which takes filings out of
	// all that is kept (rule X53).
	Withhold *sieve.Withhold
	Strict   bool // reject records with unknown fields
	DryRun   bool // read and check only
	// IfChanged builds nothing where the live generation was made of the same sources, in the same
	// states and way.
	IfChanged bool

	// Stored: the records are those of an archive, as an engine had them. Holds, if it is not nil,
	// returns the archive's counts after reading.
	Stored bool
	Holds  func() index.Counts

	Show   int               // how many of the first records are shown, as they are read or as a mapping makes them
	OnShow func(text string) // gets these

	MaxRejects int     // rejected records that are put up with
	Rejects    string  // path of a file for all rejects; "" for none
	MaxShrink  float64 // percent of the live filings that may be gone afterwards, of all and of each larger county
	Allowed
	Keep int // generations kept besides the live one

	KeepChanges int // generations whose changes are kept; 0: none are worked out

	Holder   string           // who loads: host and process
	Now      func() time.Time // nil: time.Now
	Progress Progress         // nil: none
	Log      *slog.Logger     // nil: nothing is logged
}

// checked returns cfg with its gaps filled, or ErrUsage.
func (cfg Config) checked() (Config, error) {
	switch {
	case cfg.MaxRejects < 0:
		return cfg, fmt.Errorf("%w: the number of allowed rejects is 0 or more, not %d", ErrUsage, cfg.MaxRejects)
	case cfg.Show < 0 || cfg.Show > 0 && !cfg.DryRun:
		return cfg, fmt.Errorf("%w: --show prints 0 or more of the records of a --dry-run; with a load it would print "+
			"beside its report", ErrUsage)
	case cfg.IfChanged && cfg.DryRun:
		return cfg, fmt.Errorf("%w: --if-changed says when a load builds nothing, and a --dry-run never builds", ErrUsage)
	case math.IsNaN(cfg.MaxShrink) || cfg.MaxShrink < 0 || cfg.MaxShrink > 100:
		return cfg, fmt.Errorf("%w: the allowed shrinking is 0 to 100 percent, not %v", ErrUsage, cfg.MaxShrink)
	case cfg.Keep < 0:
		return cfg, fmt.Errorf("%w: the number of generations to keep is 0 or more, not %d", ErrUsage, cfg.Keep)
	case cfg.KeepChanges < 0:
		return cfg, fmt.Errorf("%w: the number of generations whose changes are kept is 0 or more, not %d", ErrUsage,
			cfg.KeepChanges)
	}
	for i, input := range cfg.Inputs {
		if i == 0 && input.County != "" {
			cfg.MaxRejects = 0 // each has its own
		}
		if i == 0 || input.County != cfg.Inputs[i-1].County {
			cfg.MaxRejects += input.MaxRejects
		}
	}
	for _, county := range cfg.Replace {
		if cfg.Update = true; !record.IsCounty(county) {
			return cfg, fmt.Errorf(`%w: --replace names a county as records have it, such as "Orange, FL", not %q`, ErrUsage,
				county)
		}
	}
	if cfg.Withhold != nil {
		cfg.Update, cfg.Inputs = true, nil
		if err := cfg.Withhold.Check(); err != nil {
			return cfg, fmt.Errorf("%w: %w", ErrUsage, err)
		}
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Progress == nil {
		cfg.Progress = noProgress{}
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return cfg, nil
}

// checkMayEmpty returns ErrUsage for a name that is no source.
func (cfg Config) checkMayEmpty(sources []source.Source) error {
	for _, name := range cfg.MayEmpty {
		if !slices.ContainsFunc(sources, func(s source.Source) bool { return s.Name == name }) {
			return fmt.Errorf("%w: %q is neither a source of this load, which --allow empty=SOURCE names, nor a field, as of "+
				"--allow changed=FIELD", ErrUsage, name)
		}
	}
	return nil
}

func (cfg Config) sources(ctx context.Context) ([]source.Source, error) {
	if cfg.Withhold != nil {
		return nil, nil
	}
	var inputs []source.Input
	for _, input := range cfg.Inputs {
		inputs = append(inputs, input.Input)
	}
	sources, err := source.Find(ctx, inputs, source.Options{
		Stdin: cfg.Stdin, Query: cfg.Query, Servers: cfg.Servers, Temporary: cfg.Temporary, Log: cfg.Log,
		Column: func(column string) (string, bool) {
			name, _, list := record.NameOf(column)
			return name, list
		},
	})
	for i := range sources {
		if sources[i].Name == "-" {
			sources[i].Name = cmp.Or(cfg.StdinName, "-")
		}
		nested, planned := sources[i].FolderWithin(), cfg.Inputs[sources[i].Input].County != ""
		if nested != "" && (cfg.IfChanged || planned) && err == nil { // nobody reads warnings
			err = fmt.Errorf("%w: %s: its folder has another one, %s, which is not read: name it as a source, or take it away",
				ErrSource, sources[i].Name, nested)
		}
	}
	return sources, err
}

// Check returns the error of a missing source, or of a mapping that does not compile. It reads no
// source.
func (cfg Config) Check(ctx context.Context) error {
	cfg, err := cfg.checked()
	if err != nil {
		return err
	}
	if _, err = cfg.sources(ctx); err == nil {
		_, err = cfg.compile(cfg.Now())
	}
	return err
}

// Report is the outcome of a run. Its JSON is the one line that `filings load` prints.
//
// Of every run that read its sources to the end, Read is the sum of Indexed, Updated, Deleted,
// Missing, Rejected, Withheld and Identical; records of an update count as if they were applied one
// after the other. If nothing was promoted the counts are those that the load would have had.
type Report struct {
	Generation string `json:"generation"` // "" if there is none: a dry run, or an error
	Read       int64  `json:"read"`       // records
	Indexed    int64  `json:"indexed"`    // filings that were not there before
	Updated    int64  `json:"updated"`    // filings that were replaced
	Deleted    int64  `json:"deleted"`
	Missing    int64  `json:"missing"` // deletions of filings that were not there
	Rejected   int64  `json:"rejected"`
	// Withheld counts records of filings that are withheld, and WithheldContacts others of which
	// the contacts are; TakenOut filings that the live generation still had of these.
	Withheld         int64 `json:"withheld"`
	WithheldContacts int64 `json:"withheldContacts"`
	TakenOut         int64 `json:"takenOut,omitempty"`
	Identical        int64 `json:"identical,omitempty"` // rows that are the same as others in every field
	Rounded          int64 `json:"rounded"`             // amounts that were rounded to the cent
	Normalized       int64 `json:"normalized"`          // texts that were not in NFC
	// Uncomputed counts cells of spreadsheets with an uncomputed formula: they are missing values.
	Uncomputed int64 `json:"uncomputed"`

	// Unread counts by field the values that a mapping could not read and left out ("or nothing").
	Unread map[string]int64 `json:"unread,omitempty"`

	// IgnoredFields counts names that no field has. Beyond 1,000 they count as "(others)".
	IgnoredFields map[string]int64 `json:"ignoredFields"`

	Reasons map[Reason]Rejected `json:"-"` // of the rejected records

	// Sources are the sources in their order (rule X41). Counties are those that the load changes;
	// of a dry run, which compares nothing, and of a load whose Changes are not worked out, all
	// that the new generation has. Fields are those of the records of a dry run.
	Sources  []SourceCounts          `json:"sources"`
	Counties map[string]CountyCounts `json:"counties"`
	Fields   map[string]FieldValues  `json:"fields,omitempty"`
	// Warnings are signs of a mistake, of a load that may be right all the same.
	Warnings []string `json:"warnings"`

	// Changes are from the generation that was live until now; nil where they were not worked out:
	// nothing was live, or an older program built it, or none are kept.
	Changes *Changes `json:"changes"`

	Filings  int64   `json:"filings"` // in the new generation
	Seconds  float64 `json:"seconds"`
	Promoted bool    `json:"promoted"`
	// Failed says of counties of a plan why they stay as they were (see --keep-going).
	Failed map[string]string `json:"failed,omitempty"`
	// Unchanged: nothing was built, since it would be the live generation again (rule X46).
	Unchanged bool `json:"unchanged,omitempty"`
}

// SourceCounts counts the rows and records of a source.
type SourceCounts struct {
	Name     string `json:"name"`
	Rows     int64  `json:"rows"`     // read
	Records  int64  `json:"records"`  // that they are, or a mapping made of them
	LeftOut  int64  `json:"leftOut"`  // rows of which a mapping made none
	Rejected int64  `json:"rejected"` // records, and rows that a mapping cannot read
	Indexed  int64  `json:"indexed"`  // records that were taken, deletions and withheld ones too
}

// CountyCounts are the filings of a county in the new generation, and the changes there; nil if
// they are not worked out.
type CountyCounts struct {
	Filings int64 `json:"filings"`
	*Changes
}

// Changes counts the filings that differ between two generations.
type Changes struct {
	Added   int64 `json:"added"`
	Changed int64 `json:"changed"`
	Removed int64 `json:"removed"`
}

// FieldValues are the values of a field in the records of a dry run. Those of numbers and dates
// have a Least and a Greatest, those of amounts and other numbers that can be added a Sum too.
type FieldValues struct {
	Filled   float64 `json:"filled"` // share of the records that have one, 0 to 1
	Least    any     `json:"least,omitempty"`
	Greatest any     `json:"greatest,omitempty"`
	Sum      any     `json:"sum,omitempty"`
}

// Allowed are the differences that guards let pass although they would refuse them.
type Allowed struct {
	MayRenew  []string // counties whose filings may have other ids
	MayShrink []string // counties that may have any number of filings fewer
	MayChange []string // fields whose values may be gone of a county, or be others
	MayEmpty  []string // sources that may be a header without rows
	MayMove   bool     // an update may change the county of a filing
}

// Allow adds a person's permission, such as `renewed=Orange, FL`.
func (a *Allowed) Allow(text string) error {
	name, value, _ := strings.Cut(text, "=")
	_, field := index.ByName(value)
	switch {
	case name == "renewed" && value != "":
		a.MayRenew = append(a.MayRenew, value)
	case name == "shrunk" && value != "":
		a.MayShrink = append(a.MayShrink, value)
	case name == "changed" && field:
		a.MayChange = append(a.MayChange, value)
	case name == "changed":
		return fmt.Errorf("%w: changed names a field, and %q is none", ErrUsage, value)
	case name == "empty" && value != "":
		a.MayEmpty = append(a.MayEmpty, value)
	case text == "moved":
		a.MayMove = true
	default:
		return fmt.Errorf(`%w: guards allow renewed="Orange, FL", shrunk="Orange, FL", changed=FIELD, empty=SOURCE and `+
			`moved, not %q`, ErrUsage, text)
	}
	return nil
}

// Emptied returns Allow's name for a field, or a source, that may be empty.
func Emptied(name string) string {
	if _, field := index.ByName(name); field {
		return "changed=" + name
	}
	return "empty=" + name
}

// Refused reports whether err is the refusal of a guard, or of a held rollback: a person has to
// look.
func Refused(err error) bool {
	if _, held := errors.AsType[*generation.Hold](err); held {
		return true
	}
	kinds := []error{ErrShrunk, ErrEmpty, ErrEmptied, ErrNoRows, ErrMoved, ErrRenewed, ErrValues}
	return slices.ContainsFunc(kinds, func(kind error) bool { return errors.Is(err, kind) })
}

// Passing reports whether the same load may succeed later, without anybody: a portal or an engine was
// away, or another load ran. Of a plan that has to hold of each county that fails.
func Passing(err error) bool {
	if parts, ok := errors.AsType[*PartsError](err); ok {
		return !slices.ContainsFunc(slices.Collect(maps.Values(parts.Failed)), func(err error) bool { return !Passing(err) })
	}
	unavailable := errors.Is(err, index.ErrUnavailable) && !errors.Is(err, index.ErrDamaged)
	return unavailable || source.Passing(err) || errors.Is(err, generation.ErrLocked) ||
		errors.Is(err, generation.ErrLockLost) || errors.Is(err, generation.ErrConflict)
}

// PartsError says of counties of a plan why they cannot be loaded. Nothing is promoted; the others
// can be.
type PartsError struct{ Failed map[string]error }

// Error names the counties and the fault of each.
func (e *PartsError) Error() string {
	var faults []string
	for _, county := range slices.Sorted(maps.Keys(e.Failed)) {
		faults = append(faults, county+": "+e.Failed[county].Error())
	}
	return strings.Join(faults, "; ")
}

// Unwrap returns the faults of the counties.
func (e *PartsError) Unwrap() []error { return slices.Collect(maps.Values(e.Failed)) }
