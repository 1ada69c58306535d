package openapi

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"

	"github.com/getkin/kin-openapi/openapi3"

	"filings/index"
)

// filingSchema is the schema of a filing, from the table of fields.
//
// It is one schema for all tiers and for every choice of fields (rule X9), although their records
// differ: a schema for each, joined by oneOf, becomes a union in most generated clients, which has
// to be taken apart for every field that is read, while tier and fields, and so the shape, are
// known to the client. Only the id is required: a client that checks responses by a schema, as many
// do in Python, Kotlin and Rust, must not fail on a record with the requested fields alone.
func (b *builder) filingSchema() (*openapi3.Schema, error) {
	s := typedSchema("object", "")
	s.Description = "A public record. It always has `id`, and each field of the caller's tier unless the " +
		"parameter `fields` leaves it out."
	s.Required = []string{index.ID.String()}
	var examples map[string]json.RawMessage
	keyed, err := index.Version{Record: ExampleRecord()}.WithKeys()
	if err = errors.Join(err, json.Unmarshal(keyed, &examples)); err != nil {
		return nil, err
	}
	for _, f := range index.Fields() {
		tier := f.Info().Tier
		if tier == index.Hidden && !f.IsKey() {
			continue
		}
		property := b.fieldSchema(f.Info())
		property.Description, property.Examples = f.Info().Help, []any{examples[f.String()]}
		switch tier {
		case index.Pro:
			property.Description += " From the tier pro on."
		case index.Enterprise:
			property.Description += " Tier enterprise only."
		case index.Hidden:
			property.Description += " Only if `fields` names it."
		}
		s.WithProperty(f.String(), property)
	}
	return s, nil
}

// fieldSchema is the schema of a field's values. All but the three that every filing has may be
// null (rule E4).
func (b *builder) fieldSchema(f index.FieldInfo) *openapi3.Schema {
	s := typedSchema("string", "")
	switch f.Kind {
	case index.KindID:
		return typedSchema("integer", "int64").WithMin(1)
	case index.KindCounty:
		return s
	case index.KindCategories:
		s = typedSchema("array", "")
		s.Items = b.enum("Category", index.CategoryValues)
		return s
	case index.KindInteger:
		s = typedSchema("integer", "int64")
	case index.KindLatitude:
		s = typedSchema("number", "double").WithMin(-90).WithMax(90)
	case index.KindLongitude:
		s = typedSchema("number", "double").WithMin(-180).WithMax(180)
	case index.KindAmount, index.KindNumber:
		s = typedSchema("number", "double")
	case index.KindDate:
		s.Format = "date"
	case index.KindDateRange:
		s.Pattern = `^\d{4}-\d{2}-\d{2} to \d{4}-\d{2}-\d{2}$`
	}
	if !f.Signed && !s.Type.Is("string") {
		s.WithMin(0)
	}
	s.Type.With("null")
	return s
}

//go:embed example.json
var example []byte

// ExampleRecord returns the record of an invented filing that has a value in every field.
func ExampleRecord() index.Record { return bytes.TrimSpace(example) }
