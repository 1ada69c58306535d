package openapi

import (
	"encoding/json"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"filings/service/params"
)

// parameters returns the parameters of o in the order of the table, each followed by its legacy
// name, and headers.
func (b *builder) parameters(o Operation) (list openapi3.Parameters) {
	for _, p := range b.Parameters.Rows(o.Takes) {
		d := b.parameter(&p, p.RequiredBy(o.Takes))
		list = append(list, &openapi3.ParameterRef{Value: &d})
		if p.Legacy != "" {
			legacy := d
			legacy.Name, legacy.Deprecated = p.Legacy, true
			legacy.Description = "Another name of `" + p.Name + "`. Must not be given together with it."
			list = append(list, &openapi3.ParameterRef{Value: &legacy})
		}
	}
	list = append(list, &openapi3.ParameterRef{Ref: "#/components/parameters/Prefer"})
	if o.Shape.Has(params.Tagged) {
		list = append(list, &openapi3.ParameterRef{Ref: "#/components/parameters/If-None-Match"})
	}
	return list
}

// parameter describes p. A required parameter carries its example where tools fill it in by
// themselves; that of any other is part of its schema, so that tools do not send all at once.
func (b *builder) parameter(p *params.Parameter, required bool) openapi3.Parameter {
	schema := b.schemaOfValues(p)
	s := schema.Value
	d := openapi3.Parameter{Name: p.Name, In: "query", Required: required, Description: p.Help, Schema: schema}
	if p.InPath {
		d.In, d.Example = "path", typed(p, p.Example)
		return d
	}
	if form := p.Form(); form != "text" && !p.Clamped {
		d.Description += " Must be " + form + "."
	}
	if p.Kind.List { // OpenAPI's default, written out for generators that do not know it
		d.Style, d.Explode = "form", openapi3.Ptr(true)
	}
	if required {
		d.Example = typed(p, p.Example)
	} else {
		s.Examples = []any{typed(p, p.Example)}
	}
	if p.Default != "" && !p.Clamped { // generated clients would send the limit with each cursor, which holds one
		s.Default = typed(p, p.Default)
	}
	return d
}

// schemaOfValues is the form of p's values as a schema. The description names the other accepted
// values (1 for true, words in any case): a client has no use for them.
func (b *builder) schemaOfValues(p *params.Parameter) *openapi3.SchemaRef {
	s := typedSchema(p.Kind.Type, p.Kind.Format)
	s.Pattern, s.Min = p.Kind.Pattern, p.Min
	if !p.Clamped {
		s.Max = p.Max
	}
	if p.Kind.Longest > 0 {
		s.WithMinLength(1).WithMaxLength(int64(p.Kind.Longest))
	}
	if p.Kind == params.FieldNames { // no enum: its constants would rename others of Go's clients, in one scope
		s.Pattern = "^(" + strings.Join(p.Choices, "|") + ")$"
	}
	item := s.NewRef()
	if p.Kind.Enum {
		item = b.enum(enumName(p), p.Choices)
	}
	if !p.Kind.List {
		return item
	}
	list := typedSchema("array", "")
	list.Items = item
	if p.Most > 0 {
		list.WithMaxItems(int64(p.Most))
	}
	if p.RequiredBy(params.Queried) {
		list.WithMinItems(1)
	}
	if p.Kind.Unique {
		list.WithUniqueItems(true)
		item.Value.Extensions = map[string]any{"x-enum-varnames": namesOf(p)}
	}
	return list.NewRef()
}

// enumName is the name of the type of p's choices. Pages, groups and owners have their own sort_by.
func enumName(p *params.Parameter) string {
	switch {
	case p.Kind.List:
	case p.Takers == params.Groups:
		return "Groups" + typeName(p.Name)
	case p.Takers == params.Owners:
		return "Owners" + typeName(p.Name)
	}
	return typeName(p.Name)
}

// namesOf names p's choices in generated code, where Category would be another list's type.
func namesOf(p *params.Parameter) (names []string) {
	for _, choice := range p.Choices {
		names = append(names, typeName(p.Name)+typeName(choice))
	}
	return names
}

// typeName turns sort_by into SortBy.
func typeName(name string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(name, "_") {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

// typed returns a value of p that the table has as text, as JSON has it. Numbers keep their digits.
func typed(p *params.Parameter, s string) any {
	literal := func(s string) any {
		switch p.Kind.Type {
		case "integer", "number":
			return json.RawMessage(s)
		case "boolean":
			return s == "true"
		}
		return s
	}
	if !p.Kind.List {
		return literal(s)
	}
	var list []any
	for item := range strings.SplitSeq(s, p.Kind.Separator) {
		list = append(list, literal(item))
	}
	return list
}
