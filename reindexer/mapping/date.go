package mapping

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/itchyny/gojq"
)

// tokens are the parts of a date's form, each before those that it begins with: YYYY before YY.
var tokens = []struct{ name, pattern string }{
	{"YYYY", `(?P<y>\d{4})`}, {"YY", `(?P<yy>\d{2})`},
	{"MONTH", `(?P<name>\pL+)\.?`}, {"MON", `(?P<name>\pL+)\.?`}, {"MM", `(?P<m>\d{1,2})`}, {"M", `(?P<m>\d{1,2})`},
	{"DD", `(?P<d>\d{1,2})`}, {"D", `(?P<d>\d{1,2})`},
}

// timeOfDay may follow a date, and is left out.
const timeOfDay = `(?:[T ,]+\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?(?i:[AP]\.?M\.?))?(?:Z|[+-]\d{2}:?\d{2})?)?`

// form is a compiled form of dates.
type form struct {
	pattern *regexp.Regexp
	packed  bool // nothing stands between its parts: all digits have to be there
}

// parseForm reads a form such as MM/DD/YYYY. Digits may lack leading zeros, unless nothing stands between the parts.
func parseForm(text string) (*form, error) {
	var b strings.Builder
	b.WriteString("^")
	var has string
	packed := !strings.ContainsFunc(text, func(r rune) bool { return !strings.ContainsRune("YMDONTH", r) })
	for rest := text; rest != ""; {
		i := slices.IndexFunc(tokens, func(t struct{ name, pattern string }) bool { return strings.HasPrefix(rest, t.name) })
		if i < 0 {
			b.WriteString(regexp.QuoteMeta(rest[:1]))
			rest = rest[1:]
			continue
		}
		part := tokens[i].name[:1]
		if strings.Contains(has, part) {
			return nil, fail("date(%s): a form has one %s", quoted(text), part)
		}
		has += part
		pattern := tokens[i].pattern
		if packed {
			pattern = strings.Replace(pattern, `{1,2}`, `{2}`, 1)
		}
		b.WriteString(pattern)
		rest = rest[len(tokens[i].name):]
	}
	if len(has) != 3 {
		return nil, fail(`date(%s): a form has a year (YYYY or YY), a month (MM, MON or MONTH) and a day (DD), as "MM/DD/YYYY" has`, quoted(text))
	}
	b.WriteString(timeOfDay + "$")
	pattern, err := regexp.Compile(b.String())
	if err != nil {
		return nil, fail("date(%s): it is not a form of dates", quoted(text))
	}
	return &form{pattern: pattern, packed: packed}, nil
}

// dateIn reads a date in the first of several forms that it has.
func dateIn(v any, of []any, today time.Time, forms map[string]*form) (result any) {
	for _, form := range of {
		if result = date(v, form, today, forms); !isError(result) {
			return result
		}
	}
	return result
}

func isError(v any) bool { _, is := v.(error); return is }

// date reads a date in a form and returns it as YYYY-MM-DD. A year of two digits is the last one that is not after today.
func date(v, formOf any, today time.Time, forms map[string]*form) any {
	text, ok := formOf.(string)
	if !ok {
		return fail(`date needs a form, such as date("MM/DD/YYYY")`)
	}
	f := forms[text]
	if f == nil {
		var err error
		if f, err = parseForm(strings.ToUpper(text)); err != nil {
			return err
		}
		forms[text] = f
	}
	v = blank(v)
	s, ok := v.(string)
	switch {
	case v == nil:
		return nil
	case !ok:
		switch v := v.(type) {
		case int, json.Number: // 20170821 in NDJSON
			s = fmt.Sprint(v)
		default:
			return fail("date cannot read %s %s; it reads a text", article(gojq.TypeOf(v)), shorten(gojq.Preview(v)))
		}
	}
	s = strings.TrimSpace(s)
	m := f.pattern.FindStringSubmatch(s)
	if m == nil {
		return fail("date(%s) cannot read %s", quoted(text), quoted(s))
	}
	return f.dateOf(m, text, today)
}

// dateOf makes a date of what the parts of the form have matched.
func (f *form) dateOf(m []string, text string, today time.Time) any {
	var year, month, day, digits int
	for i, name := range f.pattern.SubexpNames() {
		n, _ := strconv.Atoi(m[i]) // of a name 0
		switch name {
		case "y":
			year, digits = n, 4
		case "yy":
			year, digits = n, 2
		case "m":
			month = n
		case "name":
			month = monthOf(m[i])
		case "d":
			day = n
		}
	}
	if digits == 2 {
		year += today.Year() / 100 * 100
		if time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC).After(today) {
			year -= 100
		}
	}
	t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if month < 1 || t.Day() != day || int(t.Month()) != month {
		return fail("date(%s): there is no day %s", quoted(text), quoted(strings.TrimSpace(m[0])))
	}
	return t.Format(time.DateOnly)
}

// monthOf returns the number of the month with that English name, or with one that begins so with at least three letters; 0
// for any other.
func monthOf(name string) int {
	name = strings.ToLower(name)
	for m := time.January; m <= time.December; m++ {
		if len(name) >= 3 && strings.HasPrefix(strings.ToLower(m.String()), name) || name == "sept" && m == time.September {
			return int(m)
		}
	}
	return 0
}
