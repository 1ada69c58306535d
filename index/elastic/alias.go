package elastic

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"filings/index"
	"filings/index/elastic/client"
	"filings/index/generation"
)

// action is one action of an `_aliases` request. All of them are carried out, or none.
type action map[string]target

// target is the index and alias of an action.
type target struct {
	Index     string `json:"index"`
	Alias     string `json:"alias"`
	MustExist bool   `json:"must_exist,omitempty"`
	Write     bool   `json:"is_write_index,omitempty"`
}

// Publish implements generation.Storage: the alias is for others who read the index. It leads to
// the live generation as its write index, of which an alias can have one. A foreign index keeps it:
// the program that put it there knows why.
func (s *storage) Publish(ctx context.Context, live string) error {
	return s.c.Retry(ctx, client.RequestTime, func(ctx context.Context) error {
		var found map[string]described
		err := s.c.Read(ctx, &found, esapi.IndicesGetAliasRequest{Index: []string{s.alias}})
		if err != nil && !errors.Is(err, index.ErrGone) {
			return err
		}
		if _, isIndex := found[s.alias]; isIndex {
			return fmt.Errorf("%s is an index, where an alias is needed: choose another name or delete it", s.alias)
		}
		var actions []action
		for _, name := range slices.Sorted(maps.Keys(found)) {
			write := found[name].Aliases[s.alias].Write
			if _, ours := s.part(name); name != live && (write || ours || name == s.catalogIndex()) {
				actions = append(actions, action{"remove": {Index: name, Alias: s.alias, MustExist: true}})
			}
		}
		if live != "" && !found[live].Aliases[s.alias].Write {
			actions = append(actions, action{"add": {Index: live, Alias: s.alias, Write: true}})
		}
		return s.apply(ctx, actions)
	})
}

func (s *storage) apply(ctx context.Context, actions []action) error {
	if len(actions) == 0 {
		return nil
	}
	body, err := json.Marshal(map[string]any{"actions": actions})
	if err != nil {
		return err
	}
	err = s.c.Write(ctx, nil, esapi.IndicesUpdateAliasesRequest{Body: bytes.NewReader(body)})
	if errors.Is(err, index.ErrGone) {
		return nil // the live index is lost: there is nothing that the alias could lead to
	}
	var refused *client.Error
	if errors.As(err, &refused) &&
		(refused.Status == http.StatusNotFound || strings.Contains(refused.Reason, twoWriteIndices)) {
		// Somebody else was faster.
		return fmt.Errorf("%w: elasticsearch refused: %s", generation.ErrStale, refused.Reason)
	}
	return err
}

// keepOffAlias takes the alias from a new index, since only the live generation is to have it: a
// foreign index template can add any alias to every new index.
func (s *storage) keepOffAlias(ctx context.Context, name string) error {
	found, err := s.describe(ctx, name)
	if _, ok := found[name].Aliases[s.alias]; err != nil || !ok {
		return err
	}
	s.log.WarnContext(ctx, s.foreignTemplate(ctx)+"; it was taken away again", "index", name)
	return s.c.Retry(ctx, client.RequestTime, func(ctx context.Context) error {
		return s.apply(ctx, []action{{"remove": {Index: name, Alias: s.alias}}})
	})
}

// twoWriteIndices is the reason of Elasticsearch against an alias with two write indices.
const twoWriteIndices = "more than one write index"

// explainTemplate makes an error about a new index say that a foreign template keeps it from being
// created: one that adds the alias with a write index, of which there is one already.
func (s *storage) explainTemplate(ctx context.Context, err error) error {
	var failed *client.Error
	if errors.As(err, &failed) && strings.Contains(failed.Reason, twoWriteIndices) {
		return fmt.Errorf("%s, which Elasticsearch refuses while a generation is live: "+
			"take the alias out of it, or %s-* out of its patterns: %w", s.foreignTemplate(ctx), s.alias, err)
	}
	return err
}

// foreignTemplate names the templates that add the alias to new indices, if it may look at them.
func (s *storage) foreignTemplate(ctx context.Context) string {
	var state struct {
		Metadata struct {
			Legacy map[string]any `json:"templates"`
			Index  struct {
				Templates map[string]any `json:"index_template"`
			} `json:"index_template"`
			Components struct {
				Templates map[string]any `json:"component_template"`
			} `json:"component_template"`
		}
	}
	alias := ".aliases." + s.alias
	err := s.c.Read(ctx, &state, esapi.ClusterStateRequest{Metric: []string{"metadata"}, FilterPath: []string{
		"metadata.templates.*" + alias,
		"metadata.index_template.index_template.*.template" + alias,
		"metadata.component_template.component_template.*.template" + alias,
	}})
	var names []string
	for _, templates := range []map[string]any{
		state.Metadata.Legacy, state.Metadata.Index.Templates, state.Metadata.Components.Templates,
	} {
		names = slices.AppendSeq(names, maps.Keys(templates))
	}
	if err != nil || len(names) == 0 {
		return "an index template adds the alias " + s.alias + " to new indices"
	}
	slices.Sort(names)
	return "the index template " + strings.Join(names, ", ") + " adds the alias " + s.alias + " to new indices"
}
