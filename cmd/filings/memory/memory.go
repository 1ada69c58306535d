// Package memory keeps a process within the memory that its operator named: it sets Go's limit,
// lets garbage grow up to it, and shrinks the cache when anything else needs memory.
//
// # Design
//
// Most of the memory is garbage: Go lets it grow to as much as is in use, which is the cache.
// A limit of Go's makes it collect earlier. The limit is soft, and a process that has more in use
// than that spends half of its time on collecting; so the cache gives way first, which GOMEMLIMIT
// alone cannot make it do (docs/records/figures.md has the five minutes with and without). The key
// store's SQLite and the program itself come on top.
//
// Below the limit garbage may grow to several times the memory in use. A service whose cache is
// nearly empty has about 8 MB in use; with Go's default it collected once in 250 searches, which
// took 8 % of its CPU time.
package memory

import (
	"context"
	"math"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"filings/index/cache"
)

const (
	// working is the room besides the caches: for requests in progress, and garbage.
	working = 64 << 20
	// workingEmbedded is that room where the embedded engine evaluates filters in the process. With
	// half of it, requests that were never made before took 11 % more CPU time than without a
	// limit; with this, 4 %.
	workingEmbedded = 128 << 20
	// unnamed is taken for the caches' size where there is none: then the engine's cache has a bound of its own.
	unnamed = 256 << 20
	// garbage is how much of it there may be below the limit, in percent of the memory in use. Four
	// times Go's default saves three of four collections, and no limit at all hardly more.
	garbage = 400
)

// Limit sets Go's limit for a process whose caches may take that many bytes (0: they have no size),
// with the embedded engine in it or without, and returns it. It is GOMEMLIMIT's where that is set
// (off: none), else the caches' size with room besides them, or nine tenths of the container's
// memory, if that is less. Where there is a limit, and no GOGC, it also lets garbage grow to
// several times the memory in use.
func Limit(caches int64, embedded bool) int64 {
	limit := limitOf(caches, embedded)
	debug.SetMemoryLimit(limit)
	if limit < math.MaxInt64 && os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbage)
	}
	return limit
}

func limitOf(caches int64, embedded bool) int64 {
	if set := debug.SetMemoryLimit(-1); set < math.MaxInt64 || os.Getenv("GOMEMLIMIT") == "off" {
		return set
	}
	if caches == 0 {
		caches = unnamed
	}
	limit := caches + working
	if embedded {
		limit = caches + workingEmbedded
	}
	if container, err := memlimit.FromCgroup(); err == nil && container > 0 {
		limit = int64(min(uint64(limit), container/10*9))
	}
	return limit
}

// Keep makes c, which may take so many bytes (0: there is none), as small as the process's limit
// demands, until ctx ends.
func Keep(ctx context.Context, c *cache.Cache, bytes, limit int64) {
	if c != nil {
		keep(ctx, c, bytes, limit, lastCollection)
	}
}

func keep(ctx context.Context, c *cache.Cache, bytes, limit int64, last func() collection) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for size, resized := bytes, int64(0); ; {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		now := last()
		if now.number < resized+2 { // one may have begun before the cache was resized
			continue
		}
		resized = now.number
		if next := fitting(bytes, size, int64(c.Bytes()), limit, now); next != size {
			c.Resize(next)
			size = next
		}
	}
}

// fitting returns how many of its bytes a cache may take that may take size of them by now, and
// takes taken. Of the process's limit, an eighth is left for garbage: with less, the process
// collects all the time. The cache moves in sixteenths of its bytes, since one that is resized all
// the time forgets responses that are needed often, and keeps one in any case: without it requests
// would need more memory.
func fitting(bytes, size, taken, limit int64, last collection) int64 {
	step, room := max(1, bytes/16), limit/8
	switch {
	case last.live < limit/2 || last.room > room+2*step:
		return min(bytes, size+step)
	case last.room < room:
		steps := (room - last.room + step - 1) / step
		return max(step, (min(size, taken)+step-1)/step*step-steps*step)
	}
	return size
}

// collection has the values of the last one.
type collection struct {
	number int64 // from 1 on
	live   int64 // bytes that it left in use
	// room is how many bytes may be allocated before the next one. Go subtracts from its limit the
	// memory in use, and all that it cannot give to others: stacks, its own tables, the holes
	// between objects, which were a seventh of a full cache.
	room int64
}

func lastCollection() collection {
	samples := []metrics.Sample{
		{Name: "/gc/cycles/total:gc-cycles"}, {Name: "/gc/heap/live:bytes"}, {Name: "/gc/heap/goal:bytes"},
	}
	metrics.Read(samples)
	number, live, goal := samples[0].Value.Uint64(), samples[1].Value.Uint64(), samples[2].Value.Uint64()
	return collection{number: int64(number), live: int64(live), room: int64(goal) - int64(live)}
}
