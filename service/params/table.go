package params

import (
	"strconv"

	"filings/index"
)

// Parameter is one row of the table.
type Parameter struct {
	Name, Legacy string // Legacy: another name that still works (rule P20)
	On           Endpoints
	InPath       bool // a segment of the path; all others are in the query string
	Kind         Kind
	Min, Max     *float64 // limits of a number
	MaxByCursor  *float64 // the Max of a page by cursor; nil: the same
	Choices      []string // the values that a choice, or an item of a list of choices, may have
	Most         int      // different items of a list of choices; 0: any number, which may repeat
	Default      string   // what holds without it, as a client would send it
	Help         string
	Example      string

	required Endpoints // where its absence and its emptiness are errors
	refused  Endpoints // that must not have it, since what it selects moves with the day
	anyCase  bool      // choices are compared ignoring case
	op       operator
	fields   []index.Field // what op looks at
}

// Kind is the form of a parameter's values.
type Kind uint8

// Kinds of values.
const (
	Text       Kind = iota
	Texts           // comma-separated, repeated, or both
	Counties        // separated by semicolons, repeated, or both
	Names           // separated by semicolons, repeated, or both
	IDs             // comma-separated, repeated, or both: 1 to index.MaxIDs different ones
	FieldNames      // comma-separated, repeated, or both; each one of Choices, which are no type of a client's
	OwnerName       // text that has a key
	NameStart       // text that has a token of a key, up to MaxTerm characters
	Term            // text whose runs of white space are one blank, 1 to MaxTerm characters
	Integer         // plain decimal
	Number          // plain decimal
	Boolean         // true, false, 1 or 0
	Choice          // one of Choices
	ChoiceList      // comma-separated, repeated, or both; each one of Choices
	Day             // YYYY-MM-DD
	Month           // YYYY-MM
	State           // two letters
	Segment         // percent-encoded text, in the path
	Generation      // the public id of a generation
	Point           // LAT,LON
	Corners         // of a polygon: points separated by semicolons
	Origins         // comma-separated, repeated, or both: of web pages
)

// operator is what a parameter does to a request.
type operator uint8

const (
	opEqual       operator = iota // one of fields equals one of the values
	opExclude                     // fields[0] equals none of the values
	opIDs                         // the id is one of these
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
	opNorth                       // edges of a box, in this order
	opSouth
	opEast
	opWest
	opNear
	opRadius
	opPolygon
	opSortBy
	opSortOrder
	opLimit
	opOffset
	opState
	opZoom
	opColumn // of a tile
	opRow
	opBy // the dimensions of groups
	opSortGroups
	opOrderGroups
	opFirstGroups // how many
	opNameStart
	opTypos
	opSortOwners
	opMinFilings
	opID
	opGeneration
	opSince
	opCursor
	opFormat
	opAfter
	opFields // the fields of each record
	opOrigins
	opExpiresIn
	opEndpoints
	opVisitorBurst
)

// RequiredBy reports whether on, which takes p, has no response without it.
func (p *Parameter) RequiredBy(on Endpoints) bool {
	return p.required&on != 0 || p.InPath || p.edge() && on.row().boxed
}

func (p *Parameter) edge() bool { return opNorth <= p.op && p.op <= opWest }

// Table is the table of parameters, with the names that each endpoint takes.
type Table struct {
	rows   []Parameter
	active []string // folded foreclosure statuses that count as active
	names  map[Endpoints]map[string]int
}

// DefaultLegacyHasData is the legacy name of has_property_data by default.
const DefaultLegacyHasData = "has_data"

// DefaultActive returns the foreclosure statuses that are active by default.
func DefaultActive() []string {
	return []string{"active", "pre-foreclosure", "lis pendens", "notice of default", "notice of sale", "auction"}
}

// New returns the table. legacyHasData is the legacy name of has_property_data (rule P20), active are the foreclosure
// statuses that foreclosure_filter=active selects, in any case (rule P14); "" and nil are the defaults.
func New(legacyHasData string, active []string) *Table {
	if legacyHasData == "" {
		legacyHasData = DefaultLegacyHasData
	}
	if len(active) == 0 {
		active = DefaultActive()
	}
	t := &Table{rows: rows(legacyHasData), names: map[Endpoints]map[string]int{}}
	for _, status := range active {
		t.active = append(t.active, index.Fold(status))
	}
	for on := List; on <= Queried; on <<= 1 {
		t.names[on] = map[string]int{}
		for i, p := range t.rows {
			if (p.On|p.refused)&on != 0 && !p.InPath {
				t.names[on][p.Name] = i
			}
			if p.On&on != 0 && p.Legacy != "" {
				t.names[on][p.Legacy] = i
			}
		}
	}
	return t
}

