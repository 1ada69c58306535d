// Package mapping turns the records of a county's file into records of a load, by a program in jq
// (rule X20). jq is a language that operators know and have tools for; gojq runs the program, with
// a few functions besides jq's own (functions.go, date.go). The package owns what such a program
// sees and what it may not do. It knows no fields: what it makes is read like any record of a load.
//
// # Design
//
// A record comes as the value of a row (source.Row). A program gives any number of objects for it,
// each a record of the load. What fails, and what takes too much (package bound), is the reject of
// that record alone, and the next one begins anew. A program has no environment and no other input,
// so that the same file gives the same load.
//
// A form of dates becomes a regular expression (form.go), not a layout of time.Parse, which knows
// no "Sept" and no "Aug.", begins the century of two digits at 69, and takes letters and digits
// between the parts for parts.
package mapping

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/itchyny/gojq"

	"filings/reindexer/bound"
	"filings/reindexer/source"
)

// Program is a compiled mapping. It is used by one goroutine.
type Program struct {
	code  *gojq.Code
	limit *bound.Limit // reused, as is out
	out   []Record     // of the last record
	name  string
	run   *run
	check *checker
	trace *tracer // nil until the program fails
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

// Compile returns the program with that text. Errors begin with its name, and say line and column
// where they are known. Dates with two-digit years are read as ones up to today.
func Compile(name, text string, today time.Time) (*Program, error) {
	return compile(name, script{text: text}, today)
}

func compile(name string, s script, today time.Time) (*Program, error) {
	if comments.MatchString(s.text) {
		return nil, fmt.Errorf("%s:1:1: it is empty; a program that leaves records as they are is a dot", name)
	}
	query, err := gojq.Parse(s.text)
	if err != nil {
		return nil, errors.New(name + s.unreadable(err))
	}
	p := &Program{limit: bound.New(context.Background(), 0), name: name, check: check(query, s)}
	p.run = &run{today: today, forms: forms{known: map[string]*form{}}}
	p.code, err = bound.Compile(query, p.run.options()...)
	if err != nil {
		return nil, errors.New(name + p.check.unknownName(err))
	}
	if wrong := p.check.first(p.check.faults); wrong != "" {
		return nil, errors.New(name + wrong)
	}
	return p, nil
}

// Name is what errors call p.
func (p *Program) Name() string { return p.name }

// Reads returns the names that p reads of its input itself, such as Owner in `.Owner | blank`, and
// not those of objects in it. A name that may be missing is not among them: one with a question
// mark (`.Owner?`), one that has("…") or del(…) names, and one that the program sets. Where it
// cannot be told what a name is read of, it is not among them either.
func (p *Program) Reads() []Read { return p.check.reads }

// IsTable reports whether p was made of a table, not written in jq.
func (p *Program) IsTable() bool { return p.check.rows != nil }

// Begin says which source the records come from. The error is one of the program: it takes the
// texts of CSV for something else.
func (p *Program) Begin(s source.Source, in *source.Reader) error {
	p.run.source = s.Name
	if wrong := p.check.first(p.check.cells); in.Format == source.CSV && wrong != "" {
		return errors.New(p.name + wrong)
	}
	return nil
}

// comments is a text of nothing else.
var comments = regexp.MustCompile(`^(\s*(#[^\n]*)?)*$`)

// Run returns the records that p makes of one: none, one or several. What it returns is good until
// the next call. An error is one of this record, unless it is ErrProgram.
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
	p.out = p.out[:0]
	for results := p.code.RunWithContext(p.limit, input); ; {
		result, ok := results.Next()
		if !ok {
			return p.out, nil
		}
		if err, failed := result.(error); failed {
			return nil, p.explain(err, input)
		}
		object, ok := result.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("the mapping gives %s %s; a record is an object", article(gojq.TypeOf(result)), shorten(gojq.Preview(result)))
		}
		if len(p.out) == most {
			return nil, fmt.Errorf("the mapping gives more than %d records for one", most)
		}
		p.out = append(p.out, object)
	}
}

// most is how many records a program may make of one.
const most = 1000

// explain says why p fails for an input, and where in the program.
func (p *Program) explain(err error, input any) error {
	var halted *gojq.HaltError
	var exceeded *bound.Exceeded
	switch {
	case errors.As(err, &exceeded):
		return fmt.Errorf("the mapping %w", err)
	case errors.As(err, &halted):
		return errors.New("the mapping halts; to make no record it gives empty")
	}
	failure := &Failure{reason: "the mapping fails: " + shorten(err.Error())}
	if p.trace == nil {
		p.trace = newTracer(p.check.text, p.run)
	}
	field, offset := p.trace.locate(input, p.limit)
	if failure.Field = field; offset >= 0 {
		line, column := p.check.position(offset)
		failure.reason = fmt.Sprintf("the mapping fails at %s:%d:%d: %s", p.name, line, column, shorten(err.Error()))
	}
	return failure
}
