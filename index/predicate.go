package index

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"filings/index/address"
)

// Predicate is a condition on a filing. It says itself whether one filing fulfills it; an engine,
// which searches many, compiles it by its type.
type Predicate interface {
	// String returns the canonical text.
	String() string
	// Reads returns the fields that it looks at.
	Reads() []Field
	// holds reports whether it holds for f, of which d is derived.
	holds(f *Filing, d *Derived) bool
}

// AnyOf holds when one of the fields equals one of the values, ignoring case. Values are folded.
// Fields are County, CountyName, State, City, ZIP, FilingType, FilingHolder, OwnerKey,
// PropertyClassification, Categories or ForeclosureStatus; or AddressKey alone, whose values are
// patterns (package address).
type AnyOf struct {
	Fields []Field
	Values []string
	Lists  []List // texts whose items are among the values; see Filter.WithLists
}

// List is a client's text: one value if filings have that value, otherwise its items (rule X64).
type List struct{ Text, Separator string }

// Items splits text at a separator, trims and skips empty items.
func Items(text, separator string) []string {
	parts := strings.Split(text, separator)
	for i := range parts {
		parts[i] = Trim(parts[i])
	}
	return slices.DeleteFunc(parts, func(item string) bool { return item == "" })
}

// Uncut returns values with each list, if it is a value, in place of its items.
func Uncut(values []string, lists []List, isValue func(string) bool) []string {
	for _, list := range lists {
		if !isValue(list.Text) {
			continue
		}
		values = append(slices.Clone(values), list.Text)
		for _, item := range Items(list.Text, list.Separator) {
			if i := slices.Index(values, item); i >= 0 {
				values = slices.Delete(values, i, i+1)
			}
		}
	}
	return values
}

// Not holds where its predicate does not: so for filings without the value too (rule X11).
type Not struct{ Predicate }

// IDs holds when ID is one of these: 1 to MaxIDs of them (rule X10).
type IDs struct{ IDs []int64 }

// MaxIDs is how many ids a client may filter by: as many as a page has filings.
const MaxIDs = 100

// Range holds when the number in Field is at least Min and at most Max; nil is no bound. A filing
// without the number does not match. Fields are FilingAmount, CurrentAmount, LotSizeAcres or
// EquityPercent.
type Range struct {
	Field    Field
	Min, Max *float64
}

// Days holds when FilingDate is First or later and Last or earlier, both YYYY-MM-DD; "" is no
// bound. A filing without a date does not match.
type Days struct{ First, Last string }

// Times holds when CreatedAt is First or later and Last or earlier, to the microsecond; the zero
// time is no bound. A filing without the time does not match.
type Times struct {
	First, Last time.Time
	Clocked     bool // an end is the time of the request: hardly two requests have the same
}

// Micros returns the bounds in microseconds of Unix time.
func (p Times) Micros() (least, greatest int64) {
	least, greatest = NoTime+1, math.MaxInt64
	if !p.First.IsZero() {
		least = p.First.UnixMicro()
	}
	if !p.Last.IsZero() {
		greatest = p.Last.UnixMicro()
	}
	return least, greatest
}

// Present holds when Field has a value. Fields are ForeclosureStatus, PropertyData, Trust or
// Estate.
type Present struct{ Field Field }

// Box holds when the filing's point lies inside, edges included, exactly. West > East crosses the
// antimeridian: then longitudes from West to 180 and from -180 to East are inside.
type Box struct{ North, South, East, West float64 }

// Contains holds when Text or one of Alternatives, which are SearchTexts, is a substring of the
// SearchText of Owner, PropertyAddress, CaseNumber or County.
type Contains struct {
	Text         string
	Alternatives []string
}

// Texts returns Text and Alternatives.
func (p Contains) Texts() []string { return append([]string{p.Text}, p.Alternatives...) }

// Rest holds for the filings from a position in the default order on: those whose FilingDate is
// Date and whose ID is at most ID, and all after them. Date "" stands for filings without one,
// which come last.
type Rest struct {
	Date string
	ID   int64
}

// InCounty selects the filings of counties: `Orange, FL` is that one, `Orange` every county of that
// name (rule P6).
func InCounty(names ...string) Predicate {
	folded := make([]string, len(names))
	for i, name := range names {
		folded[i] = Fold(name)
	}
	return AnyOf{Fields: []Field{County, CountyName}, Values: folded}
}

func (p AnyOf) holds(f *Filing, d *Derived) bool {
	return slices.ContainsFunc(p.Fields, func(field Field) bool { return equals(field, p.Values, f, d) })
}

func (p Not) holds(f *Filing, d *Derived) bool { return !p.Predicate.holds(f, d) }

// equals reports whether a value in field, folded, is one of values. A missing one is not, whatever
// they are.
func equals(field Field, values []string, f *Filing, d *Derived) bool {
	value := ""
	switch field {
	case Categories:
		return slices.ContainsFunc(f.Categories, func(c string) bool { return slices.Contains(values, Fold(c)) })
	case County:
		value = d.County
	case CountyName:
		value = d.CountyName
	case State:
		value = Fold(d.State)
	case City:
		value = d.City
	case ZIP:
		value = d.ZIP
	case AddressKey:
		word := d.AddressWord(f)
		return slices.ContainsFunc(values, func(pattern string) bool { return address.Matches(pattern, word) })
	case OwnerKey:
		value = OwnerKeyOf(f.Text(Owner))
	default:
		value = Fold(f.Text(field))
	}
	return value != "" && slices.Contains(values, value)
}

