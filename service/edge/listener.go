package edge

import (
	"container/list"
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// sendBuffer is how many bytes the kernel keeps for a client that does not read. Linux takes twice as many, and would take
// megabytes by itself: dozens of pages that were made for nobody. It holds any page whole.
const sendBuffer = 128 << 10

// A system that has no descriptor or no memory for a connection may have it a moment later: accepting pauses so long, and
// twice as long each time, up to a second.
const (
	firstPause = 5 * time.Millisecond
	lastPause  = time.Second
)

// Listener is a listener whose connections the service gets rid of when it must: there is a bound of them (bound.go), those
// whose clients do not read are few (stuck.go), and it is shut down without losing a request (shutdown.go).
type Listener struct {
	net.Listener
	closing func() error  // closes Listener once, and ended
	ended   chan struct{} // closed when no more connections are accepted
	room    chan struct{} // receives when a connection has ended or waits
	most    int

	draining atomic.Bool // each waiting connection may have a last request

	mu      sync.Mutex
	fresh   *list.List          // of connections that wait for their first request, the oldest in front
	idle    *list.List          // of connections that wait for another one, the one that has waited longest in front
	writing map[*conn]time.Time // since when
	figures Figures
}

// Figures are numbers of a Listener's connections.
type Figures struct {
	Open     int   // now
	MadeRoom int64 // closed for another one, at the bound
	Waited   int64 // that had to wait until another one ended or waited, at the bound
	Refused  int64 // times that the system had none, and accepting paused
}

// Listen wraps l. At most so many connections are open at once, one more while that one makes room for itself.
func Listen(l net.Listener, most int) *Listener {
	ended := make(chan struct{})
	return &Listener{
		Listener: l, most: most, ended: ended, room: make(chan struct{}, 1),
		closing: sync.OnceValue(func() error {
			close(ended)
			return l.Close()
		}),
		fresh: list.New(), idle: list.New(), writing: map[*conn]time.Time{},
	}
}

// Most returns how many connections may be open at once.
func (l *Listener) Most() int { return l.most }

// Figures returns what they are now.
func (l *Listener) Figures() Figures {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.figures
}

// Accept implements net.Listener. It waits while the system has no descriptors, and while all connections are busy.
func (l *Listener) Accept() (net.Conn, error) {
	accepted, err := l.accept()
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: accepted, of: l}
	secure, isTLS := accepted.(*tls.Conn)
	if isTLS {
		accepted = secure.NetConn()
	}
	c.raw = accepted
	if below, ok := accepted.(*handshaking); ok {
		accepted = below.Conn
	}
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

// accept waits out what passes: the HTTP server would end at any error, and the process with it.
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
	for _, one := range []error{syscall.EMFILE, syscall.ENFILE, syscall.ECONNABORTED, syscall.ENOBUFS, syscall.ENOMEM} {
		if errors.Is(err, one) {
			return true
		}
	}
	return false
}

// Close implements net.Listener. It closes the connections on which nothing came, too: nobody waits for a response there.
func (l *Listener) Close() error {
	err := l.closing()
	l.mu.Lock()
	defer l.mu.Unlock()
	for e := l.fresh.Front(); e != nil; {
		c := e.Value.(*conn)
		if e = e.Next(); !c.received {
			l.drop(c)
		}
	}
	return err
}
