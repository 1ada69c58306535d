// Package mvttest reads vector tiles, for tests: as the specification of MVT 2.1 has it, and
// nothing of how mvt writes them.
package mvttest

import (
	"math"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// Layer is a layer of a tile.
type Layer struct {
	Name            string
	Version, Extent uint64
	Keys            []string
	Values          int // how many there are
	Points          []Point
}

// Point is a feature: where it is, from the north-western corner, and its properties.
type Point struct {
	ID         uint64 // 0 for none
	X, Y       int64
	Properties map[string]any
}

// message calls visit with each field of a message, whose value is bytes, or a number as 64 bits.
func message(t testing.TB, data []byte, visit func(field protowire.Number, bytes []byte, number uint64)) {
	t.Helper()
	for len(data) > 0 {
		field, kind, n := protowire.ConsumeTag(data)
		if n < 0 {
			t.Fatalf("no tag: %x", data)
		}
		data = data[n:]
		var bytes []byte
		var number uint64
		switch kind {
		case protowire.BytesType:
			bytes, n = protowire.ConsumeBytes(data)
		case protowire.VarintType:
			number, n = protowire.ConsumeVarint(data)
		case protowire.Fixed64Type:
			number, n = protowire.ConsumeFixed64(data)
		default:
			t.Fatalf("field %d of kind %d", field, kind)
		}
		if n < 0 {
			t.Fatalf("no value: %x", data)
		}
		data = data[n:]
		visit(field, bytes, number)
	}
}

func packed(t testing.TB, data []byte) (numbers []uint64) {
	t.Helper()
	for len(data) > 0 {
		number, n := protowire.ConsumeVarint(data)
		if n < 0 {
			t.Fatalf("no number: %x", data)
		}
		numbers, data = append(numbers, number), data[n:]
	}
	return numbers
}

// Read reads a tile whose layers have points.
func Read(t testing.TB, tile []byte) (layers []Layer) {
	t.Helper()
	message(t, tile, func(_ protowire.Number, layer []byte, _ uint64) { layers = append(layers, readLayer(t, layer)) })
	return layers
}

func readLayer(t testing.TB, layer []byte) (l Layer) {
	t.Helper()
	var features [][]byte
	var values []any
	message(t, layer, func(field protowire.Number, bytes []byte, number uint64) {
		switch field {
		case 15:
			l.Version = number
		case 1:
			l.Name = string(bytes)
		case 2:
			features = append(features, bytes)
		case 3:
			l.Keys = append(l.Keys, string(bytes))
		case 4:
			values = append(values, value(t, bytes))
		case 5:
			l.Extent = number
		}
	})
	l.Values = len(values)
	for _, feature := range features {
		p := Point{Properties: map[string]any{}}
		message(t, feature, func(field protowire.Number, bytes []byte, number uint64) {
			switch field {
			case 1:
				p.ID = number
			case 2:
				for tags := packed(t, bytes); len(tags) > 1; tags = tags[2:] {
					p.Properties[l.Keys[tags[0]]] = values[tags[1]]
				}
			case 3:
				if number != 1 {
					t.Fatalf("geometry of type %d", number)
				}
			case 4:
				g := packed(t, bytes)
				if len(g) != 3 || g[0] != 9 { // one MoveTo
					t.Fatalf("geometry %v", g)
				}
				p.X, p.Y = protowire.DecodeZigZag(g[1]), protowire.DecodeZigZag(g[2])
			}
		})
		l.Points = append(l.Points, p)
	}
	return l
}

func value(t testing.TB, data []byte) (v any) {
	t.Helper()
	message(t, data, func(field protowire.Number, bytes []byte, number uint64) {
		switch field {
		case 1:
			v = string(bytes)
		case 3:
			v = math.Float64frombits(number)
		case 5:
			v = number
		default:
			t.Fatalf("a value of field %d", field)
		}
	})
	return v
}
