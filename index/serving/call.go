package serving

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"filings/index"
	"filings/index/limit"
)

// request is one call of a Reader's method.
type request[T any] struct {
	call string // the method, as metrics name it
	kind string // calls of a kind last about as long; "": all of the method do
	text string // canonical: requests of the same text have the same response; "": it is not cached
	run  func(context.Context) (T, error)

	find func() (T, bool) // in the cache; nil: it is not cached
	keep func(T)          // in the cache; nil: it is not cached
}

// called calls the engine when it is the turn of r's account, unless the breaker refuses it, or the
// response is cached by then: another account's call may have been the same.
func called[T any](ctx context.Context, r *Reader, q request[T]) (v T, err error) {
	e := r.engine
	if err := e.breaker.Refuses(); err != nil {
		return v, err
	}
	slot, err := e.limit.Acquire(ctx, r.Account, cmp.Or(q.kind, q.call), r)
	if q.find != nil {
		if v, ok := q.find(); ok {
			if err == nil {
				slot.Release()
			}
			return v, nil
		}
	}
	if err != nil {
		return v, e.refusal(r, err)
	}
	r.computes.Store(true)
	call := func(ctx context.Context) (T, error) { return calledNow(ctx, r, q) }
	if slot.IsLong() {
		return detached(ctx, slot, call)
	}
	defer slot.Release()
	return call(ctx)
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
	if err = cmp.Or(err, failed); err == nil {
		err = r.Withdrawn(ctx)
	}
	if err == nil && q.keep != nil {
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

// looked makes a call that the engine mostly answers by its last look at its generations. So it
// waits for no turn, and tells the breaker of an outage, but not of its end.
func looked[T any](ctx context.Context, e *Engine, call string, run func(context.Context) (T, error)) (v T, err error) {
	var failed error
	err = e.breaker.DoCached(ctx, func(ctx context.Context) error {
		v, failed = timed(ctx, e, call, run)
		return outage(failed)
	})
	return v, cmp.Or(err, failed)
}
