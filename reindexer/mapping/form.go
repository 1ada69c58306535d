package mapping

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// formPart matches a part of a date's form: YYYY before YY.
var formPart = regexp.MustCompile(`YYYY|YY|MONTH|MON|MM?|DD?`)

// timeOfDay may follow a date, and is left out.
const timeOfDay = `(?:[T ,]+\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?(?i:[AP]\.?M\.?))?(?:Z| UTC|[+-]\d{2}(?::?\d{2})?)?)?`

// form is a form of dates.
type form struct {
	text  *regexp.Regexp
	parts string // Y, M and D, in the order of the groups of text
}

// parseForm reads a form such as MM/DD/YYYY. Digits may lack leading zeros, unless nothing stands
// between the parts, and a dot may follow a month's name.
func parseForm(text string) (*form, error) {
	if strings.Contains(text, ";") {
		return nil, fail(`date(%s): several forms are several texts: date("MM/DD/YYYY"; "YYYY-MM-DD")`, quoted(text))
	}
	upper, digits := strings.ToUpper(text), `(\d{1,2})`
	if strings.Trim(upper, "YMDONTH") == "" {
		digits = `(\d{2})`
	}
	parts, pattern, end := "", "^", 0
	for _, at := range formPart.FindAllStringIndex(upper, -1) {
		part := upper[at[0]:at[1]]
		if strings.Contains(parts, part[:1]) {
			return nil, fail("date(%s): a form has one %c", quoted(text), part[0])
		}
		parts += part[:1]
		pattern += regexp.QuoteMeta(upper[end:at[0]])
		end = at[1]
		switch {
		case part[0] == 'Y':
			pattern += fmt.Sprintf(`(\d{%d})`, len(part))
		case len(part) > 2:
			pattern += `(\pL+)\.?`
		default:
			pattern += digits
		}
	}
	if len(parts) != 3 {
		return nil, fail(`date(%s): a form has a year (YYYY or YY), a month (MM, MON or MONTH) and a day (DD), as "MM/DD/YYYY" has`, quoted(text))
	}
	matches, err := regexp.Compile(pattern + regexp.QuoteMeta(upper[end:]) + timeOfDay + "$")
	return &form{matches, parts}, err
}

// match returns the parts of the date that s has in the form, and how many digits its year has.
func (f *form) match(s string) (year, month, day, digits int, ok bool) {
	found := f.text.FindStringSubmatch(s)
	if found == nil {
		return 0, 0, 0, 0, false
	}
	for i, part := range found[1:] {
		v, err := strconv.Atoi(part)
		switch {
		case err != nil:
			month = monthOf(part)
		case f.parts[i] == 'Y':
			year, digits = v, len(part)
		case f.parts[i] == 'M':
			month = v
		default:
			day = v
		}
	}
	return year, month, day, digits, true
}

// monthOf returns the number of the month with that English name, or with one that begins so with
// at least three letters; 0 for any other.
func monthOf(name string) int {
	name = strings.ToLower(name)
	for m := time.January; m <= time.December; m++ {
		if len(name) >= 3 && strings.HasPrefix(strings.ToLower(m.String()), name) || name == "sept" && m == time.September {
			return int(m)
		}
	}
	return 0
}

// ErrProgram is what is wrong with a mapping itself, found when it runs: no record is at fault, and
// none of them is read right.
var ErrProgram = errors.New("the mapping cannot be used")

// forms are the forms of dates that a program has used; it has a few, and uses them for every
// record.
type forms struct {
	known map[string]*form
	wrong error // of the first that is none, which no try of the program hides
}

// of returns the form that a program gave to date.
func (f *forms) of(v any) (*form, error) {
	text, ok := v.(string)
	if known := f.known[text]; ok && known != nil {
		return known, nil
	}
	parsed, err := parseForm(text)
	if !ok {
		err = fail(`date needs a form, such as date("MM/DD/YYYY")`)
	}
	if err != nil {
		f.wrong = err
		return nil, err
	}
	f.known[text] = parsed
	return parsed, nil
}
