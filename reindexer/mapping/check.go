package mapping

import (
	"fmt"
	"slices"
	"strings"

	"github.com/itchyny/gojq"

	"filings/reindexer/bound"
)

// Placeholders are the texts of a proposed mapping for which a person has to write others. A
// program that has one of them does not compile.
const (
	CountyPlaceholder = "County, ST"
	StatePlaceholder  = "State code"
	TypePlaceholder   = "Filing type"
	IDPlaceholder     = "Columns of the id"
)

// Read is a name of the input that a program reads, and the line:column where it does so first.
type Read struct{ Name, Place string }

// checker finds the mistakes of a program beyond its syntax, and the names that it reads. It knows
// of a value only whether it is certainly the record: not in functions or loops.
type checker struct {
	script
	wrong string // the first mistake, with its place; "" for none
	cells string // the first one if the input has texts alone, as CSV has
	reads []Read

	optional map[string]bool // names that the record may lack
	records  map[string]bool // of each variable, whether it is the record
	defined  map[string]bool // functions of the program's own
	operands map[*gojq.Term]bool
}

func check(query *gojq.Query, text script) *checker {
	c := &checker{
		script: text, optional: map[string]bool{}, records: map[string]bool{}, defined: map[string]bool{},
		operands: map[*gojq.Term]bool{},
	}
	c.walk(query, true)
	c.reads = slices.DeleteFunc(c.reads, func(r Read) bool { return c.optional[r.Name] })
	return c
}

// report keeps the first mistake.
func (c *checker) report(first *string, offset int, format string, values ...any) {
	if *first == "" {
		*first = c.place(offset) + ": " + fmt.Sprintf(format, values...)
	}
}

// walk checks a part of a program, whose input is the record or anything.
func (c *checker) walk(part any, record bool) {
	bound.Walk(part, func(part any) bool {
		switch part := part.(type) {
		case *gojq.FuncDef:
			c.defined[part.Name] = true
			for _, parameter := range part.Args {
				c.bind(parameter, false)
			}
			c.walk(part.Body, false)
			return false
		case *gojq.Reduce, *gojq.Foreach:
			if record {
				c.walk(part, false)
			}
			return !record
		case *gojq.Try:
			c.walk(part.Body, record)
			c.walk(part.Catch, false)
			return false
		case *gojq.Query:
			return c.query(part, record)
		case *gojq.Func:
			c.call(part, record)
			return false
		case *gojq.Pattern:
			c.bind(part.Name, false)
		case *gojq.PatternObject:
			c.bind(part.Key, false)
		case *gojq.If:
			c.condition(part.Cond, record)
		case *gojq.IfElif:
			c.condition(part.Cond, record)
		case *gojq.Term:
			c.term(part, record)
		case *gojq.ObjectKeyVal:
			if part.Val == nil && record {
				c.read(textOf(part.KeyString, part.Key), false)
			}
		case *gojq.String:
			c.placeholder(part.Str)
		}
		return true
	})
}

// bind notes whether a variable is the record. One that is bound twice is so if it is both times.
func (c *checker) bind(variable string, record bool) {
	bound, again := c.records[variable]
	c.records[variable] = record && (bound || !again)
}

// query reports whether the parts of q are still to be walked.
func (c *checker) query(q *gojq.Query, record bool) bool {
	switch q.Op {
	case 0:
		return true
	case gojq.OpPipe, gojq.OpModify:
		if next := q.Right.Term; next != nil && next.Func != nil && next.Func.Name == "not" {
			c.condition(q.Left, record)
		}
		c.walk(q.FuncDefs, record)
		c.walk(q.Left, record)
		left := c.isRecord(q.Left, record)
		if len(q.Patterns) == 1 && q.Patterns[0].Name != "" {
			c.bind(q.Patterns[0].Name, left)
		} else {
			c.walk(q.Patterns, false)
		}
		c.walk(q.Right, left && len(q.Patterns) == 0 || record && len(q.Patterns) > 0)
		return false
	case gojq.OpAssign:
		c.mayLack(q.Left, record)
	case gojq.OpAnd, gojq.OpOr:
		c.condition(q.Left, record)
		c.condition(q.Right, record)
	default:
		c.operator(q, record)
	}
	c.operands[q.Left.Term], c.operands[q.Right.Term] = true, true
	return true
}

// isRecord reports whether all results of a query are the record, of which it may have set members.
func (c *checker) isRecord(q *gojq.Query, record bool) bool {
	switch t := q.Term; {
	case t == nil && q.Op == gojq.OpPipe:
		return c.isRecord(q.Right, len(q.Patterns) > 0 && record || len(q.Patterns) == 0 && c.isRecord(q.Left, record))
	case t == nil && (q.Op == gojq.OpComma || q.Op == gojq.OpAlt):
		return c.isRecord(q.Left, record) && c.isRecord(q.Right, record)
	case t == nil:
		return record && q.Op >= gojq.OpAssign
	case len(t.SuffixList) > 0:
	case t.Type == gojq.TermTypeIdentity:
		return record
	case t.Query != nil:
		return c.isRecord(t.Query, record)
	case t.Func != nil && !c.defined[t.Func.Name]:
		name := t.Func.Name
		return c.records[name] || name == "empty" || name == "error" || record && (name == "select" || name == "del")
	case t.If != nil:
		passes := c.isRecord(t.If.Then, record)
		for _, elif := range t.If.Elif {
			passes = passes && c.isRecord(elif.Then, record)
		}
		return passes && (t.If.Else == nil && record || t.If.Else != nil && c.isRecord(t.If.Else, record))
	}
	return false
}

