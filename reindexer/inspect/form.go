package inspect

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"filings/reindexer/mapping"
)

// form is a form that values may have, how a table reads it, and the values that it did not fit.
type form struct {
	looks     string // as a person reads it
	how       string
	try       func(any) bool
	failed    int64
	exception string // the first value that failed
	line      int
	day       func(any) (any, bool) // of a date
	future    int64                 // dates after today
	last      string                // the last of these
}

// dateForms are the forms of dates that are tried.
var dateForms = []string{
	"YYYY-MM-DD", "MM/DD/YYYY", "MM/DD/YY", "YYYY/MM/DD", "MM-DD-YYYY", "MM-DD-YY", "YYYYMMDD", "DD-MON-YYYY", "DD-MON-YY",
	"MON DD, YYYY", "MONTH DD, YYYY", "DD MON YYYY", "DD.MM.YYYY", "DD/MM/YYYY", "DD/MM/YY", "DD-MM-YYYY", "DD-MM-YY",
}

var (
	isCounty  = regexp.MustCompile(`^[^,]+, [A-Z]{2}$`)
	twoLetter = regexp.MustCompile(`^[A-Z]{2}$`)
)

// The forms that are no dates. Those of a county and a state are texts that a county is read from.
const (
	number = "number"
	amount = "amount"
	point  = "point"
	county = "county, state"
	state  = "two letters"
)

// formsOf returns the forms that are tried of a column.
func formsOf(today time.Time) []*form {
	dates := make([]*form, len(dateForms))
	for i, d := range dateForms {
		read := mapping.Reads("date", today, d)
		dates[i] = &form{looks: "date " + d, how: "date " + d, day: read,
			try: func(v any) bool { _, ok := read(v); return ok }}
	}
	accepts := func(function string) func(any) bool {
		read := mapping.Reads(function, today)
		return func(v any) bool { _, ok := read(v); return ok }
	}
	matches := func(re *regexp.Regexp) func(any) bool {
		return func(v any) bool { s, _ := v.(string); return re.MatchString(s) }
	}
	canPoint := accepts("point")
	return append(slices.Clone(dates), severalDates(dates),
		&form{looks: "date ms", how: "date ms", try: isMilliseconds},
		&form{looks: number, how: "number", try: accepts("number")},
		&form{looks: amount, how: "money", try: accepts("money")},
		// "1.234,50" is an amount in Europe; points have parentheses, or are west of Greenwich
		&form{looks: point, try: func(v any) bool {
			s, text := v.(string)
			return (!text || strings.ContainsAny(s, "(-[")) && canPoint(v)
		}},
		&form{looks: "JSON in a text, which fromjson reads", try: matches(regexp.MustCompile(`^\s*[{\[]"?\S`))},
		&form{looks: county, try: matches(isCounty)}, &form{looks: state, try: matches(twoLetter)})
}

// isMilliseconds reports whether a value may be a number of milliseconds since 1970, of whole
// seconds from 1973 on.
func isMilliseconds(v any) bool {
	n, err := strconv.ParseInt(fmt.Sprint(v), 10, 64)
	return err == nil && n > 1e11 && n < 4e12 && n%1000 == 0
}

// mostDateForms is in how many forms the dates of a column may be.
const mostDateForms = 3

// severalDates is the form of dates of which each has one of a few forms. A day before its month is
// none of these, since one up to the 12th would be read as a month.
func severalDates(dates []*form) *form {
	several, chosen, names := &form{}, []*form(nil), []string(nil)
	several.try = func(v any) bool {
		reads := func(f *form) bool { return f.try(v) }
		if slices.ContainsFunc(chosen, reads) {
			return true
		}
		i := slices.IndexFunc(dates, reads)
		if i < 0 || len(chosen) == mostDateForms ||
			swapped(dates[i].how) != "" && strings.HasPrefix(dates[i].how, "date DD") {
			return false
		}
		chosen, names = append(chosen, dates[i]), append(names, strings.TrimPrefix(dates[i].how, "date "))
		several.how = "date " + strings.Join(names, " or ")
		several.looks = several.how
		return true
	}
	return several
}

// swapped returns the form of dates in which day and month have changed places; "" where no number
// tells which is which.
func swapped(how string) string {
	if strings.Contains(how, "MON") || strings.Contains(how, "YYYYMM") || strings.HasPrefix(how, "date YYYY") ||
		strings.Contains(how, " or ") {
		return ""
	}
	return strings.NewReplacer("MM", "DD", "DD", "MM").Replace(how)
}

// note counts a date that is after today.
func (f *form) note(v any, today string) {
	if f.day == nil {
		return
	}
	day, _ := f.day(v)
	if text, _ := day.(string); text > today {
		f.future, f.last = f.future+1, max(f.last, text)
	}
}

// exceptions says which values the form does not fit; "" where it fits all.
func (f *form) exceptions() string {
	if f.failed == 0 || f.looks == "" {
		return ""
	}
	return fmt.Sprintf("but for %d: %s (line %d)", f.failed, f.exception, f.line)
}
