package elastic

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"filings/index"
	"filings/index/elastic/client"
	"filings/index/elastic/document"
	"filings/index/elastic/reader"
	"filings/index/generation"
	"filings/index/sidecar"
)

// sidecarWriter writes chunks into a hidden index beside a generation. One goroutine uses it.
type sidecarWriter struct {
	storage *storage
	index   string
	body    []byte // of the bulk request that is being filled
}

// writeSidecar makes such an index of the chunks that fill puts. It is small: one shard.
func (s *storage) writeSidecar(ctx context.Context, name string, fill generation.Fill) error {
	settings := map[string]any{"number_of_shards": 1, "number_of_replicas": s.replicas, "hidden": true}
	if err := s.createIndex(ctx, name, "", map[string]any{
		"settings": map[string]any{"index": settings}, "mappings": map[string]any{"enabled": false},
	}); err != nil {
		return err
	}
	w := &sidecarWriter{storage: s, index: name}
	if err := fill(ctx, w.put(ctx)); err != nil {
		return err
	}
	return w.flush(ctx)
}

// put is the sidecar.Sink of the index, which has all chunks once they were flushed.
func (w *sidecarWriter) put(ctx context.Context) sidecar.Sink {
	return func(section string, chunk int, data []byte) error {
		body, err := json.Marshal(document.Chunk{Data: data})
		if err != nil {
			return err
		}
		w.body = fmt.Appendf(w.body, `{"index":{"_id":%q}}`+"\n%s\n", document.ChunkID(section, chunk), body)
		if len(w.body) < batchBytes {
			return nil
		}
		return w.flush(ctx)
	}
}

func (w *sidecarWriter) flush(ctx context.Context) error {
	if len(w.body) == 0 {
		return nil
	}
	full := w.body
	w.body = nil
	return w.storage.c.Retry(ctx, client.BulkTime, func(ctx context.Context) error {
		result := struct{ Errors bool }{true}
		err := w.storage.c.Write(ctx, &result, esapi.BulkRequest{
			Index: w.index, Body: bytes.NewReader(full), FilterPath: []string{"errors"},
		})
		if err == nil && result.Errors {
			err = client.ErrResponse
		}
		return err
	})
}

// Sidecar implements sidecar.Changesets. Clients wait for changesets: no failed read is repeated.
func (s *storage) Sidecar(name, kind string) sidecar.Source {
	hidden := document.SidecarIndex(name, kind)
	if kind == sidecar.Kept {
		return s.chunks(hidden)
	}
	return func(ctx context.Context, section string, chunks []int) ([][]byte, error) {
		data, err := reader.Chunks(ctx, s.c, hidden, section, chunks)
		if errors.Is(err, index.ErrNotFound) {
			err = fmt.Errorf("the changeset of %s: %w", name, index.ErrGone)
		}
		return data, err
	}
}

// chunks is the sidecar.Source of such an index, for a load.
func (s *storage) chunks(name string) sidecar.Source {
	return func(ctx context.Context, section string, chunks []int) (data [][]byte, err error) {
		defer index.Wrap(&err, "reading "+section+" of "+name)
		err = s.c.Retry(ctx, client.RequestTime, func(ctx context.Context) error {
			data, err = reader.Chunks(ctx, s.c, name, section, chunks)
			return err
		})
		return data, err
	}
}

// Filings implements sidecar.Changesets: of any generation whose index is there.
func (s *storage) Filings(ctx context.Context, name string, ids []int64) ([]index.Version, error) {
	return reader.New(s.c, name, s.cache).Versions(ctx, ids)
}

// Strip implements generation.Storage.
func (s *storage) Strip(ctx context.Context, name string, strip func(index.Version) index.Version) error {
	changeset := document.SidecarIndex(name, sidecar.Changeset)
	w := &sidecarWriter{storage: s, index: changeset}
	_, err := sidecar.Strip(ctx, s.chunks(changeset), w.put(ctx), strip)
	if err == nil {
		err = w.flush(ctx)
	}
	if err == nil {
		err = s.clean(ctx, changeset, s.expunge)
	}
	if err != nil && !errors.Is(err, index.ErrNotFound) {
		return fmt.Errorf("taking filings out of the changeset of %s: %w", name, err)
	}
	// Searches go on meanwhile, and it need not be opened again: it was written long ago, as a rule.
	err = s.clean(ctx, name, s.mergeDeleted)
	if errors.Is(err, index.ErrGone) || errors.Is(err, index.ErrNotFound) {
		return nil
	}
	return err
}

// clean merges the deleted documents of an index away, whoever deleted them: a process that is
// killed after it wrote leaves them.
func (s *storage) clean(ctx context.Context, name string, merge func(context.Context, string) error) error {
	left, err := s.deletedDocuments(ctx, name)
	if err == nil && left > 0 {
		err = merge(ctx, name)
	}
	return err
}

// deletedDocuments returns how many of an index are still in a segment.
func (s *storage) deletedDocuments(ctx context.Context, name string) (int64, error) {
	if err := s.send(ctx, client.RequestTime, esapi.IndicesRefreshRequest{Index: []string{name}}); err != nil {
		return 0, err
	}
	var stats struct {
		All struct {
			Total struct{ Docs struct{ Deleted int64 } }
		} `json:"_all"`
	}
	request := esapi.IndicesStatsRequest{Index: []string{name}, ExpandWildcards: "all", Metric: []string{"docs"}}
	err := s.c.Read(ctx, &stats, request)
	return stats.All.Total.Docs.Deleted, err
}

// expunge is mergeDeleted of an index that was just written, and that nobody reads.
func (s *storage) expunge(ctx context.Context, name string) error {
	names := []string{name}
	err := s.send(ctx, client.MergeTime,
		esapi.IndicesCloseRequest{Index: names}, esapi.IndicesOpenRequest{Index: names}, readiness(name))
	if err != nil {
		return err
	}
	return s.mergeDeleted(ctx, name)
}

// errDeletedDocuments: segments still have documents that were deleted. Later they will not.
var errDeletedDocuments = fmt.Errorf("segments still have deleted documents: %w", index.ErrUnavailable)

// mergeDeleted merges until no segment of an index has a deleted document. A merge keeps them until
// each copy has said that it has the deletion: after 30 seconds by itself, or when the index is
// opened again (Elasticsearch 8.19), which takes one.
func (s *storage) mergeDeleted(ctx context.Context, name string) error {
	names := []string{name}
	return s.c.Retry(ctx, client.MergeTime, func(ctx context.Context) error {
		settings := strings.NewReader(`{"index.merge.policy.expunge_deletes_allowed":0}`)
		for _, r := range []esapi.Request{
			esapi.IndicesPutSettingsRequest{Index: names, Body: settings},
			esapi.IndicesForcemergeRequest{Index: names, OnlyExpungeDeletes: new(true)},
		} {
			if err := s.c.Write(ctx, nil, r); err != nil {
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
