package service

import (
	"filings/index"
	"filings/service/access"
	"filings/service/handlers"
	"filings/service/openapi"
	"filings/service/params"
	"filings/service/tokens"
)

// endpoint is one path of the API: the reading of its requests, the parts of its responses, its
// texts in the document, and its handler.
type endpoint struct {
	openapi.Operation
	handle handlers.Handler // nil: it sends a file
}

// endpoints is the whole API, in the order in which routes are tried: /v1/filings/:id would match
// those before it. Keys are where an account's usage is read, and secrets sign tokens; nil will do
// for a caller that calls no handler.
func endpoints(keys access.Store, secrets tokens.Secrets) []endpoint {
	const (
		enveloped = params.Success | params.Meta
		page      = params.Pagination | params.Meta | params.Tagged
	)
	return []endpoint{
		{handle: handlers.List, Operation: openapi.Operation{
			Path: "/v1/filings", Legacy: "/v1/liens",
			Endpoint: params.Endpoint{Takes: params.List, Name: "list", Token: true,
				Shape: page, Canonical: params.PageText},
			ID: "listFilings", Tag: openapi.TagFilings, Summary: "List and filter filings",
			Text: "Returns a page of the filings that match all given filters, newest recording date first, then by " +
				"id, descending. `total` is exact, and any offset works. `sort_by` returns them in another order. " +
				"With `Accept: application/geo+json` the response is a FeatureCollection.",
			Schema: "FilingList", Data: []index.Record{}, GeoJSON: handlers.FilingFeatureCollection{},
		}},
		{handle: handlers.List, Operation: openapi.Operation{
			Path: "/v1/filings/search", Legacy: "/v1/liens/search",
			Endpoint: params.Endpoint{Takes: params.Search, Name: "search", Token: true,
				Shape: page | params.Success, Canonical: params.PageText},
			ID: "searchFilings", Tag: openapi.TagFilings, Summary: "Search filings",
			Text: "Returns a page of the filings that contain the term `q` and match the filters of the list, in " +
				"one of five sorts. Ties are in the list's order. Filings without the value come last in both " +
				"directions. With `typos=auto` a term that is found nowhere is searched as words, and misspelled " +
				"ones are corrected. With `Accept: application/geo+json` the response is a FeatureCollection.",
			Schema: "FilingSearchResponse", Data: []index.Record{}, GeoJSON: handlers.FilingFeatureCollection{},
		}},
		{handle: handlers.MapClusters, Operation: openapi.Operation{
			Path: "/v1/filings/clusters",
			Endpoint: params.Endpoint{Takes: params.Clusters, Name: "clusters", Token: true,
				Shape: enveloped | params.Tagged, Canonical: params.ClustersText},
			ID: "clusterFilings", Tag: openapi.TagFilings, Summary: "Cluster filings by map cells",
			Text: "Counts the filings in a box that match `q` and the filters of the list, and adds up their " +
				"amounts, by cells of 64 pixels of the client's map. Cells are larger where the box would touch " +
				"more than 1,024. The counts add up to the `total` of the list, or of the search, for the same " +
				"filters and box. With `Accept: application/geo+json` the response is a FeatureCollection.",
			Schema: "ClustersResponse", Data: handlers.Clusters{}, GeoJSON: handlers.FeatureCollection{},
		}},
		{handle: handlers.TileSet, Operation: openapi.Operation{
			Path: "/v1/tiles.json",
			Endpoint: params.Endpoint{Takes: params.TileSets, Name: "tiles", Token: true,
				Shape: params.Plain, Canonical: params.TileSetText},
			ID: "getTileSet", Tag: openapi.TagFilings, Summary: "Get the address of map tiles",
			Text: "Returns where the tiles of the filings that match `q` and the filters of the list are, as " +
				"TileJSON 3.0.0. They are of the live generation: request it again to see what was loaded since.",
			Schema: "TileJSON", Data: handlers.TileJSON{},
		}},
		{handle: handlers.Tile, Operation: openapi.Operation{
			Path: "/v1/tiles/:generation/:z/:x/:y.mvt",
			Endpoint: params.Endpoint{Takes: params.Tiles, Name: "tiles", Token: true,
				Shape: params.Plain | params.Forever | params.Tagged, Canonical: params.TileText},
			ID: "getTile", Tag: openapi.TagFilings, Summary: "Get a map tile",
			Text: "Returns a tile of a web map as Mapbox Vector Tile 2.1, with the filings in it that match `q` and " +
				"the filters of the list. Up to 500 filings are points of the layer `filings`, and clusters of " +
				"the layer `cells`; more are clusters of the layer `clusters`. Clusters are by cells of an eighth " +
				"of the tile. A tile never changes: browsers and proxies of your own keep it.",
			Schema: "Tile", Data: []byte{},
		}},
		{Operation: openapi.Operation{
			Path: "/v1/filings/export",
			Endpoint: params.Endpoint{Takes: params.Export, Name: "export", Link: true, Shape: params.File,
				Canonical: params.FilterText},
			ID: "exportFilings", Tag: openapi.TagFilings, Summary: "Export filings as a file",
			Text: "Returns all filings that match `q` and the filters of the list as one file, from one generation, " +
				"newest recording date first, then by id, descending. An export costs one request per 100 rows, " +
				"rounded up, charged before the first byte. Each 100 rows that are not sent refund one request. A " +
				"file that is cut ends without HTTP's last chunk, which every client library reports as an error. " +
				"An account has one export at a time.",
		}},
		{handle: handlers.ChangesSince, Operation: openapi.Operation{
			Path: "/v1/filings/changes",
			Endpoint: params.Endpoint{Takes: params.Changes, Name: "changes", Link: true,
				Shape:     params.Pagination | params.Forward | params.Meta | params.Tagged | params.LaterGeneration,
				Canonical: params.ChangesText},
			ID: "listChanges", Tag: openapi.TagFilings, Summary: "List changes since a generation",
			Text: "Returns the filings added, changed and removed between the generations `since` and `until`, each " +
				"once, by id. The header `X-Generation` names `until`. With filters and `q`, only the filings " +
				"that match them are compared: one that no longer matches is `removed`. A filing has changed if " +
				"it differs in a field that the tier shows. Changes are kept longer than generations. Where they " +
				"are not kept, or it is unknown how one generation came from the other, the response is a 410: " +
				"export anew.",
			Schema: "ChangesResponse", Data: []handlers.Change{},
		}},
		{handle: handlers.GroupFilings, Operation: openapi.Operation{
			Path: "/v1/filings/groups",
			Endpoint: params.Endpoint{Takes: params.Groups, Name: "groups", Token: true,
				Shape: enveloped | params.Tagged, Canonical: params.GroupsText},
			ID: "groupFilings", Tag: openapi.TagFilings, Summary: "Aggregate filings",
			Text: "Groups the filings that match `q` and the filters of the list by one or two of their values. " +
				"Each group has the number of its filings, and the count, sum, average, minimum and maximum of " +
				"their amounts, exact to the cent. One response has all groups, those with the most filings " +
				"first, then by key, `null` last. Values that differ only in case are one group, written as most " +
				"of its filings have it. More than 10,000 groups are a 400 that says how many there are. `limit` " +
				"returns the first groups of up to 200,000; `meta.groups` then says how many there are.",
			Schema: "GroupsResponse", Data: []handlers.Group{},
		}},
		{handle: handlers.Filing, Operation: openapi.Operation{
			Path: "/v1/filings/:id", Legacy: "/v1/liens/:id",
			Endpoint: params.Endpoint{Takes: params.OneFiling, Name: "one", Token: true,
				Shape: enveloped | params.Tagged | params.MayMiss, Canonical: params.FilingText},
			ID: "getFiling", Tag: openapi.TagFilings, Summary: "Get one filing",
			Text:   "Returns the filing with this id.",
			Schema: "FilingResponse", Data: index.Record{},
		}},
		{handle: handlers.Owners, Operation: openapi.Operation{
			Path: "/v1/owners",
			Endpoint: params.Endpoint{Takes: params.Owners, Name: "owners", Token: true,
				Shape: page | params.Success, Canonical: params.OwnersText},
			ID: "listOwners", Tag: openapi.TagFilings, Summary: "List owners",
			Text: "Returns a page of the owners, however their names are written, with the number of their filings, " +
				"their counties, the sum of their amounts and the range of their recording dates, in the whole " +
				"generation. With `q` it completes a name as it is typed. Those with the most filings come first; " +
				"ties are in the order of their names without punctuation, accents and case.",
			Schema: "OwnerList", Data: []handlers.Owner{},
		}},
		{handle: handlers.Overall, Operation: openapi.Operation{
			Path:     "/v1/stats",
			Endpoint: params.Endpoint{Takes: params.NoFilters},
			ID:       "getStatistics", Tag: openapi.TagStats, Summary: "Get statistics of all filings",
			Text: "Returns statistics of all filings, whatever the tier. The response has no `ETag`, since the " +
				"count of new filings changes with the clock.",
			Schema: "StatsResponse", Data: handlers.Stats{},
		}},
		{handle: handlers.ByCounty, Operation: openapi.Operation{
			Path:     "/v1/stats/counties",
			Endpoint: params.Endpoint{Takes: params.CountyStats, Shape: params.Tagged, Canonical: params.StateText},
			ID:       "listCountyStatistics", Tag: openapi.TagStats, Summary: "List statistics by county",
			Text: "Returns one object for each county, sorted by state, then county. A state without filings is an " +
				"empty list.",
			Schema: "CountyStatsList", Data: []handlers.CountyStats{},
		}},
		{handle: handlers.Counties, Operation: openapi.Operation{
			Path:     "/v1/counties",
			Endpoint: params.Endpoint{Takes: params.NoFilters, Shape: params.Tagged},
			ID:       "listCounties", Tag: openapi.TagCounties, Summary: "List counties",
			Text:   "Returns the counties that have filings, as in `Orange, FL`, sorted alphabetically.",
			Schema: "CountyList", Data: []string{},
		}},
		{handle: handlers.Distinct(index.ByMonth), Operation: openapi.Operation{
			Path: "/v1/counties/:county/months",
			Endpoint: params.Endpoint{Takes: params.OneCounty,
				Shape: params.Tagged | params.MayMiss, Canonical: params.FilterText},
			ID: "listCountyMonths", Tag: openapi.TagCounties, Summary: "List months of a county",
			Text:   "Returns the months, as YYYY-MM, in which the county has at least one filing, in order.",
			Schema: "MonthList", Data: []string{},
		}},
		{handle: handlers.Distinct(index.ByDateRange), Operation: openapi.Operation{
			Path: "/v1/counties/:county/date-ranges",
			Endpoint: params.Endpoint{Takes: params.OneCounty,
				Shape: params.Tagged | params.MayMiss, Canonical: params.FilterText},
			ID: "listCountyDateRanges", Tag: openapi.TagCounties, Summary: "List recording date ranges of a county",
			Text:   "Returns the date ranges as `YYYY-MM-DD to YYYY-MM-DD`, sorted by start, then end.",
			Schema: "DateRangeList", Data: []string{},
		}},
		{handle: handlers.Covered, Operation: openapi.Operation{
			Path: "/v1/coverage",
			Endpoint: params.Endpoint{Takes: params.Coverage, Name: "coverage", Shape: params.Tagged | params.Partial,
				Canonical: params.CoverageText},
			ID: "listCoverage", Tag: openapi.TagGenerations, Summary: "List coverage by county",
			Text: "Returns, for each county, the number of filings, how many of them have coordinates, the range of " +
				"their recording dates, and when the latest was added. Sorted by state, then county. A state " +
				"without filings is an empty list. With `limit` the response has a page of them, and `next_cursor`; " +
				"a page costs one request.",
			Schema: "CoverageList", Data: []handlers.Coverage{},
		}},
		{handle: handlers.Fields, Operation: openapi.Operation{
			Path:     "/v1/fields",
			Endpoint: params.Endpoint{Takes: params.NoFilters, Shape: enveloped | params.Tagged},
			ID:       "listFields", Tag: openapi.TagGenerations, Summary: "List fields and what they have",
			Text: "Returns each field that the caller's tier shows, in the order of a filing: how many filings have " +
				"a value, how many different ones there are, and the least and the greatest of numbers and dates. " +
				"All figures are exact. A load counts them.",
			Schema: "FieldsResponse", Data: []handlers.FieldStats{},
		}},
		{handle: handlers.Generations, Operation: openapi.Operation{
			Path: "/v1/generations",
			ID:   "listGenerations", Tag: openapi.TagGenerations, Summary: "List generations",
			Text: "Returns the generations that can be read, the newest first: the live one, and the others that " +
				"the operator keeps. Each load makes a generation of all filings, which never changes. The " +
				"parameter `generation` of other operations reads one of them.",
			Schema: "GenerationList", Data: []handlers.Generation{},
		}},
		{handle: handlers.Me, Operation: openapi.Operation{
			Path:     "/v1/me",
			Endpoint: params.Endpoint{Shape: enveloped | params.NoFilings},
			ID:       "getIdentity", Tag: openapi.TagAccount, Summary: "Get the key's account",
			Text:   "Returns the user and the tier of the account.",
			Schema: "IdentityResponse", Data: handlers.Identity{},
		}},
		{handle: handlers.MyUsage(keys), Operation: openapi.Operation{
			Path:     "/v1/me/usage",
			Endpoint: params.Endpoint{Shape: enveloped | params.NoFilings},
			ID:       "getUsage", Tag: openapi.TagAccount, Summary: "Get the account's usage",
			Text: "Returns the limits of the account, what remains of each and when it resets, and the requests of " +
				"each of the last 30 UTC days. A refunded request does not count; this one does.",
			Schema: "UsageResponse", Data: handlers.Usage{},
		}},
		{handle: handlers.NewToken(secrets), Operation: openapi.Operation{
			Path:     "/v1/tokens",
			Endpoint: params.Endpoint{Takes: params.Tokens, Shape: enveloped | params.MayMiss | params.Secret},
			ID:       "createToken", Tag: openapi.TagAccount, Summary: "Make a token for browsers or a link",
			Text: "Returns a token that pages of the given origins send instead of the key, as `token` in the query: " +
				"then browsers send no preflight. Without `origin` it is a link's, for any program. It is for " +
				"some endpoints, and for the filings that match its filters, which hold besides those of each " +
				"request. Contact fields are never shown. It ends when it expires, and when the key is revoked " +
				"or rotated. Nothing of it is stored. Unknown parameters, empty ones, a part of the bounds, and " +
				"values that no filing has are a 400. A free account has no tokens. 404 where the operator has " +
				"not turned them on.",
			Schema: "TokenResponse", Data: handlers.Token{},
		}},
	}
}

// Endpoints returns the table of endpoints as documents have it.
func Endpoints() (operations []openapi.Operation) {
	for _, e := range endpoints(nil, nil) {
		operations = append(operations, e.Operation)
	}
	return operations
}
