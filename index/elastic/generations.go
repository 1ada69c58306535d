package elastic

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"filings/index"
	"filings/index/elastic/document"
	"filings/index/generation"
	"filings/mappings"
)

// Generations lists all generations, the newest first. An unsealed one has as many filings as can be searched in it.
// Bytes are those of all copies; files that a clone shares with its source count in both.
func (s *Store) Generations(ctx context.Context) ([]generation.Info, error) {
	found, err := s.describe(ctx, s.alias+"-*")
	if err != nil {
		return nil, fmt.Errorf("listing generations: %w", err)
	}
	sizes, err := s.sizes(ctx)
	if err != nil {
		return nil, fmt.Errorf("measuring generations: %w", err)
	}
	var list []generation.Info
	for name, d := range found {
		created, ok := generation.ParseName(s.alias, name)
		if !ok {
			continue
		}
		m, size := d.Mappings.Meta, sizes[name]
		g := generation.Info{Name: name, CreatedAt: created, Sealed: m.IsOf(name), Bytes: size.Total.Store.Bytes}
		_, g.Live = d.Aliases[s.alias]
		if g.Filings = size.Primaries.Docs.Count; g.Sealed {
			g.Filings = m.Filings
		}
		list = append(list, g)
	}
	slices.SortFunc(list, func(a, b generation.Info) int { return cmp.Compare(b.Name, a.Name) })
	return list, nil
}

// size is what `_stats` says of an index.
type size struct {
	Primaries struct {
		Docs struct {
			Count int64 `json:"count"`
		} `json:"docs"`
	} `json:"primaries"`
	Total struct {
		Store struct {
			Bytes int64 `json:"size_in_bytes"`
		} `json:"store"`
	} `json:"total"`
}

func (s *Store) sizes(ctx context.Context) (map[string]size, error) {
	response, err := s.c.Read(ctx, esapi.IndicesStatsRequest{
		Index: []string{s.alias + "-*"}, Metric: []string{"docs", "store"},
		FilterPath: []string{"indices.*.primaries.docs.count", "indices.*.total.store.size_in_bytes"},
	})
	if err != nil {
		return nil, err
	}
	var stats struct {
		Indices map[string]size `json:"indices"`
	}
	return stats.Indices, json.Unmarshal(response, &stats)
}

// errUnsealed: the generation is being built, or was left behind by a load that died.
var errUnsealed = errors.New("it is not sealed")

// described is an index as one request describes it.
type described struct {
	Aliases  map[string]json.RawMessage `json:"aliases"`
	Mappings struct {
		Meta document.Meta `json:"_meta"`
	} `json:"mappings"`
}

// describe returns the indices that a name or pattern selects.
func (s *Store) describe(ctx context.Context, indices string) (map[string]described, error) {
	response, err := s.c.Read(ctx, esapi.IndicesGetRequest{Index: []string{indices}, Features: "aliases,mappings"})
	if err != nil {
		return nil, err
	}
	var found map[string]described
	if err := json.Unmarshal(response, &found); err != nil {
		return nil, fmt.Errorf("reading the description of %s: %w", indices, err)
	}
	return found, nil
}

// sealed returns the meta of a sealed generation of this program's mapping, index.ErrNotFound if there is no such
// generation, or errUnsealed.
func (s *Store) sealed(ctx context.Context, name string) (document.Meta, error) {
	if _, ok := generation.ParseName(s.alias, name); !ok {
		return document.Meta{}, index.ErrNotFound
	}
	found, err := s.describe(ctx, name)
	if errors.Is(err, index.ErrGone) {
		return document.Meta{}, index.ErrNotFound
	}
	if err != nil {
		return document.Meta{}, err
	}
	m := found[name].Mappings.Meta
	if !m.IsOf(name) {
		return document.Meta{}, errUnsealed
	}
	return m, checkVersion(name)
}

// checkVersion fails for a generation of another mapping, whose documents the queries of this program would misread.
func checkVersion(generation string) error {
	if strings.HasSuffix(generation, fmt.Sprintf("-v%d", mappings.Version)) {
		return nil
	}
	return fmt.Errorf("generation %s has another mapping version than this program (%d): load the filings again",
		generation, mappings.Version)
}
