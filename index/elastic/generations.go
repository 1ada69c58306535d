package elastic

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"filings/index/generation"
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
		g := generation.Info{Name: name, CreatedAt: created, Sealed: m.isOf(name), Bytes: size.Total.Store.Bytes}
		_, g.Live = d.Aliases[s.alias]
		if g.Filings = size.Primaries.Docs.Count; g.Sealed {
			g.Filings = m.Filings
		}
		list = append(list, g)
	}
	slices.SortFunc(list, func(a, b generation.Info) int { return cmp.Compare(b.Name, a.Name) })
	return list, nil
}

// size is what `_stats` tells of an index.
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
	query := url.Values{"filter_path": {"indices.*.primaries.docs.count,indices.*.total.store.size_in_bytes"}}
	answer, err := s.c.read(ctx, http.MethodGet, "/"+s.alias+"-*/_stats/docs,store", query, nil)
	if err != nil {
		return nil, err
	}
	var stats struct {
		Indices map[string]size `json:"indices"`
	}
	return stats.Indices, json.Unmarshal(answer, &stats)
}

// Swap makes the sealed generation `to` live in one step, if `from` is live ("" for none). Else it changes nothing and
// returns index.ErrConflict.
func (s *Store) Swap(ctx context.Context, from, to string) error {
	if err := s.swap(ctx, from, to); err != nil {
		return fmt.Errorf("making %s live: %w", to, err)
	}
	return nil
}

// swap is Swap on a further condition.
func (s *Store) swap(ctx context.Context, from, to string, condition ...action) error {
	check := func(ctx context.Context) error { return s.checkSwap(ctx, from, to) }
	if err := s.persist(ctx, requestTime, check); err != nil {
		return err
	}
	actions := condition
	if from != "" {
		actions = append(actions, take(from, s.alias))
	}
	actions = append(actions, giveWriting(to, s.alias))
	err := s.commit(ctx, func(ctx context.Context) (bool, error) {
		live, err := s.liveName(ctx)
		return live == to, err
	}, actions...)
	s.forget()
	if errors.Is(err, errRefused) {
		return generation.ErrConflict
	}
	return err
}

// checkSwap looks at what Elasticsearch cannot be given as a condition: that `to` is sealed, and, since adding what is
// there is no error, that nothing is live where `from` says so. Neither can become untrue: what is sealed stays so, and
// an alias that appears meanwhile is refused for being a second one.
func (s *Store) checkSwap(ctx context.Context, from, to string) error {
	live, err := s.liveName(ctx)
	if err != nil {
		return err
	}
	if live != from {
		return generation.ErrConflict
	}
	_, err = s.sealed(ctx, to)
	return err
}
