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
	"unicode/utf8"

	"filings/index"
)

// value is a parameter's value, read by its kind.
type value struct {
	text    string         // Text, OwnerName (its key), Term, Choice (as in Choices), State (upper case), Segment (decoded), Generation
	texts   []string       // NameStart (its tokens), Texts, Names, ChoiceList, Counties, FieldNames and Origins (lower case), never empty
	ids     []int64        // IDs, never empty, each once
	wrong   string         // the first item that a list does not take
	corners []index.Corner // Point, and Corners
	decimal index.Decimal  // Number
	number  float64        // of it, what the operator compares with: see bound
	integer int64
	is      bool
	day     time.Time // Day, and the first one of a Month
}

// read reads s, which is not empty and, unless p is in the path, trimmed. ok is false where it does
// not have the form that p.Form describes; some is false for a list without items.
func (p *Parameter) read(s string) (v value, some, ok bool) {
	ok = true
	switch p.Kind {
	case Text:
		v.text = s
	case OwnerName:
		v.text = index.OwnerKeyOf(s)
		ok = v.text != ""
	case NameStart:
		v.texts = index.NameTokens(s)
		ok = len(v.texts) > 0 && utf8.RuneCountInString(s) <= MaxTerm
	case Term:
		v.text = index.Squeeze(s)
		ok = utf8.RuneCountInString(v.text) <= MaxTerm
	case Texts, Names, ChoiceList, Counties, IDs, FieldNames, Origins:
		return p.readList(items(s, p.separator()))
	case Integer:
		v.integer, ok = readInteger(s)
		ok = ok && p.within(float64(v.integer))
	case Number:
		v.decimal, ok = index.ParseDecimal(s)
		v.number = p.bound(v.decimal)
		ok = ok && p.within(v.decimal.Least()) && p.within(v.decimal.Greatest())
	case Boolean:
		v.is = s == "true" || s == "1"
		ok = v.is || s == "false" || s == "0"
	case Choice:
		i := slices.IndexFunc(p.Choices, func(c string) bool { return c == s || p.anyCase && index.Fold(c) == index.Fold(s) })
		if ok = i >= 0; ok {
			v.text = p.Choices[i]
		}
	case Day:
		v.day, ok = readTime(time.DateOnly, s)
	case Month:
		v.day, ok = readTime("2006-01", s)
	case State:
		v.text, ok = strings.ToUpper(s), isState(s)
	case Generation:
		v.text, ok = s, index.ValidGenerationID(s)
	case Point, Corners:
		return p.readPoints(items(s, ";"))
	case Segment:
		text, err := url.PathUnescape(s)
		v.text, ok = strings.TrimSpace(text), err == nil && utf8.ValidString(text)
	}
	return v, true, ok
}

// readList reads the items of a list. Of more ids than there may be, none is wrong.
func (p *Parameter) readList(list []string) (v value, some, ok bool) {
	v.texts = list
	for i, item := range list {
		switch id, isInteger := readInteger(item); {
		case (p.Kind == ChoiceList || p.Kind == FieldNames) && !slices.Contains(p.Choices, item),
			p.Kind == Counties && !isCounty(item),
			p.Kind == IDs && (!isInteger || id < 1),
			p.Kind == Origins && !isOrigin(strings.ToLower(item)):
			v.wrong = item
			return v, true, false
		case p.Kind == Origins:
			list[i] = strings.ToLower(item)
		case p.Kind == IDs:
			v.ids = append(v.ids, id)
		}
	}
	slices.Sort(v.ids)
	v.ids = slices.Compact(v.ids)
	return v, len(list) > 0, len(v.ids) <= index.MaxIDs && (p.Most == 0 || len(list) <= p.Most && !repeats(list))
}

// readPoints reads latitudes and longitudes, each pair an item. Of a number of points that there
// may not be, none is wrong.
func (p *Parameter) readPoints(list []string) (v value, some, ok bool) {
	for _, item := range list {
		first, second, _ := strings.Cut(item, ",")
		lat, isLat := index.ParseDecimal(strings.TrimSpace(first))
		lon, isLon := index.ParseDecimal(strings.TrimSpace(second))
		if !isLat || !isLon || !lat.Within(-90, 90) || !lon.Within(-180, 180) || len(item) > mostOfPoint {
			v.wrong = item
			return v, true, false
		}
		v.corners = append(v.corners, index.Corner{Latitude: lat, Longitude: lon})
	}
	n := len(v.corners)
	return v, true, p.Kind == Point && n == 1 || p.Kind == Corners && index.MinCorners <= n && n <= index.MaxCorners
}

// mostOfPoint is how many characters a point has at the most: corners are compared digit by digit,
// and far fewer say where on Earth an atom is.
const mostOfPoint = 80

// origin is the form of the origin of a web page as browsers send it. They leave out the port of
// the scheme.
var origin = regexp.MustCompile(`^(https?)://([a-z0-9_.-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?$`)

// isOrigin reports whether text is an origin as browsers send it: with a port that there is, and is
// not the scheme's.
func isOrigin(text string) bool {
	match := origin.FindStringSubmatch(text)
	if match == nil || match[3] == "" {
		return match != nil
	}
	port, err := strconv.ParseUint(match[3][1:], 10, 16)
	return err == nil && match[3][1] != '0' && port != map[string]uint64{"https": 443, "http": 80}[match[1]]
}

// repeats reports whether an item is there twice.
func repeats(items []string) bool {
	sorted := slices.Sorted(slices.Values(items))
	return len(slices.Compact(sorted)) < len(items)
}

