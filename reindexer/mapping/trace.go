package mapping

import (
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/itchyny/gojq"

	"filings/reindexer/bound"
)

// Failure is why a program makes no record of its input.
type Failure struct {
	Field  string // that it was making; "" where it was making none
	reason string
}

func (f *Failure) Error() string { return f.reason }

// tracer runs a program again that has failed, to find out where. It has steps which a record that
// does not fail need not pay for: one before each call of an added function, and one on either side
// of each member of the objects that the program gives.
type tracer struct {
	code   *gojq.Code // nil: it cannot be told
	steps  []step
	member int            // that is being made, of steps; 0: none
	calls  map[string]int // the last call of each function, of steps
}

type step struct {
	at           int // byte of the program
	field, calls string
}

// stepName is the name of a function that no program can call.
const stepName = "filings step"

func newTracer(text string, r *run) *tracer {
	query, err := gojq.Parse(text)
	if err != nil {
		return &tracer{}
	}
	t, begin := &tracer{steps: []step{{}}, calls: map[string]int{}}, placesOf(query, text)
	var calls []*gojq.Term
	var own []string
	walk(reflect.ValueOf(query), func(node any) {
		switch node := node.(type) {
		case *gojq.FuncDef:
			own = append(own, node.Name)
		case *gojq.Term:
			if node.Type == gojq.TermTypeFunc && added(node.Func.Name) != nil && !slices.Contains(own, node.Func.Name) {
				calls = append(calls, node)
			}
		}
	})
	for _, call := range calls {
		t.put(call, t.number(step{at: begin.of(call), calls: call.Func.Name}), true)
	}
	for _, object := range given(query, nil) {
		for _, kv := range object.Object.KeyVals {
			if kv.Val != nil {
				member := &gojq.Term{Type: gojq.TermTypeQuery, Query: kv.Val}
				kv.Val = &gojq.Query{Term: member}
				t.put(member, t.number(step{at: begin.of(kv), field: textOf(kv.KeyString, kv.Key)}), true)
			}
		}
		t.put(object, 0, false)
	}
	t.code, _ = bound.Compile(query, append(r.options(), gojq.WithFunction(stepName, 1, 1, t.step))...)
	return t
}

func (t *tracer) number(s step) int {
	t.steps = append(t.steps, s)
	return len(t.steps) - 1
}

// put puts a step before or after a term.
func (t *tracer) put(term *gojq.Term, n int, before bool) {
	number := &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeNumber, Number: strconv.Itoa(n)}}
	taken := &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeFunc, Func: &gojq.Func{Name: stepName, Args: []*gojq.Query{number}}}}
	bare, suffixes := *term, term.SuffixList
	bare.SuffixList = nil
	both := &gojq.Query{Left: taken, Op: gojq.OpPipe, Right: &gojq.Query{Term: &bare}}
	if !before {
		both.Left, both.Right = both.Right, both.Left
	}
	*term = gojq.Term{Type: gojq.TermTypeQuery, Query: both, SuffixList: suffixes}
}

// given adds the objects that a program gives to all.
func given(q *gojq.Query, all []*gojq.Term) []*gojq.Term {
	switch {
	case q == nil:
		return all
	case q.Term == nil:
		if q.Op == gojq.OpComma || q.Op == gojq.OpAlt {
			all = given(q.Left, all)
		}
		return given(q.Right, all)
	}
	switch t := q.Term; t.Type {
	case gojq.TermTypeObject:
		return append(all, t)
	case gojq.TermTypeQuery:
		return given(t.Query, all)
	case gojq.TermTypeTry:
		return given(t.Try.Body, all)
	case gojq.TermTypeIf:
		for _, elif := range t.If.Elif {
			all = given(elif.Then, all)
		}
		return given(t.If.Else, given(t.If.Then, all))
	}
	return all
}

// step notes that a step is taken.
func (t *tracer) step(v any, args []any) any {
	n := args[0].(int)
	if s := t.steps[n]; s.calls != "" {
		t.calls[s.calls] = n
	} else {
		t.member = n
	}
	return v
}

// locate runs the program on an input for which it fails. It returns the field that was being made,
// "" for none, and the byte of the program that fails, -1 where that is not known.
func (t *tracer) locate(input any, limit *bound.Limit) (field string, at int) {
	if t.code == nil {
		return "", -1
	}
	t.member, at = 0, -1
	clear(t.calls)
	limit.Begin()
	for results := t.code.RunWithContext(limit, input); ; {
		result, ok := results.Next()
		if !ok {
			return "", -1
		}
		err, failed := result.(error)
		if !failed {
			continue
		}
		n := t.member
		var own *Error
		if errors.As(err, &own) {
			name := own.message[:strings.IndexAny(own.message, " (")]
			if call, known := t.calls[name]; known {
				n = call
			}
		}
		if n > 0 {
			at = t.steps[n].at
		}
		return t.steps[t.member].field, at
	}
}
