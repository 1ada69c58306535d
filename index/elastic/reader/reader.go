// Package reader evaluates queries in Elasticsearch: its Reader is an index.Reader of one generation, which is one index. It
// owns the searches that queries become and how their responses are read. It refuses to know which generation is live, how
// one is written, or how a request reaches Elasticsearch (packages elastic and client).
//
// # Design
//
// A Reader is pinned to one index. Filters become clauses from values, never from text (clauses.go), any offset is found
// by counting codes (seek.go, spans.go), and `_source` is handed through as it came (package document). Map tiles are
// ranges of the two coordinates (cells.go).
//
// A page that asks for its total has it of the same search, up to 10,000, or of a box all (seek.go). Beyond that a second
// search counts: a page in another order than the index's would otherwise look at all that is counted. One filing is a
// request of its own (filings.go).
//
// Because a generation never changes, what was computed once stays right: the counties, the number of owners, and the
// tables by which offsets are found (150 kB for 5,000 codes) are kept in the process's cache.
//
// Bodies of searches are written by body.go, in 1.8 µs for that of a page; encoding/json takes 4.8 and json/v2 5.3 (AMD
// EPYC; `go test -run '^$' -bench Body ./index/elastic/reader`), of the 130 that the service spends on a page.
package reader

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"filings/index"
	"filings/index/cache"
	"filings/index/elastic/client"
)

// Reader reads from one generation, which is an index of that name. It is safe for concurrent use.
type Reader struct {
	c          *client.Client
	generation string
	limits
	cache *cache.Cache
	space string      // of its values there
	gone  atomic.Bool // a response said that the index was deleted
}

var _ index.Reader = (*Reader)(nil)

// limits are where one path to a page becomes more expensive than another. Tests lower them, so that few filings are
// enough to take all paths.
type limits struct {
	firstPages  int64 // offset + limit up to which most orders do without counting
	longestWalk int64 // filings that Elasticsearch may keep in order to find a page, itself included; also the largest page
	largestSpan int64 // filings that Elasticsearch may look at to find a page, where their order is not that of the index
	mostCounted int64 // filings that are counted with a page
	most        int   // buckets of one response; Elasticsearch allows 65,536 by default
	parts       int64 // that a range of whole numbers is cut into (terms.go)
}

// usual limits were measured with half a million filings. Sorted by owner, the first page takes 3 ms, the one at 180
// takes 10, the one at 1,000 takes 50; after counting, each takes 2. Counting takes 20 to 80, once for each filter and
// order.
var usual = limits{firstPages: 200, longestWalk: 2_500, largestSpan: 10_000, mostCounted: index.MostCounted, most: 65_000, parts: 1024}

// New returns a reader of a generation that keeps what it computes in kept. It sends nothing.
func New(c *client.Client, generation string, kept *cache.Cache) *Reader {
	return &Reader{c: c, generation: generation, limits: usual, cache: kept, space: "reader of " + generation}
}

// Generation implements index.Reader.
func (r *Reader) Generation() string { return r.generation }

// Gone reports whether a response said that the generation was deleted.
func (r *Reader) Gone() bool { return r.gone.Load() }

// search sends a search. allow_partial_search_results makes a failed shard an error there already.
func (r *Reader) search(ctx context.Context, body object) ([]byte, error) {
	b, err := appendBody(make([]byte, 0, 512), body)
	if err != nil {
		return nil, err
	}
	partial := false
	return r.read(ctx, esapi.SearchRequest{
		Index: []string{r.generation}, Body: bytes.NewReader(b), AllowPartialSearchResults: &partial,
	})
}

// searchInto reads the response to a search into v.
func (r *Reader) searchInto(ctx context.Context, v any, body object) error {
	response, err := r.search(ctx, body)
	if err != nil {
		return err
	}
	return client.Decode(response, v)
}

// read sends a request about the generation's index, and notes when there is no such index any more.
func (r *Reader) read(ctx context.Context, request esapi.Request) ([]byte, error) {
	response, err := r.c.Read(ctx, request)
	return response, r.note(err)
}

func (r *Reader) note(err error) error {
	if errors.Is(err, index.ErrGone) {
		r.gone.Store(true)
	}
	return err
}

// wrap makes an error say what was attempted.
func (r *Reader) wrap(err *error, what string) {
	if *err != nil {
		*err = fmt.Errorf("%s of %s: %w", what, r.generation, *err)
	}
}

// cached returns what is kept under key, or else what create returns, with its size in bytes.
func cached[T any](
	ctx context.Context, r *Reader, key string, create func(context.Context) (T, int, error),
) (T, error) {
	v, hit, err := cache.Get(ctx, r.cache, cache.Key{Space: r.space, Text: key}, create)
	if hit && err != nil && ctx.Err() != nil {
		err = client.Ended(ctx) // while it waited for another request's
	}
	return v, err
}
