package edge

import (
	"container/list"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Listener is a listener whose connections the service gets rid of when it must: there is a bound
// of them (bound.go), those whose clients do not read are few (stuck.go), and it is shut down
// without losing a request (shutdown.go).
type Listener struct {
	net.Listener
	closing func() error  // closes Listener once, and ended
	ended   chan struct{} // closed when no more connections are accepted
	room    chan struct{} // receives when a connection has ended or waits
	most    int

	draining atomic.Bool // each waiting connection may have a last request

	mu      sync.Mutex
	waiting *list.List          // connections that wait for a request, the one that has waited longest in front
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
		waiting: list.New(), writing: map[*conn]time.Time{},
	}
}

// Most returns how many connections may be open at once.
func (l *Listener) Most() int { return l.most }

// Figures returns the present ones.
func (l *Listener) Figures() Figures {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.figures
}

// conn is a connection of a Listener. It waits for a request from its beginning, and from when the
// server reads again after a response; no more when a request has come whole.
type conn struct {
	net.Conn
	raw      net.Conn // below TLS: closing it writes nothing, and so never waits for the client
	listener *Listener

	socket syscall.Conn // below all; nil: there is none

	// listener.mu guards these.
	element   *list.Element // of those that wait; nil while it does not
	idleSince time.Time     // when it began to wait
	fresh     bool          // it has had no request
	received  bool          // the first of the awaited bytes came
	dropped   bool          // the listener closed it while it waited
	left      bool          // it is closed

	early   []byte // came while nobody read
	gathers bool
	held    []byte // gathered bytes
}

// wait notes that c waits for a request.
func (l *Listener) wait(c *conn) {
	c.idleSince, c.received = time.Now(), false
	c.element = l.waiting.PushBack(c)
}

// unlist notes that c waits no more.
func (l *Listener) unlist(c *conn) {
	if c.element != nil {
		l.waiting.Remove(c.element)
		c.element = nil
	}
}

// dropIf drops the waiting connections on which nothing came and for which match returns true.
func (l *Listener) dropIf(match func(*conn) bool) {
	for e := l.waiting.Front(); e != nil; {
		c := e.Value.(*conn)
		if e = e.Next(); !c.received && match(c) {
			l.drop(c)
		}
	}
}

// drop closes c while it waits. A request that arrives on it is not handled: no response would arrive.
func (l *Listener) drop(c *conn) {
	c.dropped = true
	l.leave(c)
	_ = c.raw.Close()
}

// leave notes that c is closed.
func (l *Listener) leave(c *conn) {
	if !c.left {
		c.left = true
		l.unlist(c)
		l.figures.Open--
		l.hasRoom()
	}
}

// hasRoom wakes a goroutine that waits for room, or for the last connection.
func (l *Listener) hasRoom() {
	select {
	case l.room <- struct{}{}:
	default:
	}
}
