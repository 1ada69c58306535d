package elastic

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"filings/index/elastic/client"
	"filings/index/elastic/document"
	"filings/index/elastic/reader"
	"filings/index/generation"
)

// Seal waits for all writes, forbids further ones, merges, has the sidecar written, and lets check look at both.
// It returns as soon as the generation can be searched: copies of its shards may still be made, on nodes that may not
// be there.
func (b *build) Seal(
	ctx context.Context, erases bool, fill generation.Fill, look generation.Look,
) (generation.Identity, error) {
	if err := b.bulk.finish(ctx); err != nil {
		return nil, err
	}
	if err := b.finalize(ctx, erases); err != nil {
		return nil, err
	}
	if err := b.storage.writeSidecar(ctx, document.SidecarIndex(b.name), fill); err != nil {
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
		Sealed: true, Generation: b.name, Filings: filings, Writes: b.bulk.version, Identity: identity,
	})
}

// Changeset implements generation.Writer.
func (b *build) Changeset(ctx context.Context, fill generation.Fill) error {
	return b.storage.writeSidecar(ctx, changesetIndex(b.name), fill)
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
	this := []string{b.name}
	b.storage.warnOfDisks(ctx, b.name)
	send := func(request func() esapi.Request) func(context.Context) error {
		return func(ctx context.Context) error {
			return b.storage.c.Retry(ctx, client.MergeTime, func(ctx context.Context) error {
				return b.storage.c.Write(ctx, nil, request())
			})
		}
	}
	merge := send(b.merge)
	if erases {
		merge = func(ctx context.Context) error { return b.storage.expunge(ctx, b.name) }
	}
	for _, step := range []func(context.Context) error{
		// Elasticsearch confirms the block when writes in progress have ended.
		send(func() esapi.Request { return esapi.IndicesAddBlockRequest{Index: this, Block: "write"} }),
		merge,
		send(func() esapi.Request { return esapi.IndicesRefreshRequest{Index: this} }),
		send(func() esapi.Request {
			return esapi.IndicesPutSettingsRequest{Index: this, Body: bytes.NewReader(settings)}
		}),
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// merge says how far segments are merged. Of a new generation one is left in each shard: for half a
// million filings that takes about eight seconds longer than to leave five, and then the first deep
// page takes 35 ms instead of 280: counting by code needs no table across segments. A copy shares
// the files of its source, and merging everything would write them anew for a few changes: only
// segments that are mostly deleted are, and Elasticsearch's own merging keeps the segments of the
// changes few.
func (b *build) merge() esapi.Request {
	one, only := 1, true
	if b.from != "" {
		return esapi.IndicesForcemergeRequest{Index: []string{b.name}, OnlyExpungeDeletes: &only}
	}
	return esapi.IndicesForcemergeRequest{Index: []string{b.name}, MaxNumSegments: &one}
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
func (b *build) identity(ctx context.Context) (all generation.Identity, err error) {
	err = b.storage.c.Retry(ctx, client.RequestTime, func(ctx context.Context) error {
		if all, err = b.storage.Identity(ctx, b.name); err != nil {
			return err
		}
		shards, err := strconv.Atoi(all[shardsSetting])
		if err == nil && len(all) != shards+len(searchLimits)+3 {
			err = client.ErrResponse // a primary is just taking over
		}
		return err
	})
	return all, err
}
