package elastic

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"filings/index"
	"filings/index/elastic/client"
	"filings/index/generation"
)

// noShard is the kind of a response about an index whose shard is not there at the moment: it was
// just created, or its node was just lost.
const noShard = "no_shard_available_action_exception"

// Load implements generation.Storage, in one request, which any copy of the one shard serves. It waits for that shard.
func (s *storage) Load(ctx context.Context, name string) (d generation.Document, err error) {
	var found struct {
		SeqNo  int             `json:"_seq_no"`
		Term   int             `json:"_primary_term"`
		Source json.RawMessage `json:"_source"`
	}
	_ = s.c.Retry(ctx, client.RequestTime, func(ctx context.Context) error {
		err = s.c.Read(ctx, &found, esapi.GetRequest{Index: s.catalogIndex(), DocumentID: name})
		if client.HasKind(err, noShard) {
			return err
		}
		return nil // whatever else it is, its caller decides
	})
	switch {
	case errors.Is(err, index.ErrGone), errors.Is(err, index.ErrNotFound):
		return d, nil
	case err != nil:
		return d, err
	case found.Source == nil:
		return d, client.ErrResponse
	}
	return generation.Document{Body: found.Source, Revision: fmt.Sprintf("%d/%d", found.SeqNo, found.Term)}, nil
}

// Replace implements generation.Storage.
func (s *storage) Replace(ctx context.Context, name string, d generation.Document) error {
	requireAlias := true
	request := esapi.IndexRequest{
		Index: s.catalogAlias(), DocumentID: name, Body: bytes.NewReader(d.Body), RequireAlias: &requireAlias,
	}
	if d.Revision == "" {
		request.OpType = "create"
		if err := s.createCatalog(ctx); err != nil {
			return err
		}
	} else {
		var seqNo, term int
		if _, err := fmt.Sscanf(d.Revision, "%d/%d", &seqNo, &term); err != nil {
			return err
		}
		request.IfSeqNo, request.IfPrimaryTerm = &seqNo, &term
	}
	err := s.c.Write(ctx, nil, request)
	if client.HasKind(err, "version_conflict_engine_exception") || d.Revision != "" && errors.Is(err, index.ErrGone) {
		return generation.ErrStale
	}
	return err
}

// createCatalog makes the index, unless it is there.
func (s *storage) createCatalog(ctx context.Context) (err error) {
	defer index.Wrap(&err, "making the index "+s.catalogIndex()+", which holds the lock")
	body, err := json.Marshal(map[string]any{
		"settings": map[string]any{"index": map[string]any{
			"number_of_shards": 1, "auto_expand_replicas": "0-1", "hidden": true,
		}},
		"mappings": map[string]any{"enabled": false},
		"aliases":  map[string]any{s.catalogAlias(): map[string]any{"is_hidden": true}},
	})
	if err != nil {
		return err
	}
	err = s.c.Write(ctx, nil, esapi.IndicesCreateRequest{Index: s.catalogIndex(), Body: bytes.NewReader(body)})
	if err != nil && !client.HasKind(err, alreadyExists) {
		return s.explainTemplate(ctx, err)
	}
	return s.keepOffAlias(ctx, s.catalogIndex())
}

// Retry implements generation.Storage.
func (s *storage) Retry(ctx context.Context, try func(context.Context) error) error {
	return s.c.Retry(ctx, client.RequestTime, try)
}

// ProcessLock implements generation.Storage: Elasticsearch cannot tell whether a load's process lives.
func (s *storage) ProcessLock(context.Context, bool) (io.Closer, error) { return nil, nil }

// Where implements generation.Storage.
func (s *storage) Where(name string) string {
	if name == "" {
		return "the document of the index " + s.catalogIndex()
	}
	return "the index " + name
}
