package service

import (
	"net/url"
	"strings"
	"sync"

	"github.com/gofiber/fiber/v2"

	"filings/index"
	"filings/index/changes"
	"filings/service/access"
	"filings/service/edge"
	"filings/service/handlers"
	"filings/service/openapi"
	"filings/service/params"
)

// documentPath is where the OpenAPI document is, which itself says so.
const documentPath = "/openapi.json"

// exampleRequestID stands in examples.
const exampleRequestID = "req_0123456789abcdef0123456789abcdef"

// newDocument returns the OpenAPI document of the API at an address, from the tables that it runs on.
func newDocument(t *params.Table, rows []endpoint, address string) ([]byte, error) {
	a := openapi.API{Parameters: t, Address: address}
	for _, e := range rows {
		var err error
		if e.Examples, err = examples(&e); err != nil {
			return nil, err
		}
		a.Operations = append(a.Operations, e.Operation)
	}
	for _, m := range exposedErrors() {
		body := (&call{id: exampleRequestID}).appendError(nil, m)
		a.Errors = append(a.Errors, openapi.Error{
			Status: m.status, Code: m.code, Message: m.message, Flat: m.flat, Body: body,
		})
	}
	return openapi.New(a)
}

// partOfDocument responds to a request for some paths of the document, and leaves others alone.
func (s *Service) partOfDocument() fiber.Handler {
	parts := sync.OnceValues(func() (openapi.Parts, error) {
		whole, err := newDocument(s.params, s.rows, s.config.PublicURL)
		if err != nil {
			return openapi.Parts{}, err
		}
		return openapi.Split(whole)
	})
	return func(c *fiber.Ctx) error {
		query, err := url.ParseQuery(string(c.Request().URI().QueryString()))
		wanted := strings.FieldsFunc(strings.Join(query["paths"], ","), // as lists are read (rule P4)
			func(r rune) bool { return r == ',' || r == ' ' })
		if err == nil && len(wanted) == 0 {
			return c.Next()
		}
		callOf(c).route = documentPath
		if err != nil {
			return handlers.Refuse(errInvalid, "query must be percent-encoded UTF-8; a semicolon is written %3B")
		}
		p, err := parts()
		if err != nil {
			return err
		}
		document, unknown := p.Document(wanted)
		if unknown != "" {
			return params.Invalid("paths", "paths must be a list of paths of this document, not %q; "+
				"they are %s", params.Shorten(unknown), strings.Join(p.Paths(), ", "))
		}
		c.Set(fiber.HeaderCacheControl, "public, no-cache")
		c.Set(fiber.HeaderContentType, edge.JSON)
		c.Response().SetBodyRaw(document)
		compress(c)
		return nil
	}
}

// examples are responses with a filing as each tier sees it, and as GeoJSON, by the responder.
func examples(e *endpoint) (list []openapi.Example, err error) {
	add := func(x openapi.Example, t access.Tier) error {
		result, q, ok := exampleOf(e.Data, recordTier(t), x.GeoJSON)
		if !ok {
			return nil
		}
		k := &call{id: exampleRequestID, known: true, admission: access.Admission{Tier: t, Remaining: 998}}
		x.Body, err = k.appendResult(nil, e, q, result)
		list = append(list, x)
		return err
	}
	for _, t := range []access.Tier{access.Free, access.Pro, access.Enterprise} {
		tier := openapi.Example{Name: string(t), Summary: "As the tier " + string(t) + " sees it"}
		if err := add(tier, t); err != nil {
			return nil, err
		}
	}
	if e.GeoJSON == nil {
		return list, nil
	}
	return list, add(openapi.Example{Name: "geojson", Summary: "As GeoJSON", GeoJSON: true}, access.Free)
}

// exampleOf returns a result whose data is of the type of data; false where an example would say no
// more than the schema, or differ by nothing but its tier from the one of the tier free.
func exampleOf(data any, t index.Tier, geoJSON bool) (result handlers.Result, q params.Request, ok bool) {
	record := openapi.ExampleRecord()
	q.GeoJSON = geoJSON
	switch data.(type) {
	case index.Record:
		result.Data = handlers.One(record)
	case []index.Record:
		result = handlers.Result{Data: handlers.Page{Records: []index.Record{record}}, Rows: 1, Total: 1}
		q.Query.Limit = params.DefaultLimit
	case []handlers.Change:
		seen, _ := record.AppendFields(nil, t, 0) // the list has the error
		result.Data = handlers.Changes{{Op: changes.Changed, ID: 1, Filing: seen}, {Op: changes.Removed, ID: 2}}
		q.Query.Limit = params.DefaultChanges
	case handlers.Clusters:
		result.Data = handlers.ExampleClusters(geoJSON)
		return result, q, t == recordTier(access.Free)
	default:
		return result, q, false
	}
	return result, q, true
}
