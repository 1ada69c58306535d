package mapping

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/itchyny/gojq"
)

// Error is why a function cannot read a value: a jq error, which a program may catch with try.
type Error struct{ message string }

func (e *Error) Error() string { return e.message }

func fail(format string, values ...any) error { return &Error{fmt.Sprintf(format, values...)} }

func isError(v any) bool { _, is := v.(error); return is }

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

// shorten cuts what a reject would repeat of a record.
func shorten(s string) string {
	const most = 200
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

func quoted(s string) string { return strconv.Quote(shorten(s)) }

// blanks are the texts that stand for no value, in any case.
var blanks = []string{"", "-", "NA", "N/A", "NULL"}

// Blank reports whether a value is null, or a text that stands for no value.
func Blank(v any) bool {
	s, ok := v.(string)
	if !ok {
		return v == nil
	}
	s = strings.TrimSpace(s)
	return len(s) <= len("NULL") && slices.ContainsFunc(blanks, func(b string) bool { return strings.EqualFold(b, s) })
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

// Member returns what a program reads a member of an object by.
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