func (p IDs) holds(f *Filing, _ *Derived) bool { return slices.Contains(p.IDs, f.ID) }

func (p Range) holds(f *Filing, d *Derived) bool {
	v, ok := f.Number(p.Field)
	if p.Field == EquityPercent {
		v, ok = d.EquityPercent, d.HasEquity
	}
	return ok && (p.Min == nil || *p.Min <= v) && (p.Max == nil || v <= *p.Max)
}

func (p Days) holds(f *Filing, _ *Derived) bool {
	day := f.Text(FilingDate)
	return day != "" && p.First <= day && (p.Last == "" || day <= p.Last)
}

func (p Times) holds(f *Filing, _ *Derived) bool {
	least, greatest := p.Micros()
	t := f.CreatedAt.UnixMicro()
	return f.Has(CreatedAt) && least <= t && t <= greatest
}

func (p Present) holds(f *Filing, d *Derived) bool {
	present := f.Has(p.Field)
	switch p.Field {
	case PropertyData:
		present = d.PropertyData
	case Trust:
		present = d.Trust
	case Estate:
		present = d.Estate
	}
	return present
}

func (p Box) holds(f *Filing, _ *Derived) bool { return holdsAt(p, f) }

// Has reports whether a point lies inside, edges included.
func (p Box) Has(point Point) bool {
	east, west := point.Longitude <= p.East, p.West <= point.Longitude
	return p.South <= point.Latitude && point.Latitude <= p.North && (east && west || p.West > p.East && (east || west))
}

func (p Contains) holds(f *Filing, d *Derived) bool {
	texts := append(d.Search[:], SearchText(f.Text(County)))
	return slices.ContainsFunc(p.Texts(), func(term string) bool {
		return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, term) })
	})
}

func (p Rest) holds(f *Filing, _ *Derived) bool {
	day := f.Text(FilingDate) // "" comes last, being before all others
	return day < p.Date || day == p.Date && f.ID <= p.ID
}

func (p AnyOf) Reads() []Field   { return p.Fields }
func (p IDs) Reads() []Field     { return []Field{ID} }
func (p Range) Reads() []Field   { return []Field{p.Field} }
func (p Days) Reads() []Field    { return []Field{FilingDate} }
func (p Times) Reads() []Field   { return []Field{CreatedAt} }
func (p Present) Reads() []Field { return []Field{p.Field} }
func (p Box) Reads() []Field     { return []Field{Latitude, Longitude} }
func (p Circle) Reads() []Field  { return []Field{Latitude, Longitude} }
func (p Polygon) Reads() []Field { return []Field{Latitude, Longitude} }
func (p Rest) Reads() []Field    { return []Field{FilingDate, ID} }

func (p Contains) Reads() []Field { return []Field{Owner, PropertyAddress, CaseNumber, County} }

func (p AnyOf) String() string {
	names := make([]string, len(p.Fields))
	for i, f := range p.Fields {
		names[i] = f.String()
	}
	return list(names) + " in " + quoted(p.Values)
}

func (p Not) String() string { return "not " + p.Predicate.String() }

func (p IDs) String() string {
	ids := make([]string, len(p.IDs))
	for i, id := range p.IDs {
		ids[i] = strconv.FormatInt(id, 10)
	}
	return "id in " + list(ids)
}

// quoted writes a list of texts.
func quoted(texts []string) string {
	values := make([]string, len(texts))
	for i, v := range texts {
		values[i] = strconv.Quote(v)
	}
	return list(values)
}

// list writes a list whose order and repetitions make no difference.
func list(items []string) string {
	slices.SortFunc(items, cmp.Compare[string])
	return "(" + strings.Join(slices.Compact(items), ",") + ")"
}

func (p Range) String() string {
	bound := func(v *float64) string {
		if v == nil {
			return ""
		}
		return string(AppendNumber(nil, *v))
	}
	return p.Field.String() + " in [" + bound(p.Min) + "," + bound(p.Max) + "]"
}

func (p Days) String() string { return "filingDate in [" + p.First + "," + p.Last + "]" }

func (p Times) String() string {
	least, greatest := p.Micros()
	return fmt.Sprintf("createdAt in [%d,%d]", least, greatest)
}

func (p Present) String() string { return p.Field.String() + " present" }

func (p Box) String() string {
	var b []byte
	for _, v := range []float64{p.North, p.South, p.East, p.West} {
		b = append(AppendNumber(b, v), ',')
	}
	return "box(" + string(b[:len(b)-1]) + ")"
}

func (p Contains) String() string {
	if len(p.Alternatives) > 0 {
		return "contains one of " + quoted(p.Texts())
	}
	return "contains " + strconv.Quote(p.Text)
}

func (p Rest) String() string {
	return "rest from (" + p.Date + "," + strconv.FormatInt(p.ID, 10) + ")"
}
