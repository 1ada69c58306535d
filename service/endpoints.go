package service

import (
	"filings/index"
	"filings/service/access"
	"filings/service/handlers"
	"filings/service/openapi"
	"filings/service/params"
)

// endpoints is the whole API, in the order in which routes are tried: /v1/filings/:id would match those before it. Keys are
// where an account's usage is read; nil will do for whoever calls no handler.
func endpoints(keys access.Store) []endpoint {
	const (
		enveloped = openapi.Success | openapi.Meta
		page      = openapi.Pagination | openapi.Meta | openapi.Tagged
	)
	return []endpoint{
		{handle: handlers.List, Operation: openapi.Operation{
			Path: "/v1/filings", Legacy: "/v1/liens", Takes: params.List, Shape: page,
			ID: "listFilings", Tag: openapi.TagFilings, Summary: "List and filter filings",
			Text: "A page of the filings that all given filters select, newest recording date first, then by id, descending. " +
				"`total` is exact, and any offset works.",
			Schema: "FilingList", Data: []index.Record{},
		}},
		{handle: handlers.List, Operation: openapi.Operation{
			Path: "/v1/filings/search", Legacy: "/v1/liens/search", Takes: params.Search, Shape: page | openapi.Success,
			ID: "searchFilings", Tag: openapi.TagFilings, Summary: "Search filings",
			Text: "A page of the filings that contain a term, in one of five sorts, narrowed by the filters of the list. Ties are in the list's " +
				"order; filings without the value come last in both directions.",
			Schema: "FilingSearchResponse", Data: []index.Record{},
		}},
		{handle: handlers.MapClusters, Operation: openapi.Operation{
			Path: "/v1/filings/clusters", Takes: params.Clusters, Shape: enveloped | openapi.Tagged,
			ID: "clusterFilings", Tag: openapi.TagFilings, Summary: "Filings of a map, added up by cells",
			Text: "What a page of 100 cannot show: the filings in a box that a term and the filters of the list select, added up by cells of 64 pixels of the " +
				"client's map, or larger ones where the box would touch more than 1,024. The counts add up to the total that the list, or the search, has for " +
				"the same filters and box. With `Accept: application/geo+json` it is a FeatureCollection.",
			Schema: "ClustersResponse", Data: handlers.Clusters{}, GeoJSON: handlers.FeatureCollection{},
		}},
		{Operation: openapi.Operation{
			Path: exportPath, Takes: params.Export, Shape: openapi.File,
			ID: "exportFilings", Tag: openapi.TagFilings, Summary: "Export filings as a file",
			Text: "All filings that the filters of the list and `q` select, newest recording date first, then by id, descending: one file from one " +
				"generation. It costs one request for each begun 100 rows, which are taken before the first byte. What is not sent is given back, in " +
				"hundreds of rows. A file that breaks off ends without HTTP's last chunk, which every client library reports as an error. An " +
				"account has one export at a time.",
		}},
		{handle: handlers.ChangesSince, between: true, Operation: openapi.Operation{
			Path: "/v1/filings/changes", Takes: params.Changes, Shape: openapi.Pagination | openapi.Forward | openapi.Meta | openapi.Tagged,
			ID: "listChanges", Tag: openapi.TagFilings, Summary: "What changed since a generation",
			Text: "Every filing that differs between two generations, once, by id: what a copy of the filings of `since` needs to become one of " +
				"`until`, which `X-Generation` names. With filters, and `q`, the copy is of what they select. A filing has changed if it differs " +
				"in a field that the tier shows. Changes are kept longer than generations; where they are too old, or it is unknown how " +
				"one generation came from the other, 410 says to export anew.",
			Schema: "ChangesResponse", Data: []handlers.Change{},
		}},
		{handle: handlers.GroupFilings, Operation: openapi.Operation{
			Path: "/v1/filings/groups", Takes: params.Groups, Shape: enveloped | openapi.Tagged,
			ID: "groupFilings", Tag: openapi.TagFilings, Summary: "Figures of filings by groups",
			Text: "The filings that a term and the filters of the list select, by one or two of their values: how many there are of each, and " +
				"count, sum, average, smallest and largest of their amounts, exact to the cent. All groups come at once, the one with most " +
				"filings first, then by key, no value last. Values that differ in case alone are one group, written as most of its filings " +
				"have it. More than 10,000 groups are a 400 that says how many there are.",
			Schema: "GroupsResponse", Data: []handlers.Group{},
		}},
		{handle: handlers.Filing, Operation: openapi.Operation{
			Path: "/v1/filings/:id", Legacy: "/v1/liens/:id", Takes: params.OneFiling, Shape: enveloped | openapi.Tagged | openapi.MayMiss,
			ID: "getFiling", Tag: openapi.TagFilings, Summary: "Get one filing", Text: "The filing with this id.",
			Schema: "FilingResponse", Data: index.Record{},
		}},
		{handle: handlers.Overall, Operation: openapi.Operation{
			Path: "/v1/stats", Takes: params.Whole,
			ID: "getStatistics", Tag: openapi.TagStats, Summary: "Statistics over all filings",
			Text:   "They cover all filings, whatever the tier. Not under a tag, since what is new moves with the clock.",
			Schema: "StatsResponse", Data: handlers.Stats{},
		}},
		{handle: handlers.ByCounty, Operation: openapi.Operation{
			Path: "/v1/stats/counties", Takes: params.CountyStats, Shape: openapi.Tagged,
			ID: "listCountyStatistics", Tag: openapi.TagStats, Summary: "Statistics by county",
			Text:   "One object for each county, sorted by state, then county. A state without filings is an empty list.",
			Schema: "CountyStatsList", Data: []handlers.CountyStats{},
		}},
		{handle: handlers.Counties, Operation: openapi.Operation{
			Path: "/v1/counties", Takes: params.Whole, Shape: openapi.Tagged,
			ID: "listCounties", Tag: openapi.TagCounties, Summary: "Counties that have filings",
			Text:   "As in `Orange, FL`, sorted alphabetically.",
			Schema: "CountyList", Data: []string{},
		}},
		{handle: handlers.Distinct(index.Month), Operation: openapi.Operation{
			Path: "/v1/counties/:county/months", Takes: params.OneCounty, Shape: openapi.Tagged | openapi.MayMiss,
			ID: "listCountyMonths", Tag: openapi.TagCounties, Summary: "Months of a county",
			Text:   "The months, as YYYY-MM, in which the county has at least one filing, in order.",
			Schema: "MonthList", Data: []string{},
		}},
		{handle: handlers.Distinct(index.DateRange), Operation: openapi.Operation{
			Path: "/v1/counties/:county/date-ranges", Takes: params.OneCounty, Shape: openapi.Tagged | openapi.MayMiss,
			ID: "listCountyDateRanges", Tag: openapi.TagCounties, Summary: "Recording date ranges of a county",
			Text:   "As `YYYY-MM-DD to YYYY-MM-DD`, sorted by start, then end.",
			Schema: "DateRangeList", Data: []string{},
		}},
		{handle: handlers.Covered, Operation: openapi.Operation{
			Path: "/v1/coverage", Takes: params.CountyStats, Shape: openapi.Tagged,
			ID: "listCoverage", Tag: openapi.TagGenerations, Summary: "What there is of each county",
			Text: "How many filings, how many of them with coordinates, the range of their recording dates, and when the latest was added. " +
				"Sorted by state, then county. A state without filings is an empty list.",
			Schema: "CoverageList", Data: []handlers.Coverage{},
		}},
		{handle: handlers.Generations, Operation: openapi.Operation{
			Path: "/v1/generations",
			ID:   "listGenerations", Tag: openapi.TagGenerations, Summary: "Generations that are kept",
			Text: "Each load makes a generation of all filings, which never changes. This lists those that can be read, the newest first: " +
				"the live one, and those before it that the operator keeps. Name one with `generation` to go on reading it.",
			Schema: "GenerationList", Data: []handlers.Generation{},
		}},
		{handle: handlers.Me, offline: true, Operation: openapi.Operation{
			Path: "/v1/me", Shape: enveloped,
			ID: "getIdentity", Tag: openapi.TagAccount, Summary: "Who the key belongs to", Text: "User and tier of the account.",
			Schema: "IdentityResponse", Data: handlers.Identity{},
		}},
		{handle: handlers.MyUsage(keys), offline: true, Operation: openapi.Operation{
			Path: "/v1/me/usage", Shape: enveloped,
			ID: "getUsage", Tag: openapi.TagAccount, Summary: "What the account has used",
			Text: "Its limits, what is left of each and when it is there again, and the requests of each of the last 30 UTC days. " +
				"A request that was refunded is in none of them; this one is in all.",
			Schema: "UsageResponse", Data: handlers.Usage{},
		}},
	}
}

// Endpoints returns the table of endpoints as documents have it.
func Endpoints() (all []openapi.Operation) {
	for _, e := range endpoints(nil) {
		all = append(all, e.Operation)
	}
	return all
}
