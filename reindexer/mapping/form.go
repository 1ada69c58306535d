package mapping

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// tokens are the parts of a date's form, each before those that it begins with: YYYY before YY.
var tokens = []struct {
	name        string
	least, most int // digits; 0: it is a name of letters
}{
	{"YYYY", 4, 4}, {"YY", 2, 2}, {"MONTH", 0, 0}, {"MON", 0, 0}, {"MM", 1, 2}, {"M", 1, 2}, {"DD", 1, 2}, {"D", 1, 2},
}

// timeOfDay may follow a date, and is left out.
var timeOfDay = regexp.MustCompile(`^[T ,]+\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?(?i:[AP]\.?M\.?))?(?:Z|[+-]\d{2}:?\d{2})?$`)

// form is a form of dates: what follows one another.
type form []datePart

// datePart is a part of a date, or a text between two of them.
type datePart struct {
	of          byte // Y, M, D; 0: a text
	text        string
	least, most int // digits; 0: a name of letters
}

// found are the parts of a date as they were found.
type found struct {
	year, month, day int
	digits           int // of the year
}

// parseForm reads a form such as MM/DD/YYYY. Digits may lack leading zeros, unless nothing stands between the parts.
func parseForm(text string) (f form, err error) {
	var has string
	if strings.Contains(text, ";") {
		return nil, fail(`date(%s): several forms are several texts: date("MM/DD/YYYY"; "YYYY-MM-DD")`, quoted(text))
	}
	upper := strings.ToUpper(text)
	packed := !strings.ContainsFunc(upper, func(r rune) bool { return !strings.ContainsRune("YMDONTH", r) })
	for rest := upper; rest != ""; {
		p := datePart{text: rest[:1]}
		for _, t := range tokens {
			if strings.HasPrefix(rest, t.name) {
				p = datePart{of: t.name[0], text: t.name, least: t.least, most: t.most}
				break
			}
		}
		if p.of != 0 && strings.IndexByte(has, p.of) >= 0 {
			return nil, fail("date(%s): a form has one %c", quoted(text), p.of)
		}
		if p.of != 0 {
			has += string(p.of)
		}
		if packed {
			p.least = p.most
		}
		f = append(f, p)
		rest = rest[len(p.text):]
	}
	if len(has) != 3 {
		return nil, fail(`date(%s): a form has a year (YYYY or YY), a month (MM, MON or MONTH) and a day (DD), as "MM/DD/YYYY" has`, quoted(text))
	}
	return f, nil
}

// match reads s as f, whose end a time may follow. Of digits it takes as many as it can, unless what follows does not match then.
func (f form) match(s string, to *found) bool {
	switch {
	case len(f) == 0:
		return s == "" || timeOfDay.MatchString(s)
	case f[0].of == 0:
		rest, ok := strings.CutPrefix(s, f[0].text)
		return ok && f[1:].match(rest, to)
	case f[0].most == 0:
		return f.matchName(s, to)
	}
	for n := f[0].most; n >= f[0].least; n-- {
		if len(s) < n || !allDigits(s[:n]) || !f[1:].match(s[n:], to) {
			continue
		}
		v, _ := strconv.Atoi(s[:n]) // digits
		switch f[0].of {
		case 'Y':
			to.year, to.digits = v, n
		case 'M':
			to.month = v
		case 'D':
			to.day = v
		}
		return true
	}
	return false
}

// matchName is match for a form that begins with a month's name, which a dot may follow.
func (f form) matchName(s string, to *found) bool {
	name := s
	if n := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }); n >= 0 {
		name = s[:n]
	}
	rest := s[len(name):]
	behind, dot := strings.CutPrefix(rest, ".")
	if name == "" || !(dot && f[1:].match(behind, to)) && !f[1:].match(rest, to) {
		return false
	}
	to.month = monthOf(name)
	return true
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

// ErrProgram is what is wrong with a mapping itself, found when it runs: no record is at fault, and none of them is read right.
var ErrProgram = errors.New("the mapping cannot be used")

// forms are the forms of dates that a program has used; it has a few, and uses them for every record.
type forms struct {
	known map[string]form
	wrong error // of the first that is none, which no try of the program hides
}

// of returns the form that a program gave to date.
func (f *forms) of(v any) (form, error) {
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
