package cache

import (
	"context"
	"runtime"
	"strconv"
	"testing"
)

// TestBytes: what the cache says that it takes is what Go says, to a tenth, for small values and for large ones.
func TestBytes(t *testing.T) {
	for _, size := range []int{8, 100, 2000, 20_000} {
		n := 8_000_000 / (size + entryBytes)
		c, before := New(1<<30), heap()
		for i := range n {
			_, _, err := Get(t.Context(), c, Key{Space: "a", Text: "count where filingType in " + strconv.Itoa(i)}, func(context.Context) ([]byte, int, error) {
				v := make([]byte, size)
				return v, cap(v), nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		took := heap() - before
		if said := int64(c.Bytes()); said < took*9/10 || said > took*11/10 {
			t.Errorf("values of %d bytes: %d bytes each, and said to be %d", size, took/int64(n), said/int64(n))
		}
	}
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
