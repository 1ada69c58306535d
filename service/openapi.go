package service

import (
	"filings/index"
	"filings/index/changes"
	"filings/service/access"
	"filings/service/handlers"
	"filings/service/openapi"
	"filings/service/params"
)

// documentPath is where the OpenAPI document is, which itself says so.
const documentPath = "/openapi.json"

// exampleRequestID stands in examples.
const exampleRequestID = "req_0123456789abcdef0123456789abcdef"

// newDocument returns the OpenAPI document of the API, from the tables that it runs on.
func newDocument(t *params.Table) ([]byte, error) {
	a := openapi.API{Parameters: t}
	for _, e := range endpoints(nil) {
		e.Examples = examples(e)
		a.Operations = append(a.Operations, e.Operation)
	}
	for _, m := range exposedErrors() {
		body := (&call{id: exampleRequestID}).appendError(nil, m, m.message)
		a.Errors = append(a.Errors, openapi.Error{Status: m.status, Code: m.code, Message: m.message, Flat: m.flat, Body: body})
	}
	return openapi.New(a)
}

// examples are responses with a filing as each tier sees it, written by the code that responds.
func examples(e endpoint) (all []openapi.Example) {
	for _, t := range []access.Tier{access.Free, access.Pro, access.Enterprise} {
		result, q, ok := exampleOf(e.Data, recordTier(t))
		if !ok {
			return nil
		}
		k := &call{id: exampleRequestID, known: true, admission: access.Admission{Tier: t, Remaining: 998}}
		all = append(all, openapi.Example{
			Name: string(t), Summary: "As the tier " + string(t) + " sees it", Body: k.appendResult(nil, e, q, result),
		})
	}
	return all
}

// exampleOf returns a result whose data is of the type of data; false where it would not differ by tier.
func exampleOf(data any, t index.Tier) (result handlers.Result, q params.Request, ok bool) {
	record := openapi.ExampleRecord()
	switch data.(type) {
	case index.Record:
		result.Data = record
	case []index.Record:
		result, q.Query.Limit = handlers.Result{Data: []index.Record{record}, Total: 1}, params.DefaultLimit
	case []handlers.Change:
		result.Data = handlers.Changes{{Op: changes.Changed, ID: 1, Filing: record.AppendFor(nil, t)}, {Op: changes.Removed, ID: 2}}
		q.Query.Limit = params.DefaultChanges
	default:
		return result, q, false
	}
	return result, q, true
}