// isCounty reports whether county is one with its state, as in "Orange, FL", or the name of some,
// which may have commas. Several of them, separated by commas as other lists are, would look like
// one of a long name: that is a slip.
func isCounty(county string) bool {
	parts := strings.Split(county, ",")
	for i, part := range parts {
		part = strings.TrimSpace(part)
		if part == "" || i > 0 && isState(part) && i < len(parts)-1 {
			return false
		}
	}
	return true
}

// tier is the lowest one that shows all fields that p looks at.
func (p *Parameter) tier() index.Tier {
	highest := index.Free
	for _, field := range p.fields {
		highest = max(highest, field.Reveals())
	}
	return highest
}

// reveals is the tier whose values can be found by p with the value v; Free for a value that
// filters nothing.
func (p *Parameter) reveals(v value) index.Tier {
	if p.op == opPresent && !v.is || p.op == opForeclosure && v.text == "all" {
		return index.Free
	}
	return p.tier()
}

// List reports whether p takes several values, separated by commas, repeated, or both (rule P4).
func (p *Parameter) List() bool {
	return slices.Contains([]Kind{Texts, Names, ChoiceList, Counties, IDs, FieldNames, Origins}, p.Kind)
}

// empty reports whether text, which is trimmed, is no value: it counts as not given (rule P4).
func (p *Parameter) empty(text string) bool {
	return text == "" || p.List() && len(items(text, p.separator())) == 0
}

// separator is what separates the items of p, which is a list or has corners. Names and points hold
// commas.
func (p *Parameter) separator() string {
	if p.Kind == Counties || p.Kind == Names || p.Kind == Corners {
		return ";"
	}
	return ","
}

// Clamped reports whether a value above Max becomes Max instead of being refused (rule P1).
func (p *Parameter) Clamped() bool { return p.op == opLimit || p.op == opFirstGroups }

// within reports whether v is inside p's limits.
func (p *Parameter) within(v float64) bool {
	return (p.Min == nil || v >= *p.Min) && (p.Max == nil || v <= *p.Max || p.Clamped())
}

// Form says what the values of p look like, to go after "must be".
func (p *Parameter) Form() string {
	switch p.Kind {
	case OwnerName:
		return "a name, which has a letter or digit"
	case NameStart:
		return fmt.Sprintf("1 to %d characters, with a letter or digit", MaxTerm)
	case Term:
		return fmt.Sprintf("1 to %d characters", MaxTerm)
	case Integer, Number:
		return p.numberForm()
	case Boolean:
		return "true, false, 1 or 0"
	case Choice:
		form := "one of " + strings.Join(p.Choices, ", ")
		if p.anyCase {
			form += " (in any case)"
		}
		return form
	case ChoiceList:
		if p.Most > 0 {
			return "one or two of " + strings.Join(p.Choices, ", ") + ", each once"
		}
		return "a list of " + strings.Join(p.Choices, ", ")
	case Counties:
		return "a list of counties, as in Orange, FL or Orange, separated by semicolons"
	case IDs:
		return fmt.Sprintf("a list of at most %d ids, which are integers from 1 to %d", index.MaxIDs, math.MaxInt64)
	case FieldNames:
		return "a list of a filing's fields"
	case Origins:
		return fmt.Sprintf("a list of 1 to %d origins, each once, as browsers send them: "+
			"https://, host, and the port unless that is 443 (of http:// 80)", p.Most)
	case Day:
		return "a day as YYYY-MM-DD"
	case Month:
		return "a month as YYYY-MM"
	case State:
		return "two letters"
	case Segment:
		return "percent-encoded UTF-8"
	case Point:
		return "a latitude from -90 to 90 and a longitude from -180 to 180, as in " + p.Example
	case Corners:
		return fmt.Sprintf("%d to %d corners separated by semicolons, each a latitude from -90 to 90 and a longitude from -180 to 180, as in %s",
			index.MinCorners, index.MaxCorners, p.Example)
	case Generation:
		return "the id of a generation such as " + p.Example
	}
	return "text"
}

func (p *Parameter) numberForm() string {
	what := "a plain decimal number"
	if p.Kind == Integer {
		what = "an integer"
	}
	switch {
	case p.Min == nil:
		return what + " such as " + p.Example
	case p.InPath && p.Max == nil:
		return fmt.Sprintf("%s from %v to %d", what, *p.Min, math.MaxInt64)
	case p.Max == nil:
		return fmt.Sprintf("%s, %v or more", what, *p.Min)
	case p.Kind == Integer:
		return fmt.Sprintf("between %v and %v", *p.Min, *p.Max) // the specification's words for limit
	}
	return fmt.Sprintf("%s between %v and %v", what, *p.Min, *p.Max)
}

// items splits s at a separator, trims and skips empty items.
func items(s, separator string) []string {
	parts := strings.Split(s, separator)
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return slices.DeleteFunc(parts, func(item string) bool { return item == "" })
}

// readInteger reads an integer as people write it: what strconv also reads ("+1") is refused.
func readInteger(s string) (int64, bool) {
	v, err := strconv.ParseInt(s, 10, 64)
	return v, err == nil && s[0] != '+'
}

// bound returns the number that stands for d among those that filings have: it selects the same
// ones.
func (p *Parameter) bound(d index.Decimal) float64 {
	switch p.op {
	case opAtLeast, opSouth, opWest:
		return d.Least()
	case opAtMost, opNorth, opEast, opRadius:
		return d.Greatest()
	}
	return d.Nearest
}

func readTime(layout, s string) (time.Time, bool) {
	t, err := time.Parse(layout, s)
	return t, err == nil && len(s) == len(layout)
}

// isState reports whether s has the form of a state's abbreviation.
func isState(s string) bool { return len(s) == 2 && strings.Trim(s, letters) == "" }

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
