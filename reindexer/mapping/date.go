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

// date reads a date in a form and returns it as YYYY-MM-DD. A year of two digits is the last one that is not after today.
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
	var d found
	if !f.match(s, &d) {
		return fail("date(%s) cannot read %s", quoted(formOf.(string)), quoted(s))
	}
	if d.digits == 2 {
		d.year += r.today.Year() / 100 * 100
		if time.Date(d.year, time.Month(d.month), d.day, 0, 0, 0, 0, time.UTC).After(r.today) {
			d.year -= 100
		}
	}
	t := time.Date(d.year, time.Month(d.month), d.day, 0, 0, 0, 0, time.UTC)
	if d.month < 1 || t.Day() != d.day || int(t.Month()) != d.month {
		return fail("date(%s): there is no day %s", quoted(formOf.(string)), quoted(s))
	}
	return t.Format(time.DateOnly)
}
