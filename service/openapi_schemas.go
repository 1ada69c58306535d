package service

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"filings/index"
	"filings/service/access"
	"filings/service/openapi"
)

// schemaOf returns the schema of v's type. A struct becomes a component of the type's name; its fields are those of its
// JSON, each described by its tag help.
func (b *describer) schemaOf(v any) *openapi.Schema { return b.schema(reflect.TypeOf(v)) }

func (b *describer) schema(t reflect.Type) *openapi.Schema {
	if t == reflect.TypeFor[index.Record]() {
		return openapi.To("Filing")
	}
	switch t.Kind() {
	case reflect.String:
		return openapi.Of(openapi.String, "")
	case reflect.Bool:
		return openapi.Of(openapi.Boolean, "")
	case reflect.Int, reflect.Int64:
		return openapi.Of(openapi.Integer, "int64")
	case reflect.Float64:
		return openapi.Of(openapi.Number, "double")
	case reflect.Slice:
		return openapi.List(b.schema(t.Elem()))
	case reflect.Array:
		return openapi.Tuple(b.schema(t.Elem()), t.Len())
	case reflect.Pointer:
		return b.schema(t.Elem())
	case reflect.Struct:
		return b.structure(t)
	}
	panic(fmt.Sprintf("service: no schema for %v", t)) // a mistake in the table of operations: New fails in every test
}

func (b *describer) structure(t reflect.Type) *openapi.Schema {
	name := strings.ToUpper(t.Name()[:1]) + t.Name()[1:]
	known := slices.ContainsFunc(b.components.Schemas, func(m openapi.Member[*openapi.Schema]) bool { return m.Name == name })
	if known {
		return openapi.To(name)
	}
	s := &openapi.Schema{Type: openapi.Types{openapi.Object}}
	for i := range t.NumField() {
		f := t.Field(i)
		key, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		s.Properties.Add(key, b.schema(f.Type).Described(f.Tag.Get("help")))
		if !strings.Contains(options, "omit") {
			s.Required = append(s.Required, key)
		}
	}
	b.components.Schemas.Add(name, s)
	return openapi.To(name)
}

// shared adds the schemas of what is written without a struct (envelope.go): a filing, and the parts of the envelope.
func (b *describer) shared() {
	add := b.components.Schemas.Add
	add("Filing", filingSchema())
	whole := func(help string) *openapi.Schema { return openapi.Of(openapi.Integer, "int64").Described(help) }
	text := func(help string) *openapi.Schema { return openapi.Of(openapi.String, "").Described(help) }
	requestID := text("Unique identifier of the request, also in the header `X-Request-ID`.")
	requestID.Pattern = `^req_[0-9a-f]{32}$`
	tier := text("Tier of the caller.")
	for _, t := range access.Tiers {
		tier.Enum = append(tier.Enum, string(t))
	}
	type properties = openapi.Named[*openapi.Schema]
	add("Pagination", openapi.Required(properties{
		{Name: "total", Value: whole("How many filings the filters select, exactly.")},
		{Name: "limit", Value: whole("Page size of this answer.")},
		{Name: "offset", Value: whole("Filings that were skipped.")},
		{Name: "has_more", Value: openapi.Of(openapi.Boolean, "").Described("Whether there are filings beyond this page.")},
	}))
	meta := openapi.Required(properties{
		{Name: "request_id", Value: requestID}, {Name: "tier", Value: tier},
		{Name: "rate_limit_remaining", Value: whole("Requests that are left in the quota.")},
	})
	add("Meta", meta)
	add("ErrorMeta", &openapi.Schema{Type: meta.Type, Properties: meta.Properties, Required: []string{"request_id"}, // the caller may be unknown
		Description: "Tier and quota are there once the caller is known."})
	add("Error", openapi.Required(properties{
		{Name: "success", Value: openapi.Of(openapi.Boolean, "").Described("false.")},
		{Name: "error", Value: openapi.Required(properties{
			{Name: "code", Value: codes(false)},
			{Name: "message", Value: text("What was wrong, and what would be right.")},
		})},
		{Name: "meta", Value: openapi.To("ErrorMeta")},
	}))
	add("FlatError", openapi.Required(properties{
		{Name: "error", Value: codes(true)},
		{Name: "message", Value: text("What was wrong, and what would be right.")},
	}))
}
