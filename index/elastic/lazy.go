package elastic

import (
	"context"
	"sync/atomic"
)

// lazy is a value that is computed when it is first asked for, by one caller at a time, and then kept. A failure is not
// kept: the next caller tries again, with its own context.
type lazy[T any] struct {
	value atomic.Pointer[T]
	gate  chan struct{} // holds one while somebody computes
}

func newLazy[T any]() lazy[T] { return lazy[T]{gate: make(chan struct{}, 1)} }

func (l *lazy[T]) get(ctx context.Context, compute func(context.Context) (T, error)) (T, error) {
	if v := l.value.Load(); v != nil {
		return *v, nil
	}
	var none T
	select {
	case l.gate <- struct{}{}:
		defer func() { <-l.gate }()
	case <-ctx.Done():
		return none, transportError(ctx, ctx.Err())
	}
	if v := l.value.Load(); v != nil {
		return *v, nil
	}
	v, err := compute(ctx)
	if err != nil {
		return none, err
	}
	l.value.Store(&v)
	return v, nil
}
