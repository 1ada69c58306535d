package elastic

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"filings/index"
	"filings/index/elastic/client"
	"filings/index/elastic/document"
	"filings/index/elastic/reader"
	"filings/index/generation"
	"filings/index/sidecar"
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

// Seal implements generation.Writer. It returns as soon as the generation can be searched: copies
// of its shards may still be made, on nodes that may not be there.
func (b *build) Seal(
	ctx context.Context, erases bool, _ *sidecar.Actions, fill generation.Fill, look generation.Look,
) (generation.Identity, error) {
	if err := b.bulk.finish(ctx); err != nil {
		return nil, err
	}
	if err := b.finalize(ctx, erases); err != nil {
		return nil, err
	}
	if err := b.storage.writeSidecar(ctx, document.SidecarIndex(b.name, sidecar.Kept), fill); err != nil {
		return nil, err
	}
	filings, err := look(ctx, reader.New(b.storage.c, b.name, b.storage.cache))
	if err != nil {
		return nil, err
	}
	identity, err := b.identity(ctx)
	if err != nil {
		return nil, err
	}
	return identity, b.writeMeta(ctx, document.Meta{
		Generation: b.name, Filings: filings, Writes: b.bulk.version, Identity: identity,
	})
}

// Changeset implements generation.Writer.
func (b *build) Changeset(ctx context.Context, fill generation.Fill) error {
	return b.storage.writeSidecar(ctx, document.SidecarIndex(b.name, sidecar.Changeset), fill)
}

// finalize makes the written index ready for searches. Copies are made last: of merged segments,
// once.
func (b *build) finalize(ctx context.Context, erases bool) error {
	settings, err := json.Marshal(map[string]any{"index": map[string]any{
		"number_of_replicas": b.storage.replicas, "refresh_interval": nil, "gc_deletes": nil,
	}})
	if err != nil {
		return err
	}
	names := []string{b.name}
	b.storage.warnOfDisks(ctx, b.name)
	// Elasticsearch confirms the block when writes in progress have ended.
	err = b.storage.send(ctx, client.MergeTime, esapi.IndicesAddBlockRequest{Index: names, Block: "write"})
	switch {
	case err != nil:
	case erases:
		err = b.storage.expunge(ctx, b.name)
	default:
		err = b.storage.send(ctx, client.MergeTime, b.merge())
	}
	if err == nil {
		err = b.storage.send(ctx, client.MergeTime, esapi.IndicesRefreshRequest{Index: names})
	}
	if err != nil {
		return err
	}
	return b.storage.c.Retry(ctx, client.MergeTime, func(ctx context.Context) error {
		return b.storage.c.Write(ctx, nil, esapi.IndicesPutSettingsRequest{Index: names, Body: bytes.NewReader(settings)})
	})
}

// merge says how far segments are merged. Of a new generation one is left in each shard: for half a
// million filings that takes about eight seconds longer than to leave five, and then the first deep
// page takes 35 ms instead of 280: counting by code needs no table across segments. A copy shares
// the files of its source, and merging everything would write them anew for a few changes: only
// segments that are mostly deleted are, and Elasticsearch's own merging keeps the segments of the
// changes few.
func (b *build) merge() esapi.Request {
	if b.source != "" {
		return esapi.IndicesForcemergeRequest{Index: []string{b.name}, OnlyExpungeDeletes: new(true)}
	}
	return esapi.IndicesForcemergeRequest{Index: []string{b.name}, MaxNumSegments: new(1)}
}

// writeMeta marks the generation as finished. Parts that a mapping request lacks stay as they are,
// but `_meta` is replaced as a whole.
func (b *build) writeMeta(ctx context.Context, m document.Meta) error {
	body, err := json.Marshal(map[string]any{"_meta": m})
	if err != nil {
		return err
	}
	return b.storage.c.Retry(ctx, client.RequestTime, func(ctx context.Context) error {
		return b.storage.c.Write(ctx, nil, esapi.IndicesPutMappingRequest{
			Index: []string{b.name}, Body: bytes.NewReader(body),
		})
	})
}

// identity is Identity of the generation that is sealed, of all its shards.
func (b *build) identity(ctx context.Context) (identity generation.Identity, err error) {
	err = b.storage.c.Retry(ctx, client.RequestTime, func(ctx context.Context) error {
		if identity, err = b.storage.Identity(ctx, b.name); err != nil {
			return err
		}
		shards, err := strconv.Atoi(identity[shardsSetting])
		if err == nil && len(identity) != shards+len(searchLimits)+3 {
			err = client.ErrResponse // a primary is just taking over
		}
		return err
	})
	return identity, err
}
