package cached

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
)

// flights runs equal calls once. It differs from x/sync's singleflight in whose context counts: the call belongs to
// nobody who waits for it. It goes on when one of them gives up, and ends when the last one has.
type flights struct {
	mu    sync.Mutex
	under map[string]*flight
}

// flight is one call that is under way.
type flight struct {
	waiting int // guarded by flights.mu
	cancel  context.CancelCauseFunc
	done    chan struct{} // closed when value and err are set
	value   any
	err     error
}

// do returns what f returns, run by this caller or by another one with the same key that came before; then joined is
// true. A caller whose context ends gets its error at once.
func (g *flights) do(ctx context.Context, key string, f func(context.Context) (any, error)) (value any, joined bool, err error) {
	c, joined := g.join(ctx, key, f)
	select {
	case <-c.done:
		g.leave(key, c, nil)
		return c.value, joined, c.err
	case <-ctx.Done():
		g.leave(key, c, ctx.Err())
		return nil, joined, ctx.Err()
	}
}

func (g *flights) join(ctx context.Context, key string, f func(context.Context) (any, error)) (c *flight, joined bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c, joined = g.under[key]; joined {
		c.waiting++
		return c, true
	}
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	c = &flight{waiting: 1, cancel: cancel, done: make(chan struct{})}
	if g.under == nil {
		g.under = map[string]*flight{}
	}
	g.under[key] = c
	go g.run(ctx, key, c, f)
	return c, false
}

// run is the call. A panic becomes an error: on this goroutine it would end the process, on the request's it is caught.
func (g *flights) run(ctx context.Context, key string, c *flight, f func(context.Context) (any, error)) {
	defer func() {
		if p := recover(); p != nil {
			c.err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
		g.mu.Lock()
		g.forget(key, c)
		g.mu.Unlock()
		close(c.done)
	}()
	c.value, c.err = f(ctx)
}

// leave is said by each caller when it has its answer, or wants none any more for that cause. The last one ends the call,
// and makes sure that nobody joins a call that is ending. Its cause is the call's: that the time was over tells of a
// server that does not answer, that the caller went away does not.
func (g *flights) leave(key string, c *flight, cause error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c.waiting--; c.waiting == 0 {
		g.forget(key, c)
		c.cancel(cause)
	}
}

func (g *flights) forget(key string, c *flight) {
	if g.under[key] == c {
		delete(g.under, key)
	}
}
