package inspect

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"filings/reindexer/mapping"
)

// rule says which columns a field may be read from: those of the first pattern that matches a name
// before others, and among these the ones with most values.
type rule struct {
	field string
	names []string // patterns, folded; words are separated by blanks
	not   string   // pattern of names that are something else
	looks string   // the form of the column's values, as fits says
	weak  string   // pattern of other names, which are named and not taken
}

// anything is how a column may look that is read as a text, other than a point.
const anything = "anything"

// people are who an address or a name may be of, other than the property or its owner.
const people = `buyer|purchaser|bidder|holder|creditor|plaintiff|grantee|attorney|agent|contact|inspector|officer`

var rules = []rule{
	{"caseNumber", []string{`\bcase\b`, `\bticket`, `\bcert`, `\b(lien|bill|docket) ?(no|num|number|nbr|id)`, `\binst`,
		`\bdoc`, `\b(tax )?account\b`}, `\b(date|time|type|status|name|detail|url)\b`, anything, ""},
	{"owner", []string{`^owner( name)?( 1)?$`, `\bowner`, `\bdeed name`, `\btaxpayer`, `\bdebtor`, `\bgrantor`,
		`\bdefendant`, `\bviolator`, `\bentity\b`, `^name`, ` name$`},
		`\b(` + people + `|addr\w*|street|road|city|state|zip|phone|e ?mail|mailing|type|date|code|id|no|count|` +
			`county|file|court|agency|department|district|neighborhood|subdivision|school|township|plat|condo\w*|bank|` +
			`lender|mortgage\w*|judge|clerk|doc\w*|query|project|legal|business type)\b`, "", ""},
	{"propertyAddress", []string{`\bprop(erty)? addr`, `\bsitus`, `\b(site|violation) addr`, `\blocation`, `^address$`,
		`^street( addr)?`, `\baddr`, `^line ?1$`},
		`\b(` + people + `|mail\w*|billing|owner|taxpayer|violator|debtor|defendant|grantor|e ?mail|ip|web|type)\b`, "", ""},
	{"filingAmount", []string{`\b(winning|final) bid`, `\bface\b`, `\bprincipal`, `\bjudge?ment (amount|amt)`,
		`\b(amount|amt) (due|owed)`, `\btotal (due|amount|amt)`, `\b(amount|amt|consideration)`,
		`^(lien|judge?ment|fine|bid)$`, vague},
		// Numbers that are no amounts of a filing.
		`\b(years?|yr|counts?|number|no|num|id|zip|account|parcels?|days?|` +
			`discounts?|min|minimum|start|starting|opening|upset|excess|rate|percent|district|class|code|paid|` +
			`acre\w*|acreage|sq|square|f(ee)?t|score|ratio|lot|block|ward|map|key|bed\w*|bath\w*)\b`, amount, rarely},
	{"filingDate", []string{`\b(filing|filed|file|recorded|recording|rec|issue|issued) ?(date|dt|on)?$`, `\bsold\b`,
		`\bsale date`, `\bassign\w* date`, `\b(entered|docketed) ?(date|dt|on)?$`, `^date\b`, `\bdate$`},
		`\b(last|birth|born|dob|print(ed)?|run|report|expir\w*|download(ed)?|due|maturity|as of)\b`, "date", ""},
	{"filingHolder", []string{`\bholder`, `\bpurchaser`, `\bbuyer`, `\bcreditor`, `\bplaintiff`, `\bgrantee`},
		`\b(addr\w*|city|state|zip|id|date|type)\b`, "", ""},
	{"filingType", []string{`\b(filing|lien|document|doc|instrument|case) type`, `^(lien|filing)$`}, "", "", ""},
}

// vague are names of amounts, and of numbers: only with cents or a dollar sign are they amounts.
const vague = `\b(bid|due|total|balance|tax|taxes)\b`

// rarely are names of amounts that are rarely those of a filing.
const rarely = `\b(bid|price|owed|payoff|sold for|paid)\b`

// shownOthers is how many other columns are named that a field may be read from.
const shownOthers = 3

