package cache

import "testing"

// TestSizeOf: texts and lists count with what they refer to, at any depth; a pointer counts as what it points to.
func TestSizeOf(t *testing.T) {
	t.Parallel()
	type group struct {
		Keys  [2]string
		Count int64
	}
	type groups struct {
		Total int64
		list  []group
	}
	const size = 2*16 + 8
	for _, test := range []struct {
		v    any
		want int
	}{
		{int64(7), 8},
		{[]byte("12345"), 24 + 5},
		{[]string{"a", "bcd"}, 24 + 2*16 + 4},
		{&[]string{"abc"}, 24 + 16 + 3},
		{[][]string{{"a"}, nil}, 24 + 2*24 + 16 + 1},
		{groups{list: []group{{Keys: [2]string{"ab", "cd"}}}}, 8 + 24 + size + 4},
		{groups{list: make([]group, 1, 3)}, 8 + 24 + 3*size},
	} {
		if got := SizeOf(test.v); got != test.want {
			t.Errorf("%T %v: %d bytes, want %d", test.v, test.v, got, test.want)
		}
	}
}
