package serving

import (
	"reflect"
	"testing"

	"filings/index"
)

// TestSizeOf: texts and lists count with what they refer to, at any depth.
func TestSizeOf(t *testing.T) {
	t.Parallel()
	group := int(reflect.TypeFor[index.Group]().Size())
	for _, test := range []struct {
		v    any
		want int
	}{
		{int64(7), 8},
		{index.Record("12345"), 24 + 5},
		{[]string{"a", "bcd"}, 24 + 2*16 + 4},
		{[][]string{{"a"}, nil}, 24 + 2*24 + 16 + 1},
		{index.Groups{List: []index.Group{{Keys: [2]string{"ab", "cd"}}}}, 8 + 24 + group + 4},
		{index.Groups{List: make([]index.Group, 1, 3)}, 8 + 24 + 3*group},
	} {
		if got := sizeOf(reflect.ValueOf(test.v)); got != test.want {
			t.Errorf("%T %v: %d bytes, want %d", test.v, test.v, got, test.want)
		}
	}
}
