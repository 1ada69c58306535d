package inspect

import (
	"fmt"
	"hash/maphash"
	"regexp"
	"slices"
	"strings"

	"filings/reindexer/mapping"
)

// rule says which columns a field may be read from: the first pattern that matches a name wins, and among the columns that it
// matches the one with most values.
type rule struct {
	field string
	names []string // patterns, folded; words are separated by blanks
	looks string   // what the column has to look like; "": any text
}

var rules = []rule{
	{"caseNumber", []string{`\bcase\b`, `\bcert`, `\blien (no|num|id)`, `\bbill (no|num)`, `\binst`, `\bdoc`, `\b(tax )?account\b`}, ""},
	{"owner", []string{`^owner( name)?( 1)?$`, `\bowner`, `\btaxpayer`, `\bdebtor`, `\bgrantor`, `\bdefendant`, `\bentity\b`, `^name`}, ""},
	{"propertyAddress", []string{`\bprop(erty)? addr`, `\bsitus`, `\bsite addr`, `\blocation`, `^address$`, `^street( addr)?`, `\baddr`, `^line ?1$`}, ""},
	{"filingAmount", []string{`\b(winning|final) bid`, `\bface\b`, `\bprincipal`, `\b(amount|amt) (due|owed)`, `\btotal (due|amount|amt)`, `\b(amount|amt|consideration)`, `\bbid\b`, `\b(due|total|balance|tax|taxes)\b`}, "amount"},
	{"filingDate", []string{`\b(filing|filed|recorded|recording|issue|issued) ?(date)?`, `\bsold\b`, `\bsale date`, `\bassign\w* date`, `\b(entered|docketed|rec|file) ?(date|dt|on)$`, `^date\b`, `\bdate$`}, "date"},
	{"filingHolder", []string{`\bholder`, `\bpurchaser`, `\bbuyer`, `\bcreditor`, `\bplaintiff`, `\bgrantee`}, ""},
}

// separators stand between the words of names, as does a change to upper case.
var (
	separators = regexp.MustCompile(`[^a-z0-9]+`)
	camel      = regexp.MustCompile(`([a-z0-9])([A-Z])`)
)

func words(name string) string {
	return strings.TrimSpace(separators.ReplaceAllString(strings.ToLower(camel.ReplaceAllString(name, "$1 $2")), " "))
}

// propose returns a mapping to begin with.
func (f *File) propose() string {
	var b strings.Builder
	member := func(name, value string) { fmt.Fprintf(&b, "  %s: %s,\n", name, value) }
	county := quote(mapping.CountyPlaceholder)
	if c := f.find(rule{names: []string{`^county( name)?$`}}); c != nil {
		county = "(" + c.path + ` + ", ST")`
	}
	b.WriteString(county + " as $county | {\n")
	member("id", f.id())
	member("county", "$county")
	taken := map[*column]bool{}
	for _, r := range rules {
		if c := f.find(r); c != nil && !taken[c] {
			taken[c] = true
			member(r.field, f.reading(r, c))
		}
	}
	if c := f.find(rule{names: []string{`\b(filing|lien|document|doc) type`, `^(lien|filing)$`}}); c != nil {
		member("filingType", "("+c.path+" | blank)")
	} else {
		member("filingType", quote(mapping.TypePlaceholder))
	}
	f.place(member)
	return strings.TrimSuffix(b.String(), ",\n") + "\n}\n"
}

// reading returns how a field is read from a column.
func (f *File) reading(r rule, c *column) string {
	if r.looks != "" {
		if r.looks == "amount" {
			return "(" + c.path + " | money)"
		}
		form, _ := c.form()
		return "(" + c.path + " | " + form.read + ")"
	}
	if !c.quoted {
		return "(" + c.path + " | if . == null then . else tostring end)"
	}
	if r.field == "propertyAddress" {
		if parts := f.parts(c); len(parts) > 1 {
			return "([" + strings.Join(parts, ", ") + "] | map(blank // empty) | join(\", \"))"
		}
	}
	return "(" + c.path + " | blank)"
}

// parts returns the paths of an address's parts, if it stands in several columns.
func (f *File) parts(street *column) (paths []string) {
	paths = []string{street.path}
	for _, name := range []string{`^(prop(erty)?|situs|site)? ?city( name)?$`, `^(prop(erty)?|situs|site)? ?(state( code)?|st)$`, `^(prop(erty)?|situs|site)? ?zip( ?code)?$`} {
		if c := f.find(rule{names: []string{name}}); c != nil {
			paths = append(paths, c.path)
		}
	}
	return paths
}

// beside matches names of columns about the record itself, not about what it says, and about what became of it later, which is
// no date of a filing.
var beside = regexp.MustCompile(`\b(scraped?|fetched|updated|modified|exported|generated|released?|redeemed|redemption|paid|exonerated)\b`)

