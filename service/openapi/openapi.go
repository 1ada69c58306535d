// Package openapi writes the OpenAPI 3.1 document of an API, with kin-openapi's types. It owns what the document says beside
// the tables that the API runs on: the introduction, headers, and how rows become schemas. It refuses to know how a request
// is answered: operations, errors and examples come to it as values, so that package service may import it.
//
// # Design
//
// The document is made once, from the table of endpoints (Operation), the table of parameters (package params), the table of
// fields (package index), the table of errors (Error), and the structs of responses, whose tag help describes a field.
// Its examples are written by the code that answers. kin-openapi keeps members of objects in maps and writes them sorted by
// name, so the same tables give the same bytes; operations are grouped for readers by their tags, which keep their order.
package openapi

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"filings/service/params"
)

// release is the last release of the API in its history; the path's /v1 is its major version.
const release = "2.1.0"

// API is what a document is made from.
type API struct {
	Path       string // of the document itself
	Operations []Operation
	Parameters *params.Table
	Errors     []Error
	Tiers      []string
}

// Operation is what the table of endpoints says of one of them.
type Operation struct {
	Path    string // with :name for a parameter
	Legacy  string // an older path with the same responses, or ""
	Takes   params.Endpoints
	Shape   Shape
	ID      string
	Tag     string
	Summary string
	Text    string
	Schema  string // name of the schema of its responses
	Data    any    // a value of the type that data has; index.Record stands for a filing
	GeoJSON any    // a value of the type of the whole response in GeoJSON; nil: there is none

	Examples []Example // of its responses
}

// Shape is what a response of 200 has beside data (rule E1), and which other responses there are.
type Shape uint8

// Parts of a Shape.
const (
	Success Shape = 1 << iota
	Pagination
	Meta
	Tagged  // an ETag, and so 304
	MayMiss // what is requested may not exist: 404
)

// Has reports whether s has part.
func (s Shape) Has(part Shape) bool { return s&part != 0 }

// Example is a whole body.
type Example struct {
	Name, Summary string
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

// Groups of operations.
const (
	TagFilings  = "filings"
	TagStats    = "statistics"
	TagCounties = "counties"
	TagAccount  = "account"
	tagDocument = "document"
)

// New returns the document of a. It fails when an operation has data of a type that has no schema.
func New(a API) ([]byte, error) {
	b := &builder{api: a, schemas: openapi3.Schemas{}}
	paths, err := b.paths()
	if err != nil {
		return nil, err
	}
	b.addShared()
	return json.Marshal(&openapi3.T{
		OpenAPI: "3.1.0",
		Info: &openapi3.Info{
			Title:       "Filings",
			Version:     release,
			Summary:     "Public county filing records: tax liens, municipal liens and the like, each matched to a property.",
			Description: introduction + errorTable(a.Errors),
		},
		Servers:  openapi3.Servers{{URL: "/"}},
		Security: openapi3.SecurityRequirements{{securityScheme: {}}},
		Tags: openapi3.Tags{
			{Name: TagFilings, Description: "Filings by filters, by a search term, by id."},
			{Name: TagStats, Description: "Exact statistics over all filings, whatever the tier."},
			{Name: TagCounties, Description: "Which counties, months and recording date ranges there are."},
			{Name: TagAccount, Description: "Whom the key belongs to."},
			{Name: tagDocument, Description: "This document."},
		},
		Paths: paths,
		Components: &openapi3.Components{
			Schemas:    b.schemas,
			Parameters: requestHeaders(),
			Headers:    headerComponents(),
			Responses:  b.errorResponses(),
			SecuritySchemes: openapi3.SecuritySchemes{securityScheme: {Value: &openapi3.SecurityScheme{
				Type: "apiKey", In: "header", Name: "X-API-Key",
				Description: "`ak_live_` and 32 hexadecimal characters. The `Authorization` header is not accepted.",
			}}},
		},
	})
}

// builder builds the document. Its schemas grow with what refers to them.
type builder struct {
	api     API
	schemas openapi3.Schemas
}

const securityScheme = "apiKey"

const introduction = `Every request carries its API key in the header ` + "`X-API-Key`" + `. Everything is read with GET; HEAD is answered, and
counted, like GET without the body.

**Tiers.** The key's account is of one of the tiers free, starter, pro and enterprise. The tier decides which fields of a
filing are returned: free and starter the core fields, pro also the property data, enterprise also the owner's contacts.
A field that a record lacks is ` + "`null`" + ` (` + "`categories`: `[]`" + `); a field above the caller's tier is absent.

**Quotas.** A free account has a number of requests for life, the others one for each UTC day, and all of them a number a
second. ` + "`X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset`" + ` are on every response to a known caller.
Whatever passed authentication and limits counts, a 304 and a 400 too; a response of 5xx is refunded.

**Parameters.** One with an empty value counts as absent, except ` + "`q`" + `. One that is given twice, or
under its legacy and its current name, is a 400. Unknown names are ignored and named in ` + "`X-Ignored-Parameters`" + `; with
` + "`Prefer: handling=strict`" + ` they are a 400 that names the nearest valid one.

**Conditional requests.** What comes from filings carries a weak ` + "`ETag`" + `; ` + "`If-None-Match`" + ` with it is answered
304 as long as neither the filings nor the tier have changed.

**Legacy names.** The paths ` + "`/v1/liens…`" + ` answer byte for byte what ` + "`/v1/filings…`" + ` answers, and the parameters marked
as deprecated are other names of current ones.

**Errors.** A 401 and a 429 have a flat body, all others the envelope. The message names what was wrong and what would be
right.
`

// errorTable lists the errors that a client can tell apart.
func errorTable(errors []Error) string {
	var b strings.Builder
	b.WriteString("\n| status | code | message, for example |\n|---|---|---|\n")
	for _, e := range errors {
		fmt.Fprintf(&b, "| %d | `%s` | %s |\n", e.Status, e.Code, e.Message)
	}
	return b.String()
}

// Template writes a path of an Operation as OpenAPI does: :id is {id}.
func Template(path string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if name, ok := strings.CutPrefix(part, ":"); ok {
			parts[i] = "{" + name + "}"
		}
	}
	return strings.Join(parts, "/")
}
