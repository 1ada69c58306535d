package edge

import (
	"context"
	"time"

	"github.com/valyala/fasthttp"
)

// A client that keeps its connection may be sending a request at the moment at which the service
// stops. So a connection that waits does so for a second more: the request is answered, with
// Connection: close. Many clients need a round trip and a moment. One more look counts to it: a
// busy machine may notice the end of a second before a request that came in it.
const (
	lookTime   = 50 * time.Millisecond
	lingerTime = time.Second + lookTime
)

// Shutdown accepts no more connections, lets each have a last request, and waits until all are
// closed or ctx ends, with its error.
func (l *Listener) Shutdown(ctx context.Context) error {
	err := l.closing()
	l.draining.Store(true)
	look := time.NewTicker(lookTime)
	defer look.Stop()
	for began := time.Now(); l.Figures().Open > 0; {
		select {
		case <-l.room:
		case <-look.C:
			l.dropSilent(began)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return err
}

// dropSilent drops the connections on which nothing has come for lingerTime, since they began to wait or began.
func (l *Listener) dropSilent(began time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dropIf(func(c *conn) bool { return min(time.Since(began), time.Since(c.idleSince)) >= lingerTime })
}

// answers makes server tell a Listener when it begins to answer a request, and say Connection:
// close once it shuts down.
func answers(server *fasthttp.Server) {
	handle := server.Handler
	server.Handler = func(c *fasthttp.RequestCtx) {
		arrival, tracked := c.Conn().(interface{ answered() *conn })
		if !tracked {
			handle(c)
			return
		}
		connection := arrival.answered()
		if connection == nil {
			c.SetConnectionClose()
			return
		}
		handle(c)
		if connection.listener.draining.Load() {
			c.SetConnectionClose()
		}
	}
}

// answered notes that a request has come whole, and returns c, or nil if it was closed before: no
// response would arrive.
func (c *conn) answered() *conn {
	c.listener.mu.Lock()
	defer c.listener.mu.Unlock()
	c.listener.unlist(c)
	c.fresh = false
	if c.dropped {
		return nil
	}
	return c
}
