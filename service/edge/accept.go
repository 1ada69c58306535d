package edge

import (
	"crypto/tls"
	"errors"
	"net"
	"slices"
	"syscall"
	"time"
)

// sendBuffer is how many bytes the kernel keeps for a client that does not read. Linux takes twice
// as many, and would take megabytes by itself: dozens of pages for nobody. It holds any page whole.
const sendBuffer = 128 << 10

// A system that has no descriptor or no memory for a connection may have it a moment later:
// accepting pauses so long, and twice as long each time, up to a second.
const (
	firstPause = 5 * time.Millisecond
	lastPause  = time.Second
)

// Accept implements net.Listener. It waits while the system has no descriptors, and while all connections are busy.
func (l *Listener) Accept() (net.Conn, error) {
	accepted, err := l.accept()
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: accepted, listener: l, fresh: true}
	secure, isTLS := accepted.(*tls.Conn)
	if isTLS {
		accepted = secure.NetConn()
	}
	c.raw = accepted
	if inner, ok := accepted.(*handshaking); ok {
		accepted = inner.Conn
	}
	c.socket, _ = accepted.(syscall.Conn)
	if tcp, ok := accepted.(*net.TCPConn); ok {
		_ = tcp.SetWriteBuffer(sendBuffer) // else it is as large as the kernel likes
	}
	if !l.enter(c) {
		_ = c.raw.Close()
		return nil, net.ErrClosed
	}
	if isTLS {
		return &tlsConn{c, secure}, nil
	}
	return c, nil
}

// accept waits out errors that pass: the HTTP server would end at any, and the process with it.
func (l *Listener) accept() (net.Conn, error) {
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		c, err := l.Listener.Accept()
		if err == nil || !passes(err) {
			return c, err
		}
		l.mu.Lock()
		l.figures.Refused++
		l.mu.Unlock()
		select {
		case <-l.ended:
			return nil, net.ErrClosed
		case <-time.After(pause):
		}
	}
}

// passes reports whether accepting may succeed later, as accept(2) has it.
func passes(err error) bool {
	temporary := []error{syscall.EMFILE, syscall.ENFILE, syscall.ECONNABORTED, syscall.ENOBUFS, syscall.ENOMEM}
	return slices.ContainsFunc(temporary, func(kind error) bool { return errors.Is(err, kind) })
}

// Close implements net.Listener. It closes the connections on which nothing came, too: nobody waits
// for a response there.
func (l *Listener) Close() error {
	err := l.closing()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dropIf(func(c *conn) bool { return c.fresh })
	return err
}
