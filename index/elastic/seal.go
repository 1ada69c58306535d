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

// Seal waits for all writes, forbids further ones, merges, counts what the generation holds, and lets check look at it.
// It returns as soon as the generation can be searched: copies of its shards may still be made, on nodes that may not
// be there.
func (b *build) Seal(ctx context.Context, check index.Check) (index.Tally, error) {
	tally, err := b.seal(ctx, check)
	if err != nil {
		return index.Tally{}, fmt.Errorf("sealing %s: %w", b.name, b.lock.explain(ctx, err))
	}
	return tally, nil
}

func (b *build) seal(ctx context.Context, check index.Check) (index.Tally, error) {
	if err := b.bulk.finish(ctx); err != nil {
		return index.Tally{}, err
	}
	if err := b.settle(ctx); err != nil {
		return index.Tally{}, err
	}
	r := newReader(b.store.c, b.name)
	tally, owners, err := b.count(ctx, r)
	if err != nil {
		return index.Tally{}, err
	}
	if check != nil {
		r.owners.value.Store(&owners) // which a reader else reads from the meta that is not there yet
		if err := check(ctx, r, tally); err != nil {
			return index.Tally{}, err
		}
	}
	return tally, b.writeMeta(ctx, meta{
		Sealed: true, Generation: b.name, Filings: tally.Filings, Owners: owners, Writes: b.bulk.version,
	})
}

// count counts what the generation holds, and its different owners.
func (b *build) count(ctx context.Context, r *reader) (tally index.Tally, owners int64, err error) {
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

// segments are left in each shard. Merging half a million filings into one takes ten seconds longer than into five, and
// then the first deep page in each order takes 35 ms instead of 280: counting by code needs no table across segments.
const segments = 1

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
