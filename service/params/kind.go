package params

import (
	"fmt"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"filings/index"
)

// point is the pattern of a latitude and a longitude.
const point = `-?\d+(\.\d+)?([eE][+-]?\d+)?,-?\d+(\.\d+)?([eE][+-]?\d+)?`

// degrees names the form of a latitude and a longitude, in messages.
const degrees = "a latitude from -90 to 90 and a longitude from -180 to 180, as in {example}"

// The table of kinds.
var (
	Text  = &Kind{Type: "string", form: "text", read: readText}
	Texts = &Kind{List: true, Separator: ",", whole: true, Type: "string", form: "text", read: listOf(anyText)}
	Names = &Kind{List: true, Separator: ";", whole: true, Type: "string", form: "text", // with commas
		read: listOf(anyText)}
	AnyCounties = &Kind{List: true, Separator: ";", Type: "string", read: listOf(anyText),
		form: "a list of at most {most}, separated by semicolons"}

	Counties = &Kind{List: true, Separator: ";", Type: "string", Pattern: `^[^,;\s][^,;]*(, *[A-Za-z]{2})?$`,
		form: "a list of counties, as in Orange, FL or Orange, separated by semicolons", read: listOf(county)}
	IDs = &Kind{List: true, Separator: ",", Type: "integer", Format: "int64", read: readIDs,
		form: fmt.Sprintf("a list of at most {most} ids, which are integers from 1 to %d", math.MaxInt64)}
	FieldNames = &Kind{List: true, Separator: ",", Type: "string",
		form: "a list of a filing's fields", read: listOf(chosen)}
	ChoiceList = &Kind{List: true, Separator: ",", Enum: true, Type: "string",
		form: "a list of {choices}", read: listOf(chosen)}
	Dimensions = &Kind{List: true, Separator: ",", Enum: true, Unique: true, Type: "string",
		form: "one or two of {choices}, each once", read: listOf(chosen)}
	States = &Kind{List: true, Separator: ",", Type: "string", read: listOf(state),
		form: "a list of states: their codes, such as FL, or their names"}
	ZIPs = &Kind{List: true, Separator: ",", Type: "string", Pattern: `^[0-9]{5}$`, read: listOf(zip),
		form: "a list of at most {most} ZIP codes of five digits"}
	Origins = &Kind{List: true, Separator: ",", once: true, Type: "string", read: listOf(origin), // of web pages
		form: "a list of 1 to {most} origins, each once, as browsers send them: https://, host, and the port " +
			"unless that is 443 (of http:// 80)"}

	OwnerNames = &Kind{List: true, Separator: ";", Type: "string", read: listOf(ownerName), // with commas
		form: "a name, which has a letter or digit, or up to {most} of them, separated by semicolons"}
	Addresses = &Kind{List: true, Separator: ";", Type: "string", read: listOf(addressText),
		form: "an address that begins with a house number and a street, such as 12 Elm St, Orlando, FL, or up to {most} of " +
			"them, separated by semicolons"}
	NameStart = &Kind{Type: "string", Longest: MaxTerm, read: readNameStart, // of owners
		form: fmt.Sprintf("1 to %d characters, with a letter or digit", MaxTerm)}
	Label = &Kind{Type: "string", Longest: maxLabel, read: readLabel, // of a token
		form: fmt.Sprintf("1 to %d characters that can be seen", maxLabel)}
	Term    = &Kind{Type: "string", Longest: MaxTerm, form: fmt.Sprintf("1 to %d characters", MaxTerm), read: readTerm}
	Segment = &Kind{Type: "string", form: "percent-encoded UTF-8", read: readSegment} // in the path
	State   = &Kind{Type: "string", Pattern: `^[A-Za-z]{2}$`, form: "two letters", read: readState}

	Integer = &Kind{Type: "integer", Format: "int64", read: readInteger}
	Number  = &Kind{Type: "number", Format: "double", read: readNumber}
	Boolean = &Kind{Type: "boolean", form: "true, false, 1 or 0", read: readBoolean}
	Choice  = &Kind{Enum: true, Type: "string", form: "one of {choices}", read: readChoice}
	Day     = &Kind{Type: "string", Format: "date", form: "a day as YYYY-MM-DD", read: timeAs(time.DateOnly)}
	Time    = &Kind{Type: "string", read: readTime,
		form: "a day as YYYY-MM-DD, or a time with its zone such as 2026-01-31T09:30:00Z"}
	Month = &Kind{Type: "string", Pattern: `^\d{4}-(0[1-9]|1[0-2])$`,
		form: "a month as YYYY-MM", read: timeAs("2006-01")}

	Generation = &Kind{Type: "string", Pattern: `^\d{8}-\d{6}\.\d{6}$`,
		form: "the id of a generation such as {example}", read: readGeneration}
	Point   = &Kind{Type: "string", Pattern: "^" + point + "$", form: degrees, read: readPoint}
	Corners = &Kind{Separator: ";", Type: "string", read: readCorners, // of a polygon
		Pattern: fmt.Sprintf("^%s(;%s){%d,%d}$", point, point, index.MinCorners-1, index.MaxCorners-1),
		form: fmt.Sprintf("%d to %d corners separated by semicolons, each %s",
			index.MinCorners, index.MaxCorners, degrees)}
)

