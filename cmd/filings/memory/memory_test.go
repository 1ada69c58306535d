package memory

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"filings/index/cache"
)

func TestFitting(t *testing.T) {
	t.Parallel()
	const mb = 1 << 20
	for name, tt := range map[string]struct {
		size, taken, limit, live, room, want int64
	}{
		"little is in use":              {256, 20, 320, 30, 30, 256},
		"full, with room":               {256, 250, 320, 270, 50, 256},
		"full, with holes":              {256, 240, 320, 263, 0, 192}, // what made the service collect all the time
		"what it may take is not taken": {256, 100, 128, 110, 10, 96},
		"others need the room":          {256, 250, 320, 310, 0, 208},
		"never nothing":                 {32, 32, 64, 60, 0, 16},
		"a little more room":            {192, 192, 320, 240, 60, 192},
		"room again":                    {192, 192, 320, 220, 80, 208},
		"in use by others no more":      {16, 16, 320, 40, 160, 32},
		"no limit":                      {256, 256, math.MaxInt64 / mb, 1 << 20, 100, 256},
	} {
		last := collection{number: 1, live: tt.live * mb, room: tt.room * mb}
		if got := fitting(256*mb, tt.size*mb, tt.taken*mb, tt.limit*mb, last); got != tt.want*mb {
			t.Errorf("%s: %d MiB, want %d", name, got/mb, tt.want)
		}
	}
	if got := fitting(10, 10, 10, 320*mb, collection{}); got != 10 {
		t.Errorf("of 10 bytes: %d", got)
	}
}

// TestLastCollection: what Go says of a collection is what is expected of it.
func TestLastCollection(t *testing.T) {
	before := lastCollection()
	used := make([]byte, 32<<20)
	runtime.GC()
	after := lastCollection()
	runtime.KeepAlive(used)
	if after.number <= before.number || after.live < before.live+30<<20 || after.room <= 0 {
		t.Errorf("%+v, and with 32 MiB more in use %+v", before, after)
	}
}

// TestLimit: what an operator has set stays; else there is a limit, which is no less for larger caches. It changes the limit
// of this process, so nothing runs working it.
func TestLimit(t *testing.T) {
	before := debug.SetMemoryLimit(math.MaxInt64)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	small := Limit(1<<20, false)
	if small > 1<<20+working || debug.SetMemoryLimit(-1) != small {
		t.Errorf("limit %d, Go has %d", small, debug.SetMemoryLimit(-1))
	}
	if again := Limit(1<<30, true); again != small {
		t.Errorf("a limit of %d was set, and is %d", small, again)
	}
	debug.SetMemoryLimit(math.MaxInt64)
	if embedded := Limit(1<<20, true); embedded <= small || embedded > 1<<20+workingEmbedded {
		t.Errorf("limit %d with the embedded engine, %d without", embedded, small)
	}
}

// TestLimit_Garbage: where memory has a limit, garbage may grow up to it, unless the operator says how far.
func TestLimit_Garbage(t *testing.T) {
	before, percent := debug.SetMemoryLimit(math.MaxInt64), debug.SetGCPercent(100)
	t.Cleanup(func() {
		debug.SetMemoryLimit(before)
		debug.SetGCPercent(percent)
	})
	for _, tt := range []struct {
		gogc, gomemlimit string
		want             int
	}{{"", "", garbage}, {"50", "", 100}, {"", "off", 100}} { // Go itself has read GOGC before
		t.Setenv("GOGC", tt.gogc)
		t.Setenv("GOMEMLIMIT", tt.gomemlimit)
		debug.SetMemoryLimit(math.MaxInt64)
		Limit(1<<20, false)
		if got := debug.SetGCPercent(100); got != tt.want {
			t.Errorf("GOGC=%q, GOMEMLIMIT=%q: %d %%, want %d", tt.gogc, tt.gomemlimit, got, tt.want)
		}
	}
}

// TestLimit_Off: who has switched Go's limit off gets none.
func TestLimit_Off(t *testing.T) {
	before := debug.SetMemoryLimit(math.MaxInt64) // what Go makes of the variable
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	t.Setenv("GOMEMLIMIT", "off")
	if got := Limit(1<<20, false); got != math.MaxInt64 || debug.SetMemoryLimit(-1) != math.MaxInt64 {
		t.Errorf("limit %d, Go has %d", got, debug.SetMemoryLimit(-1))
	}
}

// TestKeep: a cache in a process that has no room for it shrinks, with each second collection, and grows again when there is
// room.
func TestKeep(t *testing.T) {
	t.Parallel()
	const bytes = 16 << 20
	synctest.Test(t, func(t *testing.T) {
		c := cache.New(bytes)
		fill := func() {
			for i := range 15 {
				_, _, err := cache.Get(t.Context(), c, cache.Key{Text: fmt.Sprint(i)}, func(context.Context) (int, int, error) { return i, 1 << 20, nil })
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		fill()
		full := c.Bytes()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var last atomic.Pointer[collection]
		last.Store(&collection{number: 1, live: 30 << 20})
		go keep(ctx, c, bytes, 32<<20, func() collection { return *last.Load() })
		wait := func() { time.Sleep(3 * time.Second); synctest.Wait() } // of the bubble's clock
		wait()
		if got := c.Bytes(); got != full {
			t.Errorf("%d bytes before a second collection, want %d", got, full)
		}
		last.Store(&collection{number: 2, live: 30 << 20})
		wait()
		if got := c.Bytes(); got > bytes*12/16 || got < bytes*10/16 || full < 15<<20 {
			t.Errorf("%d bytes, of %d, without room", got, full)
		}
		for number := range int64(20) {
			last.Store(&collection{number: 4 + 2*number, live: 30 << 20, room: 20 << 20})
			wait()
		}
		fill()
		if got := c.Bytes(); got != full {
			t.Errorf("%d bytes with room again, want %d", got, full)
		}
	})
}
