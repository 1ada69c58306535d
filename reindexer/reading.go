package reindexer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync/atomic"

	"filings/index"
	"filings/reindexer/mapping"
	"filings/reindexer/record"
	"filings/reindexer/sieve"
	"filings/reindexer/source"
)

// reading is the way from sources to valid records.
type reading struct {
	sources []source.Source
	rules   record.Rules
	reject  func(Reject) error

	programs  []*mapping.Program // of each name of a source; nil: none has one
	show      int                // records that are still shown
	onShow    func(text string)
	seen      idSet       // ids taken so far; nil in an update, where an id may be repeated
	again     bool        // its sources, up to the one that is read, can be read again
	repeated  []repeated  // records of the source that is read, whose ids came before
	identical int64       // rows that are the same as others
	sameAt    string      // where the first of these is
	places    int         // repeated ids of which both places are said
	row       *source.Row // that the record is of that is taken

	states   []string // of the sources that were read; "" for one that is not known
	updated  []int64  // when these say that they were, in seconds of Unix time; 0 for one that does not
	only     []string // the only counties that records may have, folded; nil: any
	inputs   []Input  // that the sources come from; nil: all are plain ones
	failed   map[string]error
	spoiled  atomic.Bool    // a part has failed: nothing will be promoted
	head     int            // rows that are read of each source; 0: all
	counts   []SourceCounts // of each source
	count    *SourceCounts  // of the one that is read
	abroad   int64          // points that are not in the United States
	atAbroad string         // where the first of these is
	large    int64          // ids above 2^53
	atLarge  string         // where the first of these is

	withholds func(f *index.Filing) bool // reports and counts an invalid record of a withheld filing

	mayEmpty []string // names of sources that may be a header without rows
	warn     func(format string, values ...any)

	position atomic.Int64 // which of the sources is read, from 1; 0: none yet
	bytes    atomic.Int64 // read of the sources as they are stored
	read     atomic.Int64 // records, rejected ones included

	rounded, normalized int64 // amounts and texts of the records that were taken

	unread     map[string]int64 // values that "or nothing" left out, by field
	uncomputed int64            // formulas of spreadsheets without a value

	singles  int64 // rows of the source that are left out since they have one cell
	atSingle int   // the line of the first
}

func newReading(sources []source.Source, update, strict bool, reject func(Reject) error) *reading {
	r := &reading{sources: sources, reject: reject, warn: func(string, ...any) {},
		counts: []SourceCounts{}, failed: map[string]error{}}
	r.rules = record.Rules{Update: update, Strict: strict, Ignored: record.Names{}}
	if !update {
		r.seen = idSet{}
	}
	return r
}

// change is a valid record, on its way into a generation.
type change struct {
	filing   index.Filing
	deleted  bool
	withheld sieve.Verdict
}

// handle is called with a valid record: f, which is reused after the call, or the deletion of the
// filing with f's id.
type handle func(f *index.Filing, deleted bool) error

// readSources calls do for every valid record of all sources, in order.
func (r *reading) readSources(ctx context.Context, do handle) error {
	rejected := map[string]int64{} // by county of the plan
	for i, src := range r.sources {
		r.position.Store(int64(i) + 1)
		input := r.inputOf(src)
		if county := input.County; county != "" {
			if r.failed[county] != nil {
				continue
			}
			r.only = []string{index.Fold(county)}
		}
		r.count, r.again = new(SourceCounts), source.Again(r.sources[:i+1])
		err := r.readSource(ctx, src, do)
		err = cmp.Or(err, r.settle(ctx, i, err == nil))
		rejected[input.County] += r.count.Rejected
		if n := rejected[input.County]; input.County != "" && err == nil && n > int64(input.MaxRejects) && r.head == 0 {
			err = fmt.Errorf("%w: %d; at most %d are allowed (max-rejects)", ErrRejected, n, input.MaxRejects)
		}
		if err != nil && !r.failCounty(input.County, err) {
			return err
		}
	}
	if r.identical > 0 {
		r.warn("rows that are the same as others in every field, and count once: %d, the first at %s", r.identical, r.sameAt)
	}
	r.warnOfIgnored()
	if r.abroad > 0 {
		r.warn("points outside of the United States: %d, the first at %s: do geocodedLatitude and geocodedLongitude change "+
			"places, or signs?", r.abroad, r.atAbroad)
	}
	if r.large > 0 {
		r.warn("ids above 9007199254740992 (2^53), which jq, JavaScript and spreadsheets round: %d, the first at %s; "+
			"id(…) of a mapping makes smaller ones", r.large, r.atLarge)
	}
	return nil
}