// Form names the form of the values of p, to go after "must be".
func (p *Parameter) Form() string {
	if p.Kind.form == "" {
		return numberForm(p)
	}
	form := strings.NewReplacer("{example}", p.Example, "{choices}", strings.Join(p.Choices, ", "),
		"{most}", strconv.Itoa(p.Most)).Replace(p.Kind.form)
	if p.anyCase {
		form += " (in any case)"
	}
	return form
}

func numberForm(p *Parameter) string {
	form := "a plain decimal number"
	if p.Kind.Type == "integer" {
		form = "an integer"
	}
	switch {
	case p.Min == nil:
		return form + " such as " + p.Example
	case p.InPath && p.Max == nil:
		return fmt.Sprintf("%s from %v to %d", form, *p.Min, math.MaxInt64)
	case p.Max == nil:
		return fmt.Sprintf("%s, %v or more", form, *p.Min)
	case p.Kind.Type == "integer":
		return fmt.Sprintf("between %d and %d", int64(*p.Min), int64(*p.Max)) // the specification's words for limit
	}
	return fmt.Sprintf("%s between %v and %v", form, *p.Min, *p.Max)
}

func readText(_ *Parameter, s string) (value, bool) { return value{text: s}, true }

func ownerName(_ *Parameter, text string) (string, bool) {
	key := index.OwnerKeyOf(text)
	return key, key != ""
}

func addressText(_ *Parameter, text string) (string, bool) {
	return text, index.AddressPatterns(text) != nil
}

func readNameStart(_ *Parameter, s string) (value, bool) {
	tokens := index.NameTokens(s)
	return value{texts: tokens}, len(tokens) > 0 && utf8.RuneCountInString(s) <= MaxTerm
}

