package serving

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"filings/index"
	"filings/index/cache"
	"filings/index/limit"
)

// request is one call of a Reader's method.
type request[T any] struct {
	call string // the method, as metrics name it
	kind string // calls of a kind last about as long; "": all of the method do
	text string // canonical: requests of the same text have the same response; "": it is not cached
	run  func(context.Context) (T, error)
	keep func(T) // caches the response; nil: it is not cached
}

// do returns the response to q: a cached one, that of an equal request of its account in progress, or the engine's.
func do[T any](ctx context.Context, r *Reader, q request[T]) (T, error) {
	e := r.engine
	if !r.caches || q.text == "" {
		began := time.Now()
		v, err := called(ctx, r, q, nothing[T])
		r.missed(began)
		return v, r.failed(err, false)
	}
	key := r.key(q.text)
	if v, ok := cache.Peek[T](e.cache, key); ok {
		r.hit()
		return v, nil
	}
	began, hit := time.Now(), false
	cached := func() (v T, ok bool) {
		v, hit = cache.Peek[T](e.cache, key)
		return v, hit
	}
	q.keep = func(v T) { cache.Set(e.cache, key, v, cache.SizeOf(v)) }
	v, joined, err := cache.Share(ctx, e.cache, r.Account, key, func(ctx context.Context) (T, error) {
		return called(ctx, r, q, cached)
	})
	if joined || hit {
		r.hit()
	} else {
		r.missed(began)
		e.misses.Add(1)
	}
	return v, r.failed(err, joined)
}

func nothing[T any]() (v T, cached bool) { return v, false }

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

// called calls the engine when it is the turn of r's account, unless the breaker refuses it, or
// cached has the response by then: another account's call may have been the same.
func called[T any](ctx context.Context, r *Reader, q request[T], cached func() (T, bool)) (v T, err error) {
	e := r.engine
	if err := e.breaker.Refuses(); err != nil {
		return v, err
	}
	slot, err := e.limit.Acquire(ctx, r.Account, cmp.Or(q.kind, q.call), r)
	if v, ok := cached(); ok {
		if err == nil {
			slot.Release()
		}
		return v, nil
	}
	if err != nil {
		return v, e.refusal(r, err)
	}
	r.computes.Store(true)
	if slot.IsLong() {
		return detached(ctx, slot, func(ctx context.Context) (T, error) { return calledNow(ctx, r, q) })
	}
	defer slot.Release()
	return calledNow(ctx, r, q)
}

// calledNow calls the engine, and keeps its response while the call has its slot: another account's
// equal call may get that next, and looks into the cache then.
func calledNow[T any](ctx context.Context, r *Reader, q request[T]) (v T, err error) {
	e := r.engine
	var failed error
	err = e.breaker.Do(ctx, func(ctx context.Context) error {
		v, failed = timed(ctx, e, q.call, q.run)
		return outage(failed)
	})
	e.noteDamage(r.inner, failed)
	if err = cmp.Or(err, failed, r.Withdrawn(ctx)); err == nil && q.keep != nil {
		q.keep(v)
	}
	return v, err
}

// detached makes a long call, whose caller gets an error when its time is over. The slot is taken
// until the engine has ended the call.
func detached[T any](ctx context.Context, slot *limit.Slot, call func(context.Context) (T, error)) (T, error) {
	type result struct {
		v   T
		err error
	}
	results := make(chan result, 1)
	go func() {
		var ended result
		defer func() { results <- ended }()
		defer index.Recovered(&ended.err)
		ended.v, ended.err = call(index.Detach(ctx))
	}()
	select {
	case ended := <-results:
		slot.Release()
		return ended.v, ended.err
	case <-ctx.Done():
		go func() {
			<-results
			slot.Release()
		}()
		var zero T
		return zero, fmt.Errorf("the engine has not ended the call: %w: %w", index.ErrUnavailable, context.Cause(ctx))
	}
}

// refusal is the error of a call of r that got no slot in time. That is no failure of the engine.
func (e *Engine) refusal(r *Reader, err error) error {
	if r.Left() {
		return index.ErrClientGone
	}
	reason, text := "all", "all calls at once are in use"
	var refused *limit.Refused
	if errors.As(err, &refused) && refused.Share {
		reason, text = "share", "its account's share of calls at once is in use"
	}
	e.refused.WithLabelValues(reason).Inc()
	return fmt.Errorf("waiting for the engine: %s: %w: %w", text, index.ErrUnavailable, err)
}

// timed calls the engine and observes how long that took, and how it ended.
func timed[T any](ctx context.Context, e *Engine, call string, run func(context.Context) (T, error)) (T, error) {
	began := time.Now()
	ctx, span := e.database.Start(ctx, call)
	v, err := run(ctx)
	outcome := e.outcome(ctx, began, err)
	e.calls.WithLabelValues(call, outcome).Observe(time.Since(began).Seconds())
	span.End(outcome)
	return v, err
}

func (e *Engine) outcome(ctx context.Context, began time.Time, err error) string {
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, index.ErrNotFound):
		return "not_found"
	case errors.Is(err, index.ErrGone):
		return "gone"
	case errors.Is(err, context.Canceled), errors.Is(context.Cause(ctx), context.Canceled):
		return "ended"
	case errors.Is(err, context.DeadlineExceeded):
		if time.Since(began) < e.enough {
			return "ended"
		}
		return "timeout"
	case errors.Is(err, index.ErrUnavailable):
		return "unavailable"
	}
	return "error"
}
