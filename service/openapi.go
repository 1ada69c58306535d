package service

import (
	"encoding/json"
	"fmt"
	"strings"

	"filings/service/openapi"
)

// release is the last release of the API in its history; the path's /v1 is its major version.
const release = "2.1.0"

// documentPath is where the document is.
const documentPath = "/openapi.json"

// newDocument returns the OpenAPI document of the API. It is made from the tables that the API runs on: surface, the
// parameters of t, the fields of filings, the kinds of errors. The same tables give the same bytes.
func newDocument(t *table) []byte {
	b := &describer{table: t}
	d := openapi.Document{
		OpenAPI: openapi.Version,
		Info: openapi.Info{
			Title:       "Filings",
			Version:     release,
			Summary:     "Public county filing records: tax liens, municipal liens and the like, each matched to a property.",
			Description: introduction + errorTable(),
		},
		Servers:  []openapi.Server{{URL: "/"}},
		Security: []openapi.Requirement{{securityScheme: {}}},
		Tags: []openapi.Tag{
			{Name: tagFilings, Description: "Filings by filters, by a search term, by id."},
			{Name: tagFigures, Description: "Exact figures over all filings, whatever the tier."},
			{Name: tagCounties, Description: "Which counties, months and recording date ranges there are."},
			{Name: tagAccount, Description: "Whom the key belongs to."},
			{Name: tagDocument, Description: "This document."},
		},
		Paths: b.paths(),
	}
	b.components.Parameters = requestHeaders()
	b.components.Headers = headerComponents()
	b.components.Responses = errorResponses()
	b.components.SecuritySchemes.Add(securityScheme, openapi.SecurityScheme{
		Type: "apiKey", In: "header", Name: headerKey,
		Description: "`ak_live_` and 32 hexadecimal characters. The `Authorization` header is not accepted.",
	})
	b.shared()
	d.Components = b.components
	return appendJSON(nil, d)
}

// describer puts the document together. Its components grow with what refers to them.
type describer struct {
	table      *table
	components openapi.Components
}

const securityScheme = "apiKey"

const introduction = `Every request carries its API key in the header ` + "`X-API-Key`" + `. Everything is read with GET; HEAD is answered, and
counted, like GET without the body.

**Tiers.** The key's account is of one of the tiers free, starter, pro and enterprise. The tier decides which fields of a
filing are returned: free and starter the core fields, pro also the property data, enterprise also the owner's contacts.
A field that a record lacks is ` + "`null`" + ` (` + "`categories`: `[]`" + `); a field above the caller's tier is absent.

**Quotas.** A free account has a number of requests for life, the others one for each UTC day, and all of them a number a
second. ` + "`X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset`" + ` are on every answer to a known caller.
Whatever passed authentication and limits counts, a 304 and a 400 too; an answer of 5xx is given back.

**Parameters.** One that is given with an empty value counts as not given, except ` + "`q`" + `. One that is given twice, or
under its old and its new name, is a 400. Unknown names are ignored and named in ` + "`X-Ignored-Parameters`" + `; with
` + "`Prefer: handling=strict`" + ` they are a 400 that names the nearest valid one.

**Conditional requests.** What comes from filings carries a weak ` + "`ETag`" + `; ` + "`If-None-Match`" + ` with it is answered
304 as long as neither the filings nor the tier have changed.

**Legacy names.** The paths ` + "`/v1/liens…`" + ` answer byte for byte what ` + "`/v1/filings…`" + ` answers, and the parameters marked
as deprecated are other names of current ones.

**Errors.** A 401 and a 429 have a flat body, all others the envelope. The message names what was wrong and what would be
right.
`

// errorTable lists the kinds of errors as they can be told apart.
func errorTable() string {
	var b strings.Builder
	b.WriteString("\n| status | code | message, for example |\n|---|---|---|\n")
	for _, k := range tellable() {
		fmt.Fprintf(&b, "| %d | `%s` | %s |\n", k.status, k.code, k.message)
	}
	return b.String()
}

// raw is JSON that was written by the code that answers.
type raw = json.RawMessage
