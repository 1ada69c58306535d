package cache

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
)

// flights runs equal calls once at a time. It differs from x/sync's singleflight in that a call belongs to the request
// that makes it: it runs on its goroutine, with its context, so that no call goes on after its callers have left.
// Where that request ends too early, one of those that wait with it makes the call anew.
type flights struct {
	mu         sync.Mutex
	inProgress map[flightKey]*flight
}

// flightKey names a value, and the callers who share its creation.
type flightKey struct {
	group string
	value Key
}

// flight is one call in progress.
type flight struct {
	done  chan struct{} // closed when the rest is set
	value any
	err   error
	ended bool // it failed because its own request had ended or was given up, which is no failure of the others
}

// do returns the result of f, run by this caller, or by another one with the same key that came
// before; then joined is true. A caller whose context ends while it waits gets its error at once.
func (g *flights) do(
	ctx context.Context, key flightKey, f func(context.Context) (any, error),
) (value any, joined bool, err error) {
	for {
		c, joined := g.join(key)
		if !joined {
			g.run(ctx, key, c, f)
			return c.value, false, c.err
		}
		select {
		case <-c.done:
			if !c.ended {
				return c.value, true, c.err
			}
		case <-ctx.Done():
			return nil, true, ctx.Err()
		}
	}
}

func (g *flights) join(key flightKey) (c *flight, joined bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c, joined = g.inProgress[key]; joined {
		return c, true
	}
	if g.inProgress == nil {
		g.inProgress = map[flightKey]*flight{}
	}
	c = &flight{done: make(chan struct{})}
	g.inProgress[key] = c
	return c, false
}

// run is the call. A panic becomes an error, for those who wait too.
func (g *flights) run(ctx context.Context, key flightKey, c *flight, f func(context.Context) (any, error)) {
	defer func() {
		if p := recover(); p != nil {
			c.err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
		c.ended = c.err != nil && (ctx.Err() != nil || errors.Is(c.err, context.Canceled))
		g.mu.Lock()
		delete(g.inProgress, key)
		g.mu.Unlock()
		close(c.done)
	}()
	c.value, c.err = f(ctx)
}
