package openapi

import (
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"filings/service/params"
)

// addOperation adds o under its current path and, if it has one, under its legacy path.
func (b *builder) addOperation(o Operation) error {
	if o.Shape.Has(params.File) {
		get := b.operation(o, files(), "X-Total-Count", "X-Export-Price", "Content-Disposition")
		b.document.Paths.Set(Template(o.Path), &openapi3.PathItem{Get: get})
		return nil
	}
	if _, isBytes := o.Data.([]byte); isBytes {
		tile := openapi3.Content{TileType: openapi3.NewMediaType().WithSchemaRef(typedSchema("string", "binary").NewRef())}
		b.document.Paths.Set(Template(o.Path), &openapi3.PathItem{Get: b.operation(o, tile)})
		return nil
	}
	response, err := b.responseSchema(o)
	if err != nil {
		return err
	}
	b.schemas[o.Schema] = response.NewRef()
	content := openapi3.Content{"application/json": openapi3.NewMediaType().WithSchemaRef(refTo(o.Schema))}
	if o.GeoJSON != nil {
		schema, err := b.schemaOf(o.GeoJSON)
		if err != nil {
			return err
		}
		content[geoJSONLast] = openapi3.NewMediaType().WithSchemaRef(schema)
	}
	for _, e := range o.Examples { // once, for the legacy path too
		name, media := o.Schema+"-"+e.Name, content["application/json"]
		if e.GeoJSON {
			media = content[geoJSONLast]
		}
		example := &openapi3.Example{Summary: e.Summary, Value: e.Body}
		b.document.Components.Examples[name] = &openapi3.ExampleRef{Value: example}
		media.WithExample(e.Name, nil)
		media.Examples[e.Name] = &openapi3.ExampleRef{Ref: "#/components/examples/" + name}
	}
	b.document.Paths.Set(Template(o.Path), &openapi3.PathItem{Get: b.operation(o, content)})
	if o.Legacy != "" {
		legacy := b.operation(o, content, "Deprecation", "Link")
		legacy.OperationID, legacy.Deprecated = "legacy"+strings.ToUpper(o.ID[:1])+o.ID[1:], true
		legacy.Description = "Returns what `" + Template(o.Path) + "` returns, and says so in the headers " +
			"`Deprecation` and `Link`."
		b.document.Paths.Set(Template(o.Legacy), &openapi3.PathItem{Get: legacy})
	}
	return nil
}

// files are the forms of a file. One with lines is text to clients, Parquet is bytes. GeoJSON is named
// in the description of format alone: openapi-python-client would read each file as JSON.
func files() openapi3.Content {
	text := openapi3.NewMediaType().WithSchemaRef(typedSchema("string", "").NewRef())
	return openapi3.Content{
		"application/x-ndjson": text, "text/csv": text,
		"application/vnd.apache.parquet": openapi3.NewMediaType().WithSchemaRef(typedSchema("string", "binary").NewRef()),
	}
}

// operation describes o, whose responses have more headers than all others.
func (b *builder) operation(o Operation, content openapi3.Content, more ...string) *openapi3.Operation {
	op := &openapi3.Operation{
		OperationID: o.ID, Tags: []string{o.Tag}, Summary: o.Summary, Description: o.Text,
		Parameters: b.parameters(o), Responses: openapi3.NewResponses(),
	}
	if !o.Shape.Has(params.NoFilings) {
		more = append(slices.Clip(more), "X-Generation")
	}
	if o.Shape.Has(params.Pagination | params.Partial) {
		more = append(slices.Clip(more), "Link")
	}
	headers := slices.Concat([]string{"X-Request-ID", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset",
		"RateLimit-Policy", "RateLimit", "X-Ignored-Parameters", "Preference-Applied", "Cache-Control"}, more)
	if o.Shape.Has(params.Tagged) {
		headers = append(headers, "ETag")
		op.Responses.Set("304", response("The `ETag` in `If-None-Match` still holds. No body.", headers, nil))
	}
	if o.Shape.Has(params.Forever) {
		op.Responses.Set("204", response("It has no filings. No body.", headers, nil))
	}
	op.Responses.Set("200", response("The response.", headers, content))
	for status, name := range errorResponses {
		if (name != "NotFound" || o.Shape.Has(params.MayMiss)) && (name != "Gone" || o.Takes != 0) {
			op.Responses.Set(status, &openapi3.ResponseRef{Ref: "#/components/responses/" + name})
		}
	}
	return op
}

func response(text string, headers []string, content openapi3.Content) *openapi3.ResponseRef {
	r := openapi3.NewResponse().WithDescription(text).WithContent(content)
	r.Headers = openapi3.Headers{}
	for _, name := range headers {
		r.Headers[name] = &openapi3.HeaderRef{Ref: "#/components/headers/" + name}
	}
	return &openapi3.ResponseRef{Value: r}
}
