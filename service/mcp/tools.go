package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"filings/index/serving"
	"filings/service/handlers"
	"filings/service/params"
)

// tool is one row of the table of tools.
type tool struct {
	name, title, text string
	path              string            // of the endpoint that it stands for, as the table of endpoints has it
	searchPath        string            // of the one that it stands for with q; "": the same
	takes             params.Endpoints  // whose parameters are its arguments
	columns           bool              // it shows few fields unless it is told which ones
	more              bool              // it filters, and takes rare filters as members of more
	texts             map[string]string // of arguments that common says something else of
	integers, lists   map[string]bool   // the arguments that are integers, and those that are lists; schema sets them
	narrow            string            // how to make a result smaller, after "since a result has at most … bytes: "

	// handle is the handler of the endpoint within a call; nil: as it is.
	handle func(context.Context, *Call, handlers.Handler, *serving.Reader, params.Request) (handlers.Result, error)
}

// Limits of a call.
const (
	maxRows       = 100 // of a result
	defaultGroups = "20"
	defaultFields = "id,county,owner,propertyAddress,filingType,filingAmount,filingDate"
)

// instructions are the text that a model reads before it calls a tool.
const instructions = "Public county filings: tax liens, municipal liens and similar records, each with its " +
	"property. Begin with describe_data: it says which fields this key shows, from when to when there are " +
	"filings, and what remains of the quota. Amounts are US dollars. Dates are those on which a county " +
	"recorded a filing, YYYY-MM-DD; when a filing was added to this service is another date, by which " +
	"sort_by=created_at sorts. For counts, sums and rankings call summarize_filings instead of adding up rows. " +
	"A field that the key's tier does not show is not there; null means that the record lacks it. Each call of " +
	"a tool costs one request of the key's quota. All tools only read."

// common has the text of each argument for models. A filter that is not here is rare: a member of
// more.
// All of it is read before each conversation, so it is short: errors name the right value.
func common() map[string]string {
	return map[string]string{
		"q":            "Text in owner, address, case number or county.",
		"state":        "As in FL.",
		"county":       "As in Orange, FL.",
		"owner":        "Whole name, in any spelling: find_owners finds names.",
		"address":      "",
		"filing_types": "",
		"min_amount":   "Dollars.",
		"max_amount":   "",
		"date_start":   "Recorded on YYYY-MM-DD or later.",
		"date_end":     "",
		"by":           "One or two.",
		"since":        "From changes_since of describe_data.",
		"fields":       "Fields of each row; describe_data lists all.",
		"sort_by":      "",
		"sort_order":   "",
		"min_filings":  "",
		"limit":        fmt.Sprintf("1 to %d.", maxRows),
		"cursor":       "next_cursor of the last result, alone.",
		"id":           "",
	}
}

// schema returns the JSON schema of t's arguments, from the table of parameters. It has only the
// keywords that function declarations of all vendors know: Gemini's refuse formats and
// additionalProperties.
func (t *tool) schema(table *params.Table) (json.RawMessage, error) {
	t.integers, t.lists = map[string]bool{}, map[string]bool{}
	texts, rare := common(), properties{}
	top := schema{Type: "object", Properties: properties{}}
	for _, p := range table.Rows(t.takes) {
		t.integers[p.Name], t.lists[p.Name] = p.Kind.Type == "integer", p.Kind.List
		text, known := texts[p.Name]
		if special := t.texts[p.Name]; special != "" {
			text = special
		}
		s := schema{Type: p.Kind.Type, Description: text}
		if p.Kind.Enum && known {
			s.Enum = p.Choices
		}
		if p.Kind.List {
			s = schema{Type: "array", Description: text, Items: &schema{Type: s.Type, Enum: s.Enum}}
		}
		switch {
		case p.Name == "offset", p.Name == "filing_type", strings.HasPrefix(p.Name, "bounds_"):
			// cursor, filing_types and polygon do the same; a call may have them
		case known || !t.more:
			top.Properties[p.Name] = s
		default:
			rare[p.Name] = s
		}
		if p.RequiredBy(t.takes) && t.searchPath == "" {
			top.Required = append(top.Required, p.Name)
		}
	}
	if t.more {
		const text = "Rare filters. near is LAT,LON and needs radius (meters). Wrong values are answered with what is right."
		top.Properties["more"] = schema{Type: "object", Description: text, Properties: rare}
	}
	return json.Marshal(top)
}

type properties map[string]schema

type schema struct {
	Type        string     `json:"type"`
	Description string     `json:"description,omitempty"`
	Enum        []string   `json:"enum,omitempty"`
	Items       *schema    `json:"items,omitempty"`
	Properties  properties `json:"properties,omitempty"`
	Required    []string   `json:"required,omitempty"`
}

// tools is the table of tools. The text of each is all that a model reads of it.
func tools() []tool {
	return []tool{
		{
			name: "search_filings", title: "Search filings", path: "/v1/filings", searchPath: "/v1/filings/search",
			takes:   params.Search,
			columns: true, more: true, handle: limited,
			text: "Lists filings that match all arguments, newest first; 20 without limit. pagination.total is how " +
				"many match, exactly: to count or add up, call summarize_filings.",
			texts:  map[string]string{"fields": "Fields of each row. Default: " + defaultFields + "."},
			narrow: "name fewer fields, or filter more",
		},
		{
			name: "get_filing", title: "Get one filing", path: "/v1/filings/:id", takes: params.OneFiling,
			text:   "Returns a filing with all fields that this key shows.",
			narrow: "name fewer fields",
		},
		{
			name: "find_owners", title: "Find owners", path: "/v1/owners", takes: params.Owners, handle: limited,
			text: "Lists owners by the start of each word of their name, with their filings, counties, amounts and " +
				"dates. Those with the most filings come first; sort_by=amount ranks by dollars.",
			texts:  map[string]string{"q": "As in wil joh, for JOHN WILLIAMS."},
			narrow: "name a county or more of the name",
		},
		{
			name: "summarize_filings", title: "Count and add up filings", path: "/v1/filings/groups",
			takes: params.Groups, more: true, handle: grouped,
			text: "Groups the filings that match all arguments, and returns of each group the number of filings, and " +
				"count, sum, avg, min and max of their amounts, exact to the cent. Largest groups first " +
				"(sort_by=sum: by dollars; key: by name or month); rest adds up all others. A null key is " +
				"filings without the value; those without an owner are in rest. A filing of two categories is " +
				"in both.",
			texts:  map[string]string{"limit": fmt.Sprintf("Groups, 1 to %d; default %s.", maxRows, defaultGroups)},
			narrow: "rest adds up the others; filter more, or group by what has fewer values",
		},
		{
			name: "list_counties", title: "List counties", path: "/v1/coverage", takes: params.Coverage,
			handle: limited,
			text: "Lists the counties that have filings: how many, first and last recording date, and when the " +
				"latest was added.",
			narrow: "name a state",
		},
		{
			name: "list_changes", title: "List changes since a generation", path: "/v1/filings/changes",
			takes: params.Changes, more: true, handle: limited,
			text: "Lists the filings that were added, changed or removed since a generation of the data, each once; " +
				"filing is the later record. With filters, one that no longer matches is removed.",
			narrow: "filter more",
		},
		{
			name: "describe_data", title: "Describe the data", path: "/v1/fields", takes: params.NoFilters,
			handle: described,
			text: "Says what there is: each field that this key shows, with its type, meaning and range; today; the " +
				"generation, and those since which list_changes works; limits, and what remains of the quota. " +
				"Call it first.",
			narrow: "search_filings shows all fields of a filing",
		},
	}
}
