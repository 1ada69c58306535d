package inspect

import (
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
	looks string   // what the column has to look like, as fits says
}

// anything is how a column may look that is read as a text, other than a point.
const anything = "anything"

// people are who an address or a name may be of, other than the property or its owner.
const people = `buyer|purchaser|bidder|holder|creditor|plaintiff|grantee|attorney|agent|contact|inspector|officer`

var rules = []rule{
	{"caseNumber", []string{`\bcase\b`, `\bticket`, `\bcert`, `\b(lien|bill|docket) ?(no|num|number|nbr|id)`, `\binst`,
		`\bdoc`, `\b(tax )?account\b`}, `\b(date|type|status|name|detail|url)\b`, anything},
	{"owner", []string{`^owner( name)?( 1)?$`, `\bowner`, `\bdeed name`, `\btaxpayer`, `\bdebtor`, `\bgrantor`,
		`\bdefendant`, `\bviolator`, `\bentity\b`, `^name`, ` name$`},
		`\b(` + people + `|addr\w*|street|road|city|state|zip|phone|e ?mail|mailing|type|date|code|id|no|count|` +
			`county|file|court|agency|department|district|neighborhood|subdivision|school)\b`, ""},
	{"propertyAddress", []string{`\bprop(erty)? addr`, `\bsitus`, `\b(site|violation) addr`, `\blocation`, `^address$`,
		`^street( addr)?`, `\baddr`, `^line ?1$`},
		`\b(` + people + `|mail\w*|billing|owner|taxpayer|violator|debtor|defendant|grantor|e ?mail|ip|web)\b`, ""},
	{"filingAmount", []string{`\b(winning|final) bid`, `\bface\b`, `\bprincipal`, `\bjudge?ment (amount|amt)`,
		`\b(amount|amt) (due|owed)`, `\btotal (due|amount|amt)`, `\b(amount|amt|consideration)`,
		`^(lien|judge?ment|fine|bid)$`, `\bbid\b`, `\b(due|total|balance|tax|taxes)\b`},
		// Numbers that are no amounts of a filing.
		`\b(years?|yr|counts?|number|no|num|id|zip|account|parcel|` +
			`discounts?|min|minimum|start|starting|opening|excess|rate|percent|district)\b`, amount},
	{"filingDate", []string{`\b(filing|filed|recorded|recording|issue|issued) ?(date)?`, `\bsold\b`, `\bsale date`,
		`\bassign\w* date`, `\b(entered|docketed|rec|file) ?(date|dt|on)$`, `^date\b`, `\bdate$`}, "", "date"},
	{"filingHolder", []string{`\bholder`, `\bpurchaser`, `\bbuyer`, `\bcreditor`, `\bplaintiff`, `\bgrantee`},
		`\b(addr\w*|city|state|zip|id|date|type)\b`, ""},
	{"filingType", []string{`\b(filing|lien|document|doc|instrument|case) type`, `^(lien|filing)$`}, "", ""},
}

// shownOthers is how many other columns are named that a field may be read from.
const shownOthers = 3

// propose returns a mapping to begin with. The county is that which the operator names, "" for
// none.
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
		switch {
		case len(found) > 0:
			taken[found[0]] = true
			row := f.reading(r, found[0])
			for _, other := range found[1:min(len(found), shownOthers+1)] {
				if other != found[0] {
					row.Or = append(row.Or, f.reading(r, other))
				}
			}
			rows = append(rows, row)
		case r.field == "filingType":
			rows = append(rows, mapping.Row{Field: r.field, Columns: []string{`"` + mapping.TypePlaceholder + `"`}})
		}
	}
	return append(rows, f.place()...)
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

// addressWord is the end of a name of an address, after what says whose it is.
var addressWord = regexp.MustCompile(` ?(street addr\w*|addr\w*( ?(line )?1)?|street|location|line ?1)$`)

// parts returns the other columns of an address, which have the same words before theirs: the city
// of the owner is none of the property's.
func (f *File) parts(street *column) (labels []string) {
	whose := strings.TrimSuffix(street.path, mapping.Member(street.name))
	prefix := strings.TrimSpace(addressWord.ReplaceAllString(words(street.name), ""))
	for _, part := range []string{`city( name)?`, `(state( code)?|st)`, `zip( ?code)?`} {
		name := "^" + strings.TrimSpace(regexp.QuoteMeta(prefix)+" "+part) + "$"
		for _, c := range f.find(rule{names: []string{name}, looks: anything}) {
			if c.path == whose+mapping.Member(c.name) {
				labels = append(labels, c.label())
				break
			}
		}
	}
	return labels
}

// notFiling matches names of columns that describe the export, or what happened after the filing.
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
				!slices.Contains(found, c) &&
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
		{"geocodedLatitude", []string{`^(y )?lat(itude)?\b`, `\blat(itude)?$`}, "", number},
		{"geocodedLongitude", []string{`^(x )?(lon|lng|long|longitude)\b`, `\b(lon|lng|long|longitude)$`}, "", number},
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
