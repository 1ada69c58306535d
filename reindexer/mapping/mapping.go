// Package mapping turns the records of a county's file into records of a load, by a program in jq
// (rule X20). jq is a language that operators know and have tools for; gojq runs the program, with
// a few functions besides jq's own (functions.go, date.go). The package owns the input and the
// limits of such a program. It doesn't know fields: its records are read like any record of a load.
//
// # Design
//
// A record comes as the value of a row (source.Row). A program gives any number of objects for it,
// each a record of the load. A program that fails, or takes too much (package bound), makes a
// reject of that record alone, and the next one begins from scratch. A program has no environment
// and no other input, so the same file gives the same load.
//
// A mistake that shows in the text of a program ends the load before it begins (check.go). The
// checks are certain, not complete: they follow the record through pipes, conditions and variables,
// and no further. A mapping has ten lines, and the guards of a load are behind it.
package mapping

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/itchyny/gojq"

	"filings/reindexer/bound"
	"filings/reindexer/source"
)

// Program is a compiled mapping. It is used by one goroutine.
type Program struct {
	code    *gojq.Code
	limit   *bound.Limit // reused, as are the records
	records []Record     // of the last record
	name    string
	isTable bool // it was made of a table, not written in jq
	run     *run
	reads   []Read
	cells   string // the mistake of a program for CSV, after its place; "" for none

	maybe []string         // members that may be unread
	read  map[string]int64 // how many of these were read
}

// Record is a record of a load, as record.Parser takes it.
type Record map[string]any

// Text returns r as JSON.
func (r Record) Text() string {
	text, err := gojq.Marshal(map[string]any(r))
	if err != nil {
		return err.Error() // of no value that a program gives
	}
	return string(text)
}

// Compile returns the program with that text. Errors begin with its name, line and column. Dates
// with two-digit years are read as ones up to today.
func Compile(name, text string, today time.Time) (*Program, error) {
	return compile(name, text, withoutComments(text), today)
}

// compile is Compile for a program that a person wrote as source.
func compile(name, text string, source script, today time.Time) (*Program, error) {
	if strings.TrimSpace(source.text) == "" {
		return nil, fmt.Errorf("%s:1:1: it is empty; a program that leaves records as they are is a dot", name)
	}
	query, err := gojq.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s:%s", name, source.unreadable(err))
	}
	c := check(query, source)
	p := &Program{name: name, isTable: source.isTable, reads: c.reads, cells: c.cells}
	p.limit = bound.New(context.Background(), 0)
	p.run = &run{forms: forms{today: today, known: map[string]layout{}}, unread: map[string]int64{},
		tried: map[string]int64{}, triedAt: map[string]int64{}}
	p.read = map[string]int64{}
	options := append(p.run.options(), p.noteTries(query))
	p.code, err = bound.Compile(query, append(options, p.noteMembers(query)...)...)
	if err != nil {
		return nil, fmt.Errorf("%s:%s", name, source.unknownName(err))
	}
	if c.wrong != "" {
		return nil, fmt.Errorf("%s:%s", name, c.wrong)
	}
	return p, nil
}

// noteMembers has a program note in its run the member of an object that it makes, so that a failure can
// name it: of objects that are not within another one.
func (p *Program) noteMembers(query *gojq.Query) (functions []gojq.CompilerOption) {
	noted, r := map[string]bool{}, p.run
	note := func(member string) *gojq.Query {
		name := "member " + member // no program can call a name with a blank
		if !noted[name] {
			noted[name] = true
			functions = append(functions, gojq.WithFunction(name, 0, 0, func(v any, _ []any) any {
				r.member = member
				return v
			}))
		}
		return bound.Call(name)
	}
	bound.Walk(query, func(part any) bool {
		term, ok := part.(*gojq.Term)
		if !ok || term.Object == nil {
			return true
		}
		for _, member := range term.Object.KeyVals {
			if member.Val != nil {
				if strings.Contains(member.Val.String(), "unread") {
					p.maybe = append(p.maybe, textOf(member.KeyString, member.Key))
				}
				member.Val = &gojq.Query{Left: note(textOf(member.KeyString, member.Key)), Op: gojq.OpPipe, Right: member.Val}
			}
		}
		object := &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeObject, Object: term.Object}}
		noted := &gojq.Query{Left: object, Op: gojq.OpPipe, Right: note("")}
		*term = gojq.Term{Type: gojq.TermTypeQuery, Query: noted, SuffixList: term.SuffixList}
		return false
	})
	return functions
}

