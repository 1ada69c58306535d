package mvt_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	"filings/service/mvt"
	"filings/service/mvt/mvttest"
)

// TestX35_Layer: each point is where it belongs, with its properties, and keys and values stand once.
func TestX35_Layer(t *testing.T) {
	t.Parallel()
	write := func() []byte {
		l := mvt.NewLayer(mvt.Tile{Zoom: 1, Column: 1, Row: 0}, "points")
		l.Add(7, 0.000001, 0, mvt.Property{Key: "a", Value: "é"}, mvt.Property{Key: "b", Value: 1.5})
		l.Add(0, 90, 180, mvt.Property{Key: "b", Value: int64(9)}, mvt.Property{Key: "a", Value: "é"}, mvt.Property{Key: "c", Value: nil})
		l.Add(math.MaxInt64, 66.51326, 90)
		return l.Bytes()
	}
	layers := mvttest.Read(t, append(write(), write()...))
	got := layers[1]
	want := []mvttest.Point{
		{ID: 7, X: 0, Y: 4095, Properties: map[string]any{"a": "é", "b": 1.5}},
		{X: 4095, Y: 0, Properties: map[string]any{"a": "é", "b": uint64(9)}},
		{ID: math.MaxInt64, X: 2048, Y: 2048, Properties: map[string]any{}},
	}
	if len(layers) != 2 || got.Name != "points" || got.Version != 2 || got.Extent != mvt.Extent || fmt.Sprint(got.Points) != fmt.Sprint(want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	if len(got.Keys) != 2 || got.Values != 3 {
		t.Errorf("%v, %d values", got.Keys, got.Values)
	}
	for range 10 {
		if !slices.Equal(write(), write()) {
			t.Fatal("the same points give other bytes")
		}
	}
	if n, size := binary.Uvarint(write()[1:]); int(n)+size+1 != len(write()) {
		t.Errorf("a layer of %d bytes in %d", n, len(write()))
	}
}
