package mapping

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// dateIn reads a date in the first of several forms that it has.
func dateIn(v any, of []any, r *run) (result any) {
	for _, form := range of {
		if result = date(v, form, r); !isError(result) {
			return result
		}
	}
	return result
}

// date reads a date in a form and returns it as YYYY-MM-DD. A year of two digits is the last one
// that is not after today.
func date(v, formOf any, r *run) any {
	f, err := r.forms.of(formOf)
	if err != nil {
		return err
	}
	s, ok := v.(string)
	switch {
	case Blank(v):
		return nil
	case !ok:
		switch v := v.(type) {
		case int, json.Number: // 20170821 in NDJSON
			s = fmt.Sprint(v)
		default:
			return cannotRead("date", v)
		}
	}
	s = strings.TrimSpace(s)
	year, month, day, digits, ok := f.match(s)
	if !ok {
		return fail("date(%s) cannot read %s", quoted(formOf.(string)), quoted(s))
	}
	date := func() time.Time { return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC) }
	if digits == 2 {
		if year += r.today.Year() / 100 * 100; date().After(r.today) {
			year -= 100
		}
	}
	t := date()
	if month < 1 || t.Day() != day || int(t.Month()) != month {
		return fail("date(%s): there is no day %s", quoted(formOf.(string)), quoted(s))
	}
	return t.Format(time.DateOnly)
}
