package mapping

import (
	"maps"
	"slices"
	"strings"

	"github.com/itchyny/gojq"

	"filings/reindexer/bound"
)

// noteTries has a program note each error that a try of it leaves out: one without a catch, or whose
// catch is null or empty. Any other catch does something with the value.
func (p *Program) noteTries(query *gojq.Query) gojq.CompilerOption {
	const name = "tried error" // no program can call a name with a blank
	bound.Walk(query, func(part any) bool {
		t, ok := part.(*gojq.Term)
		if !ok {
			return true
		}
		if optional := len(t.SuffixList) > 0 && t.SuffixList[0].Optional; optional && (t.Query != nil || t.Func != nil) {
			body := *t
			body.SuffixList = nil
			tried := &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeTry, Try: &gojq.Try{Body: &gojq.Query{Term: &body}}}}
			*t = gojq.Term{Type: gojq.TermTypeQuery, Query: tried, SuffixList: t.SuffixList[1:]}
		}
		if t.Try == nil {
			return true
		}
		if t.Try.Catch == nil {
			t.Try.Catch = bound.Call("empty")
		}
		if catch := strings.Trim(t.Try.Catch.String(), "()"); catch == "null" || catch == "empty" {
			t.Try.Catch = &gojq.Query{Left: bound.Call(name), Op: gojq.OpPipe, Right: t.Try.Catch}
		}
		return true
	})
	return gojq.WithFunction(name, 0, 0, func(v any, _ []any) any {
		if r := p.run; r.tried[r.member] == 0 || r.triedAt[r.member] < r.rows {
			r.tried[r.member]++
			r.triedAt[r.member] = r.rows
		}
		return v
	})
}

// Tried returns the members, "" for none, in which a try left out the error of more than a tenth of
// the rows since Begin, and of how many each.
func (p *Program) Tried() (many []string, rows map[string]int64) {
	for _, member := range slices.Sorted(maps.Keys(p.run.tried)) {
		if 10*p.run.tried[member] > p.run.rows {
			many = append(many, member)
		}
	}
	return many, p.run.tried
}
