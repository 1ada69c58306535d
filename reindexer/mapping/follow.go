package mapping

import (
	"slices"
	"strconv"
	"strings"

	"github.com/itchyny/gojq"
)

// Read is a name of the input that a program reads, and where it does so first.
type Read struct {
	Name         string
	Line, Column int
}

// kind is what is known of a value.
type kind uint8

const (
	nothing kind = iota // there is no value
	input               // the record
	member              // a value of the record, of a column of a table the cell
	unknown
)

// either is what is known of a value that is one of two.
func either(a, b kind) kind {
	switch {
	case a == nothing || a == b:
		return b
	case b == nothing:
		return a
	}
	return unknown
}

// scope is a name that a program has given to a value or a function, and those that were known
// before.
type scope struct {
	up     *scope
	name   string // $x, or of a function name/number of parameters
	value  kind
	body   *gojq.Query // of a function; nil: a value
	params []string
	within *scope // what its body knows
}

func (s *scope) find(name string) *scope {
	for ; s != nil && s.name != name; s = s.up {
	}
	return s
}

// mostFollowed is how many terms of a program are followed, since the functions that it defines are
// followed where they are called.
const mostFollowed = 20_000

// follower follows what is known of the values of a program, without running it.
type follower struct {
	read     func(name string, node any)           // a name is read of the input
	may      func(name string)                     // the input may lack it
	operates func(q *gojq.Query, left, right kind) // an operator has operands
	decides  func(q *gojq.Query, of kind)          // a condition has a value
	followed int
	depth    int // of calls of the program's own functions
}

func (f *follower) query(q *gojq.Query, in kind, s *scope) kind {
	for _, def := range q.FuncDefs {
		s = &scope{up: s, name: signature(def.Name, len(def.Args)), body: def.Body, params: def.Args}
		s.within = s
	}
	switch {
	case q.Term != nil:
		return f.term(q.Term, in, s)
	case q.Right == nil:
		return in
	}
	if q.Op == gojq.OpAssign {
		assigned := *f
		assigned.read = func(name string, _ any) { f.may(name) }
		assigned.query(q.Left, in, s)
		f.query(q.Right, in, s)
		return in
	}
	left, right := f.query(q.Left, in, s), in
	if q.Op == gojq.OpPipe || q.Op == gojq.OpModify {
		right = left
	}
	if len(q.Patterns) > 0 {
		right = in
		for _, p := range q.Patterns {
			s = f.bind(p, left, s)
		}
	}
	right = f.query(q.Right, right, s)
	f.operates(q, left, right)
	switch q.Op {
	case gojq.OpPipe:
		return right
	case gojq.OpComma, gojq.OpAlt:
		return either(left, right)
	case gojq.OpModify, gojq.OpUpdateAdd, gojq.OpUpdateSub, gojq.OpUpdateMul, gojq.OpUpdateDiv, gojq.OpUpdateMod, gojq.OpUpdateAlt:
		return in
	case gojq.OpAnd, gojq.OpOr:
		f.decides(q.Left, left)
		f.decides(q.Right, right)
	}
	return unknown
}

// bind gives names to a value and to what is in it.
func (f *follower) bind(p *gojq.Pattern, value kind, s *scope) *scope {
	if p.Name != "" {
		return &scope{up: s, name: p.Name, value: value}
	}
	for _, item := range p.Array {
		s = f.bind(item, unknown, s)
	}
	for _, o := range p.Object {
		of := unknown
		if o.KeyQuery != nil {
			f.query(o.KeyQuery, unknown, s)
		} else if name := textOf(o.KeyString, strings.TrimPrefix(o.Key, "$")); name != "" && value == input {
			f.read(name, o)
			of = member
		}
		if strings.HasPrefix(o.Key, "$") {
			s = &scope{up: s, name: o.Key, value: of}
		}
		if o.Val != nil {
			s = f.bind(o.Val, of, s)
		}
	}
	return s
}

