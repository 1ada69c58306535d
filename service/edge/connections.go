package edge

import (
	"crypto/tls"
	"net"
)

func (c *conn) Read(b []byte) (int, error) {
	c.listener.waits(c)
	n, err := c.receive(b)
	if n > 0 && !c.listener.received(c) {
		return 0, net.ErrClosed
	}
	return n, err
}

func (c *conn) receive(b []byte) (int, error) {
	if len(c.early) > 0 {
		n := copy(b, c.early)
		c.early = c.early[n:]
		return n, nil
	}
	return c.Conn.Read(b)
}

// waits notes that the server reads from c.
func (l *Listener) waits(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.element != nil || c.left {
		return
	}
	l.wait(c)
	l.hasRoom()
}

// received notes that something came on c. It returns false if c was closed before: then it must
// not be processed, since no response would arrive.
func (l *Listener) received(c *conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.received = true
	return !c.dropped
}

func (c *conn) Close() error {
	c.listener.mu.Lock()
	c.listener.leave(c)
	c.listener.mu.Unlock()
	return c.Conn.Close()
}

// tlsConn is a conn that the HTTP server knows to be TLS by its methods.
type tlsConn struct {
	*conn
	secure *tls.Conn
}

func (c *tlsConn) Handshake() error                     { return c.secure.Handshake() }
func (c *tlsConn) ConnectionState() tls.ConnectionState { return c.secure.ConnectionState() }
