package service

import "filings/index"

// parameter is one row of the table of query parameters.
type parameter struct {
	name, legacy string // legacy: another name that still works (rule P20)
	on           endpoints
	required     bool // its absence and its emptiness are mistakes
	kind         kind
	min, max     *float64 // limits of a number
	choices      []string // the values that a choice, or an item of a list of choices, may have
	op           operator
	fields       []index.Field // what op looks at
	fallback     string        // what holds when it is not given, as text for documentation
	help         string
	example      string
}

// endpoints is a set of endpoints that take parameters.
type endpoints uint8

const (
	onList endpoints = 1 << iota
	onSearch
	onCountyStats
	onClusters

	onPages   = onList | onSearch
	onFilings = onPages | onClusters
)

// kind is the form of a parameter's values.
type kind uint8

const (
	text     kind = iota
	texts         // comma-separated
	term          // text whose runs of white space are one blank, 1 to maxTerm characters
	integer       // plain decimal
	number        // plain decimal
	boolean       // true, false, 1 or 0
	choice        // one of choices
	choices       // comma-separated, each one of choices
	word          // one of choices, in any case
	day           // YYYY-MM-DD
	month         // YYYY-MM
	stateAbb      // two letters
)

// operator is what a parameter does to a question.
type operator uint8

const (
	opEqual       operator = iota // one of fields equals one of the values
	opInCounty                    // the county, or every county of that name
	opContains                    // a substring of the searched fields
	opAtLeast                     // fields[0] is at least the number
	opAtMost                      // fields[0] is at most the number
	opLastDays                    // recorded so many days ago or later
	opInMonth                     // recorded in that month
	opFrom                        // recorded on that day or later
	opTo                          // recorded on that day or earlier
	opPresent                     // fields[0] is present; false is no filter
	opForeclosure                 // show, hide, active, all
	opNorth                       // edges of a box
	opSouth
	opEast
	opWest
	opSortBy
	opSortOrder
	opLimit
	opOffset
	opState
	opZoom
)

// Limits of values.
const (
	defaultLimit, maxLimit = 20, 100
	maxDays                = 36_500 // about a century, and far from where dates overflow
	maxTerm                = 200    // characters
	maxZoom                = 22     // where web maps end
)

func at(v float64) *float64 { return &v }