// readSource calls do for every valid record of a source.
func (r *reading) readSource(ctx context.Context, src source.Source, do handle) error {
	src.Names = r.wanted(src)
	rows, err := src.Open(ctx, &r.bytes)
	if err != nil {
		return err
	}
	defer rows.Close()
	r.counts = append(r.counts, SourceCounts{Name: src.Name})
	r.count = &r.counts[len(r.counts)-1]
	if err = r.readRows(src, rows, do); err == nil {
		err = r.checkRows(src, rows)
	}
	state := ""
	if r.head == 0 { // else it was not read to its end
		if err == nil {
			state, err = rows.State()
		}
		err = rows.Unchanged(err)
	}
	if err == nil && r.head == 0 && rows.LastOpen() {
		r.warn("%s: its last row, in line %d, has no line end, and all others have one: the file may be cut off; fetch "+
			"it again", src.Name, rows.Line())
	}
	r.countUnread(src)
	for _, warning := range rows.Warnings() {
		r.warn("%s: %s", src.Name, warning)
	}
	r.uncomputed += rows.Uncomputed()
	r.states, r.updated = append(r.states, state), append(r.updated, rows.Updated)
	return err
}

// current returns the name of the source that is read, or was read last; "" for none.
func (r *reading) current() string {
	if position := r.position.Load(); position > 0 {
		return r.sources[position-1].Name
	}
	return ""
}

// checkRows refuses a header without rows: an empty file is rarely a county without filings.
func (r *reading) checkRows(src source.Source, rows *source.Reader) error {
	if r.count.Rows > 0 || !rows.HasHeader() || slices.Contains(r.mayEmpty, src.Name) {
		return nil
	}
	return src.Error(0, fmt.Errorf("%w; --allow empty=%q loads it all the same", ErrNoRows, src.Name))
}

// readRows calls do for the valid records that the rows of a source make: each is one itself, or a
// mapping makes any number of it.
func (r *reading) readRows(src source.Source, rows *source.Reader, do handle) error {
	program := r.programOf(src)
	parser, unseen, err := r.begin(src, rows, program)
	if err != nil {
		return err
	}
	r.singles = 0
	defer func() {
		if r.singles > 0 {
			r.warn("%s: rows with one cell are left out: %d, the first in line %d", src.Name, r.singles, r.atSingle)
		}
		for _, read := range unseen {
			if r.count.Rows > 0 {
				r.warn("no record of %s has %q, which %s:%s reads", src.Name, read.Name, program.Name(), read.Place)
			}
		}
	}()
	// The row outlives the loop, since its users keep its address: a row in each turn would be an
	// allocation for each row.
	var row source.Row
	mapped := false // a mapping made a filing of it
	for f := new(index.Filing); ; {
		next, err := rows.Next()
		switch {
		case err == io.EOF:
			if mapped {
				r.warnOfSum(src, rows, &row)
			}
			return nil
		case err != nil:
			return src.Error(rows.Line(), err)
		case r.head > 0 && r.count.Rows >= int64(r.head):
			return nil
		}
		r.count.Rows++
		if next.Again || next.Single && program.IsTable() {
			r.leaveOut(&next)
			continue
		}
		if row = next; program == nil {
			r.showFirst(row.Text)
			r.count.Records++
			err = r.take(src, &row, f, parser.Parse(row.Value, row.Fault, f), do)
		} else {
			indexed := r.count.Indexed
			unseen = withoutSeen(unseen, row.Value)
			err = r.mapRow(src, &row, program, func(made map[string]any) error {
				return r.take(src, &row, f, parser.Parse(made, nil, f), do)
			})
			mapped = r.count.Indexed > indexed
		}
		if err != nil {
			return err
		}
	}
}

// leaveOut counts a row that is no record.
func (r *reading) leaveOut(row *source.Row) {
	if r.count.LeftOut++; row.Single {
		if r.singles++; r.singles == 1 {
			r.atSingle = row.Line
		}
	}
}

// wanted returns names that the header of a source is to have.
func (r *reading) wanted(src source.Source) (names []string) {
	p := r.programOf(src)
	if p == nil {
		return []string{index.ID.String()}
	}
	for _, read := range p.Reads() {
		names = append(names, read.Name)
	}
	return names
}

// programOf returns the mapping of a source; nil for none.
func (r *reading) programOf(src source.Source) *mapping.Program {
	if len(r.programs) == 0 {
		return nil
	}
	return r.programs[src.Input]
}

