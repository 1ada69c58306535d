package reindexer

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
)

func TestL5_IDSet(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	set, want := idSet{}, map[int64]bool{}
	for range 100_000 {
		id := random.Int64N(50_000) + 1
		if random.IntN(2) == 0 {
			id = math.MaxInt64 - id
		}
		if got := set.add(id); got == want[id] {
			t.Fatalf("add(%d) = %v", id, got)
		}
		want[id] = true
	}
}

// TestL5_IDSetStaysSmall wants the memory of ids that follow each other, and of ids at random, to be what is promised.
func TestL5_IDSetStaysSmall(t *testing.T) {
	const n = 500_000
	random := rand.New(rand.NewPCG(1, 2))
	for _, test := range []struct {
		name  string
		id    func(i int64) int64
		bytes uint64 // an id
	}{
		{"one after the other", func(i int64) int64 { return i + 1 }, 1},
		{"at random", func(int64) int64 { return random.Int64() }, 64},
	} {
		before := heapInUse()
		set := idSet{}
		for i := range int64(n) {
			set.add(test.id(i))
		}
		if got := heapInUse() - before; got > n*test.bytes {
			t.Errorf("%s: %d bytes for %d ids, want at most %d each", test.name, got, n, test.bytes)
		}
		runtime.KeepAlive(set)
	}
}

func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
