package elastic

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"filings/index"
	"filings/index/elastic/client"
	"filings/index/history"
)

// createSidecar makes a hidden index of the generation. It is small: one shard.
func (b *build) createSidecar(ctx context.Context, name string, mappings map[string]any, settings map[string]any) error {
	all := map[string]any{"number_of_shards": 1, "number_of_replicas": b.storage.replicas, "hidden": true}
	maps.Copy(all, settings)
	return b.storage.createIndex(ctx, name, "", map[string]any{"settings": map[string]any{"index": all}, "mappings": mappings})
}

// putSidecar writes a document of such an index.
func (s *storage) putSidecar(ctx context.Context, name string, id int, document any) error {
	body, err := json.Marshal(document)
	if err != nil {
		return err
	}
	return s.c.Send(ctx, client.RequestTime, func() esapi.Request {
		return esapi.IndexRequest{Index: name, DocumentID: strconv.Itoa(id), Body: bytes.NewReader(body)}
	})
}

// Strip implements generation.Storage.
func (s *storage) Strip(ctx context.Context, name string, strip func(index.Version) index.Version) error {
	some, sidecar := false, changesetIndex(name)
	for id := 1; ; id++ {
		var c chunk
		err := s.c.ReadInto(ctx, &c, esapi.GetSourceRequest{Index: sidecar, DocumentID: strconv.Itoa(id)})
		if errors.Is(err, index.ErrGone) || errors.Is(err, index.ErrNotFound) {
			break
		}
		stripped, changed, err := history.Chunk{}, false, err
		if err == nil {
			stripped, changed, err = history.Strip(c.Data, strip)
		}
		if changed && err == nil {
			some, c.Data = true, stripped.Data
			err = s.putSidecar(ctx, sidecar, id, c)
		}
		if err != nil {
			return fmt.Errorf("taking filings out of the changeset of %s: %w", name, err)
		}
	}
	if some {
		if err := s.expunge(ctx, sidecar); err != nil {
			return err
		}
	}
	// Searches go on meanwhile, and it need not be opened again: it was written long ago, as a rule.
	left, err := s.deletedDocuments(ctx, name)
	if err == nil && left > 0 {
		err = s.mergeDeleted(ctx, name)
	}
	if errors.Is(err, index.ErrGone) || errors.Is(err, index.ErrNotFound) {
		return nil
	}
	return err
}

// deletedDocuments returns how many of an index are still in a segment.
func (s *storage) deletedDocuments(ctx context.Context, name string) (int64, error) {
	var stats struct {
		All struct {
			Total struct{ Docs struct{ Deleted int64 } }
		} `json:"_all"`
	}
	request := esapi.IndicesStatsRequest{Index: []string{name}, ExpandWildcards: "all", Metric: []string{"docs"}}
	err := s.c.ReadInto(ctx, &stats, request)
	return stats.All.Total.Docs.Deleted, err
}

// expunge is mergeDeleted of an index that was just written, and that nobody reads.
func (s *storage) expunge(ctx context.Context, name string) error {
	this := []string{name}
	for _, request := range []func() esapi.Request{
		func() esapi.Request { return esapi.IndicesCloseRequest{Index: this} },
		func() esapi.Request { return esapi.IndicesOpenRequest{Index: this} },
		func() esapi.Request {
			return esapi.ClusterHealthRequest{Index: this, WaitForStatus: "yellow", Timeout: 50 * time.Second}
		},
	} {
		if err := s.c.Send(ctx, client.MergeTime, request); err != nil {
			return err
		}
	}
	return s.mergeDeleted(ctx, name)
}

// errDeletedDocuments: segments still have documents that were deleted. Later they will not.
var errDeletedDocuments = fmt.Errorf("segments still have deleted documents: %w", index.ErrUnavailable)

// mergeDeleted merges until no segment of an index has a deleted document, which a merge keeps for copies that
// may lack the deletion, until each of them has said that it does not: after 30 seconds by itself, or when
// the index is opened again (Elasticsearch 8.19), which takes one.
func (s *storage) mergeDeleted(ctx context.Context, name string) error {
	this, only := []string{name}, true
	return s.c.Retry(ctx, client.MergeTime, func(ctx context.Context) error {
		all := strings.NewReader(`{"index.merge.policy.expunge_deletes_allowed":0}`)
		for _, r := range []esapi.Request{
			esapi.IndicesPutSettingsRequest{Index: this, Body: all},
			esapi.IndicesForcemergeRequest{Index: this, OnlyExpungeDeletes: &only}, esapi.IndicesRefreshRequest{Index: this},
		} {
			if _, err := s.c.Do(ctx, r); err != nil {
				return err
			}
		}
		left, err := s.deletedDocuments(ctx, name)
		if err == nil && left > 0 {
			err = errDeletedDocuments
		}
		return err
	})
}
