package service

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"filings/index"
)

// value is what was given for a parameter, read by its kind.
type value struct {
	text   string   // text, term, choice and word (as in choices), stateAbb (upper case)
	texts  []string // texts and choices, never empty
	number float64
	whole  int
	is     bool
	day    time.Time // day, and the first one of a month
}

// read reads s, which is trimmed and not empty. ok is false where it does not have the form that p.form describes;
// given is false for a list without items.
func (p *parameter) read(s string) (v value, given, ok bool) {
	ok = true
	switch p.kind {
	case text:
		v.text = s
	case term:
		v.text = index.Squeeze(s)
		ok = utf8.RuneCountInString(v.text) <= maxTerm
	case texts, choices:
		v.texts = items(s)
		ok = p.kind == texts || !slices.ContainsFunc(v.texts, func(item string) bool { return !slices.Contains(p.choices, item) })
		return v, len(v.texts) > 0, ok
	case integer:
		v.whole, ok = readInteger(s)
		ok = ok && p.within(float64(v.whole))
	case number:
		v.number, ok = readNumber(s)
		ok = ok && p.within(v.number)
	case boolean:
		v.is = s == "true" || s == "1"
		ok = v.is || s == "false" || s == "0"
	case choice:
		v.text, ok = s, slices.Contains(p.choices, s)
	case word:
		i := slices.IndexFunc(p.choices, func(c string) bool { return index.Fold(c) == index.Fold(s) })
		if ok = i >= 0; ok {
			v.text = p.choices[i]
		}
	case day:
		v.day, ok = readTime(time.DateOnly, s)
	case month:
		v.day, ok = readTime("2006-01", s)
	case stateAbb:
		v.text, ok = readState(s)
	}
	return v, true, ok
}

// within reports whether v is inside p's limits. A limit of a page above the largest one is clamped, not refused.
func (p *parameter) within(v float64) bool {
	return (p.min == nil || v >= *p.min) && (p.max == nil || v <= *p.max || p.op == opLimit)
}

// form says what the values of p look like, to go after "must be".
func (p *parameter) form() string {
	switch p.kind {
	case term:
		return fmt.Sprintf("1 to %d characters", maxTerm)
	case integer, number:
		return p.numberForm()
	case boolean:
		return "true, false, 1 or 0"
	case choice:
		return "one of " + strings.Join(p.choices, ", ")
	case word:
		return "one of " + strings.Join(p.choices, ", ") + " (in any case)"
	case choices:
		return "a comma-separated list of " + strings.Join(p.choices, ", ")
	case day:
		return "a day as YYYY-MM-DD"
	case month:
		return "a month as YYYY-MM"
	case stateAbb:
		return "two letters"
	}
	return "text"
}

func (p *parameter) numberForm() string {
	what := "a plain decimal number"
	if p.kind == integer {
		what = "a whole number"
	}
	switch {
	case p.min == nil:
		return what + " such as " + p.example
	case p.max == nil:
		return fmt.Sprintf("%s, %v or more", what, *p.min)
	case p.kind == integer:
		return fmt.Sprintf("between %v and %v", *p.min, *p.max) // the specification's words for limit
	}
	return fmt.Sprintf("%s between %v and %v", what, *p.min, *p.max)
}

// items splits s at commas, trims and skips empty items.
func items(s string) []string {
	parts := strings.Split(s, ",")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return slices.DeleteFunc(parts, func(item string) bool { return item == "" })
}

// plain reports whether s is a decimal as people write it: a minus or not, digits, and a point with digits or not. What
// strconv also reads (exponents, "+1", "0x1p3", "1_000", "NaN", "Inf") is refused.
func plain(s string, point bool) bool {
	whole, fraction, found := strings.Cut(strings.TrimPrefix(s, "-"), ".")
	return digits(whole) && (!found || point && digits(fraction))
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func readInteger(s string) (int, bool) {
	v, err := strconv.Atoi(s)
	return v, err == nil && plain(s, false)
}

func readNumber(s string) (float64, bool) {
	v, err := strconv.ParseFloat(s, 64)
	if v == 0 {
		v = 0 // not -0, so that equal questions have equal texts
	}
	return v, err == nil && plain(s, true) && !math.IsInf(v, 0)
}

func readTime(layout, s string) (time.Time, bool) {
	t, err := time.Parse(layout, s)
	return t, err == nil && len(s) == len(layout)
}

func readState(s string) (string, bool) {
	letters := len(s) == 2
	for i := range len(s) {
		letters = letters && 'a' <= s[i]|0x20 && s[i]|0x20 <= 'z'
	}
	return strings.ToUpper(s), letters
}