func (c *checker) call(call *gojq.Func, record bool) {
	switch name := call.Name; {
	case c.defined[name]:
		record = false
	case name == "has", name == "del":
		c.mayLack(call.Args, record)
	case name == "select" && len(call.Args) == 1:
		c.condition(call.Args[0], record)
	case name == "date":
		c.forms(call)
	case name != "id" && name != "text": // whose input is that of the call
		record = false
	}
	c.walk(call.Args, record)
}

// mayLack notes the names in a part of a program, which the record may lack.
func (c *checker) mayLack(part any, record bool) {
	bound.Walk(part, func(part any) bool {
		switch part := part.(type) {
		case *gojq.Index:
			c.optional[part.Name] = c.optional[part.Name] || record
		case *gojq.String:
			c.optional[part.Str] = c.optional[part.Str] || record
		}
		return true
	})
}

func (c *checker) term(t *gojq.Term, record bool) {
	if strings.HasPrefix(t.Number, ".") && !c.operands[t] {
		c.report(&c.wrong, c.find(0, t.Number), "%s is a number; the column of that name is .%q", t.Number, t.Number[1:])
	}
	member, suffixes := t.Index, t.SuffixList
	if member == nil && len(suffixes) > 0 {
		whole := *t
		whole.SuffixList = nil
		member, suffixes, record = suffixes[0].Index, suffixes[1:], c.isRecord(&gojq.Query{Term: &whole}, record)
	}
	if member != nil && record {
		c.read(nameOf(member), len(suffixes) > 0 && suffixes[0].Optional)
	}
}

// read notes a name that is read of the record.
func (c *checker) read(name string, optional bool) {
	switch {
	case name == "" || strings.HasPrefix(name, "$"):
	case optional:
		c.optional[name] = true
	case !slices.ContainsFunc(c.reads, func(r Read) bool { return r.Name == name }):
		c.reads = append(c.reads, Read{name, c.place(c.member(name))})
	}
}

// condition checks one that is always true.
func (c *checker) condition(q *gojq.Query, record bool) {
	if q = bare(q); q.Op == gojq.OpAssign {
		c.report(&c.wrong, c.find(0, q.Left.String()), "%s sets a value, which is always true; == compares",
			shorten(q.String()))
	} else if name := memberOf(q); name != "" && record {
		c.report(&c.cells, c.member(name), "%s is a text, which is true where it is empty too: %s | blank", q, q)
	}
}

// operator checks one that takes a cell for a number or null.
func (c *checker) operator(q *gojq.Query, record bool) {
	left, right, counts := memberOf(q.Left), memberOf(q.Right), q.Op >= gojq.OpAdd && q.Op <= gojq.OpLe
	const isText = "%s is a text, never a number or null: "
	switch {
	case !record:
	case q.Op == gojq.OpAlt && left != "":
		c.report(&c.cells, c.member(left), `%s is "" where it is empty, which // keeps: (%[1]s | blank) // …`, q.Left)
	case counts && left != "" && isNoText(q.Right):
		c.report(&c.cells, c.member(left), isText+"(%[1]s | number) %s %s", q.Left, q.Op, q.Right)
	case counts && right != "" && isNoText(q.Left):
		c.report(&c.cells, c.member(right), isText+"%s %s (%[1]s | number)", q.Right, q.Left, q.Op)
	}
}

// forms checks the constant forms of dates of a call; others are checked at their first use.
func (c *checker) forms(date *gojq.Func) {
	for i, arg := range date.Args {
		var form any
		switch term := arg.Term; {
		case term != nil && term.Str != nil && term.Str.Queries == nil && len(term.SuffixList) == 0:
			form = term.Str.Str
		case term == nil || term.Type != gojq.TermTypeNumber:
			continue
		}
		if _, err := parseForm(form); err != nil && (i == 0 || i < len(date.Args)-1 || zoneOf(form) == nil) {
			c.report(&c.wrong, c.find(c.find(0, "date"), arg.String()), "%s", err)
		}
	}
}

func (c *checker) placeholder(text string) {
	instead := map[string]string{
		TypePlaceholder: `a type, such as "Tax Lien"`, IDPlaceholder: "the columns that tell all records apart",
		StatePlaceholder: `the two letters of a state, such as "FL"`,
	}[text]
	if strings.HasSuffix(text, ", ST") {
		instead = `a county and its state, such as "Orange, FL"`
	}
	if quoted := jsonText(text); instead != "" {
		c.report(&c.wrong, c.find(0, quoted, quoted[1:]), "%s stands for %s: write yours", quoted, instead)
	}
}

// memberOf returns the name of the member of its input that a query is; "" for other queries.
func memberOf(q *gojq.Query) string {
	if q = bare(q); q.Term == nil || q.Term.Index == nil || len(q.Term.SuffixList) > 0 {
		return ""
	}
	return nameOf(q.Term.Index)
}

// nameOf returns the name in an index; "" for one that is no constant.
func nameOf(x *gojq.Index) string {
	if x.Start != nil && !x.IsSlice && x.Start.Term != nil && len(x.Start.Term.SuffixList) == 0 {
		return textOf(x.Start.Term.Str, "")
	}
	return textOf(x.Str, x.Name)
}

// textOf returns a constant text, or else.
func textOf(s *gojq.String, otherwise string) string {
	if s != nil && s.Queries == nil {
		return s.Str
	}
	return otherwise
}

// bare returns the content of parentheses.
func bare(q *gojq.Query) *gojq.Query {
	for q.Term != nil && q.Term.Query != nil && len(q.Term.SuffixList) == 0 {
		q = q.Term.Query
	}
	return q
}

// isNoText reports whether q is a constant other than a text.
func isNoText(q *gojq.Query) bool {
	t := bare(q).Term
	return t != nil && (t.Number != "" || t.Unary != nil || slices.Contains([]string{"null", "true", "false"}, t.String()))
}
