package elastic

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"filings/index"
	"filings/index/elastic/client"
	"filings/index/elastic/document"
	"filings/index/elastic/reader"
	"filings/index/generation"
)

// described is an index as one request describes it.
type described struct {
	Aliases  aliases
	Mappings struct {
		Meta document.Meta `json:"_meta"`
	}
}

// aliases are those of an index.
type aliases map[string]struct {
	Write bool `json:"is_write_index"`
}

// describe returns the indices that a name or pattern selects, hidden and closed ones included: one may be live.
func (s *storage) describe(ctx context.Context, indices string) (map[string]described, error) {
	var found map[string]described
	err := s.c.Read(ctx, &found, esapi.IndicesGetRequest{
		Index: []string{indices}, ExpandWildcards: "all", FilterPath: []string{"*.aliases", "*.mappings._meta"},
	})
	return found, err
}

// Parts implements generation.Storage. An unsealed one has as many filings as can be searched in
// it. Bytes are those of all copies; files that a clone shares with its source count in both.
func (s *storage) Parts(ctx context.Context, measure bool) (parts []generation.Part, err error) {
	found, err := s.describe(ctx, s.alias+"-*")
	if err != nil {
		return nil, err
	}
	sizes := map[string]size{}
	if measure {
		if sizes, err = s.sizes(ctx); err != nil {
			return nil, err
		}
	}
	for name, d := range found {
		p, ok := s.part(name)
		if !ok {
			continue
		}
		measured := sizes[name]
		m := d.Mappings.Meta
		if p.Bytes, p.Filings = measured.Total.Store.Bytes, measured.Primaries.Docs.Count; m.IsOf(name) {
			p.Sealed, p.Filings, p.Identity = true, m.Filings, m.Identity
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// size is the part of `_stats` about an index.
type size struct {
	Primaries struct{ Docs struct{ Count int64 } }
	Total     struct {
		Store struct {
			Bytes int64 `json:"size_in_bytes"`
		}
	}
}

func (s *storage) sizes(ctx context.Context) (map[string]size, error) {
	var stats struct{ Indices map[string]size }
	err := s.c.Read(ctx, &stats, esapi.IndicesStatsRequest{
		Index: []string{s.alias + "-*"}, Metric: []string{"docs", "store"},
		FilterPath: []string{"indices.*.primaries.docs.count", "indices.*.total.store.size_in_bytes"},
	})
	return stats.Indices, err
}

// Reader implements generation.Storage. Any node says from its copy of the cluster state whether
// there is such an index.
func (s *storage) Reader(ctx context.Context, name string, before index.Reader) (index.Reader, error) {
	err := s.c.Read(ctx, nil, esapi.IndicesGetAliasRequest{Index: []string{name}})
	switch {
	case errors.Is(err, index.ErrGone):
		return nil, fmt.Errorf("generation %s: %w", name, index.ErrNotFound)
	case err != nil || before != nil:
		return before, err
	}
	return reader.New(s.c, name, s.cache), nil
}

// deletedAtOnce keeps the names of a request short enough for a URL.
const deletedAtOnce = 20

// Delete implements generation.Storage.
func (s *storage) Delete(ctx context.Context, parts []generation.Part) error {
	ignore := true
	for some := range slices.Chunk(parts, deletedAtOnce) {
		var names []string
		for _, p := range some {
			names = append(names, indexOf(p))
		}
		if err := s.c.Retry(ctx, client.RequestTime, func(ctx context.Context) error {
			return s.c.Write(ctx, nil, esapi.IndicesDeleteRequest{Index: names, IgnoreUnavailable: &ignore})
		}); err != nil {
			return err
		}
	}
	return nil
}
