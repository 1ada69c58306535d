package mapping

import (
	"errors"
	"reflect"

	"github.com/itchyny/gojq"
)

// ErrProgram is what is wrong with a mapping itself, found when it runs: no record is at fault, and none of them is read right.
var ErrProgram = errors.New("the mapping cannot be used")

// forms are the forms of dates that a program has used; it has a few, and uses them for every record.
type forms struct {
	known map[string]form
	wrong error // of the first that is none, which no try of the program hides
}

// of returns the form that a program gave to date.
func (f *forms) of(v any) (form, error) {
	text, ok := v.(string)
	if known := f.known[text]; ok && known != nil {
		return known, nil
	}
	parsed, err := parseForm(text)
	if !ok {
		err = fail(`date needs a form, such as date("MM/DD/YYYY")`)
	}
	if err != nil {
		f.wrong = err
		return nil, err
	}
	f.known[text] = parsed
	return parsed, nil
}

// checkForms says what is wrong with the first constant form of dates in a program, with line and column.
func checkForms(query *gojq.Query, text string, begin places) (wrong string) {
	own := false
	var dates []*gojq.Func
	walk(reflect.ValueOf(query), func(node any) {
		switch node := node.(type) {
		case *gojq.Func:
			if node.Name == "date" {
				dates = append(dates, node)
			}
		case *gojq.FuncDef:
			own = own || node.Name == "date"
		}
	})
	for _, date := range dates {
		for _, arg := range date.Args {
			if err := constantForm(arg.Term); err != nil && !own {
				return at(text, begin.of(arg), err.Error())
			}
		}
	}
	return ""
}

// constantForm checks an argument of date; one that is no constant is checked at its first use.
func constantForm(term *gojq.Term) (err error) {
	if term == nil || len(term.SuffixList) > 0 {
		return nil
	}
	f := forms{known: map[string]form{}}
	switch {
	case term.Type == gojq.TermTypeString && term.Str.Queries == nil && term.Format == "":
		_, err = f.of(term.Str.Str)
	case term.Type == gojq.TermTypeNumber:
		_, err = f.of(nil)
	}
	return err
}
