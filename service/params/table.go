package params

import (
	"math"
	"slices"
	"strconv"

	"filings/index"
)

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

// New returns the table. legacyHasData is the legacy name of has_property_data (rule P20), active
// are the foreclosure statuses that foreclosure_filter=active selects, in any case (rule P14); ""
// and nil are the defaults.
func New(legacyHasData string, active []string) *Table {
	if legacyHasData == "" {
		legacyHasData = DefaultLegacyHasData
	}
	if len(active) == 0 {
		active = DefaultActive()
	}
	t := &Table{rows: rows(legacyHasData), active: foldAll(active), names: map[Endpoints]map[string]int{}}
	for endpoint := List; endpoint <= Queried; endpoint <<= 1 {
		t.names[endpoint] = map[string]int{}
		for i, p := range t.rows {
			if (p.Takers|p.refused)&endpoint != 0 && !p.InPath {
				t.names[endpoint][p.Name] = i
			}
			if p.Takers&endpoint != 0 && p.Legacy != "" {
				t.names[endpoint][p.Legacy] = i
			}
		}
	}
	return t
}

// Rows returns the rows of the parameters that endpoint takes, in the order of the table.
func (t *Table) Rows(endpoint Endpoints) (taken []Parameter) {
	for _, p := range t.rows {
		if p.Takers&endpoint != 0 {
			taken = append(taken, p)
		}
	}
	return taken
}

func num(v float64) *float64 { return &v }

func fields(f ...index.Field) []index.Field { return f }

// untimed is the reason why changes are not filtered by when filings were added.
const untimed = "changes don't say when a filing was added"