// inputOf returns the input that a source comes from.
func (r *reading) inputOf(src source.Source) Input {
	if len(r.inputs) == 0 {
		return Input{}
	}
	return r.inputs[src.Input]
}

// begin returns the reader of a source's records, and the names that its mapping reads and no row
// has had yet.
func (r *reading) begin(
	src source.Source, rows *source.Reader, p *mapping.Program,
) (*record.Parser, []mapping.Read, error) {
	if p == nil {
		parser, err := r.parser(rows)
		if err != nil {
			return nil, nil, src.Error(0, fmt.Errorf("%w. A mapping makes load records of a county's columns: "+
				"--map FILE.jq before the source; `filings inspect` proposes one", err))
		}
		return parser, nil, nil
	}
	unseen, err := checkReads(src, rows, p)
	if err != nil {
		return nil, nil, err
	}
	if err := p.Begin(src, rows); err != nil {
		return nil, nil, fmt.Errorf("%w: %s: %w", ErrUsage, src.Name, err)
	}
	return record.New(r.rules), unseen, nil
}

// mapRow calls do for the records that a mapping makes of a row. A row that it cannot read is a
// reject, as one is that is no filing; both show the row as it was read.
func (r *reading) mapRow(
	src source.Source, row *source.Row, p *mapping.Program, do func(made map[string]any) error,
) error {
	reject := func(field, reason string) error {
		return r.take(src, row, new(index.Filing), record.Result{Field: field, Reason: reason}, nil)
	}
	if row.Fault != nil {
		return reject(row.Fault.Member, row.Fault.Reason)
	}
	made, err := p.Run(row.Value)
	var failure *mapping.Failure
	switch {
	case errors.Is(err, mapping.ErrProgram):
		return fmt.Errorf("%s:%d: %w", src.Name, row.Line, err)
	case errors.As(err, &failure):
		return reject(failure.Field, err.Error())
	case err != nil:
		return reject("", err.Error())
	case len(made) == 0:
		r.count.LeftOut++
	}
	for _, object := range made {
		r.showFirst(object.Text)
		r.count.Records++
		ignored := len(r.rules.Ignored)
		if err := do(object); err != nil {
			return err
		}
		if len(r.rules.Ignored) > ignored {
			if err := r.mistyped(src, object, row.Value); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *reading) showFirst(text func() string) {
	if r.show > 0 {
		r.show--
		r.onShow(text())
	}
}

// take counts a record and hands it on as a reject or a valid filing.
func (r *reading) take(src source.Source, row *source.Row, f *index.Filing, result record.Result, do handle) error {
	r.read.Add(1)
	r.row = row
	repeats := result.Reason == "" && r.seen != nil && !r.seen.add(f.ID)
	if repeats {
		result.Field, result.Reason = index.ID.String(), fmt.Sprintf("%d is in this load already", f.ID)
	}
	if result.Reason == "" && r.only != nil && !slices.Contains(r.only, index.Fold(f.Text(index.County))) {
		result.Field = index.County.String()
		result.Reason = strconv.Quote(f.Text(index.County)) + " is none of the counties that are loaded here"
	}
	if result.Reason != "" && r.withholds != nil && r.withholds(f) {
		return nil // no line of it
	}
	if result.Reason != "" {
		reject := Reject{src.Name, row.Line, f.ID, result.Field, result.Reason, row.Text()}
		if repeats && r.again && len(r.repeated) < maxRepeated {
			r.repeated = append(r.repeated, repeated{reject, string(index.AppendRecord(nil, f))})
			return nil
		}
		r.count.Rejected++
		return r.reject(reject)
	}
	r.count.Indexed++
	r.rounded += result.Rounded
	r.normalized += result.Normalized
	if isAbroad(f) {
		if r.abroad++; r.abroad == 1 {
			r.atAbroad = fmt.Sprintf("%s:%d", src.Name, row.Line)
		}
	}
	if f.ID > 1<<53 {
		if r.large++; r.large == 1 {
			r.atLarge = fmt.Sprintf("%s:%d", src.Name, row.Line)
		}
	}
	return do(f, result.Deleted)
}

// parser returns the Parser of a source that has no mapping. Where all have the same names, these
// have to be those of a record.
func (r *reading) parser(rows *source.Reader) (*record.Parser, error) {
	switch {
	case rows.Format == source.CSV:
		return record.NewCells(r.rules), record.CheckNames("its header", rows.Header)
	case rows.Columns != nil:
		return record.New(r.rules), record.CheckNames("the list of its columns", rows.Columns)
	}
	return record.New(r.rules), nil
}
