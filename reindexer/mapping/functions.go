package mapping

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/itchyny/gojq"
)

// functions are those that programs have beside jq's own, and in place of those that would read something else than the
// record.
func functions(today time.Time, known *forms) []gojq.CompilerOption {
	return []gojq.CompilerOption{
		gojq.WithFunction("money", 0, 0, ofText("money", money)),
		gojq.WithFunction("number", 0, 0, ofText("number", number)),
		gojq.WithFunction("blank", 0, 0, func(v any, _ []any) any { return blank(v) }),
		gojq.WithFunction("point", 0, 0, ofText("point", point)),
		gojq.WithFunction("id", 1, 30, func(_ any, texts []any) any { return id(texts) }),
		gojq.WithFunction("date", 1, 8, func(v any, of []any) any { return dateIn(v, of, today, known) }),
	}
}

// Error is why a function cannot read a value: a jq error, which a program may catch with try.
type Error struct{ message string }

func (e *Error) Error() string { return e.message }

func fail(format string, values ...any) error { return &Error{fmt.Sprintf(format, values...)} }

// ofText makes a function of a text. Null and what is blank give null; a number is its text.
func ofText(name string, f func(string) any) func(any, []any) any {
	return func(v any, _ []any) any {
		v = blank(v)
		switch v := v.(type) {
		case nil:
			return nil
		case string:
			return f(strings.TrimSpace(v))
		case int, float64, *big.Int, json.Number:
			if name == "money" || name == "number" {
				return v
			}
		}
		return fail("%s cannot read %s %s; it reads a text", name, article(gojq.TypeOf(v)), shorten(gojq.Preview(v)))
	}
}

// blanks are the texts that stand for no value, in any case.
var blanks = []string{"", "-", "NA", "N/A", "NULL"}

// blank returns null for a text that stands for no value, and any other value as it is.
func blank(v any) any {
	if s, ok := v.(string); ok {
		s = strings.TrimSpace(s)
		if len(s) <= len("NULL") && slices.ContainsFunc(blanks, func(b string) bool { return strings.EqualFold(b, s) }) {
			return nil
		}
	}
	return v
}

// decimal reads digits, with or without commas between thousands and a fraction.
func decimal(text string) (float64, bool) {
	whole, fraction, _ := strings.Cut(text, ".")
	digits := len(fraction)
	if !allDigits(fraction) {
		return 0, false
	}
	for i, group := range strings.Split(whole, ",") {
		grouped := len(group) == 3 || i == 0 && len(group) > 0 && len(group) < 3
		if !allDigits(group) || len(group) < len(whole) && !grouped {
			return 0, false
		}
		digits += len(group)
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
	return v, digits > 0 && err == nil && !math.IsInf(v, 0)
}

func allDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// money reads an amount of dollars: "$1,234.50", "1234.5", "$ 5"; and, below zero, "-$5", "5-", "(12.00)", "$(12.00)".
func money(s string) any {
	digits, signs, dollars := s, 0, 0
	for before := ""; digits != before && digits != "-"; {
		before = digits
		switch {
		case strings.HasPrefix(digits, "$"):
			digits, dollars = digits[1:], dollars+1
		case strings.HasPrefix(digits, "-"):
			digits, signs = digits[1:], signs+1
		case strings.HasSuffix(digits, "-"):
			digits, signs = digits[:len(digits)-1], signs+1
		case strings.HasPrefix(digits, "(") && strings.HasSuffix(digits, ")"):
			digits, signs = digits[1:len(digits)-1], signs+1
		}
		digits = strings.TrimSpace(digits)
	}
	v, ok := decimal(digits)
	switch {
	case digits == "-" && signs == 0: // "$ -" is how spreadsheets write zero
		return 0
	case signs > 1:
		return fail("money cannot read %s: it has two signs", quoted(s))
	case !ok || dollars > 1:
		return fail(`money cannot read %s; it reads amounts such as "$1,234.50" and "(12.00)"`, quoted(s))
	}
	return signed(v, signs == 1)
}

// number reads a decimal: "1,234.5", "-7".
func number(s string) any {
	digits, negative := strings.CutPrefix(s, "-")
	v, ok := decimal(digits)
	if !ok {
		return fail(`number cannot read %s; it reads decimals such as "1,234.5" and "-7"`, quoted(s))
	}
	return signed(v, negative)
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

var (
	pair  = regexp.MustCompile(`^\(?\s*(-?\d+(?:\.\d+)?)°?\s*[,;]\s*(-?\d+(?:\.\d+)?)°?\s*\)?$`)
	shape = regexp.MustCompile(`^(?i:POINT)\s*\(\s*(-?\d+(?:\.\d+)?)\s+(-?\d+(?:\.\d+)?)\s*\)$`)
)

// point reads "(42.39, -82.98)", latitude first, or "POINT (-82.98 42.39)", which has the longitude first.
func point(s string) any {
	var latitude, longitude string
	if m := pair.FindStringSubmatch(s); m != nil {
		latitude, longitude = m[1], m[2]
	} else if m := shape.FindStringSubmatch(s); m != nil {
		latitude, longitude = m[2], m[1]
	} else {
		return fail(`point cannot read %s; it reads texts such as "(42.39, -82.98)" and "POINT (-82.98 42.39)"`, quoted(s))
	}
	lat, err1 := strconv.ParseFloat(latitude, 64)
	lon, err2 := strconv.ParseFloat(longitude, 64)
	if err1 != nil || err2 != nil {
		return fail("point cannot read %s: its numbers are too long", quoted(s))
	}
	return map[string]any{"latitude": lat, "longitude": lon}
}

// id makes a positive number of 53 bits of texts, which JavaScript and spreadsheets hold too: the first bits of the SHA-256 of them, with a NUL behind each, so that
// "ab", "c" and "a", "bc" are two. Without one of them it is no id, since another row could lack it too.
func id(texts []any) any {
	h := sha256.New()
	for i, v := range texts {
		switch v := blank(v).(type) {
		case nil:
			return fail("id needs all of its texts: number %d is missing", i+1)
		case string:
			h.Write([]byte(v))
		case int:
			h.Write(strconv.AppendInt(nil, int64(v), 10))
		case *big.Int:
			h.Write([]byte(v.String()))
		case json.Number:
			if strings.ContainsAny(v.String(), ".eE") {
				return fail("id is made of texts and whole numbers; number %d is %s", i+1, v)
			}
			h.Write([]byte(v.String()))
		default:
			return fail("id is made of texts and whole numbers; number %d is %s", i+1, article(gojq.TypeOf(v)))
		}
		h.Write([]byte{0})
	}
	return int(max(1, binary.BigEndian.Uint64(h.Sum(nil))>>11))
}

func quoted(s string) string { return strconv.Quote(shorten(s)) }
