package openapi

import "encoding/json"

// Schema is a JSON Schema (2020-12) of a value, or a reference to one.
type Schema struct {
	Ref               string          `json:"$ref,omitempty"`
	Type              Types           `json:"type,omitempty"`
	Description       string          `json:"description,omitempty"`
	Format            string          `json:"format,omitempty"`
	Pattern           string          `json:"pattern,omitempty"`
	Enum              []string        `json:"enum,omitempty"`
	Default           any             `json:"default,omitempty"`
	Minimum           *float64        `json:"minimum,omitempty"`
	Maximum           *float64        `json:"maximum,omitempty"`
	MinLength         int             `json:"minLength,omitempty"` // characters
	MaxLength         int             `json:"maxLength,omitempty"` // characters
	Items             *Schema         `json:"items,omitempty"`
	MinItems          int             `json:"minItems,omitempty"`
	MaxItems          int             `json:"maxItems,omitempty"`
	Properties        Named[*Schema]  `json:"properties,omitempty"`
	Required          []string        `json:"required,omitempty"`
	DependentRequired Named[[]string] `json:"dependentRequired,omitempty"`
	Examples          []any           `json:"examples,omitempty"`
}

// Types are the types that a value may have. One alone is written without brackets, as most readers expect it.
type Types []string

// MarshalJSON implements json.Marshaler.
func (t Types) MarshalJSON() ([]byte, error) {
	if len(t) == 1 {
		return json.Marshal(t[0])
	}
	return json.Marshal([]string(t))
}

// Types of JSON values.
const (
	String  = "string"
	Integer = "integer"
	Number  = "number"
	Boolean = "boolean"
	Array   = "array"
	Object  = "object"
	Null    = "null"
)

// Of returns a schema of a type, in a format unless that is "".
func Of(t, format string) *Schema { return &Schema{Type: Types{t}, Format: format} }

// List returns a schema of arrays.
func List(items *Schema) *Schema { return &Schema{Type: Types{Array}, Items: items} }

// Tuple returns a schema of arrays of so many items.
func Tuple(items *Schema, n int) *Schema {
	return &Schema{Type: Types{Array}, Items: items, MinItems: n, MaxItems: n}
}

// Required returns a schema of objects that have all of the properties.
func Required(properties Named[*Schema]) *Schema {
	s := &Schema{Type: Types{Object}, Properties: properties}
	for _, p := range properties {
		s.Required = append(s.Required, p.Name)
	}
	return s
}

// To returns a reference to a schema of the components.
func To(name string) *Schema { return &Schema{Ref: "#/components/schemas/" + name} }

// Described returns s with a description.
func (s *Schema) Described(text string) *Schema {
	s.Description = text
	return s
}
