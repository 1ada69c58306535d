package service

import (
	"strings"

	"filings/service/openapi"
)

const (
	parameterRef      = "#/components/parameters/"
	headerIfNoneMatch = "If-None-Match"
)

// describe returns the parameters of the endpoints on, in the order of the table, each followed by its legacy name.
func (t *table) describe(on endpoints) (all []openapi.Parameter) {
	for i := range t.rows {
		p := &t.rows[i]
		if p.on&on == 0 {
			continue
		}
		d := p.describe(p.requiredBy(on))
		all = append(all, d)
		if p.legacy != "" {
			d.Name, d.Deprecated = p.legacy, true
			d.Description = "Another name of `" + p.name + "`; not to be given together with it."
			all = append(all, d)
		}
	}
	return all
}

// describe describes p. A required parameter carries its example where tools fill it in by themselves; that of any other
// is part of its schema, so that nobody asks for all of them at once.
func (p *parameter) describe(required bool) openapi.Parameter {
	d := openapi.Parameter{Name: p.name, In: "query", Required: required, Description: p.help, Schema: p.schema()}
	if form := p.form(); form != "text" {
		d.Description += " Must be " + form + "."
	}
	if d.Schema.Items != nil {
		one := false
		d.Style, d.Explode = "form", &one // comma-separated
	}
	d.Description += " Example: `" + p.example + "`."
	if required {
		d.Example = p.typed(p.example)
	} else {
		d.Schema.Examples = []any{p.typed(p.example)}
	}
	if p.fallback != "" {
		d.Schema.Default = p.typed(p.fallback)
	}
	return d
}

// schema is the form of p's values as a schema. What is accepted beyond it (1 for true, words in any case) is left to
// the description: a client has no use for it.
func (p *parameter) schema() *openapi.Schema {
	switch p.kind {
	case texts:
		return openapi.List(openapi.Of(openapi.String, ""))
	case choices:
		return openapi.List(&openapi.Schema{Type: openapi.Types{openapi.String}, Enum: p.choices})
	case term:
		return &openapi.Schema{Type: openapi.Types{openapi.String}, MinLength: 1, MaxLength: maxTerm}
	case integer, number:
		s := openapi.Of(openapi.Number, "double")
		if p.kind == integer {
			s = openapi.Of(openapi.Integer, "int64")
		}
		if s.Minimum = p.min; p.op != opLimit { // a larger limit is clamped, not refused
			s.Maximum = p.max
		}
		return s
	case boolean:
		return openapi.Of(openapi.Boolean, "")
	case choice, word:
		return &openapi.Schema{Type: openapi.Types{openapi.String}, Enum: p.choices}
	case day:
		return openapi.Of(openapi.String, "date")
	case month:
		return &openapi.Schema{Type: openapi.Types{openapi.String}, Pattern: `^\d{4}-(0[1-9]|1[0-2])$`}
	case stateAbb:
		return &openapi.Schema{Type: openapi.Types{openapi.String}, Pattern: `^[A-Za-z]{2}$`}
	}
	return openapi.Of(openapi.String, "")
}

// typed returns a value of p that the table has as text, as JSON has it. Numbers keep their digits.
func (p *parameter) typed(s string) any {
	switch p.kind {
	case integer, number:
		return raw(s)
	case boolean:
		return s == "true"
	case texts, choices:
		return strings.Split(s, ",")
	}
	return s
}

// pathParameters describes the parameters in a path of surface.
func pathParameters(path string) (all []openapi.Parameter) {
	rows := []openapi.Parameter{
		{Name: "id", Description: "Id of the filing.", Example: 1,
			Schema: &openapi.Schema{Type: openapi.Types{openapi.Integer}, Format: "int64", Minimum: at(1)}},
		{Name: "county", Description: "County as `/v1/counties` lists it, percent-encoded, in any case; without its state, every county of that name.",
			Example: "Orange, FL", Schema: openapi.Of(openapi.String, "")},
	}
	for _, p := range rows {
		if strings.Contains(path+"/", "/:"+p.Name+"/") {
			p.In, p.Required = "path", true
			all = append(all, p)
		}
	}
	return all
}

// requestHeaders are the headers, beside the key, that change an answer.
func requestHeaders() (all openapi.Named[openapi.Parameter]) {
	all.Add(headerPrefer, openapi.Parameter{Name: headerPrefer, In: "header", Schema: openapi.Of(openapi.String, ""),
		Description: "`handling=strict` makes an unknown parameter a 400 (RFC 7240)."})
	all.Add(headerIfNoneMatch, openapi.Parameter{Name: headerIfNoneMatch, In: "header", Schema: openapi.Of(openapi.String, ""),
		Description: "The `ETag` of an earlier answer. If it still holds, the answer is a 304 without a body."})
	return all
}
