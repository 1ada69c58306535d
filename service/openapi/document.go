package openapi

import (
	"bytes"
	_ "embed"
	"encoding/json"

	"github.com/getkin/kin-openapi/openapi3"
)

//go:embed base.yaml
var base []byte

// New returns the document of a. It fails when an operation has data of a type that has no schema.
func New(a API) ([]byte, error) {
	document, err := openapi3.NewLoader().LoadFromData(base)
	if err != nil {
		return nil, err
	}
	if a.Address != "" {
		document.Servers = openapi3.Servers{{URL: a.Address}}
	}
	document.Components.Examples = openapi3.Examples{}
	b := &builder{API: a, document: document, schemas: document.Components.Schemas}
	filing, err := b.filingSchema()
	if err != nil {
		return nil, err
	}
	b.schemas["Filing"] = filing.NewRef()
	b.addErrors()
	for _, o := range a.Operations {
		if err := b.addOperation(o); err != nil {
			return nil, err
		}
	}
	text, err := json.Marshal(document)
	return bytes.ReplaceAll(text, []byte(geoJSONLast), []byte(GeoJSON)), err
}

// geoJSONLast stands for GeoJSON until the document is text. Some generators take the first of
// several media types for the one that a client gets, and members are written sorted by name.
const geoJSONLast = "application/~geo+json"
