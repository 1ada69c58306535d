package openapi

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
)

// Parts is a document taken apart, so that one of a few paths is put together in little time.
type Parts struct {
	rest       map[string]json.RawMessage // its members but paths and components
	paths      map[string]json.RawMessage
	components map[string]map[string]json.RawMessage // by kind and name
}

// Split takes a document apart.
func Split(document []byte) (p Parts, err error) {
	if err = json.Unmarshal(document, &p.rest); err != nil {
		return p, err
	}
	if err = json.Unmarshal(p.rest["paths"], &p.paths); err != nil {
		return p, err
	}
	return p, json.Unmarshal(p.rest["components"], &p.components)
}

// Paths returns the paths of the document, sorted.
func (p Parts) Paths() []string { return slices.Sorted(maps.Keys(p.paths)) }

var reference = regexp.MustCompile(`"\$ref":"#/components/([^/"]+)/([^"]+)"`)

// Document returns the document with these paths alone, and the components that they need; or the
// first of paths that it has not.
func (p Parts) Document(paths []string) (document []byte, unknown string) {
	taken := map[string]json.RawMessage{}
	needed := map[string]map[string]json.RawMessage{"securitySchemes": p.components["securitySchemes"]}
	for _, path := range paths {
		if p.paths[path] == nil {
			return nil, path
		}
		if taken[path] == nil { // anybody may send one a thousand times
			taken[path] = p.paths[path]
			p.need(taken[path], needed)
		}
	}
	whole := map[string]any{}
	for name, member := range p.rest {
		whole[name] = member
	}
	whole["paths"], whole["components"] = taken, needed
	document, err := json.Marshal(whole)
	if err != nil {
		panic(err) // all of it was JSON
	}
	return document, ""
}

// need adds to needed the components that text refers to, and those that these refer to.
func (p Parts) need(text []byte, needed map[string]map[string]json.RawMessage) {
	for _, found := range reference.FindAllSubmatch(text, -1) {
		kind, name := string(found[1]), string(found[2])
		if needed[kind][name] != nil {
			continue
		}
		if needed[kind] == nil {
			needed[kind] = map[string]json.RawMessage{}
		}
		needed[kind][name] = p.components[kind][name]
		p.need(p.components[kind][name], needed)
	}
}
