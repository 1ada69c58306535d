// Package params turns the query string and the path of a request into an endpoint's task: a
// Request. It owns the table of parameters. It depends on neither HTTP nor engines: text in, value
// out.
//
// # Design
//
// Each parameter is a row of one table (table.go): names, endpoints, kind, limits, help, example,
// and a setter, which applies a value to the request. A kind is a row of another table (kind.go):
// the reading of values, and their texts in messages and schemas. Splitting the query string
// (raw.go), reading it (read.go), messages (invalid.go) and documents range over these tables; no
// endpoint knows a parameter, and nothing but its row knows a kind.
//
// A new filter is a row. It is also a setter (set.go) and a predicate of package index, with a case
// in each engine, only where none of those there are fits. The other differences of endpoints are
// in an Endpoint, which the table of endpoints has in each of its rows (package service).
//
// The query string is read as net/url reads it, but a text that does not decode is an error.
//
// Every error of this package is about the client's text, and meant for the client.
package params

import (
	"time"

	"filings/index"
	"filings/service/cursor"
)

// Request is a client's request of an endpoint. Fields that an endpoint does not take are zero.
type Request struct {
	Query  index.Query // Where by the filters; Sort, Offset and Limit of a page
	Grid   index.Grid  // the tiles of a map
	Tile   MapTile     // the one that is requested
	Groups index.GroupQuery
	Owners index.OwnerQuery // without the parts in Query: see OwnerQuery
	Typos  bool             // a search that finds nothing is tried with words near those of its term
	State  string           // two capital letters, or ""
	ID     int64            // of a filing
	County string           // as in the path, trimmed; Query.Where selects its filings

	Generation   string // the public id of the generation to read, or up to which changes are; "": the live one
	Since        string // the public id of the generation from which on changes are
	DependsOnDay bool   // of Query.Where

	// Cursor is where a page by cursor begins, with the parameters of the page; After is "" for the
	// first one. nil: a page by offset. Changes always have one.
	Cursor  *cursor.Cursor
	Fields  index.FieldSet // of each record; the zero set: all that the caller's tier sees
	Filters string         // as a query string, of tokens and of descriptions of tiles
	Format  string         // of an export
	Token   TokenRequest
	After   int64 // the id of the filing after which an export begins; 0: at the first one

	// Required are values that filings of the generation must have (rule X63): of a token, all that
	// its filter names, of an export those that it leaves out, and so of the scope. A misspelled
	// exclusion shows the filings that it should hide.
	Required []Named
	Named    []Named // all values that filters name

	// Text is the canonical text: equal for all requests for the same thing. Tags are made from it.
	Text string

	// The service fills in the following fields.
	Now     time.Time // when the request is handled
	Address string    // of the API for clients, without a slash at its end
	Bearer  string    // the token that the request has; "": it has a key
	GeoJSON bool      // the client prefers GeoJSON, on an endpoint that has it
	Caller  Caller
}

// Shows reports whether the fields of r, if it names some, have f.
func (r *Request) Shows(f index.Field) bool { return r.Fields == 0 || r.Fields.Has(f) }

// MapTile is a tile of a web map: its zoom, its column from the west and its row from the north.
type MapTile struct{ Zoom, Column, Row int }

// Caller is whose key a request has.
type Caller struct {
	User, Tier string
	Fields     index.Tier // whose fields records have
	KeyHash    string     // of a key that a token is to be made with
}

// TokenRequest is the token that is requested, besides its filters and fields.
type TokenRequest struct {
	Origins, Endpoints []string
	Seconds            int64 // for which it is valid
	Burst              int64 // of each visitor
	Label              string
	Excludes           bool // its filters leave out values
}

// Named is a parameter with values of filings, as they were sent.
type Named struct {
	Parameter string
	Field     index.Field // that has them; County also has the names without the state
	Values    []string
	Lists     []index.List // texts that may be one value, whose items are among Values
	Excluded  bool
}

// Scope is which filings, and which of their fields, a token is for. A request selects within it.
// The zero Scope is all filings.
type Scope struct {
	Where    index.Filter
	Fields   index.FieldSet // the zero set: all that the tier shows
	Excluded []Named        // values that it leaves out
	counties bool           // it filters by county and state alone
	unlike   error          // why changes are not for it; nil: they are
}

// ShowsPlaces reports whether s, which may be nil, shows where filings are.
func (s *Scope) ShowsPlaces() bool {
	return s == nil || s.Fields.Has(index.Latitude) && s.Fields.Has(index.Longitude)
}

// text is the canonical text of s, for tags: the filings within one scope are never told apart by
// those within another.
func (s *Scope) text() string { return " within " + s.Where.String() + " fields " + s.Fields.String() }

// Tiers are the permissions of a caller.
type Tiers struct {
	Fields  index.Tier // whose fields records may have
	Filters index.Tier // up to whose fields filters may be
	Scope   *Scope     // of the caller's token, or of the one that is made; nil: the caller has a key
}
