package serving

import (
	"context"
	"errors"
	"fmt"
	"time"

	"filings/index"
	"filings/index/cache"
	"filings/index/limit"
)

// do returns the response to q: the cached one, that of its account's equal request, or a new one.
func do[T any](ctx context.Context, r *Reader, q request[T]) (v T, err error) {
	if v, ok := peek[T](r, q.text); ok {
		return v, nil
	}
	e, began := r.engine, time.Now()
	compute := func(ctx context.Context) (T, error) { return called(ctx, r, q) }
	if !r.caches || q.text == "" {
		v, err = compute(ctx)
		r.missed(began)
		return v, r.failed(err, false)
	}
	key, hit, joined := r.key(q.text), false, false
	q.keep = func(v T) { cache.Set(e.cache, key, v, cache.SizeOf(v)) }
	q.find = func() (v T, ok bool) {
		v, hit = cache.Peek[T](e.cache, key)
		return v, hit
	}
	if v, joined, err = cache.Share(ctx, e.cache, r.Account, key, compute); joined || hit {
		r.hit()
	} else {
		r.missed(began)
		e.misses.Add(1)
	}
	return v, r.failed(err, joined)
}

// failed returns the error of a call for r's client: index.ErrClientGone if that left before
// anything was computed for it, and index.ErrSpent if it has to count for the time that is over, as
// whoever joined a call of its own account does.
func (r *Reader) failed(err error, joined bool) error {
	if r.Left() {
		return index.ErrClientGone
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	var refused *limit.Refused
	if joined || r.computes.Load() || errors.As(err, &refused) && refused.Owed {
		err = fmt.Errorf("%w: %w", index.ErrSpent, err)
	}
	return err
}

// peek returns the cached response to the request with a text.
func peek[T any](r *Reader, text string) (v T, ok bool) {
	if !r.caches || text == "" {
		return v, false
	}
	if v, ok = cache.Peek[T](r.engine.cache, r.key(text)); ok {
		r.hit()
	}
	return v, ok
}

// cached returns the result of create for the generation, from the cache if it is there.
func cached[V any](ctx context.Context, r *Reader, text string, create func(context.Context) (V, int, error)) (v V,
	err error) {
	if r.caches {
		v, _, err = cache.Get(ctx, r.engine.cache, r.key(text), create)
	} else {
		v, _, err = create(ctx)
	}
	return v, err
}

func (r *Reader) key(text string) cache.Key {
	return cache.Key{Space: r.inner.Generation(), Text: text}
}

func (r *Reader) hit() {
	r.hits.Add(1)
	r.engine.hits.Add(1)
}

// missed counts a call that began at that time.
func (r *Reader) missed(began time.Time) {
	r.took.Add(int64(time.Since(began)))
	r.misses.Add(1)
}
