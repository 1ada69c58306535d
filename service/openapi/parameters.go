package openapi

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"filings/index"
	"filings/service/params"
)

// parameters returns the parameters of o in the order of the table, each followed by its legacy name, and headers.
func (b *builder) parameters(o Operation) (all openapi3.Parameters) {
	for _, p := range b.Parameters.Of(o.Takes) {
		d := b.parameter(&p, p.RequiredBy(o.Takes))
		all = append(all, &openapi3.ParameterRef{Value: &d})
		if p.Legacy != "" {
			legacy := d
			legacy.Name, legacy.Deprecated = p.Legacy, true
			legacy.Description = "Another name of `" + p.Name + "`. Must not be given together with it."
			all = append(all, &openapi3.ParameterRef{Value: &legacy})
		}
	}
	all = append(all, &openapi3.ParameterRef{Ref: "#/components/parameters/Prefer"})
	if o.Shape.Has(Tagged) {
		all = append(all, &openapi3.ParameterRef{Ref: "#/components/parameters/If-None-Match"})
	}
	return all
}

// parameter describes p. A required parameter carries its example where tools fill it in by themselves; that of any other
// is part of its schema, so that tools do not send all of them at once.
func (b *builder) parameter(p *params.Parameter, required bool) openapi3.Parameter {
	schema := b.schemaOfValues(p)
	s := schema.Value
	d := openapi3.Parameter{Name: p.Name, In: "query", Required: required, Description: p.Help, Schema: schema}
	if p.InPath {
		d.In, d.Example = "path", typed(p, p.Example)
		return d
	}
	if form := p.Form(); form != "text" && !p.Clamped() {
		d.Description += " Must be " + form + "."
	}
	if p.List() { // OpenAPI's default, written out: what generators do that do not look at it
		d.Style, d.Explode = "form", openapi3.Ptr(true)
	}
	if required {
		d.Example = typed(p, p.Example)
	} else {
		s.Examples = []any{typed(p, p.Example)}
	}
	if p.Default != "" && !p.Clamped() { // generated clients would send the limit with each cursor, which holds one
		s.Default = typed(p, p.Default)
	}
	return d
}

// ValueSchema returns the schema of p's values with its description, as an operation has it, but without references to components.
func ValueSchema(p *params.Parameter) *openapi3.Schema {
	d := (&builder{schemas: openapi3.Schemas{}}).parameter(p, false)
	s := d.Schema.Value
	s.Description = d.Description
	if s.Items != nil {
		s.Items = s.Items.Value.NewRef()
		s.Items.Value.Extensions = nil // names for generated code
	}
	return s
}

// schemaOfValues is the form of p's values as a schema. What is accepted besides (1 for true, words in any case) is left to
// the description: a client has no use for it.
func (b *builder) schemaOfValues(p *params.Parameter) *openapi3.SchemaRef {
	s := of("string", "")
	switch p.Kind {
	case params.Choice:
		name := typeName(p.Name)
		switch p.On { // sort_by of a page is another type
		case params.Groups:
			name = "Groups" + name
		case params.Owners:
			name = "Owners" + name
		}
		return b.enum(name, p.Choices)
	case params.ChoiceList:
		s = of("array", "")
		s.Items = b.enum(typeName(p.Name), p.Choices)
		if p.Most > 0 {
			s.WithMinItems(1).WithMaxItems(int64(p.Most)).WithUniqueItems(true)
			s.Items.Value.Extensions = map[string]any{"x-enum-varnames": namesOf(p)}
		}
	case params.Texts, params.Names:
		s = openapi3.NewArraySchema().WithItems(s)
	case params.Counties:
		s = openapi3.NewArraySchema().WithItems(s.WithPattern(`^[^,;\s][^,;]*(, *[A-Za-z]{2})?$`))
	case params.FieldNames: // no enum: its constants would rename others of clients in Go, where all have one scope
		s = openapi3.NewArraySchema().WithItems(s.WithPattern("^(" + strings.Join(p.Choices, "|") + ")$"))
	case params.Origins:
		s = openapi3.NewArraySchema().WithItems(s).WithMinItems(1).WithMaxItems(int64(p.Most))
	case params.IDs:
		s = openapi3.NewArraySchema().WithItems(of("integer", "int64").WithMin(1)).WithMaxItems(index.MaxIDs)
	case params.Term, params.NameStart:
		s.WithMinLength(1).WithMaxLength(params.MaxTerm)
	case params.Integer, params.Number:
		s = of("integer", "int64")
		if p.Kind == params.Number {
			s = of("number", "double")
		}
		if s.Min = p.Min; !p.Clamped() {
			s.Max = p.Max
		}
	case params.Boolean:
		s = of("boolean", "")
	case params.Day:
		s.Format = "date"
	case params.Month:
		s.Pattern = `^\d{4}-(0[1-9]|1[0-2])$`
	case params.Generation:
		s.Pattern = `^\d{8}-\d{6}\.\d{6}$`
	case params.Point:
		s.Pattern = "^" + point + "$"
	case params.Corners:
		s.Pattern = fmt.Sprintf("^%s(;%s){%d,%d}$", point, point, index.MinCorners-1, index.MaxCorners-1)
	case params.State:
		s.Pattern = `^[A-Za-z]{2}$`
	}
	return s.NewRef()
}

// point is the form of a latitude and a longitude.
const point = `-?\d+(\.\d+)?,-?\d+(\.\d+)?`

// namesOf names p's choices in generated code, where a plain Category would be the type of another list.
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
	switch p.Kind {
	case params.Integer, params.Number:
		return json.RawMessage(s)
	case params.Boolean:
		return s == "true"
	case params.Texts, params.ChoiceList, params.FieldNames, params.Origins:
		return strings.Split(s, ",")
	case params.Counties, params.Names:
		return strings.Split(s, ";")
	case params.IDs:
		return json.RawMessage("[" + s + "]")
	}
	return s
}
