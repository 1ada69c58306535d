package openapi

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"filings/index"
)

// of returns a schema of a type, in a format unless that is "".
func of(t, format string) *openapi3.Schema {
	return &openapi3.Schema{Type: &openapi3.Types{t}, Format: format}
}

func enum(values []string) *openapi3.Schema {
	s := of("string", "")
	for _, v := range values {
		s.Enum = append(s.Enum, v)
	}
	return s
}

// refTo returns a reference to a schema of the components.
func refTo(name string) *openapi3.SchemaRef {
	return &openapi3.SchemaRef{Ref: "#/components/schemas/" + name}
}

// described returns a schema with a description.
func described(s *openapi3.Schema, text string) *openapi3.SchemaRef {
	s.Description = text
	return s.NewRef()
}

// responseSchema is the schema of all responses of o that are 200.
func (b *builder) responseSchema(o Operation) (*openapi3.Schema, error) {
	s := of("object", "")
	add := func(name string, part *openapi3.SchemaRef) {
		s.WithPropertyRef(name, part)
		s.Required = append(s.Required, name)
	}
	if o.Shape.Has(Success) {
		add("success", described(of("boolean", ""), "true."))
	}
	data, err := b.schemaOf(o.Data)
	if err != nil {
		return nil, err
	}
	add("data", data)
	if o.Shape.Has(Pagination) {
		add("pagination", refTo("Pagination"))
	}
	if o.Shape.Has(Meta) {
		add("meta", refTo("Meta"))
	}
	return s, nil
}

// Named is a struct whose schema has another name than its type. Names of schemas are public: generated clients use them.
type Named interface{ SchemaName() string }

// schemaOf returns the schema of v's type. A struct becomes a component of the type's name; its fields are those of its
// JSON, each described by its tag help.
func (b *builder) schemaOf(v any) (*openapi3.SchemaRef, error) { return b.schema(reflect.TypeOf(v)) }

func (b *builder) schema(t reflect.Type) (*openapi3.SchemaRef, error) {
	if t == reflect.TypeFor[index.Record]() {
		return refTo("Filing"), nil
	}
	switch t.Kind() {
	case reflect.String:
		return of("string", "").NewRef(), nil
	case reflect.Int, reflect.Int64:
		return of("integer", "int64").NewRef(), nil
	case reflect.Float64:
		return of("number", "double").NewRef(), nil
	case reflect.Slice, reflect.Array:
		items, err := b.schema(t.Elem())
		s := of("array", "")
		if s.Items = items; t.Kind() == reflect.Array {
			s.WithMinItems(int64(t.Len())).WithMaxItems(int64(t.Len()))
		}
		return s.NewRef(), err
	case reflect.Struct:
		return b.structure(t)
	}
	return nil, fmt.Errorf("openapi: no schema for %v", t)
}

func (b *builder) structure(t reflect.Type) (*openapi3.SchemaRef, error) {
	name := strings.ToUpper(t.Name()[:1]) + t.Name()[1:]
	if named, ok := reflect.Zero(t).Interface().(Named); ok {
		name = named.SchemaName()
	}
	if b.schemas[name] != nil {
		return refTo(name), nil
	}
	s := of("object", "")
	for i := range t.NumField() {
		f := t.Field(i)
		key, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		member, err := b.schema(f.Type)
		if err != nil {
			return nil, err
		}
		if member.Value != nil {
			member.Value.Description = f.Tag.Get("help")
		}
		s.WithPropertyRef(key, member)
		if !strings.Contains(options, "omit") {
			s.Required = append(s.Required, key)
		}
	}
	b.schemas[name] = s.NewRef()
	return refTo(name), nil
}

// addShared adds the schemas of what is written without a struct: a filing, and the parts of the envelope.
func (b *builder) addShared() {
	integer := func(help string) *openapi3.SchemaRef { return described(of("integer", "int64"), help) }
	text := func(help string) *openapi3.SchemaRef { return described(of("string", ""), help) }
	object := func(properties openapi3.Schemas, required ...string) *openapi3.SchemaRef {
		s := of("object", "")
		s.Properties, s.Required = properties, required
		return s.NewRef()
	}
	meta := openapi3.Schemas{
		"request_id":           described(of("string", "").WithPattern(`^req_[0-9a-f]{32}$`), "Unique identifier of the request, also in the header `X-Request-ID`."),
		"tier":                 described(enum(b.api.Tiers), "Tier of the caller."),
		"rate_limit_remaining": integer("Requests that are left in the quota."),
	}
	b.schemas["Filing"] = filingSchema().NewRef()
	b.schemas["Pagination"] = object(openapi3.Schemas{
		"total":    integer("How many filings the filters select, exactly."),
		"limit":    integer("Page size of this response."),
		"offset":   integer("Filings that were skipped."),
		"has_more": described(of("boolean", ""), "Whether there are filings beyond this page."),
	}, "total", "limit", "offset", "has_more")
	b.schemas["Meta"] = object(meta, "request_id", "tier", "rate_limit_remaining")
	b.schemas["ErrorMeta"] = object(meta, "request_id") // the caller may be unknown
	b.schemas["ErrorMeta"].Value.Description = "Tier and quota are there once the caller is known."
	b.schemas["Error"] = object(openapi3.Schemas{
		"success": described(of("boolean", ""), "false."),
		"error": object(openapi3.Schemas{
			"code":    b.codes(false).NewRef(),
			"message": text("What was wrong, and what would be right."),
		}, "code", "message"),
		"meta": refTo("ErrorMeta"),
	}, "success", "error", "meta")
	b.schemas["FlatError"] = object(openapi3.Schemas{
		"error":   b.codes(true).NewRef(),
		"message": text("What was wrong, and what would be right."),
	}, "error", "message")
}
