package elastic

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"filings/index"
	"filings/index/elastic/client"
	"filings/index/elastic/document"
	"filings/index/elastic/reader"
	"filings/index/generation"
)

// Parts implements generation.Storage. An unsealed one has as many filings as can be searched in
// it. Bytes are those of all copies; files that a clone shares with its source count in both.
func (s *storage) Parts(ctx context.Context, measure bool) (parts []generation.Part, err error) {
	found, err := s.describe(ctx, s.alias+"-*")
	if err != nil {
		return nil, err
	}
	sizes := map[string]size{}
	if measure {
		if sizes, err = s.sizes(ctx); err != nil {
			return nil, err
		}
	}
	for name, d := range found {
		p, ok := s.part(name)
		if !ok {
			continue
		}
		measured := sizes[name]
		m := d.Mappings.Meta
		if p.Bytes, p.Filings = measured.Total.Store.Bytes, measured.Primaries.Docs.Count; m.Generation == name {
			p.Sealed, p.Filings, p.Identity = true, m.Filings, m.Identity
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// size is the part of `_stats` about an index.
type size struct {
	Primaries struct{ Docs struct{ Count int64 } }
	Total     struct {
		Store struct {
			Bytes int64 `json:"size_in_bytes"`
		}
	}
}

func (s *storage) sizes(ctx context.Context) (map[string]size, error) {
	var stats struct{ Indices map[string]size }
	err := s.c.Read(ctx, &stats, esapi.IndicesStatsRequest{
		Index: []string{s.alias + "-*"}, Metric: []string{"docs", "store"},
		FilterPath: []string{"indices.*.primaries.docs.count", "indices.*.total.store.size_in_bytes"},
	})
	return stats.Indices, err
}

// Reader implements generation.Storage. Any node says from its copy of the cluster state whether
// there is such an index.
func (s *storage) Reader(ctx context.Context, name string, kept index.Reader) (index.Reader, error) {
	err := s.c.Read(ctx, nil, esapi.IndicesGetAliasRequest{Index: []string{name}})
	switch {
	case errors.Is(err, index.ErrGone):
		return nil, fmt.Errorf("generation %s: %w", name, index.ErrNotFound)
	case err != nil || kept != nil:
		return kept, err
	}
	return reader.New(s.c, name, s.cache), nil
}

// deletedAtOnce keeps the names of a request short enough for a URL.
const deletedAtOnce = 20

// Delete implements generation.Storage.
func (s *storage) Delete(ctx context.Context, parts []generation.Part) error {
	for batch := range slices.Chunk(parts, deletedAtOnce) {
		var names []string
		for _, p := range batch {
			name := p.Generation
			if p.Kind != generation.FilingsPart {
				name = document.SidecarIndex(name, p.Kind)
			}
			names = append(names, name)
		}
		request := esapi.IndicesDeleteRequest{Index: names, IgnoreUnavailable: new(true)}
		if err := s.send(ctx, client.RequestTime, request); err != nil {
			return err
		}
	}
	return nil
}

// noShard is the kind of a response about an index whose shard is not there at the moment: it was
// just created, or its node was just lost.
const noShard = "no_shard_available_action_exception"

// Load implements generation.Storage by one request, which waits for any copy of the one shard.
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
	request := esapi.IndexRequest{
		Index: s.catalogAlias(), DocumentID: name, Body: bytes.NewReader(d.Body), RequireAlias: new(true),
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

// createIndex creates an index, empty or a clone of source, and waits until it can be written.
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
	return s.send(ctx, client.RequestTime, readiness(name))
}

// readiness requests a response as soon as an index can be read and written.
func readiness(name string) esapi.Request {
	return esapi.ClusterHealthRequest{Index: []string{name}, WaitForStatus: "yellow", Timeout: 50 * time.Second}
}

// send sends requests without a body, one after the other, each of them again where that may help.
func (s *storage) send(ctx context.Context, limit time.Duration, requests ...esapi.Request) error {
	for _, request := range requests {
		write := func(ctx context.Context) error { return s.c.Write(ctx, nil, request) }
		if err := s.c.Retry(ctx, limit, write); err != nil {
			return err
		}
	}
	return nil
}

// ProcessLock implements generation.Storage: Elasticsearch cannot tell if a load's process lives.
func (s *storage) ProcessLock(context.Context, bool) (io.Closer, error) { return nil, nil }

// Location implements generation.Storage.
func (s *storage) Location(name string) string {
	if name == "" {
		return "the document of the index " + s.catalogIndex()
	}
	return "the index " + name
}