// Of returns the rows of the parameters that on takes, in the order of the table.
func (t *Table) Of(on Endpoints) (taken []Parameter) {
	for _, p := range t.rows {
		if p.On&on != 0 {
			taken = append(taken, p)
		}
	}
	return taken
}

// Limits of values.
const (
	DefaultLimit, MaxLimit = 20, 100 // the latter by offset
	maxByCursor            = 1000
	DefaultChanges         = 100
	maxChanges             = 1000
	maxDays                = 36_500 // about a century, and far from where dates overflow
	MaxTerm                = 200    // characters
	MaxZoom                = 22     // where web maps end
)

func at(v float64) *float64 { return &v }

// rows is the table of parameters. Parsing, error messages, unknown names and documentation range over it; of several
// invalid parameters the first one in it is reported. legacyHasData is the legacy name of has_property_data.
func rows(legacyHasData string) []Parameter {
	return []Parameter{
		{Name: "q", On: filters &^ (List | Tokens), required: Search, Kind: Term, op: opContains,
			Help: "Search term: filings whose owner, property address, case number or county contains it, in any case.", Example: "maple"},
		{Name: "q", On: Owners, Kind: NameStart, op: opNameStart,
			Help: "Of owners: what has been typed of a name. Each word of it begins some word of the owner's, in any order.", Example: "map tru"},
		{Name: "typos", On: Search, Kind: Choice, Choices: []string{"auto"}, op: opTypos,
			Help: "`auto`: where the search finds nothing, its words may stand anywhere, and one of 5 letters or more that no owner and no address has stands for those nearest to it. `meta.corrected` lists them.", Example: "auto"},
		{Name: "county", On: filters | Owners, Kind: Text, op: opInCounty,
			Help: "County, as in `Orange, FL`; `Orange` is every county of that name. Where no county is written so, as people write it: `orange county fl`.", Example: "Orange, FL"},
		{Name: "city", On: filters, Kind: Text, op: opEqual, fields: []index.Field{index.City},
			Help: "City.", Example: "Fern Park"},
		{Name: "min_amount", On: filters, Kind: Number, op: opAtLeast, fields: []index.Field{index.FilingAmount},
			Help: "Smallest filing amount, dollars.", Example: "1000"},
		{Name: "max_amount", On: filters, Kind: Number, op: opAtMost, fields: []index.Field{index.FilingAmount},
			Help: "Largest filing amount, dollars.", Example: "25000.50"},
		{Name: "filing_type", Legacy: "lien_type", On: filters, Kind: Text, op: opEqual, fields: []index.Field{index.FilingType},
			Help: "One filing type. With `filing_types`: any of all of them.", Example: "Tax Lien"},
		{Name: "filing_types", Legacy: "lien_types", On: filters, Kind: Texts, op: opEqual, fields: []index.Field{index.FilingType},
			Help: "Filing types: filings of any of them. Separated by commas, or the parameter repeated.", Example: "Tax Lien,Municipal Lien"},
		{Name: "date_range", On: filters &^ lasting, refused: lasting, Kind: Integer, Min: at(1), Max: at(maxDays), op: opLastDays,
			Help: "Recorded in the last N days.", Example: "30"},
		{Name: "month", On: filters, Kind: Month, op: opInMonth,
			Help: "Recorded in that month.", Example: "2026-01"},
		{Name: "date_start", On: filters, Kind: Day, op: opFrom,
			Help: "Recorded on that day or later.", Example: "2026-01-01"},
		{Name: "date_end", On: filters, Kind: Day, op: opTo,
			Help: "Recorded on that day or earlier.", Example: "2026-01-31"},
		{Name: "categories", On: filters, Kind: ChoiceList, Choices: index.CategoryValues, op: opEqual, fields: []index.Field{index.Categories},
			Help: "Categories: filings of any of them. Separated by commas, or the parameter repeated.", Example: "residential,land"},
		{Name: "exclude_filing_types", On: filters, Kind: Texts, op: opExclude, fields: []index.Field{index.FilingType},
			Help: "Filing types to leave out: separated by commas, or the parameter repeated. Filings without a type stay.", Example: "Tax Lien,Judgment Lien"},
		{Name: "exclude_categories", On: filters, Kind: ChoiceList, Choices: index.CategoryValues, op: opExclude, fields: []index.Field{index.Categories},
			Help: "Categories to leave out: separated by commas, or the parameter repeated. Filings without categories stay.", Example: "land,commercial"},
		{Name: "exclude_counties", On: filters, Kind: Counties, op: opExclude, fields: []index.Field{index.County, index.CountyName},
			Help: "Counties to leave out, as in `Orange, FL`; `Orange` is every county of that name. Separated by semicolons, or the parameter repeated.", Example: "Orange, FL;Lee, FL"},
		{Name: "owner", On: filters, Kind: OwnerName, op: opEqual, fields: []index.Field{index.OwnerKey},
			Help: "Owner, however it is written: case, accents, punctuation, legal forms and `Surname, Given` make no difference.", Example: "Maplebrook Trusty Properties, Incorporated"},
		{Name: "holder", On: filters, Kind: Text, op: opEqual, fields: []index.Field{index.FilingHolder},
			Help: "Who holds the filing.", Example: "Orange Certificate Fund LLC"},
		{Name: "exclude_holders", On: filters, Kind: Names, op: opExclude, fields: []index.Field{index.FilingHolder},
			Help: "Holders to leave out: separated by semicolons, or the parameter repeated. Filings without a holder stay.", Example: "Orange County Clerk;Lake Certificate Fund LLC"},
		{Name: "ids", On: filters &^ Clusters, Kind: IDs, op: opIDs, fields: []index.Field{index.ID},
			Help: "Ids: filings with any of them. Separated by commas, or the parameter repeated. The same id twice counts once.", Example: "1,2,3"},
		{Name: "property_type", On: filters, Kind: Text, op: opEqual, fields: []index.Field{index.PropertyClassification, index.Categories},
			Help: "Property classification, or one of the categories.", Example: "residential"},
		{Name: "has_property_data", Legacy: legacyHasData, On: filters, Kind: Boolean, op: opPresent, fields: []index.Field{index.PropertyData},
			Help: "`true`: only filings with enriched property data. `false` is no filter.", Example: "true"},
		{Name: "min_equity_percent", On: filters, Kind: Number, Min: at(0), Max: at(100), op: opAtLeast, fields: []index.Field{index.EquityPercent},
			Help: "Smallest estimated equity, in percent of the estimated value.", Example: "40"},
		{Name: "foreclosure_filter", On: filters, Kind: Choice, Choices: []string{"show", "hide", "active", "all"}, op: opForeclosure,
			fields: []index.Field{index.ForeclosureStatus},
			Help:   "`show`: only filings with a foreclosure status; `hide`: only those without; `active`: only active ones; `all`: no filter.", Example: "active"},
		{Name: "min_acres", On: filters, Kind: Number, Min: at(0), op: opAtLeast, fields: []index.Field{index.LotSizeAcres},
			Help: "Smallest lot size, acres.", Example: "0.25"},
		{Name: "max_acres", On: filters, Kind: Number, Min: at(0), op: opAtMost, fields: []index.Field{index.LotSizeAcres},
			Help: "Largest lot size, acres.", Example: "5"},
		{Name: "bounds_north", On: filters, Kind: Number, Min: at(-90), Max: at(90), op: opNorth,
			Help: "Northern latitude of a box. The four bounds apply only when all are given; clusters require them.", Example: "28.7"},
		{Name: "bounds_south", On: filters, Kind: Number, Min: at(-90), Max: at(90), op: opSouth,
			Help: "Southern latitude of the box.", Example: "28.3"},
		{Name: "bounds_east", On: filters, Kind: Number, Min: at(-180), Max: at(180), op: opEast,
			Help: "Eastern longitude of the box.", Example: "-81.2"},
		{Name: "bounds_west", On: filters, Kind: Number, Min: at(-180), Max: at(180), op: opWest,
			Help: "Western longitude of the box. If it is greater than the eastern one, the box crosses the antimeridian.", Example: "-81.6"},
		{Name: "near", On: filters, Kind: Point, op: opNear,
			Help: "Center of a circle. Needs `radius`. The filings in it are at most so far from the center, by the haversine formula on a sphere of 6,371,008.8 m.", Example: "28.54,-81.38"},
		{Name: "radius", On: filters, Kind: Number, Min: at(1), Max: at(index.MaxRadius), op: opRadius,
			Help: "Radius of the circle, metres. Needs `near`.", Example: "1500"},
		{Name: "polygon", On: filters, Kind: Corners, op: opPolygon,
			Help: "Corners of a polygon, which is closed by itself: filings inside or on its outline, by the even-odd rule in the plane of degrees, exactly. " +
				"No edge may span 180 degrees or more. With the circle and the box: filings that are in all of them.", Example: "28.5,-81.4;28.6,-81.4;28.55,-81.3"},
		{Name: "by", On: Groups, required: Groups, Kind: ChoiceList, Choices: dimensionNames(), Most: 2, op: opBy,
			Help: "One or two dimensions to group by: separated by a comma, or the parameter repeated. Groups have their keys in this order.", Example: "county,month"},
		{Name: "zoom", On: Clusters, required: Clusters, Kind: Integer, Min: at(0), Max: at(MaxZoom), op: opZoom,
			Help: "Zoom level of the client's map: web mercator, tiles of 256 pixels.", Example: "12"},
		{Name: "sort_by", On: pages, Kind: Choice, anyCase: true, Choices: sortNames(), op: opSortBy, Default: "record_date",
			Help: "Sort by recording date, original amount, outstanding amount, owner, or when the record was added.", Example: "filing_amount"},
		{Name: "sort_order", On: pages, Kind: Choice, anyCase: true, Choices: []string{"ASC", "DESC"}, op: opSortOrder, Default: "DESC",
			Help: "Direction of the sort. Filings without the value come last in both directions.", Example: "ASC"},
		{Name: "sort_by", On: Groups, Kind: Choice, anyCase: true, Choices: index.GroupSorts, op: opSortGroups, Default: index.GroupSorts[0],
			Help: "Sort by the number of filings, the sum of their amounts, or the keys.", Example: "sum"},
		{Name: "sort_by", On: Owners, Kind: Choice, anyCase: true, Choices: index.OwnerSorts, op: opSortOwners, Default: index.OwnerSorts[0],
			Help: "Sort owners by the number of filings, the sum of their amounts, or the name.", Example: "amount"},
		{Name: "sort_order", On: Groups | Owners, Kind: Choice, anyCase: true, Choices: []string{"ASC", "DESC"}, op: opOrderGroups,
			Help: "Direction of the sort; `DESC` when omitted, but `ASC` by keys and names. Ties are in the order of their keys.", Example: "ASC"},
		{Name: "min_filings", On: Owners, Kind: Integer, Min: at(1), op: opMinFilings,
			Help: "Only owners of so many filings or more.", Example: "2"},
		{Name: "limit", On: Groups, Kind: Integer, Min: at(1), Max: at(index.MaxGroups), op: opFirstGroups,
			Help: "The first groups only, 1 or more of them. Above 10,000 becomes 10,000. With it there may be up to 200,000 groups in all, without it 10,000.", Example: "10"},
		{Name: "since", On: Changes, required: Changes, Kind: Generation, op: opSince,
			Help: "The generation to compare with: `X-Generation` of the client's export, or of the last changes that it applied.", Example: "20261121-051409.330172"},
		{Name: "until", On: Changes, Kind: Generation, op: opGeneration,
			Help: "The generation that the changes lead to; the live one when omitted. It may be older than `since`.", Example: "20261122-051422.061847"},
		{Name: "limit", On: Changes, Kind: Integer, Min: at(1), Max: at(maxChanges), op: opLimit, Default: strconv.Itoa(DefaultChanges),
			Help: "Page size, 1 or more; 100 when omitted. Above 1,000 becomes 1,000. A page costs one request per 100 of its limit, rounded up.", Example: "1000"},
		{Name: "limit", On: paged, Kind: Integer, Min: at(1), Max: at(MaxLimit), MaxByCursor: at(maxByCursor), op: opLimit, Default: strconv.Itoa(DefaultLimit),
			Help: "Page size, 1 or more; 20 when omitted. Above 100 becomes 100; with `cursor` above 1,000 becomes 1,000. A page by cursor costs one request per 100 of its limit, rounded up.", Example: "50"},
		{Name: "offset", On: paged, Kind: Integer, Min: at(0), op: opOffset, // no default: generated clients send it, and with a cursor there is none
			Help: "Number of filings to skip; 0 when omitted. Must not be given with `cursor`.", Example: "40"},
		{Name: "cursor", On: Changes, Kind: Text, op: opCursor,
			Help: "`next_cursor` of the previous page. It holds both generations, the other parameters and the position, so no other parameter is needed. " +
				"Parameters given with it must be the same; `limit` may change. Without it, or with `*`: the first page.", Example: "*"},
		{Name: "cursor", On: paged, Kind: Text, op: opCursor,
			Help: "`*` for the first page of a crawl, then `next_cursor` of the previous page. It holds the generation, the other parameters and the position, " +
				"so no other parameter is needed. Parameters given with it must be the same; `limit` may change.", Example: "*"},
		{Name: "fields", On: pages | OneFiling | Export | Tokens, Kind: FieldNames, Choices: fieldNames(), op: opFields,
			Help:    "Fields that each filing of the response has, in the record's own order: separated by commas, or the parameter repeated. `id` is always one.",
			Example: "id,owner"},
		{Name: "state", On: CountyStats | Owners, Kind: State, op: opState,
			Help: "State abbreviation: counties there, or owners with a filing there; all when omitted.", Example: "FL"},
		{Name: "generation", On: Queried &^ (Changes | Tiles | Tokens), Kind: Generation, op: opGeneration,
			Help: "The generation to read, whatever is loaded meanwhile; the live one when omitted. The header `X-Generation` and `/v1/generations` " +
				"have its id.", Example: "20261122-051422.061847"},
		{Name: "origin", On: Tokens, required: Tokens, Kind: Origins, Most: 10, op: opOrigins,
			Help: "Of tokens: the origins of the pages that use it. Separated by commas, or the parameter repeated.", Example: "https://maps.example.com"},
		{Name: "expires_in", On: Tokens, Kind: Integer, Min: at(60), Max: at(86_400), Default: "3600", op: opExpiresIn,
			Help: "Of tokens: for how many seconds it is valid.", Example: "900"},
		{Name: "endpoints", On: Tokens, Kind: ChoiceList, Choices: tokenEndpoints, op: opEndpoints,
			Help: "Of tokens: the endpoints that it is for; all of these when omitted, but `owners` where it filters by more than `county`. " +
				"Separated by commas, or the parameter repeated.", Example: "tiles,one"},
		{Name: "visitor_burst", On: Tokens, Kind: Integer, Min: at(1), Max: at(MaxVisitorBurst), Default: "5", op: opVisitorBurst,
			Help: "Of tokens: requests that one visitor may send at once, and then each second.", Example: "10"},
		{Name: "format", On: Export, Kind: Choice, Choices: []string{"ndjson", "csv", "parquet"}, op: opFormat, Default: "ndjson",
			Help: "Format of the file.", Example: "csv"},
		{Name: "after", On: Export, Kind: Integer, Min: at(1), op: opAfter,
			Help: "Continue after the filing with this id, the last one that was received whole. With the `generation` and the filters of the export that " +
				"was cut, the response has the bytes that it did not send. Not for `parquet`.", Example: "1200345"},
		{Name: "generation", On: Tiles, InPath: true, Kind: Generation, op: opGeneration,
			Help: "The generation, as `X-Generation` and `/v1/generations` name it.", Example: "20261122-051422.061847"},
		{Name: "z", On: Tiles, InPath: true, Kind: Integer, Min: at(0), Max: at(MaxZoom), op: opZoom,
			Help: "Zoom level: the world is 2 to the power of it tiles wide.", Example: "0"},
		{Name: "x", On: Tiles, InPath: true, Kind: Integer, Min: at(0), op: opColumn,
			Help: "Column of the tile, from the west.", Example: "0"},
		{Name: "y", On: Tiles, InPath: true, Kind: Integer, Min: at(0), op: opRow,
			Help: "Row of the tile, from the north.", Example: "0"},
		{Name: "id", On: OneFiling, InPath: true, Kind: Integer, Min: at(1), op: opID,
			Help: "Id of the filing.", Example: "1"},
		{Name: "county", On: OneCounty, InPath: true, Kind: Segment, op: opInCounty,
			Help: "County as `/v1/counties` lists it, percent-encoded, in any case; without its state, every county of that name.", Example: "Orange, FL"},
	}
}

// tokenEndpoints are what tokens are for, by the names that the table of endpoints has.
var tokenEndpoints = []string{"list", "search", "one", "clusters", "groups", "owners", "tiles"}

func dimensionNames() (names []string) {
	for _, d := range index.Dimensions() {
		names = append(names, d.String())
	}
	return names
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

// fieldNames are the values of fields: the names of all fields that some tier sees.
func fieldNames() (names []string) {
	for _, f := range index.Fields() {
		if f.Returned(index.Enterprise) {
			names = append(names, f.String())
		}
	}
	return names
}

func sortNames() []string {
	names := make([]string, len(sorts))
	for i, s := range sorts {
		names[i] = s.name
	}
	return names
}