// propose returns a mapping to begin with. The operator names the county, "" for none.
func (f *File) propose(county string) []mapping.Row {
	id := f.idColumns()
	rows := []mapping.Row{f.idRow(id), f.countyRow(county)}
	taken := map[*column]bool{}
	for _, r := range rules {
		found := f.find(r)
		if r.field == "caseNumber" && len(id) > 0 && caseLike(id[0]) {
			found = append([]*column{id[0]}, found...)
		}
		found = slices.DeleteFunc(found, func(c *column) bool { return taken[c] })
		var weak []mapping.Row
		for _, c := range f.find(rule{names: []string{cmp.Or(r.weak, "$^")}, looks: r.looks}) {
			if !slices.Contains(found, c) {
				weak = append(weak, f.reading(r, c))
			}
		}
		switch {
		case len(found) == 0 && len(weak) > 0:
			weak = weak[:min(len(weak), shownOthers)]
			rows = append(rows, mapping.Row{Field: r.field, Or: weak,
				Sure: "unsure: nothing says that one of these is " + r.field})
		case len(found) > 0:
			taken[found[0]] = true
			row := f.reading(r, found[0])
			for _, second := range found[1:min(len(found), shownOthers+1)] {
				if second != found[0] {
					row.Or = append(row.Or, f.reading(r, second))
				}
			}
			row.Sure = f.sure(r, found[0], len(row.Or))
			rows = append(rows, row)
			if r.field == "propertyAddress" {
				rows = append(rows, f.cityRow(found[0])...)
			}
		case r.field == "filingType":
			rows = append(rows, mapping.Row{Field: r.field, Columns: []string{`"` + mapping.TypePlaceholder + `"`}})
		}
	}
	return append(append(rows, f.place()...), nothingRow(taken)...)
}

// sure says how sure it is that a field is read from a column, beside which others are named.
func (f *File) sure(r rule, c *column, alternatives int) string {
	said := "sure"
	named := func(pattern string) bool { return regexp.MustCompile(pattern).MatchString(words(c.name)) }
	switch first := slices.IndexFunc(r.names, named); {
	case percent(c.filled, f.records) < 50:
		said = fmt.Sprintf("unsure: %.1f%% of the records have it", percent(c.filled, f.records))
	case c.ambiguous() != "":
		said = "unsure: the values have another form too"
	case alternatives > 0 && 2*first >= len(r.names):
		said = "unsure: the names of others fit as well"
	case 2*first >= len(r.names):
		said = "likely: by its name alone"
	case alternatives > 0:
		said = "likely: its name fits better than those of the others"
	}
	return said
}

// cityRow reads the city of an address from a column of its own, if that has no state behind it.
func (f *File) cityRow(street *column) []mapping.Row {
	for _, c := range f.partsOf(street, 0) {
		if c.fits("") && !slices.ContainsFunc(c.values, func(v value) bool { return withState.MatchString(v.text) }) {
			return []mapping.Row{{Field: "city", Columns: []string{c.label()}}}
		}
	}
	return nil
}

// withState matches a city with its state behind it, as JSON.
var withState = regexp.MustCompile(`[ ,][A-Z]{2} *"$`)

// nothingRow names the words for nothing in the columns that are read, if there are any.
func nothingRow(read map[*column]bool) []mapping.Row {
	words := map[string]bool{}
	for c := range read {
		for word := range c.nothing {
			words[strings.ToLower(word)] = true
		}
	}
	if len(words) == 0 {
		return nil
	}
	return []mapping.Row{{Field: mapping.Nothing, Columns: slices.Sorted(maps.Keys(words))}}
}

// caseLike reports whether a column of an id says the number of a case or of a property.
func caseLike(c *column) bool {
	return idNames[0].MatchString(words(c.name)) || idNames[1].MatchString(words(c.name))
}

func (f *File) idRow(id []*column) mapping.Row {
	row := mapping.Row{Field: "id", Columns: []string{`"` + mapping.IDPlaceholder + `"`},
		Notes: []string{"no three columns tell all records apart, those aside that count the rows"}}
	if len(id) > 0 {
		row.Columns, row.Notes = nil, nil
	}
	for _, c := range id {
		row.Columns = append(row.Columns, c.label())
		row.Sure = "likely: all differ in this file"
	}
	for _, c := range f.columns {
		if !slices.Contains(id, c) && len(row.Or) < shownOthers && f.unique(c) {
			row.Or = append(row.Or, mapping.Row{Field: row.Field, Columns: []string{c.label()}})
		}
	}
	return row
}

// countyRow reads the county and its state of columns, where the operator names none.
func (f *File) countyRow(named string) mapping.Row {
	row := mapping.Row{Field: "county", Columns: []string{`"` + mapping.CountyPlaceholder + `"`}}
	found := f.find(rule{names: []string{`^county( name)?$`}})
	switch {
	case named != "":
		row.Columns[0] = `"` + named + `"`
	case len(found) > 0 && found[0].fits(county):
		row.Columns[0] = found[0].label()
	case len(found) > 0:
		row.How, row.Columns = "join", []string{found[0].label(), `"` + mapping.StatePlaceholder + `"`}
		// One state alone is rarely that of the people's addresses.
		if states := f.find(rule{names: []string{`^(county )?(state|st)( code)?$`}, looks: state}); len(states) > 0 &&
			len(states[0].values) == 1 {
			row.Columns[1] = states[0].label()
		}
	}
	return row
}

