package memory

import (
	"context"
	"fmt"
	"math"
	"runtime/debug"
	"testing"
	"testing/synctest"
	"time"

	"filings/index/cache"
)

func TestAllowed(t *testing.T) {
	t.Parallel()
	const mb = 1 << 20
	for _, tt := range []struct{ bytes, limit, others, want int64 }{
		{256 * mb, 320 * mb, 20 * mb, 256 * mb},  // as much as it may take
		{256 * mb, 320 * mb, 100 * mb, 176 * mb}, // 2,000 clients that read slowly
		{256 * mb, 128 * mb, 20 * mb, 80 * mb},   // GOMEMLIMIT=128MiB
		{256 * mb, 64 * mb, 200 * mb, 16 * mb},   // never nothing
		{256 * mb, math.MaxInt64, 1 << 40, 256 * mb},
		{256 * mb, 320 * mb, -5 * mb, 256 * mb}, // the cache has grown since the last collection
		{10, 320 * mb, 0, 10},
	} {
		if got := allowed(tt.bytes, tt.limit, tt.others); got != tt.want {
			t.Errorf("%d of %d, others %d: %d, want %d", tt.bytes, tt.limit, tt.others, got, tt.want)
		}
	}
}

// TestLimit: what an operator has set stays; else there is a limit, which is no less for larger caches. It changes the limit
// of this process, so nothing runs beside it.
func TestLimit(t *testing.T) {
	before := debug.SetMemoryLimit(math.MaxInt64)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	small := Limit(1<<20, false)
	if small > 1<<20+beside || debug.SetMemoryLimit(-1) != small {
		t.Errorf("limit %d, Go has %d", small, debug.SetMemoryLimit(-1))
	}
	if again := Limit(1<<30, true); again != small {
		t.Errorf("a limit of %d was set, and is %d", small, again)
	}
	debug.SetMemoryLimit(math.MaxInt64)
	if embedded := Limit(1<<20, true); embedded <= small || embedded > 1<<20+besideEmbedded {
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

// TestKeep: a cache in a process that has no room for it shrinks.
func TestKeep(t *testing.T) {
	const bytes = 16 << 20
	synctest.Test(t, func(t *testing.T) {
		c := cache.New(bytes)
		for i := range 15 {
			_, _, err := cache.Get(t.Context(), c, cache.Key{Text: fmt.Sprint(i)}, func(context.Context) (int, int, error) { return i, 1 << 20, nil })
			if err != nil {
				t.Fatal(err)
			}
		}
		full := c.Bytes()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go Keep(ctx, c, bytes, 1)   // whatever is in use exceeds a limit of one byte
		time.Sleep(2 * time.Second) // of the bubble's clock
		if got := c.Bytes(); got > bytes/16 || full < 15<<20 {
			t.Errorf("%d bytes, and %d without room", full, got)
		}
	})
}
