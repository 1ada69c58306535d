package mapping

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/itchyny/gojq"
)

// Error is why a function cannot read a value: a jq error, which a program may catch with try.
type Error struct{ message string }

func (e *Error) Error() string { return e.message }

func fail(format string, values ...any) error { return &Error{fmt.Sprintf(format, values...)} }

func isError(v any) bool { _, ok := v.(error); return ok }

// cannotRead is the error of a function for a value that is no text.
func cannotRead(function string, v any) error {
	return fail("%s cannot read %s %s; it reads a text", function, article(gojq.TypeOf(v)), shorten(gojq.Preview(v)))
}

// article returns the name of a type of jq with its article.
func article(kind string) string {
	if kind == "array" || kind == "object" {
		return "an " + kind
	}
	return "a " + kind
}

// shorten cuts a text of a record for a reject.
func shorten(s string) string {
	const most = 200
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

func quoted(s string) string { return strconv.Quote(shorten(s)) }

// blanks are the texts that stand for no value, in any case; errors are those of a spreadsheet.
var (
	blanks = []string{"", "-", "NA", "N/A", "NULL"}
	errs   = []string{"#N/A", "#REF!", "#VALUE!", "#DIV/0!", "#NAME?", "#NUM!", "#NULL!", "#SPILL!", "#CALC!"}
)

// Blank reports whether a value is null, or a text that stands for no value.
func Blank(v any) bool {
	s, ok := v.(string)
	return !ok && v == nil || ok && blankText(s)
}

func blankText(s string) bool {
	s = strings.TrimSpace(s)
	if len(s) > len("NULL") || len(s) > 0 && s[0] == '#' {
		return len(s) > 0 && s[0] == '#' && slices.Contains(errs, s)
	}
	return slices.ContainsFunc(blanks, func(b string) bool { return strings.EqualFold(b, s) })
}

// isPlain reports whether a text is as people see it, as most texts are: ASCII without blanks at its
// ends, or signs of a spreadsheet.
func isPlain(s string) bool {
	if s == "" {
		return true
	}
	if first := s[0]; first <= ' ' || first == '=' || first == '\'' || s[len(s)-1] == ' ' {
		return false
	}
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// clean returns a text as people see it: without blanks at its ends, without control and format
// characters, line breaks and tabs aside, and without the marks that keep a spreadsheet from
// reading it as a number (="00123", '00123).
func clean(s string) string {
	if isPlain(s) || !utf8.ValidString(s) {
		return s
	}
	s = strings.TrimSpace(strings.Map(func(c rune) rune {
		if unicode.In(c, unicode.Cc, unicode.Cf) && c != '\n' && c != '\t' {
			return -1
		}
		return c
	}, s))
	if len(s) > 1 && s[0] == '\'' && strings.IndexByte("0123456789=+-@", s[1]) >= 0 {
		s = s[1:]
	}
	if shown, ok := strings.CutPrefix(s, `="`); ok && strings.HasSuffix(shown, `"`) {
		if shown = shown[:len(shown)-1]; !strings.Contains(strings.ReplaceAll(shown, `""`, ""), `"`) {
			return strings.TrimSpace(strings.ReplaceAll(shown, `""`, `"`))
		}
	}
	return s
}

// signed returns a number as jq has it: whole ones are integers.
func signed(v float64, negative bool) any {
	if negative {
		v = -v
	}
	if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		return int(v)
	}
	return v
}

// Member returns the path by which a program reads a member of an object.
func Member(name string) string {
	if plain.MatchString(name) {
		return "." + name
	}
	return "." + jsonText(name)
}

var plain = regexp.MustCompile(`^[A-Za-z_]\w*$`)

func jsonText(s string) string {
	text, _ := gojq.Marshal(s) // a text
	return string(text)
}
