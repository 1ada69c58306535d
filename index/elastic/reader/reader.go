// Package reader evaluates queries in Elasticsearch: its Reader is an index.Reader of one
// generation, which is one index. It sends the searches that queries become (package search), and
// reads their responses. It refuses to know which generation is live, how one is written, or how a
// request reaches Elasticsearch (packages elastic and client).
//
// # Design
//
// A Reader is pinned to one index. `_source` is handed through as it came (package document). One
// filing is a request of its own, or where others are requested too, a part of one (package batch).
//
// Because a generation never changes, results stay right: the counties, the number of owners, and
// the tables by which offsets are found (150 kB for 5,000 codes) are kept in the process's cache.
package reader

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"filings/index"
	"filings/index/cache"
	"filings/index/elastic/client"
	"filings/index/elastic/document"
	"filings/index/elastic/search"
	"filings/index/sidecar"
)

// Reader reads from one generation, which is an index of that name. It is safe for concurrent use.
type Reader struct {
	*sidecar.Directory

	c          *client.Client
	generation string
	limits     search.Limits
	cache      *cache.Cache
	space      string      // of its values there
	gone       atomic.Bool // a response said that the index was deleted
	lookups    *lookups
}

var _ index.Reader = (*Reader)(nil)

// New returns a reader of a generation that keeps its results in kept. It sends nothing.
func New(c *client.Client, name string, kept *cache.Cache) *Reader {
	r := &Reader{
		c: c, generation: name, limits: search.Usual, cache: kept, space: "reader of " + name,
	}
	r.lookups = newLookups(name, r.read)
	r.Directory = sidecar.Open(name, r.chunks, kept)
	return r
}

// Gone reports whether a response said that the generation was deleted.
func (r *Reader) Gone() bool { return r.gone.Load() }

// search sends a search, and reads the response into v. allow_partial_search_results makes a failed
// shard an error there already.
func (r *Reader) search(ctx context.Context, v any, body search.Object) error {
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return r.read(ctx, v, esapi.SearchRequest{
		Index: []string{r.generation}, Body: bytes.NewReader(b), AllowPartialSearchResults: new(false),
	})
}

// value is the value of a metric; 0 over no values, for which Elasticsearch has null.
type value struct{ Value float64 }

// hits has the number of filings, those without a value included; nil if the response does not say.
type hits struct {
	Total *struct{ Value int64 }
}

// read sends a request about the generation's index, reads the response into v, and notes when
// there is no such index any more.
func (r *Reader) read(ctx context.Context, v any, request esapi.Request) error {
	err := r.c.Read(ctx, v, request)
	if errors.Is(err, index.ErrGone) {
		r.gone.Store(true)
	}
	return err
}

// wrap puts the attempt that failed, and the generation, before an error.
func (r *Reader) wrap(err *error, attempted string) {
	index.Wrap(err, attempted+" of "+r.generation)
}

// cached returns the value kept under key, or else that of create.
func cached[T any](ctx context.Context, r *Reader, key string, create func(context.Context) (T, error)) (T, error) {
	sized := func(ctx context.Context) (v T, bytes int, err error) {
		if v, err = create(ctx); err == nil {
			bytes = cache.SizeOf(v)
		}
		return v, bytes, err
	}
	v, hit, err := cache.Get(ctx, r.cache, cache.Key{Space: r.space, Text: key}, sized)
	if hit && err != nil && ctx.Err() != nil {
		err = client.Ended(ctx) // while it waited for another request's
	}
	return v, err
}

// clauses translates w.
func (r *Reader) clauses(ctx context.Context, w index.Filter) ([]search.Object, error) {
	return search.Clauses(w, search.Known{
		Counties: func() ([]string, error) { return r.countyNames(ctx) },
		Rim:      func(p index.Region) (search.Rim, error) { return r.rim(ctx, p) },
	})
}