// parameters is the table of parameters. Parsing, error messages, unknown names and documentation range over it; their
// order in it is the order in which mistakes are reported. hasDataName is the legacy name of has_property_data.
func parameters(hasDataName string) []parameter {
	return []parameter{
		{name: "q", on: onSearch, required: true, kind: term, op: opContains,
			help: "Search term: a substring, ignoring case, of owner, property address, case number or county.", example: "maple"},
		{name: "county", on: onFilings, kind: text, op: opInCounty,
			help: "County, as in `Orange, FL`; `Orange` is every county of that name.", example: "Orange, FL"},
		{name: "city", on: onFilings, kind: text, op: opEqual, fields: []index.Field{index.City},
			help: "City.", example: "Fern Park"},
		{name: "min_amount", on: onFilings, kind: number, op: opAtLeast, fields: []index.Field{index.FilingAmount},
			help: "Smallest filing amount, dollars.", example: "1000"},
		{name: "max_amount", on: onFilings, kind: number, op: opAtMost, fields: []index.Field{index.FilingAmount},
			help: "Largest filing amount, dollars.", example: "25000.50"},
		{name: "filing_type", legacy: "lien_type", on: onFilings, kind: text, op: opEqual, fields: []index.Field{index.FilingType},
			help: "One filing type. With filing_types: any of all of them.", example: "Tax Lien"},
		{name: "filing_types", legacy: "lien_types", on: onFilings, kind: texts, op: opEqual, fields: []index.Field{index.FilingType},
			help: "Comma-separated filing types, any of them.", example: "Tax Lien,Municipal Lien"},
		{name: "date_range", on: onFilings, kind: integer, min: at(1), max: at(maxDays), op: opLastDays,
			help: "Recorded in the last N days.", example: "30"},
		{name: "month", on: onFilings, kind: month, op: opInMonth,
			help: "Recorded in that month.", example: "2026-01"},
		{name: "date_start", on: onFilings, kind: day, op: opFrom,
			help: "Recorded on that day or later.", example: "2026-01-01"},
		{name: "date_end", on: onFilings, kind: day, op: opTo,
			help: "Recorded on that day or earlier.", example: "2026-01-31"},
		{name: "categories", on: onFilings, kind: choices, choices: index.CategoryValues, op: opEqual, fields: []index.Field{index.Categories},
			help: "Comma-separated categories, any of them.", example: "residential,land"},
		{name: "property_type", on: onFilings, kind: text, op: opEqual, fields: []index.Field{index.PropertyClassification, index.Categories},
			help: "Property classification, or one of the categories.", example: "residential"},
		{name: "has_property_data", legacy: hasDataName, on: onFilings, kind: boolean, op: opPresent, fields: []index.Field{index.PropertyData},
			help: "`true`: only filings with enriched property data. `false` is no filter.", example: "true"},
		{name: "min_equity_percent", on: onFilings, kind: number, min: at(0), max: at(100), op: opAtLeast, fields: []index.Field{index.EquityPercent},
			help: "Smallest estimated equity, in percent of the estimated value.", example: "40"},
		{name: "foreclosure_filter", on: onFilings, kind: choice, choices: []string{"show", "hide", "active", "all"}, op: opForeclosure,
			fields: []index.Field{index.ForeclosureStatus},
			help:   "`show`: only filings with a foreclosure status; `hide`: only those without; `active`: only active ones; `all`: no filter.", example: "active"},
		{name: "min_acres", on: onFilings, kind: number, min: at(0), op: opAtLeast, fields: []index.Field{index.LotSizeAcres},
			help: "Smallest lot size, acres.", example: "0.25"},
		{name: "max_acres", on: onFilings, kind: number, min: at(0), op: opAtMost, fields: []index.Field{index.LotSizeAcres},
			help: "Largest lot size, acres.", example: "5"},
		{name: "bounds_north", on: onFilings, kind: number, min: at(-90), max: at(90), op: opNorth,
			help: "Northern latitude of a box. The four bounds apply only when all are given; clusters needs them.", example: "28.7"},
		{name: "bounds_south", on: onFilings, kind: number, min: at(-90), max: at(90), op: opSouth,
			help: "Southern latitude of the box.", example: "28.3"},
		{name: "bounds_east", on: onFilings, kind: number, min: at(-180), max: at(180), op: opEast,
			help: "Eastern longitude of the box.", example: "-81.2"},
		{name: "bounds_west", on: onFilings, kind: number, min: at(-180), max: at(180), op: opWest,
			help: "Western longitude of the box; beyond the eastern one: the box crosses the antimeridian.", example: "-81.6"},
		{name: "zoom", on: onClusters, required: true, kind: integer, min: at(0), max: at(maxZoom), op: opZoom,
			help: "Zoom level of the client's map: web mercator, tiles of 256 pixels.", example: "12"},
		{name: "sort_by", on: onSearch, kind: word, choices: sortNames(), op: opSortBy, fallback: "record_date",
			help: "Sort by recording date, original amount, outstanding amount, owner, or when the record was added.", example: "filing_amount"},
		{name: "sort_order", on: onSearch, kind: word, choices: []string{"ASC", "DESC"}, op: opSortOrder, fallback: "DESC",
			help: "Direction of the sort. Filings without the value come last in both.", example: "ASC"},
		{name: "limit", on: onPages, kind: integer, min: at(1), max: at(maxLimit), op: opLimit, fallback: "20",
			help: "Page size. Above 100 becomes 100.", example: "50"},
		{name: "offset", on: onPages, kind: integer, min: at(0), op: opOffset, fallback: "0",
			help: "Filings to skip.", example: "40"},
		{name: "state", on: onCountyStats, kind: stateAbb, op: opState,
			help: "State abbreviation; all counties when omitted.", example: "FL"},
	}
}

// sorts are the values of sort_by and the fields that they sort by.
var sorts = []struct {
	name  string
	field index.Field
}{
	{"record_date", index.FilingDate},
	{"filing_amount", index.FilingAmount},
	{"current_amount", index.CurrentAmount},
	{"property_owner", index.Owner},
	{"created_at", index.CreatedAt},
}

func sortNames() []string {
	names := make([]string, len(sorts))
	for i, s := range sorts {
		names[i] = s.name
	}
	return names
}
