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
// with a context that never ends; here a creation belongs to the request that needs it,
// so that nothing is computed for a client that has left.
package cache

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime/debug"
	"sync"

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

// entryBytes is the cost of an entry without its key and value: otter's node, hash table slot and
// policy queues.
const entryBytes = 160

// New returns a cache whose keys and values take at most that many bytes.
func New(bytes int64) *Cache {
	return &Cache{entries: otter.Must(&otter.Options[Key, entry]{
		MaximumWeight: uint64(bytes),
		Weigher: func(key Key, e entry) uint32 { // a Space is shared by many
			return uint32(min(len(key.Text)+e.bytes+entryBytes, math.MaxUint32))
		},
		// Its upkeep is a few microseconds at each new entry. On a goroutine of its own, as otter does by
		// default, it costs several times that to wake a thread for it.
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

// Set keeps a value of a size in bytes under key, unless others are needed more.
func Set[V any](c *Cache, key Key, v V, bytes int) { c.entries.Set(key, entry{v, bytes}) }

// Get returns the value under key, or the result of create, which also returns how many bytes
// that takes. Callers that need it at the same time share one creation, and its failure; hit means
// that create was not called for this caller. A creation ends with its caller's context, or with
// context.Canceled if create notices that its caller has left, and is then begun again for those
// who wait with it. A panic of create is an error. A value that alone exceeds the bound is returned
// and not kept.
func Get[V any](
	ctx context.Context, c *Cache, key Key, create func(context.Context) (V, int, error),
) (v V, hit bool, err error) {
	return Share(ctx, c, "", key, func(ctx context.Context) (V, error) {
		v, bytes, err := create(ctx)
		if err == nil {
			Set(c, key, v, bytes)
		}
		return v, err
	})
}

// Share is Get for a group of callers, whose create itself sets the value, as soon as it has it.
// They share no creation with others, who may create the same value at that time.
func Share[V any](
	ctx context.Context, c *Cache, group string, key Key, create func(context.Context) (V, error),
) (v V, hit bool, err error) {
	if v, ok := Peek[V](c, key); ok {
		return v, true, nil
	}
	value, hit, err := c.flights.do(ctx, flightKey{group, key}, func(ctx context.Context) (any, error) {
		if v, ok := Peek[V](c, key); ok { // since the look above
			return v, nil
		}
		return create(ctx)
	})
	if err != nil {
		return v, hit, err
	}
	return value.(V), hit, nil
}

// flights runs equal calls once at a time. Unlike in x/sync's singleflight, a call runs on the
// goroutine and with the context of the request that makes it, so none runs on after its callers
// have left. If that request ends too early, one of those that wait makes the call again.
type flights struct {
	mu         sync.Mutex
	inProgress map[flightKey]*flight
}

// flightKey names a value, and the callers who share its creation.
type flightKey struct {
	group string
	value Key
}

// flight is one call in progress.
type flight struct {
	done  chan struct{} // closed when the rest is set
	value any
	err   error
	ended bool // it failed because its own request had ended or was given up, which is no failure of the others
}

// do returns the result of f, run by this caller, or by another one with the same key that came
// before; then joined is true. A caller whose context ends while it waits gets its error at once.
func (g *flights) do(
	ctx context.Context, key flightKey, f func(context.Context) (any, error),
) (value any, joined bool, err error) {
	for {
		c, joined := g.join(key)
		if !joined {
			g.run(ctx, key, c, f)
			return c.value, false, c.err
		}
		select {
		case <-c.done:
			if !c.ended {
				return c.value, true, c.err
			}
		case <-ctx.Done():
			return nil, true, ctx.Err()
		}
	}
}

func (g *flights) join(key flightKey) (c *flight, joined bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c, joined = g.inProgress[key]; joined {
		return c, true
	}
	if g.inProgress == nil {
		g.inProgress = map[flightKey]*flight{}
	}
	c = &flight{done: make(chan struct{})}
	g.inProgress[key] = c
	return c, false
}

// run is the call. A panic becomes an error, for those who wait too.
func (g *flights) run(ctx context.Context, key flightKey, c *flight, f func(context.Context) (any, error)) {
	defer func() {
		if p := recover(); p != nil {
			c.err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
		c.ended = c.err != nil && (ctx.Err() != nil || errors.Is(c.err, context.Canceled))
		g.mu.Lock()
		delete(g.inProgress, key)
		g.mu.Unlock()
		close(c.done)
	}()
	c.value, c.err = f(ctx)
}

// SizeOf returns how many bytes v takes, with the texts and lists that it refers to. It follows no
// other references, but v may be one.
func SizeOf(v any) int {
	value := reflect.ValueOf(v)
	if value.Kind() == reflect.Pointer {
		value = value.Elem()
	}
	return int(value.Type().Size()) + referred(value)
}

// referred returns how many bytes v refers to.
func referred(v reflect.Value) (n int) {
	switch v.Kind() {
	case reflect.String:
		return v.Len()
	case reflect.Struct:
		for i := range v.NumField() {
			n += referred(v.Field(i))
		}
	case reflect.Slice, reflect.Array:
		element := v.Type().Elem()
		if v.Kind() == reflect.Slice {
			n = v.Cap() * int(element.Size())
		}
		switch element.Kind() {
		case reflect.String, reflect.Struct, reflect.Slice, reflect.Array: // no numbers
			for i := range v.Len() {
				n += referred(v.Index(i))
			}
		}
	}
	return n
}
