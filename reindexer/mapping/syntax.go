package mapping

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/itchyny/gojq"
)

// gojq's syntax tree does not say where in the text its nodes stand. places finds them again: it
// goes through the nodes in the order of the text, and looks for the name of each after that of the
// one before it.

// token is a name in a program or a text, and the byte that it begins at.
type token struct {
	text string // of a text, or of what stands in it beside expressions: a quote, and what it means
	at   int
}

var (
	lexeme  = regexp.MustCompile(`^(?:#(?:\\[\s\S]|[^\n\\])*|[.$@]?[A-Za-z_]\w*|\.?\d[\w.]*)`)
	segment = regexp.MustCompile(`^(?:[^"\\]|\\[^(])*(?:\\\(|"|$)`) // of a text, up to its end or to an expression in it
)

// lex returns the names, numbers and texts of a program that can be parsed.
func lex(text string) (all []token) {
	depth, outer := 0, []int(nil) // open parentheses, and those outside of the texts around
	for at := 0; at < len(text); {
		end := at + 1
		switch c := text[at]; {
		case c == '"', c == ')' && depth == 0 && len(outer) > 0:
			if c == ')' {
				depth, outer = outer[len(outer)-1], outer[:len(outer)-1]
			}
			piece := segment.FindString(text[end:])
			end += len(piece)
			if begun, more := strings.CutSuffix(piece, `\(`); more {
				piece, depth, outer = begun, 0, append(outer, depth)
			}
			var means string
			_ = json.Unmarshal([]byte(`"`+strings.TrimSuffix(piece, `"`)+`"`), &means) // the program could be parsed
			if piece == `"` && c == '"' || means != "" {
				all = append(all, token{`"` + means, len(strings.TrimSuffix(text[:at], "."))})
			}
		case c == '(':
			depth++
		case c == ')':
			depth--
		default:
			if name := lexeme.FindString(text[at:]); name != "" {
				end = at + len(name)
				all = append(all, token{name, at})
			}
		}
		at = end
	}
	return all
}

// places are the bytes at which the named nodes of a program begin.
type places map[any]int

func placesOf(query *gojq.Query, text string) places {
	found, rest := places{}, lex(text)
	find := func(node any, names ...string) {
		for _, name := range names {
			for i, t := range rest {
				if t.text == name {
					if _, again := found[node]; !again {
						found[node] = t.at
					}
					rest = rest[i+1:]
					break
				}
			}
		}
	}
	walk(reflect.ValueOf(query), func(node any) {
		switch node := node.(type) {
		case *gojq.Func:
			find(node, node.Name)
		case *gojq.FuncDef:
			find(node, append([]string{node.Name}, node.Args...)...)
		case *gojq.Index:
			find(node, "."+node.Name)
		case *gojq.String:
			find(node, `"`+node.Str)
		case *gojq.ObjectKeyVal:
			find(node, node.Key)
		case *gojq.PatternObject:
			find(node, node.Key)
		case *gojq.Pattern:
			find(node, node.Name)
		case *gojq.Term:
			find(node, node.Number)
		}
	})
	return found
}

// of returns where a node begins, which is where the first named one in it does.
func (p places) of(node any) int {
	least := -1
	walk(reflect.ValueOf(node), func(node any) {
		if at, ok := p[node]; ok && (least < 0 || at < least) {
			least = at
		}
	})
	return max(0, least)
}

// walk calls do for the nodes of a program, in the order of its text.
func walk(v reflect.Value, do func(node any)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			do(v.Interface())
			walk(v.Elem(), do)
		}
	case reflect.Slice:
		for i := range v.Len() {
			walk(v.Index(i), do)
		}
	case reflect.Struct:
		if query, is := v.Interface().(gojq.Query); is && query.Right != nil { // whose patterns stand before what follows them
			walk(reflect.ValueOf(query.FuncDefs), do)
			walk(reflect.ValueOf(query.Left), do)
			walk(reflect.ValueOf(query.Patterns), do)
			walk(reflect.ValueOf(query.Right), do)
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				walk(v.Field(i), do)
			}
		}
	}
}

// script is the text of a program.
type script struct {
	text string
	rows []int // of a table that it was made from, for each of its lines; nil: a person wrote it
}

// position returns the line and the column of a byte of s, in characters, both from 1; of a table
// those of the cell.
func (s script) position(offset int) (line, column int) {
	before := s.text[:max(0, min(len(s.text), offset))]
	line = strings.Count(before, "\n") + 1
	if s.rows != nil {
		return s.rows[line-1], 2
	}
	return line, utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
}

// at says what is wrong at a byte of s, after ":line:column:".
func (s script) at(offset int, wrong string) string {
	line, column := s.position(offset)
	return fmt.Sprintf(":%d:%d: %s", line, column, wrong)
}
