// Package cache is the only cache of the project: values of any type, bounded by the bytes that
// they take, and created once for all callers that need the same one at the same time. It refuses
// to keep errors, knows nothing of filings, and never lets a value expire: a value that may become
// stale needs a key that says so, such as one with the generation in it.
//
// # Design
//
// A process has one cache for responses and for the engine's parts of its generations: so its
// memory has one bound, and the values that are needed most often stay, of whatever kind. Space
// keeps their keys apart.
//
// Which values stay is the policy of otter, W-TinyLFU: a crawl through many values, each needed
// once, does not evict those that are needed often. Otter could also create missing values, but
// with a context that never ends; here a creation belongs to the request that needs it (flight.go),
// so that no work goes on for a client that has left.
package cache

import (
	"context"
	"math"

	"github.com/maypok86/otter/v2"
)

// Key names a value.
type Key struct {
	Space string // who keeps it: two that may use the same Text have different ones
	Text  string // its name there
	Part  int    // which piece of it, where it has several
}

// Cache keeps values. It is safe for concurrent use. Values are shared: no caller writes to them.
type Cache struct {
	entries *otter.Cache[Key, entry]
	flights flights
}

// entry is a value and the memory, in bytes, that it takes.
type entry struct {
	value any
	bytes int
}

// entryBytes is the cost of an entry besides its key and value: otter's node, hash table slot and
// policy queues.
const entryBytes = 160

// New returns a cache whose keys and values take at most that many bytes.
func New(bytes int64) *Cache {
	return &Cache{entries: otter.Must(&otter.Options[Key, entry]{
		MaximumWeight: uint64(bytes),
		Weigher: func(key Key, e entry) uint32 { // a Space is shared by many
			return uint32(min(len(key.Text)+e.bytes+entryBytes, math.MaxUint32))
		},
		// Its upkeep is a few microseconds at each new entry. On a goroutine of its own, as otter does by default,
		// it costs several times that to wake a thread for it.
		Executor: func(upkeep func()) { upkeep() },
	})}
}

// Bytes returns the memory that keys and values take now.
func (c *Cache) Bytes() uint64 {
	c.entries.CleanUp() // evictions that are due
	return c.entries.WeightedSize()
}

// Resize changes the bound. Values above a lower one are evicted before it returns.
func (c *Cache) Resize(bytes int64) {
	c.entries.SetMaximum(uint64(bytes))
	c.entries.CleanUp()
}

// Clear lets go of all values. Those that are just created may still come.
func (c *Cache) Clear() {
	c.entries.InvalidateAll()
}

// Peek returns the value under key, if it is there. It must be a V.
func Peek[V any](c *Cache, key Key) (v V, ok bool) {
	e, ok := c.entries.GetIfPresent(key)
	if !ok {
		return v, false
	}
	return e.value.(V), true
}

// Set keeps a value that takes so many bytes under key, unless others are needed more.
func Set[V any](c *Cache, key Key, v V, bytes int) { c.entries.Set(key, entry{v, bytes}) }

// Get returns the value under key, or else the result of create, which also returns how many bytes
// that takes. Callers that need it at the same time share one creation, and its failure; hit means
// that create was not called for this caller. A creation ends with its caller's context, or with
// context.Canceled if create notices that its caller has left, and is then begun again for those
// who wait with it. A panic of create is an error. A value that alone exceeds the bound is returned
// and not kept.
func Get[V any](
	ctx context.Context, c *Cache, key Key, create func(context.Context) (V, int, error),
) (v V, hit bool, err error) {
	return GetFor(ctx, c, "", key, create)
}

// GetFor is Get for a group of callers: they share no creation with others, who may create the same value meanwhile.
func GetFor[V any](
	ctx context.Context, c *Cache, group string, key Key, create func(context.Context) (V, int, error),
) (v V, hit bool, err error) {
	if v, ok := Peek[V](c, key); ok {
		return v, true, nil
	}
	value, hit, err := c.flights.do(ctx, flightKey{group, key}, func(ctx context.Context) (any, error) {
		if v, ok := Peek[V](c, key); ok { // since the look above
			return v, nil
		}
		v, bytes, err := create(ctx)
		if err != nil {
			return nil, err
		}
		c.entries.Set(key, entry{v, bytes})
		return v, nil
	})
	if err != nil {
		return v, hit, err
	}
	return value.(V), hit, nil
}
