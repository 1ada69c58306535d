package elastic

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"filings/index"
)

// Seal waits for all writes, forbids further ones, merges, and counts what the generation holds. It returns as soon as
// the generation can be searched: copies of its shards may still be made, on nodes that may not be there.
func (b *build) Seal(ctx context.Context) (index.Tally, error) {
	tally, err := b.seal(ctx)
	if err != nil {
		return index.Tally{}, fmt.Errorf("sealing %s: %w", b.name, b.lock.explain(ctx, err))
	}
	return tally, nil
}

func (b *build) seal(ctx context.Context) (index.Tally, error) {
	if err := b.bulk.finish(ctx); err != nil {
		return index.Tally{}, err
	}
	if err := b.settle(ctx); err != nil {
		return index.Tally{}, err
	}
	m := meta{Sealed: true, Generation: b.name, Writes: b.bulk.version}
	tally, err := b.count(ctx, &m)
	if err != nil {
		return index.Tally{}, err
	}
	return tally, b.writeMeta(ctx, m)
}

// count counts what the generation holds, and makes sure that it still is this load's. A load that lost its lock must
// leave nothing behind that looks like a choice for a rollback.
func (b *build) count(ctx context.Context, m *meta) (tally index.Tally, err error) {
	err = b.store.persist(ctx, mergeTime, func(ctx context.Context) error {
		r := newReader(b.store.c, b.name)
		if tally, err = r.tally(ctx); err != nil {
			return err
		}
		if m.Owners, err = r.countOwners(ctx); err != nil {
			return err
		}
		held, err := b.lock.isHeld(ctx)
		if err == nil && !held {
			err = index.ErrLockLost
		}
		return err
	})
	m.Filings = tally.Filings
	return tally, err
}

// settle turns what was written into what will be searched. Copies are made last: of merged segments, once.
func (b *build) settle(ctx context.Context) error {
	settings, err := json.Marshal(map[string]any{"index": map[string]any{
		"number_of_replicas": b.store.replicas, "refresh_interval": nil, "translog.durability": nil, "gc_deletes": nil,
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
		{http.MethodPost, "/_forcemerge", url.Values{"max_num_segments": {strconv.Itoa(segments)}}, nil},
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

// segments are left in each shard.
const segments = 1

// writeMeta replaces the generation's meta. What is missing in a mapping request stays as it is, but `_meta` is one
// value.
func (b *build) writeMeta(ctx context.Context, m meta) error {
	body, err := json.Marshal(map[string]any{"_meta": m})
	if err != nil {
		return err
	}
	return b.store.send(ctx, requestTime, http.MethodPut, "/"+b.name+"/_mapping", nil, body)
}
