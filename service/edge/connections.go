package edge

import (
	"crypto/tls"
	"net"
	"sync"
	"time"
)

// A client that does not read what it asked for holds a response, and the service has no use for it. So many connections
// may wait for their clients to read; beyond that the one that has waited longest is closed, if it has for stuckTime, which
// no client needs that reads at all. A response of 100 filings is up to 150 kB.
const (
	maxStuck  = 256
	stuckTime = time.Second
)

// sendBuffer is how many bytes the kernel keeps for a client that does not read. Linux takes twice as many, and would take
// megabytes by itself: dozens of pages that were made for nobody. It holds any page whole.
const sendBuffer = 128 << 10

// Listener is a listener whose connections the service gets rid of when it must. Closing it closes those on which nothing
// ever came: nobody waits for a response there, and they must not hold up a service that stops.
type Listener struct {
	net.Listener
	mu      sync.Mutex
	closed  bool
	silent  map[*conn]struct{}  // on which nothing came yet
	writing map[*conn]time.Time // since when
}

// Listen wraps l.
func Listen(l net.Listener) *Listener {
	return &Listener{Listener: l, silent: map[*conn]struct{}{}, writing: map[*conn]time.Time{}}
}

// Accept implements net.Listener.
func (l *Listener) Accept() (net.Conn, error) {
	accepted, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: accepted, of: l}
	secure, isTLS := accepted.(*tls.Conn)
	if isTLS {
		accepted = secure.NetConn()
	}
	if below, ok := accepted.(*greeted); ok {
		accepted = below.Conn
	}
	if tcp, ok := accepted.(*net.TCPConn); ok {
		_ = tcp.SetWriteBuffer(sendBuffer) // else it is as large as the kernel likes
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		_ = c.Conn.Close()
		return nil, net.ErrClosed
	}
	l.silent[c] = struct{}{}
	if isTLS {
		return &tlsConn{c, secure}, nil
	}
	return c, nil
}

// Close implements net.Listener.
func (l *Listener) Close() error {
	err := l.Listener.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for c := range l.silent {
		c.dropped = true
		_ = c.Conn.Close()
	}
	return err
}

// heard notes that something came on c, or that it is closed. It returns false if Close was faster: then what came must not
// be answered, since no response would arrive.
func (l *Listener) heard(c *conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.silent, c)
	return !c.dropped
}

// begin notes that c begins to write, after it has closed those that are stuck if there are too many.
func (l *Listener) begin(c *conn) {
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.writing) >= maxStuck && l.closeStuck(now) {
	}
	l.writing[c] = now
}

// closeStuck closes the connection that has been writing longest, and reports whether there was one to close.
func (l *Listener) closeStuck(now time.Time) bool {
	var oldest *conn
	since := now
	for c, at := range l.writing {
		if at.Before(since) {
			oldest, since = c, at
		}
	}
	if now.Sub(since) < stuckTime {
		return false
	}
	delete(l.writing, oldest)
	_ = oldest.Conn.Close()
	return true
}

func (l *Listener) end(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.writing, c)
}

// conn is a connection of a Listener.
type conn struct {
	net.Conn
	of      *Listener
	known   bool   // something came
	dropped bool   // the listener closed it, as nothing had come
	early   []byte // came while nobody read
	gathers bool
	held    []byte // what was gathered
}

func (c *conn) Read(b []byte) (n int, err error) {
	if len(c.early) > 0 {
		n = copy(b, c.early)
		c.early = c.early[n:]
		return n, nil
	}
	if n, err = c.Conn.Read(b); n > 0 && !c.known {
		if c.known = true; !c.of.heard(c) {
			return 0, net.ErrClosed
		}
	}
	return n, err
}

func (c *conn) Write(b []byte) (int, error) {
	if !c.gathers {
		return c.send(b)
	}
	if len(c.held)+len(b) > gatherBytes {
		if err := c.flush(); err != nil {
			return 0, err
		}
	}
	c.held = append(c.held, b...)
	return len(b), nil
}

func (c *conn) send(b []byte) (int, error) {
	c.of.begin(c)
	defer c.of.end(c)
	return c.Conn.Write(b)
}

func (c *conn) flush() error {
	if len(c.held) == 0 {
		return nil
	}
	_, err := c.send(c.held)
	c.held = c.held[:0]
	return err
}

func (c *conn) Close() error {
	c.of.heard(c)
	return c.Conn.Close()
}

// tlsConn is a conn that the HTTP server knows to be TLS by its methods.
type tlsConn struct {
	*conn
	secure *tls.Conn
}

func (c *tlsConn) Handshake() error                     { return c.secure.Handshake() }
func (c *tlsConn) ConnectionState() tls.ConnectionState { return c.secure.ConnectionState() }
