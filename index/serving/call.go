package serving

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
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
}

// do returns the response to q: a cached one, that of an equal request in progress, or the engine's.
func do[T any](ctx context.Context, r *Reader, q request[T]) (T, error) {
	e := r.engine
	if !r.caches || q.text == "" {
		turn := e.limit.Join(r.Account, cmp.Or(q.kind, q.call), "")
		defer turn.Leave(r.Account)
		defer r.missed(time.Now())
		v, err := called(ctx, e, r, turn, q)
		return v, r.spent(turn, err)
	}
	key := r.key(q.text)
	if v, ok := cache.Peek[T](e.cache, key); ok {
		r.hit()
		return v, nil
	}
	began := time.Now()
	turn := e.limit.Join(r.Account, cmp.Or(q.kind, q.call), key.Space+" "+key.Text)
	defer turn.Leave(r.Account)
	v, hit, err := cache.Get(ctx, e.cache, key, func(ctx context.Context) (T, int, error) {
		v, err := called(ctx, e, r, turn, q)
		if err != nil {
			return v, 0, err
		}
		return v, cache.SizeOf(v), nil
	})
	if hit {
		r.hit()
	} else {
		r.missed(began)
		e.misses.Add(1)
	}
	if hit || r.left.Load() { // it waited for another's call, or made one for others alone
		err = cmp.Or(r.Left(), err)
	}
	return v, r.spent(turn, err)
}

// spent returns err as index.ErrSpent where r's client has to count for the time that is over.
func (r *Reader) spent(turn *limit.Call, err error) error {
	if errors.Is(err, context.DeadlineExceeded) && (r.computes.Load() || turn.Owes(r.Account)) {
		return fmt.Errorf("%w: %w", index.ErrSpent, err)
	}
	return err
}

// called calls the engine, of which r is a Reader or nil, when it is turn's turn, unless the breaker refuses it.
func called[T any](ctx context.Context, e *Engine, r *Reader, turn *limit.Call, q request[T]) (v T, err error) {
	if err := e.breaker.Refuses(); err != nil {
		return v, err
	}
	if err := e.acquire(ctx, turn, r); err != nil {
		return v, err
	}
	if turn.IsLong() {
		return detached(ctx, turn, func(ctx context.Context) (T, error) { return calledNow(ctx, e, r, q) })
	}
	defer turn.Release()
	return calledNow(ctx, e, r, q)
}

// calledNow calls the engine, of which r is a Reader or nil.
func calledNow[T any](ctx context.Context, e *Engine, r *Reader, q request[T]) (v T, err error) {
	var failed error
	err = e.breaker.Do(ctx, func(ctx context.Context) error {
		v, failed = timed(ctx, e, q.call, q.run)
		return outage(failed)
	})
	if r != nil {
		e.noteDamage(r.inner, failed)
		failed = cmp.Or(failed, r.Withdrawn(ctx))
	}
	return v, cmp.Or(err, failed)
}

// detached makes a long call, whose caller gets an error when its time is over. The slot is taken until the engine has ended the call.
func detached[T any](ctx context.Context, turn *limit.Call, call func(context.Context) (T, error)) (T, error) {
	type result struct {
		v   T
		err error
	}
	results := make(chan result, 1)
	go func() {
		var of result
		defer func() { results <- of }()
		defer recovered(&of.err)
		of.v, of.err = call(index.Detach(ctx))
	}()
	select {
	case of := <-results:
		turn.Release()
		return of.v, of.err
	case <-ctx.Done():
		release := turn.Detach()
		go func() {
			<-results
			release()
		}()
		var none T
		return none, fmt.Errorf("the engine has not ended the call: %w: %w", index.ErrUnavailable, context.Cause(ctx))
	}
}

// acquire waits for the turn of a call of r, which may be nil. That it does not come in time is no failure of the engine.
func (e *Engine) acquire(ctx context.Context, turn *limit.Call, r *Reader) error {
	share, err := turn.Acquire(ctx, r)
	if err == nil {
		if r != nil && !r.left.Load() {
			r.computes.Store(true)
		}
		return nil
	}
	if left := r.Left(); left != nil {
		return left
	}
	reason, text := "all", "all calls at once are in use"
	if share {
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

// recovered makes a panic on a goroutine of our own an error: the recovery of a request does not reach there.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
	}
}