func readLabel(_ *Parameter, s string) (value, bool) {
	return value{text: s}, utf8.RuneCountInString(s) <= maxLabel &&
		!strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

// readTerm reads a text whose runs of white space are one blank.
func readTerm(_ *Parameter, s string) (value, bool) {
	term := index.Squeeze(s)
	return value{text: term}, utf8.RuneCountInString(term) <= MaxTerm
}

func readSegment(_ *Parameter, s string) (value, bool) {
	text, err := url.PathUnescape(s)
	return value{text: index.Trim(text)}, err == nil && utf8.ValidString(text)
}

func readState(_ *Parameter, s string) (value, bool) {
	return value{text: strings.ToUpper(s)}, isState(s)
}

func readGeneration(_ *Parameter, s string) (value, bool) {
	return value{text: s}, index.ValidGenerationID(s)
}

func readInteger(p *Parameter, s string) (value, bool) {
	n, ok := parseInteger(s)
	ok = ok && !(p.InPath && strings.ContainsAny(s, "eE"))
	ok = ok && p.takes(float64(n))
	if ok && p.Clamped {
		n = min(n, int64(*p.Max))
	}
	return value{integer: n}, ok
}

func readNumber(p *Parameter, s string) (value, bool) {
	d, ok := parseNumber(s)
	return value{decimal: d}, ok && p.takes(d.Least()) && p.takes(d.Greatest())
}

func readBoolean(_ *Parameter, s string) (v value, ok bool) {
	switch s {
	case "true", "1":
		v.text = "true"
	case "false", "0":
		v.text = "false"
	}
	return v, v.text != ""
}

func readChoice(p *Parameter, s string) (value, bool) {
	i := slices.IndexFunc(p.Choices, func(c string) bool {
		return c == s || p.anyCase && index.Fold(c) == index.Fold(s)
	})
	if i < 0 {
		return value{}, false
	}
	return value{text: p.Choices[i], choice: i}, true
}

// timeAs reads a day, or the first day of a month.
func timeAs(layout string) func(*Parameter, string) (value, bool) {
	return func(_ *Parameter, s string) (value, bool) {
		t, err := time.Parse(layout, s)
		return value{day: t}, err == nil && len(s) == len(layout)
	}
}

// readTime reads a day, or a time with its zone.
func readTime(_ *Parameter, s string) (v value, ok bool) {
	if t, err := time.Parse(time.DateOnly, s); err == nil {
		return value{day: t, end: t.AddDate(0, 0, 1).Add(-time.Microsecond)}, true
	}
	t, err := time.Parse(time.RFC3339, strings.Replace(s, " ", "+", 1)) // as clients send a plus
	return value{day: t.Add(time.Microsecond - 1), end: t}, err == nil
}

// listOf reads a list whose items item takes.
func listOf(item func(p *Parameter, text string) (string, bool)) func(*Parameter, string) (value, bool) {
	return func(p *Parameter, s string) (v value, ok bool) {
		v.texts = index.Items(s, p.Kind.Separator)
		for i, text := range v.texts {
			if v.texts[i], ok = item(p, text); !ok {
				v.wrong = text
				return v, false
			}
		}
		if p.Kind.Unique || p.Kind.once {
			return v, len(v.texts) <= p.Most && !hasDuplicates(v.texts)
		}
		v.miscounted = p.Most > 0 && len(v.texts) > p.Most
		return v, !v.miscounted
	}
}

func state(_ *Parameter, text string) (string, bool) {
	if code := index.StateOf(text); code != "" {
		return code, true
	}
	return strings.ToUpper(text), isState(text)
}

func zip(_ *Parameter, text string) (string, bool) {
	return text, len(text) == 5 && strings.Trim(text, "0123456789") == ""
}

func anyText(_ *Parameter, text string) (string, bool) { return text, true }

func chosen(p *Parameter, text string) (string, bool) { return text, slices.Contains(p.Choices, text) }

// county takes a county with its state, as in "Orange, FL", or the name of some, which may have
// commas. Several of them, separated by commas as other lists are, would look like one of a long
// name: that is a slip.
func county(_ *Parameter, text string) (string, bool) {
	parts := strings.Split(text, ",")
	for i, part := range parts {
		part = index.Trim(part)
		if part == "" || i > 0 && isState(part) && i < len(parts)-1 {
			return text, false
		}
	}
	return text, true
}

// originForm is the form of a page's origin as browsers send it. They leave out the scheme's port.
var originForm = regexp.MustCompile(`^(https?)://([a-z0-9_.-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?$`)

// origin takes an origin as browsers send it: with a port that there is, and is not the scheme's.
func origin(_ *Parameter, text string) (string, bool) {
	text = strings.ToLower(text)
	match := originForm.FindStringSubmatch(text)
	if match == nil || match[3] == "" {
		return text, match != nil
	}
	port, err := strconv.ParseUint(match[3][1:], 10, 16)
	ofScheme := map[string]uint64{"https": 443, "http": 80}[match[1]]
	return text, err == nil && match[3][1] != '0' && port != ofScheme
}

func readIDs(p *Parameter, s string) (v value, _ bool) {
	v.texts = index.Items(s, p.Kind.Separator)
	for _, text := range v.texts {
		id, ok := parseInteger(text)
		if !ok || !p.takes(float64(id)) {
			v.wrong = text
			break
		}
		v.ids = append(v.ids, id)
	}
	slices.Sort(v.ids)
	v.ids = slices.Compact(v.ids)
	v.miscounted = len(v.ids) > p.Most
	return v, v.wrong == "" && !v.miscounted
}

func readPoint(_ *Parameter, s string) (value, bool) {
	v, ok := points(s)
	return v, ok && len(v.corners) == 1
}

func readCorners(_ *Parameter, s string) (value, bool) {
	v, ok := points(s)
	n := len(v.corners)
	v.miscounted = ok && (n < index.MinCorners || n > index.MaxCorners)
	return v, ok && !v.miscounted
}

// longestPoint is how many characters a point has at the most: corners are compared digit by digit,
// and far fewer say where on Earth an atom is.
const longestPoint = 80

// points reads latitudes and longitudes, each pair an item.
func points(s string) (v value, ok bool) {
	for _, item := range index.Items(s, ";") {
		first, second, _ := strings.Cut(item, ",")
		lat, isLat := parseNumber(strings.TrimSpace(first))
		lon, isLon := parseNumber(strings.TrimSpace(second))
		if !isLat || !isLon || !lat.Fits(-90, 90) || !lon.Fits(-180, 180) ||
			len(lat.String()+lon.String()) > longestPoint {
			v.wrong = item
			return v, false
		}
		v.corners = append(v.corners, index.Corner{Latitude: lat, Longitude: lon})
	}
	return v, true
}

// hasDuplicates reports whether an item is there twice.
func hasDuplicates(items []string) bool {
	sorted := slices.Sorted(slices.Values(items))
	return len(slices.Compact(sorted)) < len(items)
}

// parseNumber reads a number. A plus of its exponent that was not escaped is a blank.
func parseNumber(s string) (index.Decimal, bool) {
	if i := strings.IndexAny(s, "eE") + 1; i > 0 && strings.HasPrefix(s[i:], " ") {
		s = s[:i] + s[i+1:]
	}
	return index.ParseDecimal(s)
}

// parseInteger reads an integer as people write it: strconv also reads "+1", which is refused.
func parseInteger(s string) (int64, bool) {
	if strings.ContainsAny(s, "eE") {
		d, ok := parseNumber(s)
		if !ok {
			return 0, false
		}
		s = d.String()
	}
	v, err := strconv.ParseInt(s, 10, 64)
	return v, err == nil && s[0] != '+'
}

// isState reports whether s has the form of a state's abbreviation.
func isState(s string) bool { return len(s) == 2 && strings.Trim(s, letters) == "" }

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
