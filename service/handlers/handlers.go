// Package handlers has a handler for each endpoint: a function from a Reader of one generation and
// a parsed request to a Result. A handler writes nothing and knows no HTTP: package service routes
// to it, and gives its Result a form.
package handlers

import (
	"context"
	"errors"

	"filings/index/serving"
	"filings/service/params"
)

// Handler reads what a request is for. It writes nothing.
type Handler func(context.Context, *serving.Reader, params.Request) (Result, error)

// Result is what a handler returns. The responder gives it its form.
type Result struct {
	Data  any    // index.Record, index.Page, Groups, Changes, or what encodes as JSON; in GeoJSON the whole body
	Total int64  // of a page: how many filings the query selects; of groups: how many there are
	Next  string // of a page by cursor: the cursor of the next one; "" on the last one

	Corrected []Correction // of a search that found nothing as it was typed; nil for any other
	Unmatched []Unmatched  // values that filters name and no filing has
}

// Kinds of refusals.
var (
	ErrForbidden = errors.New("not for this caller")
	ErrNotKept   = errors.New("generation is not kept") // or what leads from or to it
)

// Refusal is an error with a message for the client. Nothing else of an error reaches a client, so that what an engine
// says about its servers cannot leak by accident.
type Refusal struct {
	Kind    error
	Message string
}

// Refuse returns an error of a kind with a message for the client.
func Refuse(kind error, message string) error { return &Refusal{kind, message} }

func (r *Refusal) Error() string { return r.Message }
func (r *Refusal) Unwrap() error { return r.Kind }
