package edge

import (
	"bytes"
	"container/list"
	"crypto/tls"
	"net"
	"time"
)

// conn is a connection of a Listener. It waits for a request from its beginning, and from when the server reads again after a
// response; no more when a request has come whole.
type conn struct {
	net.Conn
	raw net.Conn // below TLS: closing it writes nothing, and so never waits for the client
	of  *Listener

	// of.mu guards these.
	element  *list.Element // in a list of those that wait; nil while it does not
	in       *list.List
	since    time.Time // it waits
	received bool      // something of what it waits for came
	dropped  bool      // the listener closed it while it waited
	left     bool      // it is closed
	until    time.Time // the server waits for what comes

	read    int64  // bytes that the server got
	bare    int64  // how many of them there were at the end of the last bare LF
	last    byte   // of them
	early   []byte // came while nobody read
	gathers bool
	held    []byte // what was gathered
}

func (c *conn) Read(b []byte) (n int, err error) {
	c.of.waits(c)
	if c.inBareHead(len(b)) {
		return 0, ErrMalformed
	}
	if n, err = c.receive(b); n == 0 && c.of.looksAgain(c, err) {
		n, err = c.Conn.Read(b)
	}
	if n > 0 && !c.of.received(c) {
		return 0, net.ErrClosed
	}
	c.note(b[:n])
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
	l.wait(c, l.idle)
	l.hasRoom()
	if l.draining.Load() {
		c.linger(lingerTime)
	}
}

// received notes that something came on c. It returns false if c was closed before: then it must not be processed, since
// no response would arrive.
func (l *Listener) received(c *conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !c.received && l.draining.Load() {
		_ = c.Conn.SetReadDeadline(c.until)
	}
	c.received = true
	return !c.dropped
}

// note keeps where the last line ended that has no CR.
func (c *conn) note(b []byte) {
	for end := len(b); end > 0; {
		end = bytes.LastIndexByte(b[:end], '\n')
		if end > 0 && b[end-1] != '\r' || end == 0 && c.last != '\r' {
			c.bare = c.read + int64(end) + 1
			break
		}
	}
	if c.read += int64(len(b)); len(b) > 0 {
		c.last = b[len(b)-1]
	}
}

// inBareHead reports whether the server has the beginning of a head with a bare LF in it, and wants to have more of it,
// into so many bytes. It would wait for an end with CRs, which may never come. What it holds of a head that is not whole
// stays at the beginning of its buffer; for everything else it has the whole buffer free, or a larger one.
func (c *conn) inBareHead(free int) bool {
	begun := int64(headBytes - free)
	return 0 < begun && begun <= c.read && c.bare > c.read-begun
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
	c.of.mu.Lock()
	c.of.leave(c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// tlsConn is a conn that the HTTP server knows to be TLS by its methods.
type tlsConn struct {
	*conn
	secure *tls.Conn
}

func (c *tlsConn) Handshake() error                     { return c.secure.Handshake() }
func (c *tlsConn) ConnectionState() tls.ConnectionState { return c.secure.ConnectionState() }
