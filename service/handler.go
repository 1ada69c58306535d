package service

import (
	"context"

	"filings/index/serving"
	"filings/service/openapi"
	"filings/service/params"
)

// endpoint is one path of the API: what the document says of it, which is also what the responder goes by, and its handler.
type endpoint struct {
	openapi.Operation
	handle  handler
	offline bool // nothing of its responses comes from filings: its handler gets no Reader
}

// handler reads what a request asks for. It writes nothing: respond does.
type handler func(context.Context, *serving.Reader, params.Request) (Result, error)

// Result is what a handler returns. The responder gives it its form.
type Result struct {
	Data  any   // index.Record, []index.Record, or what encodes as JSON; in GeoJSON the whole body
	Total int64 // of a page: how many filings the query selects
}