// textOf returns a constant text, or else.
func textOf(s *gojq.String, otherwise string) string {
	if s != nil && s.Queries == nil {
		return s.Str
	}
	return otherwise
}

func (f *follower) term(t *gojq.Term, in kind, s *scope) kind {
	if f.followed++; f.followed > mostFollowed {
		return unknown
	}
	out := unknown
	switch t.Type {
	case gojq.TermTypeIdentity:
		out = in
	case gojq.TermTypeIndex:
		out = f.index(t.Index, in, in, s, t.SuffixList)
	case gojq.TermTypeFunc:
		out = f.call(t.Func, in, s)
	case gojq.TermTypeObject:
		f.object(t.Object, in, s)
	case gojq.TermTypeUnary:
		f.term(t.Unary.Term, in, s)
	case gojq.TermTypeFormat, gojq.TermTypeString:
		f.text(t.Str, in, s)
	case gojq.TermTypeIf:
		out = f.condition(t.If, in, s)
	case gojq.TermTypeTry:
		out = f.query(t.Try.Body, in, s)
		if t.Try.Catch != nil {
			out = either(out, f.query(t.Try.Catch, unknown, s))
		}
	case gojq.TermTypeArray:
		if t.Array.Query != nil {
			f.query(t.Array.Query, in, s)
		}
	case gojq.TermTypeReduce:
		f.loop(t.Reduce.Query, t.Reduce.Patterns, t.Reduce.Start, []*gojq.Query{t.Reduce.Update}, in, s)
	case gojq.TermTypeForeach:
		f.loop(t.Foreach.Query, t.Foreach.Patterns, t.Foreach.Start, []*gojq.Query{t.Foreach.Update, t.Foreach.Extract}, in, s)
	case gojq.TermTypeLabel:
		out = f.query(t.Label.Body, in, s)
	case gojq.TermTypeBreak:
		out = nothing
	case gojq.TermTypeQuery:
		out = f.query(t.Query, in, s)
	}
	for i, suffix := range t.SuffixList {
		switch {
		case suffix.Index != nil:
			out = f.index(suffix.Index, out, in, s, t.SuffixList[i+1:])
		case suffix.Iter && out != nothing:
			out = unknown
		}
	}
	return out
}

// index is a value of another one.
func (f *follower) index(x *gojq.Index, of, in kind, s *scope, next []*gojq.Suffix) kind {
	name := textOf(x.Str, x.Name)
	f.text(x.Str, in, s)
	for _, q := range []*gojq.Query{x.Start, x.End} {
		if q != nil {
			f.query(q, in, s)
		}
	}
	if x.Start != nil && x.Start.Term != nil && x.Start.Term.Type == gojq.TermTypeString && len(x.Start.Term.SuffixList) == 0 {
		name = textOf(x.Start.Term.Str, "")
	}
	switch {
	case of == nothing:
		return nothing
	case of != input || name == "":
		return unknown
	case len(next) > 0 && next[0].Optional:
		f.may(name)
		return unknown
	}
	f.read(name, x)
	return member
}

func (f *follower) object(o *gojq.Object, in kind, s *scope) {
	for _, kv := range o.KeyVals {
		f.text(kv.KeyString, in, s)
		if kv.KeyQuery != nil {
			f.query(kv.KeyQuery, in, s)
		}
		if kv.Val != nil {
			f.query(kv.Val, in, s)
		} else if name := textOf(kv.KeyString, kv.Key); in == input && name != "" && !strings.HasPrefix(name, "$") {
			f.read(name, kv)
		}
	}
}

// text follows the expressions in a text.
func (f *follower) text(t *gojq.String, in kind, s *scope) {
	if t != nil {
		for _, q := range t.Queries {
			f.query(q, in, s)
		}
	}
}

