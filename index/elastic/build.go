package elastic

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"filings/index"
	"filings/index/elastic/client"
	"filings/index/generation"
	"filings/mappings"
)

// build is a generation.Writer.
type build struct {
	*bulk
	name   string
	source string // the generation that was copied, "" for none
}

var _ generation.Writer = (*build)(nil)

// Create implements generation.Storage: an empty index, or a clone, which shares the files of its
// source and so takes seconds.
//
// Its settings make writing cheap: nothing has to be searchable or copied before Seal. Accepted
// actions are synced all the same (the default of translog.durability): a bulk request is
// megabytes, and with "async" a node that is killed forgets the actions of its last five seconds,
// so that the load fails its verification instead of going on. Deletions are kept for long, so that
// an older write that comes late does not undo one.
func (s *storage) Create(ctx context.Context, name, source string) (_ generation.Writer, err error) {
	settings := map[string]any{"number_of_replicas": 0, "refresh_interval": "-1", "gc_deletes": "12h"}
	parts := map[string]any{"settings": map[string]any{"index": settings}}
	var found map[string]described
	if source == "" {
		settings["number_of_shards"] = s.shards
		parts, err = s.layout(ctx, settings)
	} else {
		settings["blocks.write"] = false
		found, err = s.describe(ctx, source)
	}
	if err == nil {
		parts["aliases"] = map[string]any{buildAlias(name): map[string]any{"is_hidden": true}}
		err = s.createIndex(ctx, name, source, parts)
	}
	if errors.Is(err, index.ErrGone) {
		err = index.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	writes := found[source].Mappings.Meta.Writes
	return &build{name: name, source: source, bulk: s.newBulk(ctx, buildAlias(name), writes)}, nil
}

// layout returns the settings and the mapping of an index of filings.
func (s *storage) layout(ctx context.Context, settings map[string]any) (map[string]any, error) {
	product, _, err := s.server(ctx)
	if err != nil {
		return nil, err
	}
	parts, err := mappings.Body(settings)
	if err == nil && product == OpenSearch {
		// It would give the members that are left of a _source in another order (rule X23). Whole
		// ones come back as they were sent.
		delete(parts["mappings"].(map[string]any), "_source")
	}
	return parts, err
}

// createIndex creates an index, an empty one or a clone of source, and waits until it can be written.
func (s *storage) createIndex(ctx context.Context, name, source string, parts map[string]any) error {
	body, err := json.Marshal(parts)
	if err != nil {
		return err
	}
	unsure := false
	err = s.c.Retry(ctx, client.RequestTime, func(ctx context.Context) error {
		var request esapi.Request = esapi.IndicesCreateRequest{Index: name, Body: bytes.NewReader(body)}
		if source != "" {
			request = esapi.IndicesCloneRequest{Index: source, Target: name, Body: bytes.NewReader(body)}
		}
		err := s.c.Write(ctx, nil, request)
		if unsure && client.HasKind(err, alreadyExists) {
			return nil // the first request, whose response did not come, made it
		}
		unsure = unsure || client.IsTemporary(err)
		return err
	})
	if err != nil {
		return s.explainTemplate(ctx, err)
	}
	if err := s.keepOffAlias(ctx, name); err != nil {
		return err
	}
	return s.c.Retry(ctx, client.RequestTime, func(ctx context.Context) error {
		return s.c.Write(ctx, nil, esapi.ClusterHealthRequest{
			Index: []string{name}, WaitForStatus: "yellow", Timeout: 50 * time.Second,
		})
	})
}
