package mapping

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/itchyny/gojq"
)

// Placeholders are the texts of a proposed mapping for which a person has to write others. A
// program that has one of them does not compile.
const (
	CountyPlaceholder = "County, ST"
	StatePlaceholder  = "State code"
	TypePlaceholder   = "Filing type"
	IDPlaceholder     = "Columns of the id"
)

// checker finds what is wrong with a program beyond its syntax.
type checker struct {
	script
	query *gojq.Query
	begin places

	faults []fault // of the program
	cells  []fault // of a program whose input has texts alone, as CSV has
	reads  []Read
}

// fault is what is wrong at a byte of a program.
type fault struct {
	at    int
	wrong string
}

func check(query *gojq.Query, of script) *checker {
	c := &checker{script: of, query: query, begin: placesOf(query, of.text)}
	own, operands := false, map[*gojq.Term]bool{}
	walk(reflect.ValueOf(query), func(node any) {
		switch node := node.(type) {
		case *gojq.FuncDef:
			own = own || node.Name == "date"
		case *gojq.Func:
			if node.Name == "date" && !own {
				c.checkForms(node)
			}
		case *gojq.Query:
			if node.Right != nil && node.Op != gojq.OpPipe {
				operands[node.Left.Term], operands[node.Right.Term] = true, true
			}
		case *gojq.String:
			c.checkPlaceholder(node)
		case *gojq.Term:
			if strings.HasPrefix(node.Number, ".") && !operands[node] {
				c.wrong(node, "%s is a number; the column of that name is .%q", node.Number, node.Number[1:])
			}
		}
	})
	c.follow()
	return c
}

func (c *checker) wrong(node any, format string, values ...any) {
	c.faults = append(c.faults, fault{c.begin.of(node), fmt.Sprintf(format, values...)})
}

// first returns the first of some faults after its line and column; "" for none.
func (c *checker) first(of []fault) string {
	if len(of) == 0 {
		return ""
	}
	f := slices.MinFunc(of, func(a, b fault) int { return a.at - b.at })
	return c.at(f.at, f.wrong)
}

// checkForms checks the constant forms of dates of a call; one that is no constant is checked at
// its first use.
func (c *checker) checkForms(date *gojq.Func) {
	for _, arg := range date.Args {
		term, f := arg.Term, forms{known: map[string]*form{}}
		var err error
		switch {
		case term == nil || len(term.SuffixList) > 0:
		case term.Type == gojq.TermTypeString && term.Str.Queries == nil:
			_, err = f.of(term.Str.Str)
		case term.Type == gojq.TermTypeNumber:
			_, err = f.of(nil)
		}
		if err != nil {
			c.wrong(arg, "%s", err)
		}
	}
}

func (c *checker) checkPlaceholder(text *gojq.String) {
	switch {
	case text.Str == TypePlaceholder:
		c.wrong(text, `%q stands for a type, such as "Tax Lien": write yours`, TypePlaceholder)
	case text.Str == IDPlaceholder:
		c.wrong(text, "%q stands for the columns that tell all records apart: write yours", IDPlaceholder)
	case text.Str == StatePlaceholder:
		c.wrong(text, `%q stands for the two letters of a state, such as "FL": write yours`, StatePlaceholder)
	case text.Str == CountyPlaceholder || strings.HasSuffix(text.Str, ", ST"):
		c.wrong(text, `%q stands for a county and its state, such as "Orange, FL": write yours`, text.Str)
	}
}

// follow finds the names that the program reads, and conditions that are always true.
func (c *checker) follow() {
	may, seen := map[string]bool{}, map[string]bool{}
	cell := func(node any, format string, values ...any) {
		c.cells = append(c.cells, fault{c.begin.of(node), fmt.Sprintf(format, values...)})
	}
	f := follower{
		read: func(name string, node any) {
			if !seen[name] {
				line, column := c.position(c.begin.of(node))
				c.reads, seen[name] = append(c.reads, Read{name, line, column}), true
			}
		},
		may: func(name string) { may[name] = true },
		decides: func(q *gojq.Query, of kind) {
			if q = bare(q); q.Op == gojq.OpAssign {
				c.wrong(q, "%s sets a value, which is always true; == compares", shorten(q.String()))
			} else if of == member {
				cell(q, "%s is a text, which is true where it is empty too: %s | blank", q, q)
			}
		},
		operates: func(q *gojq.Query, left, right kind) {
			switch {
			case q.Op == gojq.OpAlt && left == member:
				cell(q, `%s is "" where it is empty, which // keeps: (%s | blank) // …`, q.Left, q.Left)
			case left == member && isNoText(q.Right):
				cell(q, "%s is a text, never a number or null: (%s | number) %s %s", q.Left, q.Left, q.Op, q.Right)
			case right == member && isNoText(q.Left):
				cell(q, "%s is a text, never a number or null: %s %s (%s | number)", q.Right, q.Left, q.Op, q.Right)
			}
		},
	}
	f.query(c.query, input, nil)
	c.reads = slices.DeleteFunc(c.reads, func(r Read) bool { return may[r.Name] })
}

// bare returns what stands in parentheses.
func bare(q *gojq.Query) *gojq.Query {
	for q.Term != nil && q.Term.Type == gojq.TermTypeQuery && len(q.Term.SuffixList) == 0 {
		q = q.Term.Query
	}
	return q
}

// isNoText reports whether q is a constant other than a text.
func isNoText(q *gojq.Query) bool {
	q = bare(q)
	return q.Term != nil && slices.Contains([]gojq.TermType{gojq.TermTypeNumber, gojq.TermTypeUnary, gojq.TermTypeNull, gojq.TermTypeTrue, gojq.TermTypeFalse}, q.Term.Type)
}

var (
	// spaced is a name with a blank, up to its second word.
	spaced = regexp.MustCompile(`\.(\w+(?: +\w+)*) +$`)
	word   = regexp.MustCompile(`^\w+(?: +\w+)*`)
)

// unreadable says what is wrong with a text that is no program.
func (s script) unreadable(err error) string {
	var e *gojq.ParseError
	if !errors.As(err, &e) {
		return ": " + err.Error()
	}
	begin := max(0, min(len(s.text), e.Offset-len(e.Token)))
	wrong := err.Error()
	if name := spaced.FindStringSubmatch(s.text[:begin]); name != nil && word.MatchString(s.text[begin:]) {
		wrong += fmt.Sprintf(`; a name with blanks is in quotes: ."%s %s"`, name[1], word.FindString(s.text[begin:]))
	} else if e.Token == "'" {
		wrong += "; texts are in double quotes"
	}
	return s.at(begin, wrong)
}

// unknownName says what is wrong with a program that names something that there is not. gojq does
// not say where.
func (c *checker) unknownName(err error) string {
	_, name, _ := strings.Cut(err.Error(), " not defined: ")
	found, wrong := 0, err.Error()
	walk(reflect.ValueOf(c.query), func(node any) {
		if call, is := node.(*gojq.Func); is && signature(call.Name, len(call.Args)) == name && found == 0 {
			found = c.begin.of(call)
		}
	})
	name, _, _ = strings.Cut(name, "/")
	switch f := added(name); {
	case f == nil:
	case name == "id":
		wrong += "; it is used as " + f.Usage
	default:
		wrong += "; it is used as .column | " + f.Usage
	}
	return c.at(found, wrong)
}
