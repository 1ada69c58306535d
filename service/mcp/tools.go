package mcp

import (
	"context"
	"fmt"

	"filings/index/serving"
	"filings/service/handlers"
	"filings/service/params"
)

// tool is one row of the table of tools.
type tool struct {
	name, title, text string
	path              string           // of the endpoint that it stands for, as the table of endpoints has it
	searchPath        string           // of the one that it stands for with q; "": the same
	takes             params.Endpoints // whose parameters are its arguments
	columns           bool             // it shows few fields unless it is told which ones
	without           string           // a parameter that is no argument
	texts             map[string]string
	integers, lists   map[string]bool // the arguments that are integers, and those that are lists; schema sets them
	narrow            string          // how to make a result smaller, after "since a result has at most … bytes: "

	// handle is the handler of the endpoint within a call; nil: as it is.
	handle func(context.Context, *Call, handlers.Handler, *serving.Reader, params.Request) (handlers.Result, error)
}

// Limits of a call.
const (
	maxRows       = 100 // of a result
	defaultGroups = "20"
	defaultFields = "id,county,owner,propertyAddress,filingType,filingAmount,filingDate"
)

// instructions are what a model reads before it calls a tool.
const instructions = "Public county filings: tax liens, municipal liens and similar records, each with its property. Begin with describe_data: it says which " +
	"fields this key shows, from when to when there are filings, and what remains of the quota. Amounts are US dollars. Dates are those on which a county " +
	"recorded a filing, YYYY-MM-DD; when a filing was added to this service is another date, by which sort_by=created_at sorts. For counts, sums and " +
	"rankings call summarize_filings instead of adding up rows. A field that the key's tier does not show is not there; null means that the record lacks " +
	"it. Each call of a tool costs one request of the key's quota. All tools only read."

// tools is the table of tools. What a model has to know of each is its text.
func tools() []tool {
	limit := fmt.Sprintf("Rows of the result, 1 to %d; without it 20, of changes 100. More become %d. "+
		"Where they do not fit, fewer are returned.", maxRows, maxRows)
	counties := fmt.Sprintf("Rows of the result, 1 to %d, as without it. Where they do not fit, fewer are returned.", maxRows)
	const fields = "Fields of each row. Without it: " + defaultFields + ". describe_data lists those of this key; id is always one."
	const cursor = "next_cursor of the previous result, to go on behind its last row. It holds all other arguments, so give it alone, or with limit."
	return []tool{
		{
			name: "search_filings", title: "Search filings", path: "/v1/filings", searchPath: "/v1/filings/search", takes: params.Search,
			columns: true, without: "offset", handle: limited,
			text: "Lists filings that match all given filters, and contain the term q if there is one. pagination.total is how many match, exactly. " +
				"Newest recording date first unless sort_by says otherwise. With next_cursor the next rows follow, each filing once. " +
				"Do not page through all rows to count or add up: summarize_filings does that in one call.",
			texts:  map[string]string{"limit": limit, "fields": fields, "cursor": cursor},
			narrow: "name fewer fields, or filter more",
		},
		{
			name: "get_filing", title: "Get one filing", path: "/v1/filings/:id", takes: params.OneFiling, columns: true,
			text:   "Returns the filing with this id.",
			texts:  map[string]string{"fields": fields},
			narrow: "name fewer fields",
		},
		{
			name: "summarize_filings", title: "Count and add up filings", path: "/v1/filings/groups", takes: params.Groups, handle: grouped,
			text: "Groups the filings that match all given filters by one or two of their values, and returns for each group the number of filings and the count, " +
				"sum, average, minimum and maximum of their amounts, in dollars, exact to the cent. The first groups are returned, and rest adds up all others. " +
				"Those with the most filings come first; sort_by=sum ranks by dollars, sort_by=key by name or month. A key that is null stands for filings without " +
				"the value. With by=category a filing of two categories counts in both groups.",
			texts:  map[string]string{"limit": fmt.Sprintf("The first groups, 1 to %d; %s without it. More become %d.", maxRows, defaultGroups, maxRows)},
			narrow: "rest adds up the others; filter more, or group by what has fewer values",
		},
		{
			name: "list_counties", title: "List counties", path: "/v1/coverage", takes: params.Coverage, handle: limited,
			text: "Lists the counties that have filings, by state and name: how many filings, how many with coordinates, the first and the last recording date, and when " +
				"the latest was added. A county that is not listed has no filings here; that does not mean that nothing was recorded there.",
			texts:  map[string]string{"limit": counties, "cursor": cursor},
			narrow: "name a state",
		},
		{
			name: "list_changes", title: "List changes since a generation", path: "/v1/filings/changes", takes: params.Changes, handle: limited,
			text: "Lists the filings that were added, changed or removed since a generation of the data, each once, by id; filing is the later record. " +
				"describe_data lists under changes_since the generations from which that is known: their ids begin with the UTC day and time of the load. " +
				"With filters, a filing that no longer matches them is removed.",
			texts:  map[string]string{"limit": limit, "cursor": cursor},
			narrow: "filter more",
		},
		{
			name: "describe_data", title: "Describe the data", path: "/v1/fields", takes: params.NoFilters, handle: described,
			text: "Says what there is: each field that this key shows, with its type, meaning, how many filings have it, and the least and greatest value of numbers and " +
				"dates; today's date; the generation of the data, and those since which list_changes can be called; the limits of a result, and what remains of the " +
				"key's quota. Call it first.",
			narrow: "search_filings shows all fields of a filing",
		},
	}
}
