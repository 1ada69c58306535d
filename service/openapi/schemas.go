package openapi

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"filings/index"
	"filings/service/params"
)

// typedSchema returns a schema of a type, in a format unless that is "".
func typedSchema(t, format string) *openapi3.Schema {
	return &openapi3.Schema{Type: &openapi3.Types{t}, Format: format}
}

// enum returns a reference to the schema of one of values. It is a component, since generated
// clients name a type after it: name, unless these values are one already.
func (b *builder) enum(name string, values []string) *openapi3.SchemaRef {
	s := typedSchema("string", "")
	for _, v := range values {
		s.Enum = append(s.Enum, v)
	}
	for known, schema := range b.schemas {
		if slices.Equal(schema.Value.Enum, s.Enum) {
			name, s = known, schema.Value
		}
	}
	b.schemas[name] = s.NewRef()
	return &openapi3.SchemaRef{Ref: refTo(name).Ref, Value: s}
}

// refTo returns a reference to a schema of the components.
func refTo(name string) *openapi3.SchemaRef {
	return &openapi3.SchemaRef{Ref: "#/components/schemas/" + name}
}

// responseSchema is the schema of all responses of o that are 200.
func (b *builder) responseSchema(o Operation) (*openapi3.Schema, error) {
	if o.Shape.Has(params.Plain) {
		ref, err := b.schemaOf(o.Data)
		if err != nil {
			return nil, err
		}
		return b.schemas[strings.TrimPrefix(ref.Ref, refTo("").Ref)].Value, nil
	}
	s := typedSchema("object", "")
	add := func(name string, part *openapi3.SchemaRef) {
		s.WithPropertyRef(name, part)
		s.Required = append(s.Required, name)
	}
	if o.Shape.Has(params.Success) {
		add("success", (&openapi3.Schema{Type: &openapi3.Types{"boolean"}, Description: "true."}).NewRef())
	}
	data, err := b.schemaOf(o.Data)
	if err != nil {
		return nil, err
	}
	add("data", data)
	if o.Shape.Has(params.Forward) {
		add("pagination", refTo("CursorPagination"))
	} else if o.Shape.Has(params.Pagination) {
		add("pagination", refTo("Pagination"))
	}
	if o.Shape.Has(params.Partial) {
		s.WithPropertyRef("pagination", refTo("Pagination"))
	}
	if o.Shape.Has(params.Meta) {
		add("meta", refTo("Meta"))
	}
	return s, nil
}

// schemaOf returns the schema of v's type. A struct becomes a component of the type's name, which
// generated clients use; its fields are those of its JSON, each described by its tag help. One
// whose value never differs has it as its tag const; format is the format of a text.
func (b *builder) schemaOf(v any) (*openapi3.SchemaRef, error) { return b.schema(reflect.TypeOf(v)) }

func (b *builder) schema(t reflect.Type) (*openapi3.SchemaRef, error) {
	if t == reflect.TypeFor[index.Record]() {
		return refTo("Filing"), nil
	}
	if t == reflect.TypeFor[time.Time]() {
		return typedSchema("string", "date-time").NewRef(), nil
	}
	if b.schemas[t.Name()] != nil { // access.Tier
		return refTo(t.Name()), nil
	}
	switch t.Kind() {
	case reflect.String:
		return typedSchema("string", "").NewRef(), nil
	case reflect.Int, reflect.Int64:
		return typedSchema("integer", "int64").NewRef(), nil
	case reflect.Bool:
		return typedSchema("boolean", "").NewRef(), nil
	case reflect.Float64:
		return typedSchema("number", "double").NewRef(), nil
	case reflect.Slice, reflect.Array:
		items, err := b.schema(t.Elem())
		s := typedSchema("array", "")
		if s.Items = items; t.Kind() == reflect.Array {
			s.WithMinItems(int64(t.Len())).WithMaxItems(int64(t.Len()))
		}
		return s.NewRef(), err
	case reflect.Pointer: // a component may be null wherever it stands
		ref, err := b.schema(t.Elem())
		if err != nil {
			return nil, err
		}
		s := ref.Value
		if s == nil {
			s = b.schemas[strings.TrimPrefix(ref.Ref, refTo("").Ref)].Value
		}
		s.Type = &openapi3.Types{s.Type.Slice()[0], "null"}
		return ref, nil
	case reflect.Struct:
		return b.structure(t)
	}
	return nil, fmt.Errorf("openapi: no schema for %v", t)
}

func (b *builder) structure(t reflect.Type) (*openapi3.SchemaRef, error) {
	name := strings.ToUpper(t.Name()[:1]) + t.Name()[1:]
	if b.schemas[name] != nil {
		return refTo(name), nil
	}
	s := typedSchema("object", "")
	for i := range t.NumField() {
		f := t.Field(i)
		key, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		member, err := b.schema(f.Type)
		if err != nil {
			return nil, err
		}
		if member.Value != nil {
			member.Value.Description = f.Tag.Get("help")
			if value, ok := f.Tag.Lookup("const"); ok {
				member.Value.Const = value
			}
			if format, ok := f.Tag.Lookup("format"); ok {
				member.Value.Format = format
			}
		}
		s.WithPropertyRef(key, member)
		if !strings.Contains(options, "omit") {
			s.Required = append(s.Required, key)
		}
	}
	b.schemas[name] = s.NewRef()
	return refTo(name), nil
}
