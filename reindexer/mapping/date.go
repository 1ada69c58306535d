package mapping

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// layout is a form of dates as package time has it, or milliseconds.
type layout string

// milliseconds since 1970, as ArcGIS and JavaScript have times.
const milliseconds = "ms"

var (
	// formPart matches a part of a form: YYYY before YY.
	formPart = regexp.MustCompile(`YYYY|YY|MONTH|MON|MM?|DD?`)
	// timeOfDay matches a time after a date, which is ignored.
	timeOfDay = regexp.MustCompile(
		`[T ,]+(\d{1,2}):(\d{2})(?::\d{2}(?:\.\d+)?)?(?: ?((?i:[AP]))\.?(?i:M)\.?)?(Z| UTC|([+-]\d{2})(?::?(\d{2}))?)?$`)
	// monthName matches a name, and dots after it.
	monthName = regexp.MustCompile(`\pL{3,}\.*`)
	digit     = regexp.MustCompile(`\d`)
)

// parseForm reads a form such as MM/DD/YYYY. Digits may lack leading zeros, unless nothing stands
// between the parts, and a dot may follow a month's name.
func parseForm(v any) (layout, error) {
	text, ok := v.(string)
	if !ok {
		return "", fail(`date needs a form, such as date("MM/DD/YYYY")`)
	}
	if strings.Contains(text, ";") {
		return "", fail(`date(%s): several forms are several texts: date("MM/DD/YYYY"; "YYYY-MM-DD")`, quoted(text))
	}
	if text == milliseconds {
		return milliseconds, nil
	}
	upper, letters := strings.ToUpper(text), ""
	for _, part := range formPart.FindAllString(upper, -1) {
		if strings.Contains(letters, part[:1]) {
			return "", fail("date(%s): a form has one %c", quoted(text), part[0])
		}
		letters += part[:1]
	}
	if len(letters) != 3 {
		return "", fail("date(%s): a form has a year (YYYY or YY), a month (MM, MON or MONTH) and a day (DD), "+
			`as "MM/DD/YYYY" has`, quoted(text))
	}
	month, day := "1", "2"
	if strings.Trim(upper, "YMDONTH") == "" {
		month, day = "01", "02"
	}
	parts := strings.NewReplacer("YYYY", "2006", "YY", "06", "MONTH.", "Jan", "MONTH", "Jan", "MON.", "Jan", "MON", "Jan",
		"MM", month, "M", month, "DD", day, "D", day, "_", ":")
	return layout(parts.Replace(upper)), nil
}

// parse reads a date, and leaves out a time of day. One that says its zone is a time of the zone
// that is given, if one is.
func (l layout) parse(s string, zone *time.Location) (time.Time, error) {
	if strings.ContainsRune(s, ':') {
		found := timeOfDay.FindStringSubmatch(s)
		if found != nil && zone != nil && found[4] != "" {
			day, err := l.parse(strings.TrimSuffix(s, found[0]), nil)
			return atTime(day, found).In(zone), err
		}
		s = s[:len(s)-len(timeOfDay.FindString(s))]
	}
	if strings.Contains(string(l), "Jan") {
		s = monthName.ReplaceAllStringFunc(s, shortMonth)
	}
	return time.Parse(string(l), strings.ReplaceAll(s, "_", ":")) // to package time, _2 is a padded day
}

// atTime returns the instant of a day at a time, as timeOfDay finds it with its zone.
func atTime(day time.Time, found []string) time.Time {
	number := func(text string) time.Duration {
		n, _ := strconv.Atoi(text) // digits, or ""
		return time.Duration(n)
	}
	hours, minutes := number(found[1]), number(found[6])
	if found[3] != "" {
		hours %= 12
	}
	if strings.EqualFold(found[3], "P") {
		hours += 12
	}
	if strings.HasPrefix(found[5], "-") {
		minutes = -minutes
	}
	return day.Add((hours-number(found[5]))*time.Hour + (number(found[2])-minutes)*time.Minute)
}

