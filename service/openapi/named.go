package openapi

import (
	"bytes"
	"encoding/json"
)

// Named is a JSON object whose members keep their order. Names must differ.
type Named[V any] []Member[V]

// Member is a name and what it stands for.
type Member[V any] struct {
	Name  string
	Value V
}

// Add appends a member.
func (n *Named[V]) Add(name string, value V) { *n = append(*n, Member[V]{name, value}) }

// MarshalJSON implements json.Marshaler.
func (n Named[V]) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(m.Name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.Value)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
