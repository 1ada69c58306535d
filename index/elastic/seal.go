package elastic

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"filings/index/generation"
)

// Seal waits for all writes, forbids further ones, merges, counts what the generation holds, and lets check look at it.
// It returns as soon as the generation can be searched: copies of its shards may still be made, on nodes that may not
// be there.
func (b *build) Seal(ctx context.Context, check generation.Check) (generation.Checksum, error) {
	tally, err := b.seal(ctx, check)
	if err != nil {
		return generation.Checksum{}, fmt.Errorf("sealing %s: %w", b.name, b.lock.explain(ctx, err))
	}
	return tally, nil
}

func (b *build) seal(ctx context.Context, check generation.Check) (generation.Checksum, error) {
	if err := b.bulk.finish(ctx); err != nil {
		return generation.Checksum{}, err
	}
	if err := b.settle(ctx); err != nil {
		return generation.Checksum{}, err
	}
	r := newReader(b.store.c, b.name)
	tally, owners, err := b.count(ctx, r)
	if err != nil {
		return generation.Checksum{}, err
	}
	if check != nil {
		r.owners.value.Store(&owners) // which a reader else reads from the meta that is not there yet
		if err := check(ctx, r, tally); err != nil {
			return generation.Checksum{}, err
		}
	}
	return tally, b.writeMeta(ctx, meta{
		Sealed: true, Generation: b.name, Filings: tally.Filings, Owners: owners, Writes: b.bulk.version,
	})
}

// count counts what the generation holds, and its different owners.
func (b *build) count(ctx context.Context, r *reader) (tally generation.Checksum, owners int64, err error) {
	err = b.store.persist(ctx, mergeTime, func(ctx context.Context) error {
		if tally, err = r.tally(ctx); err != nil {
			return err
		}
		owners, err = r.countOwners(ctx)
		return err
	})
	return tally, owners, err
}

// settle turns what was written into what will be searched. Copies are made last: of merged segments, once.
func (b *build) settle(ctx context.Context) error {
	settings, err := json.Marshal(map[string]any{"index": map[string]any{
		"number_of_replicas": b.store.replicas, "refresh_interval": nil, "gc_deletes": nil,
	}})
	if err != nil {
		return err
	}
	steps := []struct {
		method, path string
		query        url.Values
		body         []byte
	}{
		// Elasticsearch confirms the block when writes that were under way have ended.
		{http.MethodPut, "/_block/write", nil, nil},
		{http.MethodPost, "/_forcemerge", b.merging(), nil},
		{http.MethodPost, "/_refresh", nil, nil},
		{http.MethodPut, "/_settings", nil, settings},
	}
	for _, step := range steps {
		if err := b.store.send(ctx, mergeTime, step.method, "/"+b.name+step.path, step.query, step.body); err != nil {
			return err
		}
	}
	return nil
}

// merging says how far segments are merged. Of a new generation one is left in each shard: for half a million filings
// that takes about eight seconds longer than to leave five, and then the first deep page takes 35 ms instead of 280:
// counting by code needs no table across segments. A copy shares the files of its source, and merging everything would
// write them anew for a few changes: only what is mostly deleted is, and Elasticsearch's own merging keeps the segments
// of the changes few.
func (b *build) merging() url.Values {
	if b.from != "" {
		return url.Values{"only_expunge_deletes": {"true"}}
	}
	return url.Values{"max_num_segments": {"1"}}
}

// writeMeta seals the generation, unless the lock was lost: such a load must leave nothing behind that looks like a
// choice for a rollback. What is missing in a mapping request stays as it is, but `_meta` is replaced as a whole.
func (b *build) writeMeta(ctx context.Context, m meta) error {
	body, err := json.Marshal(map[string]any{"_meta": m})
	if err != nil {
		return err
	}
	return b.store.persist(ctx, requestTime, func(ctx context.Context) error {
		if err := b.lock.mustHold(ctx); err != nil {
			return err
		}
		_, err := b.store.c.do(ctx, http.MethodPut, "/"+b.name+"/_mapping", nil, body)
		return err
	})
}