// reading returns how a field is read from a column.
func (f *File) reading(r rule, c *column) mapping.Row {
	row, form := mapping.Row{Field: r.field, Columns: []string{c.label()}}, c.form()
	switch r.looks {
	case "", anything:
		if r.field == "propertyAddress" {
			if row.Columns = append(row.Columns, f.parts(c)...); len(row.Columns) > 1 {
				row.How = "join"
			}
		}
		return row
	case amount:
		row.How = "money"
	default:
		row.How = form.how
	}
	if said := form.exceptions(); said != "" {
		row.How += mapping.OrNothing
		row.Notes = append(row.Notes, said)
	}
	if said := c.ambiguous(); said != "" {
		row.Notes = append(row.Notes, said)
	}
	return row
}

// addressWord is the end of a name of an address, after the words that say whose it is.
var addressWord = regexp.MustCompile(` ?(street addr\w*|addr\w*( ?(line )?1)?|street|location|line ?1)$`)

// addressParts are the names of the parts of an address after the street.
var addressParts = []string{`city( name)?`, `(state( code)?|st)`, `zip( ?code)?`}

// parts returns the other columns of an address.
func (f *File) parts(street *column) (labels []string) {
	for part := range addressParts {
		for _, c := range f.partsOf(street, part) {
			labels = append(labels, c.label())
		}
	}
	return labels
}

// partsOf returns the column of a part of an address, which has the same words before its own: the
// city of the owner is none of the property's. It may have none, if no other address is in the file.
func (f *File) partsOf(street *column, part int) []*column {
	parent := strings.TrimSuffix(street.path, mapping.Member(street.name))
	names := []string{strings.TrimSpace(addressWord.ReplaceAllString(words(street.name), ""))}
	if !slices.ContainsFunc(f.columns, func(c *column) bool { return otherAddress.MatchString(words(c.name)) }) {
		names = append(names, "")
	}
	for _, prefix := range names {
		name := "^" + strings.TrimSpace(regexp.QuoteMeta(prefix)+" "+addressParts[part]) + "$"
		for _, c := range f.find(rule{names: []string{name}, looks: anything}) {
			if c.path == parent+mapping.Member(c.name) {
				return []*column{c}
			}
		}
	}
	return nil
}

// otherAddress matches names of addresses of people.
var otherAddress = regexp.MustCompile(`\b(` + people +
	`|mail\w*|billing|owner|taxpayer|violator|debtor|deed)\b.*\b(addr|city|street|state)`)

// notFiling matches names of columns that describe the export, or events after the filing.
var notFiling = regexp.MustCompile(`\b(scraped?|fetched|updated|modified|exported|generated|` +
	`released?|redeemed|redemption|paid|exonerated)\b`)

// find returns the columns for a rule, the best first.
func (f *File) find(r rule) (found []*column) {
	for _, pattern := range r.names {
		re, begin := regexp.MustCompile(pattern), len(found)
		for _, c := range f.columns {
			name := words(c.name)
			fits := r.looks == anything && !c.fits(point) || r.looks != anything && c.fits(r.looks)
			if c.filled > 0 && fits && !c.lists && re.MatchString(name) && !notFiling.MatchString(name) &&
				!slices.Contains(found, c) && (pattern != vague && pattern != rarely || c.cents) &&
				(r.not == "" || !regexp.MustCompile(r.not).MatchString(name)) {
				found = append(found, c)
			}
		}
		slices.SortStableFunc(found[begin:], func(a, b *column) int { return int(b.filled - a.filled) })
	}
	return found
}

// place maps coordinates, where there are any.
func (f *File) place() (rows []mapping.Row) {
	for _, r := range []rule{
		{"geocodedLatitude", []string{`^(y )?lat(itude)?\b`, `\blat(itude)?$`}, "", number, ""},
		{"geocodedLongitude", []string{`^(x )?(lon|lng|long|longitude)\b`, `\b(lon|lng|long|longitude)$`}, "", number, ""},
	} {
		if found := f.find(r); len(found) > 0 {
			rows = append(rows, f.reading(r, found[0]))
		}
	}
	if len(rows) == 2 {
		return rows
	}
	for _, c := range f.columns {
		if c.filled == 0 || !c.fits(point) {
			continue
		}
		var rows []mapping.Row
		for field, how := range map[string]string{"geocodedLatitude": "latitude", "geocodedLongitude": "longitude"} {
			row := mapping.Row{Field: field, How: how, Columns: []string{c.label()}}
			if said := c.form().exceptions(); said != "" {
				row.How, row.Notes = how+mapping.OrNothing, []string{said}
			}
			rows = append(rows, row)
		}
		slices.SortFunc(rows, func(a, b mapping.Row) int { return strings.Compare(a.Field, b.Field) })
		return rows
	}
	return nil
}

// label returns how a table names c.
func (c *column) label() string { return mapping.ColumnOf(c.path, c.name) }
