package indextest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"filings/index"
	"filings/index/generation"
)

// Load makes filings the live generation of store, as a load does: lock, begin, put, seal, compare the checksum, promote,
// release. It returns the generation's name. The filings may be one Filing that is reused; slices.Values gives those of a
// slice.
func Load(ctx context.Context, store generation.Store, filings iter.Seq[*index.Filing]) (name string, err error) {
	lock, err := store.Lock(ctx, generation.Run{Holder: "indextest", Started: time.Now().UTC(), Phase: "loading"})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, lock.Release(ctx)) }()
	if name, err = build(ctx, lock, "", filings); err != nil {
		return "", err
	}
	live, err := LiveName(ctx, store)
	if err != nil {
		return "", err
	}
	return name, lock.Promote(ctx, live, name)
}

// build puts filings into a new generation and seals it. Its checksum is compared if it was not begun from another one.
func build(ctx context.Context, lock generation.Lock, from string, filings iter.Seq[*index.Filing]) (string, error) {
	b, err := lock.Begin(ctx, from)
	if err != nil {
		return "", err
	}
	want := generation.NewChecksum()
	for f := range filings {
		if err := b.Put(ctx, f); err != nil {
			return "", errors.Join(err, b.Abort(ctx))
		}
		want.Add(f)
	}
	got, err := b.Seal(ctx, nil)
	if err != nil {
		return "", errors.Join(err, b.Abort(ctx))
	}
	if diff := want.Diff(got); from == "" && diff != nil {
		return "", fmt.Errorf("%s holds something else than was put: %q", b.Generation(), diff)
	}
	return b.Generation(), nil
}

// LiveName returns the name of the live generation, "" for none. Unlike Live it is never a second late.
func LiveName(ctx context.Context, store generation.Store) (string, error) {
	all, err := store.Generations(ctx)
	if err != nil {
		return "", err
	}
	for _, g := range all {
		if g.Live {
			return g.Name, nil
		}
	}
	return "", nil
}