// countyNames returns the folded names of all counties, each once, sorted.
func (r *Reader) countyNames(ctx context.Context) ([]string, error) {
	return cached(ctx, r, "names of counties", func(ctx context.Context) (names []string, err error) {
		counties, err := r.Counties(ctx)
		for _, c := range counties {
			names = append(names, index.Fold(c.County))
		}
		return slices.Compact(names), err // equal ones are neighbors
	})
}

// rim decides on the filings near the rim of a region, once.
func (r *Reader) rim(ctx context.Context, p index.Region) (search.Rim, error) {
	return cached(ctx, r, p.String(), func(ctx context.Context) (rim search.Rim, err error) {
		for last, found := int64(0), search.MostRim; found == search.MostRim; {
			filings, err := r.located(ctx, search.RimOf(p, last))
			if err != nil {
				return rim, err
			}
			for _, f := range filings {
				if last = f.id; p.Has(f.point) {
					rim.Inner = append(rim.Inner, f.id)
				} else {
					rim.Outer = append(rim.Outer, f.id)
				}
			}
			found = len(filings)
		}
		return rim, nil
	})
}

// located is a filing's id, and where it is.
type located struct {
	id    int64
	point index.Point
}

// located returns the filings that a search finds, which requests no more of them.
func (r *Reader) located(ctx context.Context, body search.Object) ([]located, error) {
	var found struct {
		Hits struct {
			Hits []struct {
				Fields struct {
					ID  []int64   `json:"id"`
					Lat []float64 `json:"geocodedLatitude"`
					Lon []float64 `json:"geocodedLongitude"`
				}
			}
		}
	}
	if err := r.search(ctx, &found, body); err != nil {
		return nil, err
	}
	filings := make([]located, len(found.Hits.Hits))
	for i, hit := range found.Hits.Hits {
		f := hit.Fields
		if len(f.ID) != 1 || len(f.Lat) != 1 || len(f.Lon) != 1 {
			return nil, client.ErrResponse
		}
		filings[i] = located{f.ID[0], index.Point{Latitude: f.Lat[0], Longitude: f.Lon[0]}}
	}
	return filings, nil
}

// Chunks returns chunks of a hidden index beside a generation; index.ErrNotFound if it is missing.
func Chunks(ctx context.Context, c *client.Client, name, section string, chunks []int) (data [][]byte, err error) {
	ids := make([]string, len(chunks))
	for i, chunk := range chunks {
		ids[i] = document.ChunkID(section, chunk)
	}
	body, err := json.Marshal(map[string]any{"ids": ids})
	if err != nil {
		return nil, err
	}
	var found struct {
		Docs []struct {
			Source document.Chunk `json:"_source"`
			Error  struct{ Type string }
		}
	}
	err = c.Read(ctx, &found, esapi.MgetRequest{Index: name, Body: bytes.NewReader(body)})
	if errors.Is(err, index.ErrGone) || len(found.Docs) > 0 && found.Docs[0].Error.Type == client.IndexNotFound {
		return nil, index.ErrNotFound
	}
	if err == nil && len(found.Docs) != len(chunks) {
		err = client.ErrResponse
	}
	for _, d := range found.Docs {
		if err == nil && d.Source.Data == nil {
			err = client.ErrResponse
		}
		data = append(data, d.Source.Data)
	}
	return data, err
}

// chunks is the sidecar.Source of the generation: index.ErrGone where that is missing too.
func (r *Reader) chunks(ctx context.Context, section string, chunks []int) (_ [][]byte, err error) {
	defer r.wrap(&err, "reading "+section)
	data, err := Chunks(ctx, r.c, document.SidecarIndex(r.generation, sidecar.Kept), section, chunks)
	if errors.Is(err, index.ErrNotFound) {
		if err := r.read(ctx, nil, esapi.IndicesGetAliasRequest{Index: []string{r.generation}}); err != nil {
			return nil, err
		}
	}
	return data, err
}
