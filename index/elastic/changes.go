package elastic

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"filings/index"
	"filings/index/elastic/client"
	"filings/index/elastic/document"
	"filings/index/elastic/reader"
	"filings/index/generation"
	"filings/index/history"
)

// A step is a hidden index beside its generation, which outlives it. Its `_meta` says which step it is, its documents are
// chunks of changes. Readers find it by an alias that the promotion adds, in the same cluster state update.
const stepSuffix = "-changes"

func stepIndex(generation string) string { return generation + stepSuffix }

func promotedStep(stepIndex string) string { return stepIndex + "-promoted" }

// promotedStep reports whether the index of a step can be found by readers.
func (d described) promotedStep(name string) bool {
	_, promoted := d.Aliases[promotedStep(name)]
	return promoted
}

// retiredMark is an alias of a generation that was deleted, and that kept steps need.
func retiredMark(generation string) string { return generation + "-retired" }

func (d described) retired(name string) bool {
	_, retired := d.Aliases[retiredMark(name)]
	return retired
}

// needs reports whether a step has no copies of what it needs of a generation.
func needs(m document.Meta, generation string) bool {
	return m.Step != nil && m.Whole && (m.Step.Parent == generation || m.Step.Generation == generation)
}

// chunk is a document of a step.
type chunk struct {
	First int64   `json:"first"`
	Last  int64   `json:"last"`
	Parts []uint8 `json:"parts"`
	Data  []byte  `json:"data"`
}

// MarshalJSON writes parts as numbers: a []uint8 would be a text.
func (c chunk) MarshalJSON() ([]byte, error) {
	parts := make([]int, len(c.Parts))
	for i, part := range c.Parts {
		parts[i] = int(part)
	}
	return json.Marshal(map[string]any{"first": c.First, "last": c.Last, "parts": parts, "data": c.Data})
}

// Step implements generation.Build.
func (b *build) Step(ctx context.Context, s index.Step, differences iter.Seq2[generation.Difference, error]) (err error) {
	defer b.lock.explain(ctx, &err, "writing the step to "+b.name)
	copies := s.Added+s.Changed+s.Removed <= b.store.few
	name := stepIndex(b.name)
	err = b.createBeside(ctx, name, map[string]any{
		"dynamic": "strict",
		"_meta":   document.Meta{Step: &s, Whole: !copies},
		"properties": map[string]any{
			"first": map[string]any{"type": "long", "index": false}, "last": map[string]any{"type": "long"},
			"parts": map[string]any{"type": "byte"}, "data": map[string]any{"type": "binary"},
		},
	}, map[string]any{"refresh_interval": "-1", "sort.field": "last"})
	if err != nil {
		return err
	}
	chunks := 0
	err = history.Encode(ctx, s, differences, copies, b.store.Filings, func(c history.Chunk) error {
		chunks++
		return b.putBeside(ctx, name, chunks, chunk{c.First, c.Last, each(c.Parts), c.Data})
	})
	if err != nil {
		return err
	}
	return b.store.c.Send(ctx, client.RequestTime, func() esapi.Request {
		return esapi.IndicesRefreshRequest{Index: []string{name}}
	})
}

// each lists the parts of a set.
func each(parts index.Parts) (all []uint8) {
	for part := index.Parts(1); part&index.AllParts != 0; part <<= 1 {
		if parts&part != 0 {
			all = append(all, uint8(part))
		}
	}
	return all
}

// Filings implements history.Source: of any generation whose index is there.
func (s *Store) Filings(ctx context.Context, generation string, ids []int64) ([]index.Version, error) {
	return reader.New(s.c, generation, s.cache).Versions(ctx, ids)
}

// Chunks implements history.Source.
func (s *Store) Chunks(ctx context.Context, generation string, after int64, parts index.Parts, n int) ([][]byte, error) {
	values := make([]int, 0, 4)
	for _, part := range each(parts) {
		values = append(values, int(part))
	}
	body, err := json.Marshal(map[string]any{
		"size": n, "track_total_hits": false, "sort": []any{map[string]any{"last": "asc"}},
		"query": map[string]any{"bool": map[string]any{"filter": []any{
			map[string]any{"range": map[string]any{"last": map[string]any{"gt": after}}},
			map[string]any{"terms": map[string]any{"parts": values}},
		}}},
		"_source": []string{"data"},
	})
	if err != nil {
		return nil, err
	}
	var found struct {
		Hits struct {
			Hits []struct {
				Source struct {
					Data []byte `json:"data"`
				} `json:"_source"`
			}
		}
	}
	partial := false
	err = s.c.ReadInto(ctx, &found, esapi.SearchRequest{
		Index: []string{promotedStep(stepIndex(generation))}, Body: bytes.NewReader(body), AllowPartialSearchResults: &partial,
	})
	chunks := make([][]byte, len(found.Hits.Hits))
	for i, hit := range found.Hits.Hits {
		chunks[i] = hit.Source.Data
	}
	return chunks, err
}

