// Package mvt writes vector tiles of points in the form of MVT 2.1
// (https://github.com/mapbox/vector-tile-spec). It refuses to know the meaning of the points. The
// same points give the same bytes: the library orb writes properties in the order of a Go map.
package mvt

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// Extent is how many units wide and high a tile is.
const Extent = 4096

// Tile is a tile of the square web mercator map: of those that lie 2^Zoom side by side, the one in
// this column from the west and this row from the north.
type Tile struct{ Zoom, Column, Row int }

// Layer collects the points of a layer.
type Layer struct {
	name     string
	tile     Tile
	features []byte
	keys     []string
	values   [][]byte
	numbers  map[string]uint32 // of values
}

// NewLayer returns an empty layer of t.
func NewLayer(t Tile, name string) *Layer {
	return &Layer{name: name, tile: t, numbers: map[string]uint32{}}
}

// Property is a property of a point: its value is a string, a float64, an int64 that is not negative, or nil for none.
type Property struct {
	Key   string
	Value any
}

// Fields of the messages of MVT 2.1.
const (
	tileLayers = 3

	layerName     = 1
	layerFeatures = 2
	layerKeys     = 3
	layerValues   = 4
	layerExtent   = 5
	layerVersion  = 15

	featureID       = 1
	featureTags     = 2
	featureType     = 3
	featureGeometry = 4

	valueString = 1
	valueDouble = 3
	valueUint   = 5
)

// Add adds a point at degrees. id is 0 for none.
func (l *Layer) Add(id int64, latitude, longitude float64, properties ...Property) {
	var tags, feature []byte
	for _, p := range properties {
		if value := appendValue(nil, p.Value); value != nil {
			tags = protowire.AppendVarint(protowire.AppendVarint(tags, l.key(p.Key)), l.value(value))
		}
	}
	if id > 0 {
		feature = protowire.AppendVarint(protowire.AppendTag(feature, featureID, protowire.VarintType), uint64(id))
	}
	if tags != nil {
		feature = protowire.AppendBytes(protowire.AppendTag(feature, featureTags, protowire.BytesType), tags)
	}
	const isPoint, moveToOne = 1, 1<<3 | 1
	feature = protowire.AppendVarint(protowire.AppendTag(feature, featureType, protowire.VarintType), isPoint)
	x, y := l.tile.position(latitude, longitude)
	geometry := protowire.AppendVarint(nil, moveToOne)
	geometry = protowire.AppendVarint(protowire.AppendVarint(geometry, protowire.EncodeZigZag(x)),
		protowire.EncodeZigZag(y))
	feature = protowire.AppendBytes(protowire.AppendTag(feature, featureGeometry, protowire.BytesType), geometry)
	l.features = protowire.AppendBytes(protowire.AppendTag(l.features, layerFeatures, protowire.BytesType), feature)
}

// position returns where in a tile something is, from its north-western corner.
func (t Tile) position(latitude, longitude float64) (x, y int64) {
	width := math.Ldexp(1, t.Zoom)
	// the map ends at 85.05 degrees, and rows go on to the poles
	north := math.Asinh(math.Tan(latitude * math.Pi / 180))
	return inside((longitude+180)/360*width - float64(t.Column)), inside((1-north/math.Pi)/2*width - float64(t.Row))
}

func inside(part float64) int64 { return int64(max(0, min(Extent-1, math.Floor(part*Extent)))) }

func appendValue(dst []byte, v any) []byte {
	switch v := v.(type) {
	case string:
		return protowire.AppendString(protowire.AppendTag(dst, valueString, protowire.BytesType), v)
	case float64:
		return protowire.AppendFixed64(protowire.AppendTag(dst, valueDouble, protowire.Fixed64Type),
			math.Float64bits(v))
	case int64:
		return protowire.AppendVarint(protowire.AppendTag(dst, valueUint, protowire.VarintType), uint64(v))
	}
	return dst
}

// key returns the number of a key. There are few.
func (l *Layer) key(key string) uint64 {
	for i, known := range l.keys {
		if known == key {
			return uint64(i)
		}
	}
	l.keys = append(l.keys, key)
	return uint64(len(l.keys) - 1)
}

func (l *Layer) value(value []byte) uint64 {
	number, ok := l.numbers[string(value)]
	if !ok {
		number = uint32(len(l.values))
		l.numbers[string(value)] = number
		l.values = append(l.values, value)
	}
	return uint64(number)
}

// Bytes returns a tile with this layer alone. The bytes of several, one after the other, are a tile with all of them.
func (l *Layer) Bytes() []byte {
	layer := protowire.AppendVarint(protowire.AppendTag(nil, layerVersion, protowire.VarintType), 2)
	layer = protowire.AppendString(protowire.AppendTag(layer, layerName, protowire.BytesType), l.name)
	layer = append(layer, l.features...)
	for _, key := range l.keys {
		layer = protowire.AppendString(protowire.AppendTag(layer, layerKeys, protowire.BytesType), key)
	}
	for _, value := range l.values {
		layer = protowire.AppendBytes(protowire.AppendTag(layer, layerValues, protowire.BytesType), value)
	}
	layer = protowire.AppendVarint(protowire.AppendTag(layer, layerExtent, protowire.VarintType), Extent)
	return protowire.AppendBytes(protowire.AppendTag(nil, tileLayers, protowire.BytesType), layer)
}