// noAmount matches names of columns that have numbers, and no amounts of a filing.
var noAmount = regexp.MustCompile(`\b(years?|yr|counts?|number|no|num|zip|discounts?|min|minimum|start|starting|opening|excess)\b`)

// find returns the column for a rule, or nil.
func (f *File) find(r rule) (found *column) {
	for _, pattern := range r.names {
		re := regexp.MustCompile(pattern)
		for _, c := range f.columns {
			if c.filled > 0 && !beside.MatchString(words(c.name)) && !strings.HasPrefix(c.path, ".geometry.") && !c.lists && re.MatchString(words(c.name)) && c.fits(r.looks) && (found == nil || c.filled > found.filled) {
				found = c
			}
		}
		if found != nil {
			return found
		}
	}
	return nil
}

func (c *column) fits(looks string) bool {
	form, ok := c.form()
	switch looks {
	case "":
		return true
	case "amount":
		return !noAmount.MatchString(words(c.name)) && (!c.quoted || ok && (form.looks == "amount" || form.looks == "number"))
	}
	return ok && strings.HasPrefix(form.looks, looks)
}

// place maps coordinates, where there are any.
func (f *File) place(member func(name, value string)) {
	lat, lon := f.find(rule{names: []string{`^(y )?lat(itude)?\b`, `\blat(itude)?$`}}), f.find(rule{names: []string{`^(x )?(lon|lng|long|longitude)\b`, `\b(lon|lng|long|longitude)$`}})
	switch point := f.point(); {
	case lat != nil && lon != nil:
		member("geocodedLatitude", numeric(lat))
		member("geocodedLongitude", numeric(lon))
	case point != nil:
		member("geocodedLatitude", "("+point.path+" | point | .latitude?)")
		member("geocodedLongitude", "("+point.path+" | point | .longitude?)")
	case f.byPath[".geometry.coordinates"] != nil: // GeoJSON
		member("geocodedLatitude", "(.geometry | if .type == \"Point\" then .coordinates[1] else null end)")
		member("geocodedLongitude", "(.geometry | if .type == \"Point\" then .coordinates[0] else null end)")
	}
}

func numeric(c *column) string {
	if !c.quoted {
		return c.path
	}
	return "(" + c.path + " | number)"
}

func (f *File) point() *column {
	for _, c := range f.columns {
		if form, ok := c.form(); ok && form.looks == "point" {
			return c
		}
	}
	return nil
}

// idNames are names of columns that ids are made of.
var idNames = regexp.MustCompile(`\b(id|no|num|number|case|cert\w*|bill|inst\w*|doc\w*|account|parcel|apn|pin|schedule|year|lien)\b`)

// An id is made of so many columns at most, of so many that are tried.
const (
	mostParts      = 3
	mostCandidates = 12
)

// id returns an id: of one column whose values are all different, or of the fewest whose values together are; of columns with
// names of ids, or else of any that every record has.
func (f *File) id() string {
	var named, all []*column
	for _, c := range f.columns {
		if c.filled < f.records || c.lists {
			continue
		}
		all = append(all, c)
		if idNames.MatchString(words(c.name)) {
			named = append(named, c)
		}
	}
	for _, candidates := range [][]*column{named, slices.Concat(named, all)} {
		candidates = candidates[:min(len(candidates), mostCandidates)]
		for n := 1; n <= mostParts; n++ {
			if parts := f.distinct(candidates, nil, n); parts != nil {
				return "id($county; " + strings.Join(parts, "; ") + ")"
			}
		}
	}
	return `error("no three columns tell all records apart")`
}

// distinct returns the paths of n of the candidates, chosen ones included, whose values together are different in all records.
func (f *File) distinct(candidates, chosen []*column, n int) []string {
	if n == 0 {
		if !f.allDiffer(chosen) {
			return nil
		}
		paths := make([]string, len(chosen))
		for i, c := range chosen {
			paths[i] = c.path
		}
		return paths
	}
	for i, c := range candidates {
		if paths := f.distinct(candidates[i+1:], append(chosen[:len(chosen):len(chosen)], c), n-1); paths != nil {
			return paths
		}
	}
	return nil
}

func (f *File) allDiffer(columns []*column) bool {
	seen := make(map[uint64]struct{}, f.rows)
	for row := range f.rows {
		var all uint64
		for _, c := range columns {
			if row >= len(c.hashes) {
				return false
			}
			all = maphash.Comparable(seed, [2]uint64{all, c.hashes[row]})
		}
		if _, again := seen[all]; again {
			return false
		}
		seen[all] = struct{}{}
	}
	return f.rows > 0
}
