package params

import (
	"fmt"
	"strconv"

	"filings/index"
)

// Endpoints is a set of endpoints, by the parameters that they take.
type Endpoints uint16

// Endpoints by their results. The zero value is those without parameters.
const (
	List Endpoints = 1 << iota
	Search
	Clusters
	Groups
	CountyStats
	OneFiling // by its id in the path
	OneCounty // by its name in the path
	NoFilters // all filings, without a parameter of its own
	Export
	Changes
	Owners
	Tiles    // of a map, by generation, zoom, column and row in the path
	TileSets // a description of tiles
	Tokens   // of browsers
	Coverage // of counties

	pages   = List | Search
	paged   = pages | Owners
	tiles   = Tiles | TileSets
	filters = pages | Clusters | Groups | Export | Changes | tiles | Tokens

	dayless = Changes | tiles | Tokens // their selection must not change with the day
	boxed   = Clusters                 // respond by cells of a box, and so need its four bounds
	shown   = Changes                  // filter by fields that the tier shows: the selection would tell others
	strict  = Tokens                   // refuse empty values and lone bounds, which select more
	// closed refuse unknown names, which select more.
	closed = strict | Export | tiles | Groups | Owners

	// Queried are those that take a query string: all that read filings.
	Queried = filters | Owners | CountyStats | OneFiling | OneCounty | NoFilters | Coverage
)

// Endpoint has the columns of the table of endpoints that concern the reading of requests and the
// parts of responses. Its rows, in package service, have paths, texts and handlers besides.
type Endpoint struct {
	Takes     Endpoints             // whose parameters it takes
	Name      string                // in cursors and tokens; these names never change
	Token     bool                  // tokens may be for it
	Link      bool                  // tokens of links alone may be for it
	Shape     Shape                 // of its responses
	Canonical func(*Request) string // equal for equal requests; nil: all requests are
}

// Shape names the parts of a response of 200 besides data (rule E1), and the other responses.
type Shape uint16

// Parts of a Shape.
const (
	Success    Shape = 1 << iota
	Pagination       // costs one request per 100 rows of its limit
	Meta
	Tagged          // an ETag, and so 304
	MayMiss         // the requested one may not exist: 404
	File            // a file, and nothing else, which costs one request per 100 rows
	Forward         // of Pagination: by cursor alone, and nothing is counted
	Partial         // a pagination by cursor, where the request has limit or cursor
	Plain           // data alone is the body: bytes as they are, all else as JSON
	Forever         // the response of a path never changes: clients may keep it
	Secret          // nothing between keeps it, nor does the client's cache
	LaterGeneration // of the later of two generations, which need not be kept: the live one's Reader knows it
	NoFilings       // of no generation: no Reader
)

// Has reports whether s has part.
func (s Shape) Has(part Shape) bool { return s&part != 0 }

// PageText is the canonical text of a page of filings.
func PageText(r *Request) string {
	text := r.Query.String() + r.fieldsText()
	if r.Typos {
		text += " typos auto"
	}
	return text + r.cursorText()
}

// FilterText is the canonical text of requests that depend on the filter alone.
func FilterText(r *Request) string { return r.Query.Where.String() }

// ClustersText is the canonical text of clusters.
func ClustersText(r *Request) string {
	text := r.Grid.Text(r.Query.Where)
	if r.Shows(index.FilingAmount) {
		text += " amounts"
	}
	return text
}

// TileText is the canonical text of a tile.
func TileText(r *Request) string { return ClustersText(r) + r.fieldsText() }

// TileSetText is the canonical text of a description of tiles.
func TileSetText(r *Request) string { return r.Filters }

// StateText is the canonical text of requests that depend on a state alone.
func StateText(r *Request) string { return r.State }

// CoverageText is the canonical text of coverage, or of a page of it.
func CoverageText(r *Request) string {
	if r.Cursor == nil {
		return r.State
	}
	return fmt.Sprintf("%s limit %d after %q", r.State, r.Query.Limit, r.Query.Start)
}

// GroupsText is the canonical text of groups.
func GroupsText(r *Request) string { return r.Groups.Text(r.Query.Where) }

// FilingText is the canonical text of one filing.
func FilingText(r *Request) string { return strconv.FormatInt(r.ID, 10) + r.fieldsText() }

// OwnersText is the canonical text of a page of owners.
func OwnersText(r *Request) string { return r.OwnerQuery().Text() + r.cursorText() }

// ChangesText is the canonical text of a page of changes.
func ChangesText(r *Request) string {
	return fmt.Sprintf("since %s %s limit %d after %q", r.Since, r.Query.Where, r.Query.Limit, r.Query.Start)
}

// cursorText is that of a page by cursor, which names the whole that it is a part of.
func (r *Request) cursorText() string {
	if r.Cursor == nil {
		return ""
	}
	return fmt.Sprintf(" by cursor, %d of %d", r.Cursor.Seen, r.Cursor.Total)
}

func (r *Request) fieldsText() string {
	if r.Fields == 0 {
		return ""
	}
	return " fields " + r.Fields.String()
}

// OwnerQuery is the query of r for owners.
func (r *Request) OwnerQuery() index.OwnerQuery {
	q := r.Owners
	q.Where, q.Offset, q.Limit = r.Query.Where, r.Query.Offset, r.Query.Limit
	if r.Cursor != nil {
		q.Offset = int(r.Cursor.Seen)
	}
	return q
}
