package mapping

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/itchyny/gojq"
)

// script is the text of a program, or of the table that it was made from. gojq does not say where
// the parts of a program stand: find searches for their texts.
type script struct {
	text    string
	isTable bool
}

// commentOrText matches a comment, or a text, in which # begins none.
var commentOrText = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|#[^\n]*`)

// withoutComments returns a program with blanks instead of its comments.
func withoutComments(program string) script {
	return script{text: commentOrText.ReplaceAllStringFunc(program, func(found string) string {
		if found[0] == '#' {
			return strings.Repeat(" ", len(found))
		}
		return found
	})}
}

var startsWithWord = regexp.MustCompile(`^\w`)

// find returns the byte, from start on, of the first part that s has; start if it has none.
func (s script) find(start int, parts ...string) int {
	for _, part := range parts {
		left, right := "", `(?:\W|$)`
		if startsWithWord.MatchString(part) { // no member, variable or key
			left, right = `(?:^|[^\w.$@])`, `(?:[^\w:]|$)`
		}
		pattern := regexp.MustCompile(left + "(" + regexp.QuoteMeta(part) + ")" + right)
		if found := pattern.FindStringSubmatchIndex(s.text[start:]); found != nil && part != "" {
			return start + found[2]
		}
	}
	return start
}

// member returns the byte at which a member of the input is named first.
func (s script) member(name string) int { return s.find(0, Member(name), jsonText(name), name) }

// place returns the line:column of a byte, in characters, both from 1; in a table that of the cell.
func (s script) place(offset int) string {
	head := s.text[:max(0, min(len(s.text), offset))]
	column := utf8.RuneCountInString(head[strings.LastIndexByte(head, '\n')+1:]) + 1
	if s.isTable {
		column = 2
	}
	return fmt.Sprintf("%d:%d", strings.Count(head, "\n")+1, column)
}

var (
	// spaced is a name with a blank, up to its second word.
	spaced = regexp.MustCompile(`\.(\w+(?: +\w+)*) +$`)
	word   = regexp.MustCompile(`^\w+(?: +\w+)*`)
)

// unreadable describes the mistake of a text that is no program.
func (s script) unreadable(err error) string {
	var e *gojq.ParseError
	if !errors.As(err, &e) {
		return err.Error()
	}
	begin := max(0, min(len(s.text), e.Offset-len(e.Token)))
	rest, hint := s.text[begin:], ""
	if name := spaced.FindStringSubmatch(s.text[:begin]); name != nil && word.MatchString(rest) {
		hint = fmt.Sprintf(`; a name with blanks is in quotes: ."%s %s"`, name[1], word.FindString(rest))
	} else if e.Token == "'" {
		hint = "; texts are in double quotes"
	}
	return fmt.Sprintf("%s: %s%s", s.place(begin), err, hint)
}

// unknownName describes the mistake of a program that calls a function that does not exist.
func (s script) unknownName(err error) string {
	hint := ""
	_, name, _ := strings.Cut(err.Error(), " not defined: ")
	name, _, _ = strings.Cut(name, "/")
	if f := added(name); name == "id" {
		hint = "; it is used as " + f.Usage
	} else if f != nil {
		hint = "; it is used as .column | " + f.Usage
	}
	return fmt.Sprintf("%s: %s%s", s.place(s.find(0, name)), err, hint)
}