// rows is the table of parameters. Parsing, error messages, unknown names and documentation range
// over it; of several invalid parameters the first one in it is reported. legacyHasData is the
// legacy name of has_property_data.
func rows(legacyHasData string) []Parameter {
	return []Parameter{
		{Name: "q", Takers: filters &^ (List | Tokens), required: Search, Kind: Term, Example: "maple", set: contains,
			Help: "Search term: filings whose owner, property address, case number or county contains it, in any " +
				"case."},
		{Name: "q", Takers: Owners, Kind: NameStart, Example: "map tru",
			set: func(b *builder, v value) { b.request.Owners.Tokens = v.texts },
			Help: "Start of an owner's name, for completion. Each word must be a prefix of a word in the name; " +
				"their order doesn't matter."},
		{Name: "typos", Takers: Search, Kind: Choice, Choices: []string{"auto"}, Example: "auto",
			set: func(b *builder, _ value) { b.request.Typos = true },
			Help: "`auto`: if the search finds nothing, match its words in any order, and replace a word of 5 or " +
				"more letters that occurs in no owner or address with the closest words that do. `meta.corrected` " +
				"lists them."},
		{Name: "county", Takers: filters | Owners, Kind: AnyCounties, Most: 50, fields: fields(index.County),
			Example: "Orange, FL;Lee, FL", set: inCounty,
			Help: "Counties, as in `Orange, FL`; `Orange` is every county of that name. Any of up to 50, repeated or " +
				"separated by semicolons. If none matches exactly, everyday spelling works: `orange county fl`."},
		{Name: "state", Takers: filters | Owners, Kind: States, Most: 100, fields: fields(index.State), Example: "FL,GA",
			set:  equalKnown,
			Help: "States, by code or name, separated by commas or repeated: filings in any of them."},
		{Name: "city", Takers: filters, Kind: Text, fields: fields(index.City), Example: "Fern Park", set: equalKnown,
			Help: "City."},
		{Name: "zip", Takers: filters, Kind: ZIPs, Most: 100, fields: fields(index.ZIP), Example: "32801,32803",
			set: equal,
			Help: "ZIP codes of five digits, up to 100, separated by commas or repeated: filings in any of " +
				"them."},
		{Name: "min_amount", Takers: filters, Kind: Number, fields: fields(index.FilingAmount), Example: "1000",
			set: atLeast, Help: "Minimum `filingAmount`, in US dollars."},
		{Name: "max_amount", Takers: filters, Kind: Number, fields: fields(index.FilingAmount), Example: "25000.50",
			set: atMost, Help: "Maximum `filingAmount`, in US dollars."},
		{Name: "min_current_amount", Takers: filters, Kind: Number, fields: fields(index.CurrentAmount), Example: "1000",
			set: atLeast, Help: "Minimum `currentAmount`, in US dollars."},
		{Name: "max_current_amount", Takers: filters, Kind: Number, fields: fields(index.CurrentAmount),
			Example: "25000.50", set: atMost, Help: "Maximum `currentAmount`, in US dollars."},
		{Name: "filing_type", Legacy: "lien_type", Takers: filters, Kind: Text, fields: fields(index.FilingType),
			Example: "Tax Lien", set: equalKnown, Help: "A filing type. If you also send `filing_types`, a filing " +
				"may have any of the types in either parameter."},
		{Name: "filing_types", Legacy: "lien_types", Takers: filters, Kind: Texts, fields: fields(index.FilingType),
			Example: "Tax Lien,Municipal Lien", set: equalKnown,
			Help: "Filing types, separated by commas or repeated: filings of any of them."},
		{Name: "date_range", Takers: filters &^ dayless, refused: dayless, Kind: Integer, Min: num(1), Max: num(maxDays),
			Example: "30", set: lastDays, Help: "Recorded in the last N days.",
			refusal: "its result changes every day; use date_start"},
		{Name: "month", Takers: filters, Kind: Month, Example: "2026-01", set: inMonth, Help: "Recorded in this month."},
		{Name: "date_start", Takers: filters, Kind: Day, Example: "2026-01-01", set: firstDay,
			Help: "Recorded on this day or later."},
		{Name: "date_end", Takers: filters, Kind: Day, Example: "2026-01-31", set: lastDay,
			Help: "Recorded on this day or earlier."},
		{Name: "added_since", Takers: filters &^ Changes, refused: Changes, refusal: untimed, Kind: Time,
			fields: fields(index.CreatedAt), Example: "2026-01-01", set: addedSince,
			Help: "Added to this service at this time or later: a day in UTC, or a time with its zone."},
		{Name: "added_until", Takers: filters &^ Changes, refused: Changes, refusal: untimed, Kind: Time,
			fields: fields(index.CreatedAt), Example: "2026-01-31T09:30:00Z", set: addedUntil,
			Help: "Added to this service at this time or earlier, or until the end of this day in UTC."},
		{Name: "categories", Takers: filters, Kind: ChoiceList, Choices: index.CategoryValues,
			fields: fields(index.Categories), Example: "residential,land", set: equal,
			Help: "Categories, separated by commas or repeated: filings of any of them."},
		{Name: "exclude_filing_types", Takers: filters, Kind: Texts, fields: fields(index.FilingType),
			Example: "Tax Lien,Judgment Lien", set: exclude,
			Help: "Filing types to exclude, separated by commas or repeated. Filings without a type stay."},
		{Name: "exclude_categories", Takers: filters, Kind: ChoiceList, Choices: index.CategoryValues,
			fields: fields(index.Categories), Example: "land,commercial", set: exclude,
			Help: "Categories to exclude, separated by commas or repeated. Filings without categories stay."},
		{Name: "exclude_counties", Takers: filters, Kind: Counties, fields: fields(index.County, index.CountyName),
			Example: "Orange, FL;Lee, FL", set: exclude,
			Help: "Counties to exclude, as in `Orange, FL`; `Orange` is every county of that name. Separated by " +
				"semicolons or repeated."},
		{Name: "owner", Takers: filters, Kind: OwnerNames, Most: 100, fields: fields(index.OwnerKey),
			Example: "Maplebrook Trusty Properties, Incorporated;Lindenbank, Riley", set: equal,
			Help: "Owners, in any spelling: case, accents, punctuation, legal forms and `Surname, Given` make no " +
				"difference. Any of up to 100, repeated or separated by semicolons."},
		{Name: "address", Takers: filters, Kind: Addresses, Most: 100, fields: fields(index.AddressKey),
			Example: "5107 Birchbank Way, Maple Heights, FL;2096 Rowanstead Boulevard", set: atAddress,
			Help: "Addresses, in any spelling: filings with this house number and street, and with each unit, ZIP code, city " +
				"and state that is named. Any of up to 100, repeated or separated by semicolons."},
		{Name: "holder", Takers: filters, Kind: Text, fields: fields(index.FilingHolder),
			Example: "Orange Certificate Fund LLC", set: equalKnown, Help: "Holder of the filing, in any case."},
		{Name: "exclude_holders", Takers: filters, Kind: Names, fields: fields(index.FilingHolder),
			Example: "Orange County Clerk;Lake Certificate Fund LLC", set: exclude,
			Help: "Holders to exclude, separated by semicolons or repeated. Filings without a holder stay."},
		{Name: "ids", Takers: filters &^ Clusters, Kind: IDs, Min: num(1), Most: index.MaxIDs, fields: fields(index.ID),
			Example: "1,2,3", set: anyID,
			Help: "Ids, separated by commas or repeated: filings with any of them. The same id twice counts once."},
		{Name: "property_type", Takers: filters, Kind: Text,
			fields: fields(index.PropertyClassification, index.Categories), Example: "residential", set: equal,
			Help: "Property classification, or one of the categories. The field `propertyType` isn't compared."},
		{Name: "has_property_data", Legacy: legacyHasData, Takers: filters, Kind: Boolean,
			fields: fields(index.PropertyData), idle: "false", Example: "true", set: present,
			Help: "`true`: only filings with enriched property data. `false` is no filter."},
		{Name: "min_equity_percent", Takers: filters, Kind: Number, Min: num(0), Max: num(100),
			fields: fields(index.EquityPercent), Example: "40", set: atLeast,
			Help: "Minimum estimated equity, in percent of the estimated value."},
		{Name: "foreclosure_filter", Takers: filters, Kind: Choice, Choices: []string{"show", "hide", "active", "all"},
			fields: fields(index.ForeclosureStatus), idle: "all", Example: "active", set: foreclosure,
			Help: "`show`: only filings with a foreclosure status; `hide`: only those without; `active`: only " +
				"active ones; `all`: no filter."},
		{Name: "min_acres", Takers: filters, Kind: Number, Min: num(0), fields: fields(index.LotSizeAcres),
			Example: "0.25", set: atLeast, Help: "Minimum lot size, in acres."},
		{Name: "max_acres", Takers: filters, Kind: Number, Min: num(0), fields: fields(index.LotSizeAcres), Example: "5",
			set: atMost, Help: "Maximum lot size, in acres."},
		{Name: "bounds_north", Takers: filters, required: boxed, edge: true, Kind: Number, Min: num(-90), Max: num(90),
			Example: "28.7", set: func(b *builder, v value) { b.box.north = &v.decimal },
			Help: "Northern latitude of a box. The four bounds apply only together; clusters require them."},
		{Name: "bounds_south", Takers: filters, required: boxed, edge: true, Kind: Number, Min: num(-90), Max: num(90),
			Example: "28.3", set: func(b *builder, v value) { b.box.south = &v.decimal },
			Help: "Southern latitude of the box."},
		{Name: "bounds_east", Takers: filters, required: boxed, edge: true, Kind: Number, Min: num(-180), Max: num(180),
			Example: "-81.2", set: func(b *builder, v value) { b.box.east = &v.decimal },
			Help: "Eastern longitude of the box."},
		{Name: "bounds_west", Takers: filters, required: boxed, edge: true, Kind: Number, Min: num(-180), Max: num(180),
			Example: "-81.6", set: func(b *builder, v value) { b.box.west = &v.decimal },
			Help: "Western longitude of the box. If it is greater than the eastern one, the box crosses the " +
				"antimeridian."},
		{Name: "near", Takers: filters, Kind: Point, Example: "28.54,-81.38", set: center,
			Help: "Center of a circle, as `LAT,LON`. Requires `radius`. Distances use the haversine formula with an " +
				"Earth radius of 6,371,008.8 m."},
		{Name: "radius", Takers: filters, Kind: Number, Min: num(1), Max: num(index.MaxRadius), Example: "1500",
			set:  func(b *builder, v value) { b.radius = &v.decimal },
			Help: "Radius of the circle, in meters. Requires `near`."},
		{Name: "polygon", Takers: filters, Kind: Corners, Example: "28.5,-81.4;28.6,-81.4;28.55,-81.3",
			set: func(b *builder, v value) { b.corners = v.corners },
			Help: "Corners of a polygon that closes by itself: filings inside or on its outline, by the even-odd " +
				"rule in the plane of degrees, exactly. No edge may span 180 degrees or more. With a circle or a " +
				"box, filings must be in all of them."},
		{Name: "has_coordinates", Takers: filters, Kind: Boolean, fields: fields(index.Latitude, index.Longitude),
			Example: "false", set: placed,
			Help: "`true`: only filings with coordinates. `false`: only filings without, which no map shows."},
		{Name: "by", Takers: Groups, required: Groups, Kind: Dimensions, Choices: dimensionNames(), Most: 2,
			Example: "county,month", set: groupBy,
			Help: "One or two dimensions to group by, separated by a comma or repeated. Groups have their keys in " +
				"this order."},
		{Name: "zoom", Takers: Clusters, required: Clusters, Kind: Integer, Min: num(0), Max: num(MaxZoom), Example: "12",
			set:  func(b *builder, v value) { b.zoom = int(v.integer) },
			Help: "Zoom level of the client's map: web mercator, tiles of 256 pixels."},
		{Name: "sort_by", Takers: pages, Kind: Choice, anyCase: true, Choices: sortNames(), Default: "record_date",
			Example: "filing_amount",
			set:     func(b *builder, v value) { b.request.Query.Sort.Field = sorts[v.choice].field },
			Help: "Sort by recording date, original amount, outstanding amount, owner, or when the record was " +
				"added."},
		{Name: "sort_order", Takers: pages, Kind: Choice, anyCase: true, Choices: []string{"ASC", "DESC"},
			Default: "DESC", Example: "ASC",
			set:  func(b *builder, v value) { b.request.Query.Sort.Ascending = v.text == "ASC" },
			Help: "Direction of the sort. Filings without the value come last in both directions."},
		{Name: "sort_by", Takers: Groups, Kind: Choice, anyCase: true, Choices: index.GroupSorts,
			Default: index.GroupSorts[0], Example: "sum",
			set:  func(b *builder, v value) { b.request.Groups.Sort = index.GroupSort(v.choice) },
			Help: "Sort by the number of filings, the sum of their amounts, or the keys."},
		{Name: "sort_by", Takers: Owners, Kind: Choice, anyCase: true, Choices: index.OwnerSorts,
			Default: index.OwnerSorts[0], Example: "amount",
			set:  func(b *builder, v value) { b.request.Owners.Sort = index.OwnerSort(v.choice) },
			Help: "Sort owners by the number of filings, the sum of their amounts, or the name."},
		{Name: "sort_order", Takers: Groups | Owners, Kind: Choice, anyCase: true, Choices: []string{"ASC", "DESC"},
			Example: "ASC", set: func(b *builder, v value) { b.groupOrder = v.text },
			Help: "Direction of the sort. The default is `DESC`, and `ASC` by keys and names. Ties are in the order " +
				"of their keys."},
		{Name: "min_filings", Takers: Owners, Kind: Integer, Min: num(1), Example: "2",
			set:  func(b *builder, v value) { b.request.Owners.MinFilings = v.integer },
			Help: "Minimum number of filings of an owner."},
		{Name: "limit", Takers: Groups, Kind: Integer, Min: num(1), Max: num(index.MaxGroups), Clamped: true,
			Example: "10", set: func(b *builder, v value) { b.request.Groups.Limit = int(v.integer) },
			Help: "Number of groups, the first ones of the order. Above 10,000 becomes 10,000. With it there may be " +
				"up to 200,000 groups in all, without it 10,000."},
		{Name: "since", Takers: Changes, required: Changes, Kind: Generation, Example: "20261121-051409.330172",
			set: func(b *builder, v value) { b.request.Since = v.text },
			Help: "The generation to compare with: `X-Generation` of the client's export, or of the last changes " +
				"that it applied."},
		{Name: "until", Takers: Changes, Kind: Generation, crawl: ofGeneration, Example: "20261122-051422.061847",
			set: func(b *builder, v value) { b.request.Generation = v.text },
			Help: "The generation that the changes lead to. The default is the live one. It may be older than " +
				"`since`."},
		{Name: "limit", Takers: Coverage, Kind: Integer, Min: num(1), Max: num(maxByCursor), Clamped: true, crawl: ofEachPage,
			Default: strconv.Itoa(defaultCounties), Example: "50",
			set: func(b *builder, v value) { b.request.Query.Limit = int(v.integer) },
			Help: "Page size, 1 or more; all counties in one response when omitted, 100 with `cursor`. Above 1,000 " +
				"becomes 1,000."},
		{Name: "limit", Takers: Changes, Kind: Integer, Min: num(1), Max: num(maxChanges),
			Default: strconv.Itoa(DefaultChanges), Clamped: true, crawl: ofEachPage, Example: "1000",
			set: func(b *builder, v value) { b.request.Query.Limit = int(v.integer) },
			Help: "Page size, 1 or more; 100 when omitted. Above 1,000 becomes 1,000. A page costs one request " +
				"per 100 of its limit, rounded up."},
		{Name: "limit", Takers: paged, Kind: Integer, Min: num(1), Max: num(MaxLimit), MaxByCursor: num(maxByCursor),
			Default: strconv.Itoa(DefaultLimit), Clamped: true, crawl: ofEachPage, Example: "50",
			set: func(b *builder, v value) { b.request.Query.Limit = int(v.integer) },
			Help: "Page size, 1 or more; 20 when omitted. Above 100 becomes 100; with `cursor` above 1,000 " +
				"becomes 1,000. A page by cursor costs one request per 100 of its limit, rounded up."},
		{Name: "offset", Takers: paged, Kind: Integer, Min: num(0), Example: "40",
			set: func(b *builder, v value) { b.request.Query.Offset = int(v.integer) },
			// No default: generated clients send it, and with a cursor there is none.
			Help: "Number of filings to skip; 0 when omitted. Must not be given with `cursor`."},
		{Name: "cursor", Takers: Changes, Kind: Text, crawl: isCursor, Example: "*",
			Help: "`next_cursor` of the previous page. It holds both generations, the other parameters and the " +
				"position, so no other parameter is needed. Parameters given with it must be the same; `limit` " +
				"may change. Without it, or with `*`: the first page."},
		{Name: "cursor", Takers: paged | Coverage, Kind: Text, crawl: isCursor, Example: "*",
			Help: "`*` for the first page of a crawl, then `next_cursor` of the previous page. It holds the " +
				"generation, the other parameters and the position, so no other parameter is needed. Parameters " +
				"given with it must be the same; `limit` may change."},
		{Name: "fields", Takers: pages | OneFiling | Export | Tokens, Kind: FieldNames, Choices: fieldNames(),
			Example: "id,owner", set: onlyFields,
			Help: "Fields of each filing in the response, separated by commas or repeated. They come in the " +
				"record's order, and always include `id`. `ownerKey` and `addressKey` are there only if they are named."},
		{Name: "state", Takers: CountyStats | Coverage, Kind: State, Example: "FL",
			set:  func(b *builder, v value) { b.request.State = v.text },
			Help: "State abbreviation: only counties there."},
		{Name: "generation", Takers: Queried &^ (Changes | Tiles | Tokens), Kind: Generation, crawl: ofGeneration,
			Example: "20261122-051422.061847", set: func(b *builder, v value) { b.request.Generation = v.text },
			Help: "The generation to read. The default is the live one. The header `X-Generation` and " +
				"`/v1/generations` have its id."},
		{Name: "origin", Takers: Tokens, Kind: Origins, Most: 10, Example: "https://maps.example.com",
			set: func(b *builder, v value) { b.request.Token.Origins = v.texts },
			Help: "Origins of the pages that use the token, separated by commas or repeated. Omit it for a link, " +
				"which any program may use; `endpoints` is then required."},
		{Name: "label", Takers: Tokens, Kind: Label, Example: "Acme, weekly sheet",
			set:  func(b *builder, v value) { b.request.Token.Label = v.text },
			Help: "What the service's log calls the token. Every reader of the token can read it."},
		{Name: "expires_in", Takers: Tokens, Kind: Integer, Min: num(60), Max: num(maxLink), Default: "3600",
			Example: "900", set: func(b *builder, v value) { b.request.Token.Seconds = v.integer },
			Help: "Lifetime of the token, in seconds. With `origin` at most 86,400, a day; without, 34,560,000, " +
				"400 days."},
		{Name: "endpoints", Takers: Tokens, Kind: ChoiceList, Choices: tokenEndpoints, Example: "tiles,one",
			set: func(b *builder, v value) { b.request.Token.Endpoints = v.texts },
			Help: "Endpoints that the token may use, separated by commas or repeated. The default is all but " +
				"`export` and `changes`, and without `owners` if the token has filters other than `county` and " +
				"`state`. Without `origin` it is required, and may have `export` and `changes`."},
		{Name: "visitor_burst", Takers: Tokens, Kind: Integer, Min: num(1), Max: num(MaxVisitorBurst), Default: "5",
			Example: "10", set: func(b *builder, v value) { b.request.Token.Burst = v.integer },
			Help: "Requests that one visitor may send at once, and then per second."},
		{Name: "format", Takers: Export, Kind: Choice, Choices: []string{"ndjson", "csv", "parquet", "geojson"},
			Default: "ndjson", Example: "csv", set: func(b *builder, v value) { b.request.Format = v.text },
			Help: "Format of the file."},
		{Name: "after", Takers: Export, Kind: Integer, Min: num(1), Example: "1200345",
			set: func(b *builder, v value) { b.request.After = v.integer },
			Help: "Id of the last complete row that you have. With the `generation` and the filters of the " +
				"incomplete export, the response continues after it. Not for `parquet` and `geojson`."},
		{Name: "generation", Takers: Tiles, InPath: true, Kind: Generation, Example: "20261122-051422.061847",
			set:  func(b *builder, v value) { b.request.Generation = v.text },
			Help: "The generation, as `X-Generation` and `/v1/generations` name it."},
		{Name: "z", Takers: Tiles, InPath: true, Kind: Integer, Min: num(0), Max: num(MaxZoom), Example: "0",
			set:  func(b *builder, v value) { b.zoom = int(v.integer) },
			Help: "Zoom level z: the world is 2^z tiles wide."},
		{Name: "x", Takers: Tiles, InPath: true, Kind: Integer, Min: num(0), Example: "0",
			set:  func(b *builder, v value) { b.request.Tile.Column = int(min(v.integer, math.MaxInt32)) },
			Help: "Column of the tile, from the west."},
		{Name: "y", Takers: Tiles, InPath: true, Kind: Integer, Min: num(0), Example: "0",
			set:  func(b *builder, v value) { b.request.Tile.Row = int(min(v.integer, math.MaxInt32)) },
			Help: "Row of the tile, from the north."},
		{Name: "id", Takers: OneFiling, InPath: true, Kind: Integer, Min: num(1), Example: "1",
			set: func(b *builder, v value) { b.request.ID = v.integer }, Help: "Id of the filing."},
		{Name: "county", Takers: OneCounty, InPath: true, Kind: Segment, fields: fields(index.County),
			Example: "Orange, FL", set: inCounty,
			Help: "County as `/v1/counties` lists it, percent-encoded, in any case; without its state, every " +
				"county of that name."},
	}
}

// pageEndpoints are the endpoints for tokens of pages, by their names in the table of endpoints,
// and tokenEndpoints those for tokens of links.
var (
	pageEndpoints  = []string{"list", "search", "one", "clusters", "groups", owners, "tiles"}
	tokenEndpoints = append(slices.Clone(pageEndpoints), export, changes)
)

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

// fieldNames are the values of fields: the names of all fields that some tier sees, and of keys.
func fieldNames() (names []string) {
	for _, f := range index.Fields() {
		if f.Returned(index.Enterprise) || f.IsKey() {
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