func (f *follower) condition(i *gojq.If, in kind, s *scope) kind {
	f.decides(i.Cond, f.query(i.Cond, in, s))
	out := f.query(i.Then, in, s)
	for _, elif := range i.Elif {
		f.decides(elif.Cond, f.query(elif.Cond, in, s))
		out = either(out, f.query(elif.Then, in, s))
	}
	if i.Else == nil {
		return either(out, in)
	}
	return either(out, f.query(i.Else, in, s))
}

func (f *follower) loop(over *gojq.Query, patterns []*gojq.Pattern, start *gojq.Query, steps []*gojq.Query, in kind, s *scope) {
	value := f.query(over, in, s)
	f.query(start, in, s)
	for _, p := range patterns {
		s = f.bind(p, value, s)
	}
	for _, step := range steps {
		if step != nil {
			f.query(step, unknown, s)
		}
	}
}

// onInput are the functions of jq whose arguments all have the input that the function has, and
// which return something else.
var onInput = map[string]bool{
	"id/1": true, "error/1": true, "has/1": true, "test/1": true, "test/2": true, "match/1": true, "match/2": true, "capture/1": true, "scan/1": true,
	"split/1": true, "split/2": true, "splits/1": true, "join/1": true, "startswith/1": true, "endswith/1": true, "ltrimstr/1": true, "rtrimstr/1": true,
	"trimstr/1": true, "contains/1": true, "inside/1": true, "index/1": true, "rindex/1": true, "indices/1": true, "add/1": true, "first/1": true,
	"last/1": true, "isempty/1": true, "limit/2": true, "range/1": true, "range/2": true, "strptime/1": true, "strftime/1": true, "getpath/1": true,
	"IN/1": true, "pow/2": true, "format/1": true, "debug/1": true,
}

func (f *follower) call(call *gojq.Func, in kind, s *scope) kind {
	name := signature(call.Name, len(call.Args))
	if own := s.find(name); own != nil {
		return f.own(own, call.Args, in, s)
	}
	given := unknown
	if onInput[name] || name == "select/1" || slices.Contains([]string{"id", "date", "text"}, call.Name) {
		given = in
	}
	if (name == "has/1" || name == "del/1") && in == input {
		return f.missing(call.Args[0], name, in, s)
	}
	if name == "not/0" {
		f.decides(&gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeFunc, Func: call}}, in)
	}
	for _, arg := range call.Args {
		of := f.query(arg, given, s)
		if name == "select/1" {
			f.decides(arg, of)
		}
	}
	switch call.Name {
	case "select":
		return in
	case "empty", "error", "halt", "halt_error":
		return nothing
	}
	return unknown
}

// missing notes that the input may lack what has or del names.
func (f *follower) missing(arg *gojq.Query, function string, in kind, s *scope) kind {
	if function == "has/1" {
		if arg.Term != nil {
			f.may(textOf(arg.Term.Str, ""))
		}
		return unknown
	}
	may := *f
	may.read = func(name string, _ any) { f.may(name) }
	may.query(arg, in, s)
	return in
}

// own follows a call of what the program has named.
func (f *follower) own(of *scope, args []*gojq.Query, in kind, s *scope) kind {
	if of.body == nil {
		return of.value
	}
	const deepest = 30 // a function may call itself
	if f.depth == deepest {
		return unknown
	}
	f.depth++
	defer func() { f.depth-- }()
	known := of.within
	for i, param := range of.params {
		if name, isValue := strings.CutPrefix(param, "$"); isValue {
			known = &scope{up: known, name: param, value: f.query(args[i], in, s)}
			param = name
		}
		known = &scope{up: known, name: signature(param, 0), body: args[i], within: s}
	}
	return f.query(of.body, in, known)
}

// signature is how a function is known: $x for a value, else the name with the number of
// parameters.
func signature(name string, params int) string {
	if strings.HasPrefix(name, "$") {
		return name
	}
	return name + "/" + strconv.Itoa(params)
}
