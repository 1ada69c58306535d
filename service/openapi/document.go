package openapi

// Version is the version of the specification that documents are written in.
const Version = "3.1.0"

// Document is a whole document.
type Document struct {
	OpenAPI    string          `json:"openapi"` // Version
	Info       Info            `json:"info"`
	Servers    []Server        `json:"servers"`
	Security   []Requirement   `json:"security"`
	Tags       []Tag           `json:"tags"`
	Paths      Named[PathItem] `json:"paths"`
	Components Components      `json:"components"`
}

// Info says what the document describes. Description is Markdown, here and everywhere.
type Info struct {
	Title       string `json:"title"`
	Version     string `json:"version"`
	Summary     string `json:"summary,omitempty"`
	Description string `json:"description"`
}

// Server is where the API is; a relative URL is relative to the document.
type Server struct {
	URL string `json:"url"`
}

// Requirement names security schemes that a request needs all of.
type Requirement map[string][]string

// Tag is a group of operations.
type Tag struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// PathItem is what can be done with a path.
type PathItem struct {
	Get *Operation `json:"get"`
}

// Operation is one method of one path.
type Operation struct {
	ID          string          `json:"operationId"`
	Tags        []string        `json:"tags"`
	Summary     string          `json:"summary"`
	Description string          `json:"description"`
	Deprecated  bool            `json:"deprecated,omitempty"`
	Security    *[]Requirement  `json:"security,omitempty"` // nil: the document's; empty: none is needed
	Parameters  []Parameter     `json:"parameters,omitempty"`
	Responses   Named[Response] `json:"responses"` // by status, or "default"
}

// Parameter is a parameter of an operation, or a reference to one.
type Parameter struct {
	Ref         string  `json:"$ref,omitempty"`
	Name        string  `json:"name,omitempty"`
	In          string  `json:"in,omitempty"` // query, path or header
	Description string  `json:"description,omitempty"`
	Required    bool    `json:"required,omitempty"`
	Deprecated  bool    `json:"deprecated,omitempty"`
	Style       string  `json:"style,omitempty"`
	Explode     *bool   `json:"explode,omitempty"`
	Schema      *Schema `json:"schema,omitempty"`
	Example     any     `json:"example,omitempty"`
}

// Response is an answer, or a reference to one.
type Response struct {
	Ref         string           `json:"$ref,omitempty"`
	Description string           `json:"description,omitempty"`
	Headers     Named[Header]    `json:"headers,omitempty"`
	Content     Named[MediaType] `json:"content,omitempty"`
}

// Header is a header of an answer, or a reference to one.
type Header struct {
	Ref         string  `json:"$ref,omitempty"`
	Description string  `json:"description,omitempty"`
	Schema      *Schema `json:"schema,omitempty"`
}

// MediaType is a form of a body.
type MediaType struct {
	Schema   *Schema        `json:"schema"`
	Examples Named[Example] `json:"examples,omitempty"`
}

// Example is a whole body.
type Example struct {
	Summary string `json:"summary,omitempty"`
	Value   any    `json:"value"`
}

// Components are what the rest of the document refers to.
type Components struct {
	Schemas         Named[*Schema]        `json:"schemas"`
	Parameters      Named[Parameter]      `json:"parameters"`
	Headers         Named[Header]         `json:"headers"`
	Responses       Named[Response]       `json:"responses"`
	SecuritySchemes Named[SecurityScheme] `json:"securitySchemes"`
}

// SecurityScheme is a way to say who asks.
type SecurityScheme struct {
	Type        string `json:"type"`
	Name        string `json:"name"`
	In          string `json:"in"`
	Description string `json:"description"`
}
