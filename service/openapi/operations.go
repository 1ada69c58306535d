package openapi

import (
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// paths returns what can be done with each path: current ones, legacy ones, and that of the document itself.
func (b *builder) paths() (*openapi3.Paths, error) {
	paths := openapi3.NewPaths(openapi3.WithPath(b.api.Path, &openapi3.PathItem{Get: documentOperation()}))
	for _, o := range b.api.Operations {
		response, err := b.responseSchema(o)
		if err != nil {
			return nil, err
		}
		b.schemas[o.Schema] = response.NewRef()
		for _, path := range []string{o.Path, o.Legacy} {
			if path == "" {
				continue
			}
			operation, err := b.operation(o, path == o.Legacy)
			if err != nil {
				return nil, err
			}
			paths.Set(Template(path), &openapi3.PathItem{Get: operation})
		}
	}
	return paths, nil
}

// operation describes o under its current or its legacy path.
func (b *builder) operation(o Operation, legacy bool) (*openapi3.Operation, error) {
	op := &openapi3.Operation{
		OperationID: o.ID, Tags: []string{o.Tag}, Summary: o.Summary, Description: o.Text,
		Parameters: b.parameters(o), Responses: openapi3.NewResponses(),
	}
	headers := append(append([]string{}, always...), headerIgnored, headerApplied)
	if o.Shape.Has(Tagged) {
		headers = append(headers, headerETag)
	}
	if legacy {
		op.OperationID, op.Deprecated = "legacy"+strings.ToUpper(o.ID[:1])+o.ID[1:], true
		op.Description = "Returns what `" + Template(o.Path) + "` returns, and says so in the headers `Deprecation` and `Link`."
		headers = append(headers, headerDeprecated, headerLink)
	}
	ok := response("What was requested.", headers, jsonContent(refTo(o.Schema), o.Examples))
	if o.GeoJSON != nil {
		schema, err := b.schemaOf(o.GeoJSON)
		if err != nil {
			return nil, err
		}
		ok.Value.Content[GeoJSON] = openapi3.NewMediaType().WithSchemaRef(schema)
	}
	op.Responses.Set("200", ok)
	if o.Shape.Has(Tagged) {
		op.Responses.Set("304", response("What `If-None-Match` names still holds. No body.", headers, nil))
	}
	for _, r := range b.errorsOf(o.Shape.Has(MayMiss)) {
		op.Responses.Set(r.status, &openapi3.ResponseRef{Ref: "#/components/responses/" + r.name})
	}
	return op, nil
}

// documentOperation describes the document itself.
func documentOperation() *openapi3.Operation {
	headers := []string{headerRequestID, headerETag}
	return &openapi3.Operation{
		OperationID: "getOpenAPI", Tags: []string{tagDocument}, Summary: "This document",
		Description: "The OpenAPI description of the API. It needs no key and counts nothing.",
		Security:    openapi3.NewSecurityRequirements(),
		Parameters:  openapi3.Parameters{{Ref: parameterRef + headerIfNoneMatch}},
		Responses: openapi3.NewResponses(
			openapi3.WithStatus(200, response("The document.", headers, jsonContent(of("object", "").NewRef(), nil))),
			openapi3.WithStatus(304, response("What `If-None-Match` names still holds. No body.", headers, nil)),
		),
	}
}

func response(text string, headers []string, content openapi3.Content) *openapi3.ResponseRef {
	r := openapi3.NewResponse().WithDescription(text).WithContent(content)
	r.Headers = openapi3.Headers{}
	for _, name := range headers {
		r.Headers[name] = &openapi3.HeaderRef{Ref: "#/components/headers/" + name}
	}
	return &openapi3.ResponseRef{Value: r}
}

func jsonContent(schema *openapi3.SchemaRef, examples []Example) openapi3.Content {
	media := openapi3.NewMediaType().WithSchemaRef(schema)
	for _, e := range examples {
		media.WithExample(e.Name, e.Body)
		media.Examples[e.Name].Value.Summary = e.Summary
	}
	return openapi3.Content{"application/json": media}
}
