package elastic

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"filings/index"
	"filings/index/elastic/client"
	"filings/index/elastic/document"
	"filings/index/elastic/reader"
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
	live := s.promoted(found)
	var list []generation.Info
	for name, d := range found {
		created, ok := generation.ParseName(s.alias, name)
		if !ok || d.retired(name) {
			continue
		}
		m, size := d.Mappings.Meta, sizes[name]
		g := generation.Info{Name: name, CreatedAt: created, Sealed: m.IsOf(name), Bytes: size.Total.Store.Bytes}
		g.Live = slices.Contains(live, name)
		if g.Filings = size.Primaries.Docs.Count; g.Sealed {
			g.Filings = m.Filings
		}
		list = append(list, g)
	}
	slices.SortFunc(list, func(a, b generation.Info) int { return cmp.Compare(b.Name, a.Name) })
	return list, nil
}

// Open returns a Reader of a sealed generation, or index.ErrNotFound.
func (s *Store) Open(ctx context.Context, generation string) (_ index.Reader, err error) {
	defer wrap(&err, "opening "+generation)
	meta, err := s.sealed(ctx, generation)
	if errors.Is(err, errUnsealed) {
		return nil, index.ErrNotFound // not for readers, yet or ever
	}
	if err == nil {
		err = s.changed(ctx, generation, meta.Identity)
	}
	if err != nil {
		return nil, err
	}
	return reader.New(s.c, generation, s.cache), nil
}

// Kept implements index.Engine.
func (s *Store) Kept(ctx context.Context) (kept []index.Generation, err error) {
	found, err := s.describe(ctx, s.alias+"-*")
	if err != nil {
		return nil, fmt.Errorf("listing generations: %w", err)
	}
	live := s.promoted(found)
	for name, d := range found {
		created, ok := generation.ParseName(s.alias, name)
		if m := d.Mappings.Meta; ok && m.IsOf(name) && !d.retired(name) && checkVersion(name) == nil {
			kept = append(kept, index.Generation{Name: name, CreatedAt: created, Filings: m.Filings, Live: slices.Contains(live, name)})
		}
	}
	slices.SortFunc(kept, func(a, b index.Generation) int { return cmp.Compare(b.Name, a.Name) })
	return kept, nil
}

// size is what `_stats` says of an index.
type size struct {
	Primaries struct{ Docs struct{ Count int64 } }
	Total     struct {
		Store struct {
			Bytes int64 `json:"size_in_bytes"`
		}
	}
}

func (s *Store) sizes(ctx context.Context) (map[string]size, error) {
	var stats struct{ Indices map[string]size }
	err := s.c.ReadInto(ctx, &stats, esapi.IndicesStatsRequest{
		Index: []string{s.alias + "-*"}, Metric: []string{"docs", "store"},
		FilterPath: []string{"indices.*.primaries.docs.count", "indices.*.total.store.size_in_bytes"},
	})
	return stats.Indices, err
}

// errUnsealed: the generation is being built, or was left behind by a load that died.
var errUnsealed = errors.New("it is not sealed")

// described is an index as one request describes it.
type described struct {
	Aliases  aliases
	Mappings struct {
		Meta document.Meta `json:"_meta"`
	}
}

// describeAll is describe of hidden indices too.
func (s *Store) describeAll(ctx context.Context, indices string) (map[string]described, error) {
	var found map[string]described
	err := s.c.ReadInto(ctx, &found, esapi.IndicesGetRequest{
		Index: []string{indices}, Features: "aliases,mappings", ExpandWildcards: "all",
	})
	return found, err
}

// aliases are those of an index.
type aliases map[string]struct {
	Write bool `json:"is_write_index"`
}

// describe returns the indices that a name or pattern selects, closed ones included: one may be live.
func (s *Store) describe(ctx context.Context, indices string) (map[string]described, error) {
	var found map[string]described
	err := s.c.ReadInto(ctx, &found, esapi.IndicesGetRequest{
		Index: []string{indices}, Features: "aliases,mappings", ExpandWildcards: "open,closed",
	})
	return found, err
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
	if found[name].retired(name) {
		return document.Meta{}, index.ErrNotFound
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

// Swap makes the sealed generation `to` live in one step, if `from` is live ("" for none). Else it changes nothing and
// returns generation.ErrConflict.
func (s *Store) Swap(ctx context.Context, from, to string) (err error) {
	defer wrap(&err, "making "+to+" live")
	state, err := s.stateAliases(ctx)
	if err != nil {
		return err
	}
	if state == nil { // what is sealed says by itself that it was promoted
		return s.swap(ctx, from, to)
	}
	return s.swap(ctx, from, to, s.markPromoted())
}

// swap is Swap on a further condition.
func (s *Store) swap(ctx context.Context, from, to string, condition ...action) error {
	check := func(ctx context.Context) error { return s.checkSwap(ctx, from, to) }
	if err := s.c.Retry(ctx, client.RequestTime, check); err != nil {
		return err
	}
	actions, err := s.markStep(ctx, to)
	if err != nil {
		return err
	}
	actions = append(actions, condition...)
	if from != "" {
		actions = append(actions, removeAlias(from, s.alias))
	}
	actions = append(actions, addWriteAlias(to, s.alias))
	err = s.commit(ctx, func(ctx context.Context) (bool, error) {
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
