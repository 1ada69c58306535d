// Package handlers has a handler for each endpoint: a function from a Reader of one generation and
// a parsed request to a Result. A handler writes nothing and knows no HTTP: package service routes
// to it, and gives its Result a form.
package handlers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"filings/index"
	"filings/index/serving"
	"filings/service/params"
)

// Handler reads the data of a request. It writes nothing.
type Handler func(context.Context, *serving.Reader, params.Request) (Result, error)

// Result is the result of a handler. The responder gives it its form.
type Result struct {
	Data  Data
	Rows  int    // of a page by offset: how many rows it has
	Total int64  // of a page: how many filings the query selects; of groups: how many there are
	Next  string // of a page by cursor: the cursor of the next one; "" on the last one

	Corrected []Correction // of a search that found nothing as it was typed; nil for any other
	Unmatched []Unmatched  // values that filters name and no filing has
}

// Data is the content of a response. In GeoJSON it is the features of a page, else the whole body.
type Data interface {
	// AppendJSON appends it, with the part of its records that v shows.
	AppendJSON(dst []byte, v View) ([]byte, error)
}

// View is how records are shown.
type View struct {
	Tier    index.Tier
	Fields  index.FieldSet // 0: all of the tier
	GeoJSON bool
}

// One is one filing.
type One index.Record

// AppendJSON implements Data.
func (r One) AppendJSON(dst []byte, v View) ([]byte, error) {
	return index.Record(r).AppendFields(dst, v.Tier, v.Fields)
}

// Page is a page of filings.
type Page index.Page

// AppendJSON implements Data.
func (p Page) AppendJSON(dst []byte, v View) ([]byte, error) {
	if v.GeoJSON {
		return index.Page(p).AppendFeatures(dst, v.Tier, v.Fields)
	}
	return index.Page(p).AppendRecords(dst, v.Tier, v.Fields)
}

// Bytes is a tile: bytes as they are.
type Bytes []byte

// AppendJSON implements Data.
func (b Bytes) AppendJSON(dst []byte, _ View) ([]byte, error) { return append(dst, b...), nil }

// JSON is all other data: values that encode as JSON.
type JSON struct{ Value any }

// AppendJSON implements Data.
func (v JSON) AppendJSON(dst []byte, _ View) ([]byte, error) { return AppendJSON(dst, v.Value), nil }

// AppendJSON appends v as JSON. Like records, it leaves <, > and & as they are.
func AppendJSON(dst []byte, v any) []byte {
	b := bytes.NewBuffer(dst)
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // only numbers and texts are written here: they always encode
	}
	return b.Bytes()[:b.Len()-1]
}

// Kinds of refusals.
var (
	ErrForbidden = errors.New("not for this caller")
	ErrNotKept   = errors.New("generation is not kept") // or the changes from or to it
)

// Refusal is an error with a message for the client. Nothing else of an error reaches a client, so
// that an engine's text about its servers cannot leak by accident.
type Refusal struct {
	Kind    error
	Message string
}

// Refuse returns an error of a kind with a message for the client.
func Refuse(kind error, message string) error { return &Refusal{kind, message} }

func (r *Refusal) Error() string { return r.Message }
func (r *Refusal) Unwrap() error { return r.Kind }
