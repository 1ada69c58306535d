package elastic

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
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
func (s *storage) Create(ctx context.Context, name, source string) (_ generation.Writer, err error) {
	var found map[string]described
	if source == "" {
		err = s.create(ctx, name)
	} else if found, err = s.describe(ctx, source); err == nil {
		err = s.clone(ctx, source, name)
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

// loadingSettings make writing cheap: nothing has to be searchable or copied before Seal. Actions
// that were accepted is synced all the same (the default of translog.durability): a bulk request is
// megabytes, and with "async" a node that is killed forgets the actions of its last five seconds,
// so that the load fails its verification instead of going on. Deletions are kept for long, so that
// an older write that comes late does not undo one.
func loadingSettings() map[string]any {
	return map[string]any{
		"number_of_replicas": 0, "refresh_interval": "-1", "gc_deletes": "12h",
	}
}

func (s *storage) create(ctx context.Context, name string) error {
	settings := loadingSettings()
	settings["number_of_shards"] = s.shards
	body, err := mappings.Body(settings)
	if err != nil {
		return err
	}
	var parts map[string]any
	if err := json.Unmarshal(body, &parts); err != nil {
		return err
	}
	product, _, err := s.server(ctx)
	if err != nil {
		return err
	}
	if product == OpenSearch {
		// It would give the members that are left of a _source in another order (rule X23). Whole
		// ones come back as they were sent.
		delete(parts["mappings"].(map[string]any), "_source")
	}
	return s.createIndex(ctx, name, buildAlias(name), parts)
}

func (s *storage) clone(ctx context.Context, source, name string) error {
	settings := loadingSettings()
	settings["blocks.write"] = false
	parts := map[string]any{"settings": map[string]any{"index": settings}}
	return s.createBy(ctx, name, buildAlias(name), parts, func(body io.Reader) esapi.Request {
		return esapi.IndicesCloneRequest{Index: source, Target: name, Body: body}
	})
}

// createIndex creates an index that is written through an alias, "" for none, and waits until it can be.
func (s *storage) createIndex(ctx context.Context, name, alias string, parts map[string]any) error {
	return s.createBy(ctx, name, alias, parts, func(body io.Reader) esapi.Request {
		return esapi.IndicesCreateRequest{Index: name, Body: body}
	})
}

func (s *storage) createBy(
	ctx context.Context, name, alias string, parts map[string]any, request func(body io.Reader) esapi.Request,
) error {
	if alias != "" {
		parts["aliases"] = map[string]any{alias: map[string]any{"is_hidden": true}}
	}
	body, err := json.Marshal(parts)
	if err != nil {
		return err
	}
	unsure := false
	err = s.c.Retry(ctx, client.RequestTime, func(ctx context.Context) error {
		err := s.c.Write(ctx, nil, request(bytes.NewReader(body)))
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
