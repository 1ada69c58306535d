package edge

import (
	"container/list"
	"context"
	"errors"
	"os"
	"time"

	"github.com/valyala/fasthttp"
)

// A client that keeps its connection may be sending a request at the moment at which the service stops. So a connection that
// waits does so for lingerTime more: the request is answered, with Connection: close. Many clients need a round trip
// and a moment. When that time is over, what has come on the connection is read all the same: on a busy machine the end of
// a time may be noticed before a request is that came earlier.
const (
	lingerTime = time.Second
	lookTime   = 50 * time.Millisecond
)

// Shutdown accepts no more connections, lets each have a last request, and waits until all are closed or ctx ends, with its
// error.
func (l *Listener) Shutdown(ctx context.Context) error {
	err := l.closing()
	l.drain()
	for l.Figures().Open > 0 {
		select {
		case <-l.room:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return err
}

func (l *Listener) drain() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.draining.Store(true)
	for _, waiting := range []*list.List{l.fresh, l.idle} {
		for e := waiting.Front(); e != nil; e = e.Next() {
			if c := e.Value.(*conn); !c.received {
				c.linger(lingerTime)
			}
		}
	}
}

// linger makes c wait so long at most.
func (c *conn) linger(d time.Duration) {
	_ = c.Conn.SetReadDeadline(time.Now().Add(d)) // an error is that of the next Read, too
}

// SetReadDeadline implements net.Conn. That of a connection that lingers stays as it is, until something has come.
func (c *conn) SetReadDeadline(t time.Time) error {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	if c.until = t; c.of.draining.Load() && c.element != nil && !c.received {
		return nil
	}
	return c.Conn.SetReadDeadline(t)
}

// looksAgain reports whether c lingered and its time is over: what has come meanwhile is still read.
func (l *Listener) looksAgain(c *conn, err error) bool {
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.draining.Load() || c.received || c.dropped {
		return false
	}
	c.linger(lookTime)
	return true
}

// answers makes server tell a Listener when it begins to answer a request, and say Connection: close once that is shut down.
func answers(server *fasthttp.Server) {
	handle := server.Handler
	server.Handler = func(c *fasthttp.RequestCtx) {
		on, ours := c.Conn().(interface{ answered() *conn })
		if !ours {
			handle(c)
			return
		}
		connection := on.answered()
		if connection == nil {
			c.SetConnectionClose()
			return
		}
		handle(c)
		if connection.of.draining.Load() {
			c.SetConnectionClose()
		}
	}
}

// answered notes that a request has come whole, and returns c, or nil if it was closed before: no response would arrive.
func (c *conn) answered() *conn {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.of.unlist(c)
	if c.dropped {
		return nil
	}
	return c
}
