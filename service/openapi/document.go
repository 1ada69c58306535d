package openapi

import (
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
	b := &builder{API: a, document: document, schemas: document.Components.Schemas}
	filing, err := filingSchema()
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
	return json.Marshal(document)
}
