// Package mapping turns the records of a county's file into records of a load, by a program in jq (rule X20). jq is a
// language that operators know and have tools for; gojq runs the program, with a few functions besides jq's own
// (functions.go, date.go). The package owns what such a program sees and what it may not do. It knows no fields: what it makes
// is read like any record of a load.
//
// # Design
//
// A record comes as a JSON value: a row as an object of texts under the header's names, a line of NDJSON as itself. A program
// gives any number of objects for it, each a record of the load. What fails, and what takes too much (package bound), is the
// reject of that record alone, and the next one begins anew. A program has no environment and no other
// input, so that the same file gives the same load.
//
// Dates are read by forms of our own (date.go), not by time.Parse with a translated layout. A layout knows no "Sept" and no
// "Aug.", begins the century of two digits at 69, and takes letters and digits between the parts for parts. What it would leave
// here are the table of parts, the names of months, the century, and the time of day that is cut off: all but one function of
// 20 lines.
package mapping

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"time"

	"github.com/itchyny/gojq"

	"filings/reindexer/bound"
)

// Program is a compiled mapping. It is used by one goroutine.
type Program struct {
	code  *gojq.Code
	limit *bound.Limit // reused, as is out
	out   []Record     // of the last record
	name  string
	forms *forms
	reads []Read
}

// Record is a record of a load, as record.Parser reads it.
type Record map[string]any

// Text returns r as JSON.
func (r Record) Text() string {
	text, err := gojq.Marshal(map[string]any(r))
	if err != nil {
		return err.Error() // of no value that a program gives
	}
	return string(text)
}

// Compile returns the program with that text. Errors begin with its name, and say line and column where they are known. Dates
// with two-digit years are read as ones up to today.
func Compile(name, text string, today time.Time) (*Program, error) {
	if comments.MatchString(text) {
		return nil, fmt.Errorf("%s:1:1: it is empty; a program that leaves records as they are is a dot", name)
	}
	query, err := gojq.Parse(text)
	if err != nil {
		return nil, errors.New(name + unreadable(text, err))
	}
	begin := placesOf(query, text)
	p := &Program{limit: bound.New(context.Background(), 0), name: name, forms: &forms{known: map[string]form{}}, reads: readsOf(query, text, begin)}
	p.code, err = gojq.Compile(query, functions(today, p.forms)...)
	if err != nil {
		return nil, errors.New(name + unknownName(query, text, begin, err))
	}
	if wrong := checkForms(query, text, begin); wrong != "" {
		return nil, errors.New(name + wrong)
	}
	return p, nil
}

// comments is a text of nothing else.
var comments = regexp.MustCompile(`^(\s*(#[^\n]*)?)*$`)

// unreadable says what is wrong with a text that is no program.
func unreadable(text string, err error) string {
	var e *gojq.ParseError
	if !errors.As(err, &e) {
		return ": " + err.Error()
	}
	return at(text, e.Offset-len(e.Token), err.Error())
}

// unknownName says what is wrong with a program that could be read. gojq names what is not defined, and does not say where.
func unknownName(query *gojq.Query, text string, begin places, err error) string {
	_, name, _ := strings.Cut(err.Error(), " not defined: ")
	found := 0
	walk(reflect.ValueOf(query), func(node any) {
		if call, is := node.(*gojq.Func); is && signature(call.Name, len(call.Args)) == name && found == 0 {
			found = begin.of(call)
		}
	})
	return at(text, found, err.Error())
}

// Run returns the records that p makes of one: none, one or several. What it returns is good until the next call. An error is
// one of this record, unless it is ErrProgram.
func (p *Program) Run(input any) ([]Record, error) {
	records, err := p.run(input)
	if p.forms.wrong != nil {
		return nil, &programError{fmt.Sprintf("%s: %s", p.name, p.forms.wrong)}
	}
	return records, err
}

// programError is an ErrProgram.
type programError struct{ text string }

func (e *programError) Error() string   { return e.text }
func (e *programError) Is(t error) bool { return t == ErrProgram }

func (p *Program) run(input any) ([]Record, error) {
	p.limit.Begin()
	p.out = p.out[:0]
	for results := p.code.RunWithContext(p.limit, input); ; {
		result, ok := results.Next()
		if !ok {
			return p.out, nil
		}
		if err, failed := result.(error); failed {
			return nil, explain(err)
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

func explain(err error) error {
	var halted *gojq.HaltError
	var exceeded *bound.Exceeded
	switch {
	case errors.As(err, &exceeded):
		return fmt.Errorf("the mapping %w", err)
	case errors.As(err, &halted):
		return errors.New("the mapping halts; to make no record it gives empty")
	}
	return fmt.Errorf("the mapping fails: %s", shorten(err.Error()))
}

func article(kind string) string {
	if kind == "array" || kind == "object" {
		return "an " + kind
	}
	return "a " + kind
}

// shorten cuts what a reject would repeat of a record.
func shorten(s string) string {
	const most = 200
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