// Changes implements index.History.
func (s *Store) Changes(ctx context.Context, q index.ChangeQuery) (page index.ChangePage, err error) {
	defer wrap(&err, "reading changes")
	return history.Page(ctx, s, q)
}

// steps returns the steps that there are by the names of their indices, those that were not promoted included.
func (s *Store) steps(ctx context.Context) (map[string]described, error) {
	found, err := s.describeAll(ctx, s.alias+"-*"+stepSuffix)
	if err != nil {
		return nil, fmt.Errorf("listing steps: %w", err)
	}
	for name, d := range found {
		of, is := strings.CutSuffix(name, stepSuffix)
		if _, ok := generation.ParseName(s.alias, of); !is || !ok || d.Mappings.Meta.Step == nil {
			delete(found, name)
		}
	}
	return found, nil
}

// Steps implements index.History.
func (s *Store) Steps(ctx context.Context) (steps []index.Step, err error) {
	found, err := s.steps(ctx)
	for name, d := range found {
		if d.promotedStep(name) {
			steps = append(steps, *d.Mappings.Meta.Step)
		}
	}
	slices.SortFunc(steps, func(a, b index.Step) int { return cmp.Compare(b.Generation, a.Generation) })
	return steps, err
}

// markStep returns the action that lets readers find the step to a generation that is promoted, none if it has none.
func (s *Store) markStep(ctx context.Context, generation string) ([]action, error) {
	name := stepIndex(generation)
	found, err := s.describeAll(ctx, name+"*") // a pattern: that there is none is no error
	if _, is := found[name]; err != nil || !is {
		return nil, err
	}
	return []action{addAlias(name, promotedStep(name))}, nil
}

// removeOrRetire returns the action that deletes a generation, or hides it if kept steps need it.
func (s *Store) removeOrRetire(ctx context.Context, generation string) (action, error) {
	found, err := s.steps(ctx)
	for name, d := range found {
		if d.promotedStep(name) && needs(d.Mappings.Meta, generation) {
			return addAlias(generation, retiredMark(generation)), nil
		}
	}
	return removeIndex(generation), err
}

// Forget implements generation.Lock.
func (l *lock) Forget(ctx context.Context, keep int) (err error) {
	defer l.explain(ctx, &err, "forgetting steps")
	s := l.store
	steps, err := s.Steps(ctx)
	if err != nil {
		return err
	}
	all, err := s.describeAll(ctx, s.alias+"-*")
	if err != nil {
		return err
	}
	kept := map[string]described{}
	for _, step := range steps[:min(keep, len(steps))] {
		kept[stepIndex(step.Generation)] = all[stepIndex(step.Generation)]
	}
	var remove []action
	for name, d := range all {
		if s.forgotten(name, d, kept, all) {
			remove = append(remove, removeIndex(name))
		}
	}
	if len(remove) == 0 {
		return nil
	}
	return s.commit(ctx, func(context.Context) (bool, error) { return true, nil }, append(l.fence(), remove...)...)
}

// forgotten reports whether an index is of no use if these steps are kept.
func (s *Store) forgotten(name string, d described, kept, all map[string]described) bool {
	if of, is := strings.CutSuffix(name, stepSuffix); is {
		_, ours := generation.ParseName(s.alias, of)
		_, keeps := kept[name]
		_, whole := all[of]
		return ours && !keeps && (d.promotedStep(name) || !whole)
	}
	if of, is := strings.CutSuffix(name, "-stamps"); is {
		_, ours := generation.ParseName(s.alias, of)
		_, whole := all[of]
		return ours && !whole
	}
	if _, ours := generation.ParseName(s.alias, name); !ours || !d.retired(name) {
		return false
	}
	for _, step := range kept {
		if needs(step.Mappings.Meta, name) {
			return false
		}
	}
	return true
}