// Name is the name of p in errors.
func (p *Program) Name() string { return p.name }

// Reads returns the names that p reads of its input itself, such as Owner in `.Owner | blank`, and
// not those of objects in it. A name that may be missing is not among them: one with a question
// mark (`.Owner?`), one that has("…") or del(…) names, and one that the program sets. Neither are
// those that a function of the program's own or a loop reads.
func (p *Program) Reads() []Read { return p.reads }

// IsTable reports whether p was made of a table, not written in jq; no program is not.
func (p *Program) IsTable() bool { return p != nil && p.isTable }

// Begin says which source the records come from. The error is one of the program: it takes the
// texts of CSV for something else.
func (p *Program) Begin(s source.Source, rows *source.Reader) error {
	p.run.source, p.run.forms.zone = s.Name, s.Zone
	clear(p.run.unread)
	clear(p.read)
	clear(p.run.tried)
	p.run.rows = 0
	if rows.Format == source.CSV && p.cells != "" {
		return fmt.Errorf("%s:%s", p.name, p.cells)
	}
	return nil
}

// Run returns the records that p makes of one: none, one or several. The records are good until the
// next call. An error is one of this record, unless it is ErrProgram.
func (p *Program) Run(input any) ([]Record, error) {
	records, err := p.results(input)
	if wrong := p.run.forms.wrong; wrong != nil {
		return nil, &programError{fmt.Sprintf("%s: %s", p.name, wrong)}
	}
	return records, err
}

type programError struct{ text string }

func (e *programError) Error() string   { return e.text }
func (e *programError) Is(t error) bool { return t == ErrProgram }

func (p *Program) results(input any) ([]Record, error) {
	p.limit.Begin()
	p.records, p.run.member = p.records[:0], ""
	p.run.rows++
	for results := p.code.RunWithContext(p.limit, input); ; {
		result, ok := results.Next()
		if !ok {
			return p.records, nil
		}
		if err, failed := result.(error); failed {
			return nil, p.explain(err)
		}
		object, ok := result.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("the mapping gives %s %s; a record is an object",
				article(gojq.TypeOf(result)), shorten(gojq.Preview(result)))
		}
		if len(p.records) == recordsLimit {
			return nil, fmt.Errorf("the mapping gives more than %d records for one", recordsLimit)
		}
		for _, member := range p.maybe {
			if object[member] != nil {
				p.read[member]++
			}
		}
		p.records = append(p.records, object)
	}
}

// Unread returns how many values each member could not be read from since Begin, and which of these
// are more than a twentieth.
func (p *Program) Unread() (unread map[string]int64, many []string) {
	for member, n := range p.run.unread {
		if 20*n > n+p.read[member] {
			many = append(many, member)
		}
	}
	slices.Sort(many)
	return p.run.unread, many
}

// recordsLimit is how many records a program may make of one.
const recordsLimit = 1000

// Failure is why a program makes no record of its input.
type Failure struct {
	Field  string // that it was making; "" where it was making none
	reason string
}

func (f *Failure) Error() string { return f.reason }

// explain describes why p fails.
func (p *Program) explain(err error) error {
	var halted *gojq.HaltError
	var exceeded *bound.Exceeded
	switch {
	case errors.As(err, &exceeded):
		return fmt.Errorf("the mapping %w", err)
	case errors.As(err, &halted):
		return errors.New("the mapping halts; to make no record it gives empty")
	}
	return &Failure{p.run.member, "the mapping fails: " + shorten(err.Error())}
}
