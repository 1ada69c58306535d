// Package openapi writes the OpenAPI 3.1 document of an API, with kin-openapi's types. It owns the
// parts of the document that are not in the tables that the API runs on, and how rows of these
// become operations and schemas. It refuses to know how a request is handled: operations, errors
// and examples come to it as values, so that package service may import it.
//
// # Design
//
// The part that never changes is a document (base.yaml): introduction, headers, the envelope. New
// fills in the rest, once: from the table of endpoints (Operation), the table of parameters
// (package params), the table of fields (package index), the table of errors (Error), and the
// structs of responses, whose tag help describes a field. Examples are written by the code that
// responds. kin-openapi writes members of objects sorted by name, so the same tables give the same
// bytes; operations are grouped for readers by their tags, which keep their order.
package openapi

import (
	"encoding/json"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"filings/service/params"
)

// API has the parts of a document.
type API struct {
	Operations []Operation
	Parameters *params.Table
	Errors     []Error
	Address    string // of the API; "": where the document is
}

// Operation has the texts of one endpoint, from their table.
type Operation struct {
	params.Endpoint
	Path    string // with :name for a parameter
	Legacy  string // an older path with the same responses, or ""
	ID      string
	Tag     string
	Summary string
	Text    string
	Schema  string // name of the schema of its responses
	Data    any    // a value of the type that data has; index.Record stands for a filing
	GeoJSON any    // a value of the type of the whole response in GeoJSON; nil: there is none

	Examples []Example // of its responses
}

// Example is a whole body.
type Example struct {
	Name, Summary string
	GeoJSON       bool
	Body          json.RawMessage
}

// Error is a row of the table of errors as a client can tell it apart from others.
type Error struct {
	Status        int
	Code, Message string
	Flat          bool // without the envelope (rule E2)
	Body          json.RawMessage
}

// GeoJSON is the media type of the other form of clusters (RFC 7946).
const GeoJSON = "application/geo+json"

// Groups of operations, which base.yaml describes.
const (
	TagFilings  = "filings"
	TagStats    = "statistics"
	TagCounties = "counties"
	TagAccount  = "account"

	TagGenerations = "generations"
)

// TileType is the media type of vector tiles.
const TileType = "application/vnd.mapbox-vector-tile"

// Template writes a path of an Operation as OpenAPI does: :id is {id}, and :y.mvt is {y}.mvt.
func Template(path string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if name, ok := strings.CutPrefix(part, ":"); ok {
			name, extension, dotted := strings.Cut(name, ".")
			if parts[i] = "{" + name + "}"; dotted {
				parts[i] += "." + extension
			}
		}
	}
	return strings.Join(parts, "/")
}

// builder fills in the document. Its schemas grow with the references to them.
type builder struct {
	API
	document *openapi3.T
	schemas  openapi3.Schemas
}
