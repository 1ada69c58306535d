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
)

// action is one action of an `_aliases` request.
type action map[string]target

// target is what an action is about.
type target struct {
	Index     string `json:"index"`
	Alias     string `json:"alias,omitempty"`
	MustExist bool   `json:"must_exist,omitempty"`
	Write     bool   `json:"is_write_index,omitempty"`
	Hidden    bool   `json:"is_hidden,omitempty"`
}

// removeAlias removes an alias from an index, and is a condition: without the alias the whole request fails.
func removeAlias(from, alias string) action {
	return action{"remove": target{Index: from, Alias: alias, MustExist: true}}
}

// addAlias adds an alias that patterns do not find.
func addAlias(to, alias string) action {
	return action{"add": target{Index: to, Alias: alias, Hidden: true}}
}

// addWriteAlias adds an alias that only one index can have, and so is a condition too.
func addWriteAlias(to, alias string) action {
	return action{"add": target{Index: to, Alias: alias, Write: true}}
}

// removeIndex deletes an index.
func removeIndex(name string) action { return action{"remove_index": target{Index: name}} }

// errRefused: a condition of a commit did not hold, and nothing was changed.
var errRefused = errors.New("elasticsearch refused")

// commit carries out all actions in one cluster state update, or none: then it returns errRefused, or index.ErrGone if
// an index is not there. It repeats a request whose response did not come. If a repetition is refused, done reports
// whether what was wanted is so: then the first request had been carried out.
func (s *Store) commit(ctx context.Context, done func(context.Context) (bool, error), actions ...action) error {
	body, err := json.Marshal(map[string]any{"actions": actions})
	if err != nil {
		return err
	}
	unsure := false
	return s.c.Retry(ctx, client.RequestTime, func(ctx context.Context) error {
		_, err := s.c.Do(ctx, esapi.IndicesUpdateAliasesRequest{Body: bytes.NewReader(body)})
		if client.IsTemporary(err) {
			unsure = true
			return err
		}
		err = refusal(err)
		if err == nil || !unsure {
			return err
		}
		if ok, unknown := done(ctx); !ok || unknown != nil {
			return errors.Join(err, unknown)
		}
		return nil
	})
}

// twoWriteIndices is what Elasticsearch says about an alias that would have two write indices.
const twoWriteIndices = "more than one write index"

// refusal turns the responses that mean "a condition does not hold" into errRefused.
func refusal(err error) error {
	var failed *client.Error
	if !errors.As(err, &failed) || errors.Is(err, index.ErrGone) {
		return err
	}
	if failed.Status == http.StatusNotFound || strings.Contains(failed.Reason, twoWriteIndices) {
		return fmt.Errorf("%w: %s", errRefused, failed.Reason)
	}
	return err
}

// promoted returns the names of those of the indices that the alias points at. A promotion makes the one write index of
// the alias: where there is one, what else is behind the alias was put there by something foreign, and is not returned.
func (s *Store) promoted(indices map[string]described) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(indices)) {
		alias, behind := indices[name].Aliases[s.alias]
		switch {
		case behind && alias.Write:
			return []string{name}
		case behind:
			names = append(names, name)
		}
	}
	return names
}

// keepOffAlias takes a new index from behind the alias, where only a promotion may put it: a foreign index template can
// add any alias to every new index.
func (s *Store) keepOffAlias(ctx context.Context, name string) error {
	found, err := s.describe(ctx, name)
	if _, behind := found[name].Aliases[s.alias]; err != nil || !behind {
		return err
	}
	s.log.WarnContext(ctx, s.foreignTemplate(ctx)+"; it was taken away again", "index", name)
	return s.commit(ctx, func(ctx context.Context) (bool, error) {
		found, err := s.describe(ctx, name)
		_, behind := found[name].Aliases[s.alias]
		return !behind, err
	}, removeAlias(name, s.alias))
}

// explainTemplate makes an error about a new index say that a foreign template keeps it from being created: one that adds
// the alias with a write index, of which there is one already.
func (s *Store) explainTemplate(ctx context.Context, err error) error {
	var failed *client.Error
	if errors.As(err, &failed) && strings.Contains(failed.Reason, twoWriteIndices) {
		return fmt.Errorf("%s, which Elasticsearch refuses while a generation is live: "+
			"take the alias out of it, or %s-* out of its patterns: %w", s.foreignTemplate(ctx), s.alias, err)
	}
	return err
}

// foreignTemplate says which templates add the alias to new indices, as far as these credentials may know.
func (s *Store) foreignTemplate(ctx context.Context) string {
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
	err := s.c.ReadInto(ctx, &state, esapi.ClusterStateRequest{Metric: []string{"metadata"}, FilterPath: []string{
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
