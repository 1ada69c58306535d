// Package params turns the query string and the path of a request into what an endpoint is to do: a Request. It owns the
// table of parameters. It refuses to know HTTP, endpoints' paths and engines: text goes in, a value comes out.
//
// # Design
//
// Each parameter is a row of one table (table.go): names, kind of value, limits, operator, help and example. Splitting the
// query string into raw parameters (raw.go), reading their values (value.go), building the Request (builder.go) and the
// messages (invalid.go) range over it; no endpoint knows a parameter. A new filter is a row here, and a case in each engine
// if no operator does it yet.
//
// The query string is read as net/url reads it, but what does not decode is an error instead of being left out.
//
// Every error of this package is about what the client sent, and its text is meant for the client.
package params

import (
	"strconv"
	"time"

	"filings/index"
)

// Request is what a client asks of an endpoint. Fields that an endpoint does not take are zero.
type Request struct {
	Query  index.Query // Where by the filters; Sort, Offset and Limit of a page
	Grid   index.Grid  // the tiles of a map
	State  string      // two capital letters, or ""
	ID     int64       // of a filing
	County string      // as in the path, trimmed; Query.Where selects its filings

	// Text is the canonical text: of all requests for the same thing it is the same. Tags are made from it.
	Text string

	// The service fills in what follows.
	Now     time.Time // when the request is answered
	GeoJSON bool      // the client prefers GeoJSON, on an endpoint that has it
	Caller  Caller
}

// Caller is whose key a request has.
type Caller struct{ User, Tier string }

// canonical returns the text of r on an endpoint.
func (r *Request) canonical(on Endpoints) string {
	switch {
	case on&pages != 0:
		return r.Query.String()
	case on&Clusters != 0:
		return r.Grid.Text(r.Query.Where)
	case on&CountyStats != 0:
		return r.State
	case on&OneFiling != 0:
		return strconv.FormatInt(r.ID, 10)
	case on&OneCounty != 0:
		return r.Query.Where.String()
	}
	return ""
}

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
	for _, on := range []Endpoints{List, Search, Clusters, CountyStats} {
		t.names[on] = map[string]int{}
		for i, p := range t.rows {
			if p.On&on != 0 && !p.InPath {
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

// Read reads the values of raw and of the path, and builds the Request. The first invalid one in the order of the table is
// the error. segment returns the segment of the path for a parameter, as it was sent.
func (t *Table) Read(raw Raw, segment func(name string) string, now time.Time) (Request, error) {
	b := &builder{now: now.UTC(), active: t.active}
	b.request = Request{Query: index.Query{Sort: index.DefaultSort, Limit: DefaultLimit}, Now: now}
	for i := range t.rows {
		p := &t.rows[i]
		if p.On&raw.on == 0 {
			continue
		}
		text, name, err := raw.only(i, p)
		if p.InPath {
			text = segment(p.Name)
		}
		if err != nil {
			return Request{}, err
		}
		if text == "" && !p.InPath {
			continue
		}
		v, some, ok := p.read(text)
		if !ok {
			return Request{}, p.invalid(name, text)
		}
		if some {
			b.apply(p, name, v)
		}
	}
	if err := t.missing(raw.on, b.edges); err != nil {
		return Request{}, err
	}
	if err := b.finish(raw.on); err != nil {
		return Request{}, err
	}
	b.request.Text = b.request.canonical(raw.on)
	return b.request, nil
}
