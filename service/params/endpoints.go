package params

import (
	"fmt"
	"strconv"

	"filings/index"
)

// Endpoints is a set of endpoints that take parameters.
type Endpoints uint16

// Endpoints by what they return. The zero value is those without parameters.
const (
	List Endpoints = 1 << iota
	Search
	Clusters
	Groups
	CountyStats
	OneFiling // by its id in the path
	OneCounty // by its name in the path
	Whole     // all filings, without a parameter of its own
	Export
	Changes
	Owners
	Tiles    // of a map, by generation, zoom, column and row in the path
	TileSets // what clients need to know of tiles
	Tokens   // of browsers

	pages   = List | Search
	paged   = pages | Owners
	filters = pages | Clusters | Groups | Export | Changes | tiles | Tokens
	tiles   = Tiles | TileSets
	lasting = Changes | tiles | Tokens // what they select must not change with the day

	// Queried are those that take a query string: all that read filings.
	Queried = filters | Owners | CountyStats | OneFiling | OneCounty | Whole
)

// endpoint is one row of the table of endpoints: what they differ in besides the parameters that they take. The zero value is
// that of all which take none.
type endpoint struct {
	price  pricing
	paging paging
	crawl  string // what a cursor calls the endpoint; these names never change
	token  string // what a token calls the endpoint; "": no token is for it
	exact  bool   // a name that is not known, a value that is empty and a bound alone are errors: without them it would select more
	boxed  bool   // it answers by cells of a box, and so needs all four bounds
	shown  bool   // filters are by fields that the tier shows: else what is selected would tell what it may not
	text   func(*Request) string
}

// pricing is when it is known what a request costs (rule X3).
type pricing uint8

const (
	priceOne      pricing = iota // always: it is one request
	priceByLimit                 // once the parameters are read: by the limit of its page
	priceByExport                // once the filings are counted (rule X7)
)

// paging is where a page begins.
type paging uint8

const (
	noPages  paging = iota
	byOffset        // or by cursor, if there is one
	byCursor        // without one, at the first page
)

// endpoints is the table of endpoints. Prices, cursors, bounds and canonical texts go by it.
var endpoints = map[Endpoints]endpoint{
	List:        {price: priceByLimit, paging: byOffset, crawl: "list", token: "list", text: (*Request).pageText},
	Search:      {price: priceByLimit, paging: byOffset, crawl: "search", token: "search", text: (*Request).pageText},
	Clusters:    {boxed: true, token: "clusters", text: func(r *Request) string { return r.Grid.Text(r.Query.Where) }},
	Groups:      {token: "groups", text: func(r *Request) string { return r.Groups.Text(r.Query.Where) }},
	CountyStats: {text: func(r *Request) string { return r.State }},
	OneFiling:   {token: "one", text: func(r *Request) string { return strconv.FormatInt(r.ID, 10) + r.fieldsText() }},
	OneCounty:   {text: func(r *Request) string { return r.Query.Where.String() }},
	Export:      {price: priceByExport, text: func(r *Request) string { return r.Query.Where.String() }},
	Owners:      {price: priceByLimit, paging: byOffset, crawl: "owners", token: "owners", text: (*Request).ownersText},
	Tiles:       {token: "tiles", text: func(r *Request) string { return r.Grid.Text(r.Query.Where) + r.fieldsText() }},
	TileSets:    {token: "tiles", text: func(r *Request) string { return r.Filters }},
	Tokens:      {exact: true},
	Changes:     {price: priceByLimit, paging: byCursor, crawl: "changes", shown: true, text: (*Request).changesText},
}

// row is the row of on, which is one endpoint.
func (on Endpoints) row() endpoint { return endpoints[on] }

// canonical returns the text of r on an endpoint.
func (r *Request) canonical(on Endpoints) string {
	if text := on.row().text; text != nil {
		return text(r)
	}
	return ""
}

func (r *Request) pageText() string {
	text := r.Query.String() + r.fieldsText()
	if r.Typos {
		text += " typos auto"
	}
	return text + r.cursorText()
}

func (r *Request) ownersText() string { return r.OwnerQuery().Text() + r.cursorText() }

// cursorText is that of a page by cursor, which says of what it is a part.
func (r *Request) cursorText() string {
	if r.Cursor == nil {
		return ""
	}
	return fmt.Sprintf(" by cursor, %d of %d", r.Cursor.Seen, r.Cursor.Total)
}

// OwnerQuery is what r requests of owners.
func (r *Request) OwnerQuery() index.OwnerQuery {
	q := r.Owners
	q.Where, q.State, q.Offset, q.Limit = r.Query.Where, r.State, r.Query.Offset, r.Query.Limit
	if r.Cursor != nil {
		q.Offset = int(r.Cursor.Seen)
	}
	return q
}

func (r *Request) changesText() string {
	return fmt.Sprintf("since %s %s limit %d after %q", r.Since, r.Query.Where, r.Query.Limit, r.Query.After)
}

func (r *Request) fieldsText() string {
	if r.Fields == 0 {
		return ""
	}
	return " fields " + r.Fields.String()
}
