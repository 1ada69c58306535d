// Package batch sends concurrent calls to one server together: it decides which calls go alone,
// which wait for the next batch, and when that is sent. It knows no server. It refuses to hold a
// caller longer than its context lasts, and to send anything twice.
//
// # Design
//
// A call alone costs a write and a read on either side, and the time until the other side wakes up.
// If many calls are in progress, that is most of the work, and they can share it. Up to a
// threshold, which depends on the server, a call that waits for others only loses time. So a call
// goes alone while no more than that are in progress. Any other call waits for the batch in
// progress, and goes with the next one, with all that came until then: the busier the server, the
// larger the batches, and nothing waits for a clock.
//
// A batch without results after lateTime holds up no other: the next one is sent. So a
// dead connection fails only the calls that went there.
//
// A caller whose context ends leaves, and the others of its batch stay. Its call is not sent,
// unless it has been. That is why go-redis's AutoPipeline is not used: it runs a queued command in
// a context of its own, so that a request's deadline is forgotten and an admission may be counted
// after its caller was refused (v9.23.0, autopipeline.go; it calls itself experimental).
package batch

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"
)

const (
	// most is how many calls are a batch. They wait for the last one: in Redis for about 3 ms.
	most = 128
	// lateTime is much longer than a server takes for a batch that is well.
	lateTime = 100 * time.Millisecond
)

// Group sends calls to one server. It is safe for concurrent use.
type Group[T comparable] struct {
	send  func(ctx context.Context, calls []T)
	limit time.Duration
	alone int // calls in progress that go alone

	mu         sync.Mutex
	inProgress int         // calls, from the beginning to the end of Do
	waiting    []*batch[T] // the next one first; the last one collects
	sender     *sender     // sends them, one after the other; nil: nothing waits, or the sender is late
}

// sender is a goroutine that sends batches.
type sender struct{ late *time.Timer }

type batch[T comparable] struct {
	calls []T
	sent  bool
	done  chan struct{} // closed when all calls have their results
	err   error         // that came instead of results
}

// New returns a group whose calls go through send, which keeps the result of each in the call
// itself. A call goes alone, with the context of its caller, while no more than that number are in
// progress; those of a batch have one that ends after limit.
func New[T comparable](alone int, limit time.Duration, send func(ctx context.Context, calls []T)) *Group[T] {
	return &Group[T]{send: send, limit: limit, alone: alone}
}

// Do sends a call, alone or with others, and returns when it has its result. An error says that it
// has none: after the end of ctx it may have been sent, and must not be looked at.
func (g *Group[T]) Do(ctx context.Context, call T) error {
	b := g.join(call)
	defer g.leave()
	if b == nil {
		g.send(ctx, []T{call})
		return nil
	}
	select {
	case <-b.done:
		return b.err
	case <-ctx.Done():
		g.withdraw(b, call)
		return context.Cause(ctx)
	}
}

// join returns the batch that call goes with, nil if it goes alone.
func (g *Group[T]) join(call T) *batch[T] {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.inProgress++; g.inProgress <= g.alone {
		return nil
	}
	if n := len(g.waiting); n == 0 || len(g.waiting[n-1].calls) == most {
		g.waiting = append(g.waiting, &batch[T]{done: make(chan struct{})})
	}
	b := g.waiting[len(g.waiting)-1]
	b.calls = append(b.calls, call)
	g.begin()
	return b
}

func (g *Group[T]) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inProgress--
}

func (g *Group[T]) withdraw(b *batch[T], call T) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !b.sent {
		i := slices.Index(b.calls, call)
		b.calls = slices.Delete(b.calls, i, i+1)
	}
}

// begin starts a sender of the waiting calls.
func (g *Group[T]) begin() {
	if g.sender != nil || len(g.waiting) == 0 {
		return
	}
	s := &sender{}
	s.late = time.AfterFunc(lateTime, func() { g.pass(s) })
	g.sender = s
	go func() {
		defer s.late.Stop()
		for b := g.take(s); b != nil; b = g.take(s) {
			g.run(b)
		}
	}()
}

// pass lets another sender begin while s, which is late, finishes its batch and ends.
func (g *Group[T]) pass(s *sender) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.sender == s {
		g.sender = nil
		g.begin()
	}
}

// take returns the next batch for s, nil if there is none.
func (g *Group[T]) take(s *sender) *batch[T] {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.sender != s {
		return nil
	}
	if len(g.waiting) == 0 {
		g.sender = nil
		return nil
	}
	b := g.waiting[0]
	g.waiting = slices.Delete(g.waiting, 0, 1)
	b.sent = true
	s.late.Reset(lateTime)
	return b
}

func (g *Group[T]) run(b *batch[T]) {
	defer close(b.done)
	defer func() { // the recovery of a caller does not reach this goroutine
		if p := recover(); p != nil {
			b.err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	if len(b.calls) == 0 {
		return // all have left
	}
	ctx, cancel := context.WithTimeout(context.Background(), g.limit)
	defer cancel()
	g.send(ctx, b.calls)
}
