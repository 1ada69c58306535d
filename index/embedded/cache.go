package embedded

import (
	"context"
	"math"

	"github.com/maypok86/otter/v2"
)

// cacheBytes bounds what is kept of one generation in memory: columns, orders, and the bits of filters. All columns and
// orders of a million filings take about 180 MiB, the bits of a filter on them an eighth of one.
const cacheBytes = 256 << 20

// cacheKey names what is kept: a chunk of a column, or something that was made of chunks.
type cacheKey struct {
	kind  kind
	name  string
	chunk int
}

type kind uint8

const (
	kindValues kind = iota
	kindTexts
	kindDictionary
	kindSelection
	kindSeeks
)

// kept is a value in the cache and its size in bytes.
type kept struct {
	value any
	size  int
}

type cache = otter.Cache[cacheKey, kept]

func newCache() *cache {
	return otter.Must(&otter.Options[cacheKey, kept]{
		MaximumWeight: cacheBytes,
		Weigher: func(k cacheKey, v kept) uint32 {
			const entry = 128 // about what an entry takes besides
			return uint32(min(v.size+len(k.name)+entry, math.MaxUint32))
		},
	})
}

// cached returns what g keeps under key, or else what create returns, which also tells its size. Those who ask for it
// at the same time share one creation, and one whose context ends does not take it from the others.
func cached[T any](
	ctx context.Context, g *snapshot, key cacheKey, create func(context.Context) (T, int, error),
) (T, error) {
	var none T
	if err := ctx.Err(); err != nil {
		return none, err
	}
	load := func(ctx context.Context, _ cacheKey) (kept, error) {
		value, size, err := create(ctx)
		return kept{value, size}, err
	}
	k, err := g.cache.Get(ctx, key, otter.LoaderFunc[cacheKey, kept](load))
	if err != nil {
		return none, err
	}
	return k.value.(T), nil
}