// inMilliseconds returns the day of a number of milliseconds since 1970.
func inMilliseconds(v any, zone *time.Location) any {
	text := fmt.Sprint(v)
	if f, ok := v.(float64); ok {
		text = strconv.FormatFloat(f, 'f', -1, 64)
	}
	n, err := strconv.ParseInt(clean(text), 10, 64)
	if zone == nil {
		zone = time.UTC
	}
	if t := time.UnixMilli(n).In(zone); err == nil && t.Year() > 1600 && t.Year() < 3000 {
		return t.Format(time.DateOnly)
	}
	return fail(`date("ms") cannot read %s; it reads milliseconds since 1970`, quoted(text))
}

// shortMonth returns the first three letters of a month's English name, or of one that begins so;
// any other name as it is.
func shortMonth(name string) string {
	letters := strings.ToLower(strings.TrimRight(name, "."))
	for m := time.January; m <= time.December; m++ {
		if strings.HasPrefix(strings.ToLower(m.String()), letters) || letters == "sept" {
			return name[:3]
		}
	}
	return name
}

// dateIn reads a date in the first of several forms that it has. A time zone may be behind them.
func dateIn(v any, forms []any, f *forms) (result any) {
	zone := f.zone
	if last := len(forms) - 1; last > 0 {
		if named := f.named(forms[last]); named != nil {
			zone, forms = named, forms[:last]
		}
	}
	for _, form := range forms {
		if result = date(v, form, zone, f); !isError(result) {
			return result
		}
	}
	return result
}

// date reads a date in a form and returns it as YYYY-MM-DD. A year of two digits is the last one
// that is not after today. A zone of nil leaves times as they are written.
func date(v, form any, zone *time.Location, f *forms) any {
	l, err := f.layout(form)
	if err != nil {
		return err
	}
	s, ok := v.(string)
	switch v.(type) {
	case int, json.Number: // 20170821 in NDJSON
		s, ok = fmt.Sprint(v), true
	}
	if s = clean(s); v == nil || ok && blankText(s) {
		return nil
	}
	if l == milliseconds {
		return inMilliseconds(v, zone)
	}
	if !ok {
		return cannotRead("date", v)
	}
	t, err := l.parse(s, zone)
	if err != nil {
		if _, err := l.parse(monthName.ReplaceAllString(digit.ReplaceAllString(s, "1"), "Jan"), nil); err != nil {
			return fail("date(%s) cannot read %s", quoted(form.(string)), quoted(s))
		}
		return fail("date(%s): there is no day %s", quoted(form.(string)), quoted(s))
	}
	if t.After(f.today) && !strings.Contains(string(l), "2006") {
		t = t.AddDate(-100, 0, 0)
	}
	return t.Format(time.DateOnly)
}

// ErrProgram is a mistake of a mapping itself, found when it runs: no record is at fault, and none
// of them is read right.
var ErrProgram = errors.New("the mapping cannot be used")

// forms are the layouts of the forms that a program has used; a few, for every record.
type forms struct {
	today time.Time
	known map[string]layout
	zone  *time.Location // of the county; nil: not known
	zones map[string]*time.Location
	wrong error // of the first that is none, which no try of the program hides
}

// layout returns the layout of a form that a program gave to date.
func (f *forms) layout(form any) (layout, error) {
	text, _ := form.(string)
	if known, ok := f.known[text]; ok {
		return known, nil
	}
	l, err := parseForm(form)
	if err != nil {
		f.wrong = err
		return "", err
	}
	f.known[text] = l
	return l, nil
}

// zoneOf returns the time zone of a name, such as America/New_York; nil if it is none.
func zoneOf(name any) *time.Location {
	text, _ := name.(string)
	if !strings.Contains(text, "/") && text != "UTC" {
		return nil
	}
	zone, err := time.LoadLocation(text)
	if err != nil {
		return nil
	}
	return zone
}

// named is zoneOf for a program's argument of date.
func (f *forms) named(name any) *time.Location {
	text, _ := name.(string)
	if _, form := f.known[text]; form {
		return nil
	}
	zone, known := f.zones[text]
	if known {
		return zone
	}
	if zone = zoneOf(name); zone == nil {
		if l, err := parseForm(name); err == nil {
			f.known[text] = l // a zone is looked up in files
		}
		return nil
	}
	if f.zones == nil {
		f.zones = map[string]*time.Location{}
	}
	f.zones[text] = zone
	return zone
}
