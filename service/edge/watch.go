package edge

import (
	"context"
	"errors"
	"net"
	"os"
	"time"
)

// Watch returns a context that ends when the client of a connection of a Listener hangs up, or ctx
// does: for handlers that wait before they respond, while the HTTP server reads nothing. The caller
// must call stop before it returns to the server. The bytes that the client sends meanwhile, as the
// next request, are kept for then. Other connections are not watched.
func Watch(ctx context.Context, c net.Conn) (watched context.Context, stop func()) {
	w, ok := c.(interface{ await() error })
	if !ok {
		return ctx, func() {}
	}
	watched, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := w.await(); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			cancel()
		}
	}()
	return watched, func() {
		_ = c.SetReadDeadline(time.Unix(1, 0)) // ends await
		<-ended
		_ = c.SetReadDeadline(time.Time{}) // the server sets its own before it reads
		cancel()
	}
}

// await waits until something comes on c, which the next Read returns, or c fails.
func (c *conn) await() error {
	b := make([]byte, 1)
	n, err := c.Conn.Read(b) // the server does not read: c is busy
	c.early = b[:n]
	return err
}
