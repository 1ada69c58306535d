package main

import (
	"net"
	"sync"
	"testing"
)

// gate stands in front of a server. While it is held, nothing passes in either direction: the server is there, and does
// not respond.
type gate struct {
	address string
	target  string
	passing sync.RWMutex // held for writing: nothing passes

	mu     sync.Mutex
	closed bool
	conns  map[net.Conn]bool
}

// newGate opens a gate in front of the server at target, host:port, until the test ends.
func newGate(t *testing.T, target string) *gate {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{address: l.Addr().String(), target: target, conns: map[net.Conn]bool{}}
	t.Cleanup(func() {
		_ = l.Close()
		g.close()
	})
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			go g.connect(near)
		}
	}()
	return g
}

// hold lets nothing pass until release is called.
func (g *gate) hold() (release func()) {
	g.passing.Lock()
	return sync.OnceFunc(g.passing.Unlock)
}

// close breaks all connections and takes no more.
func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	for c := range g.conns {
		_ = c.Close()
	}
}

func (g *gate) connect(near net.Conn) {
	defer near.Close()
	far, err := net.Dial("tcp", g.target)
	if err != nil {
		return
	}
	defer far.Close()
	if !g.keep(near, far) {
		return
	}
	defer g.forget(near, far)
	go g.pass(far, near)
	g.pass(near, far)
}

func (g *gate) keep(conns ...net.Conn) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, c := range conns {
		g.conns[c] = true
	}
	return !g.closed
}

func (g *gate) forget(conns ...net.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, c := range conns {
		delete(g.conns, c)
	}
}

// pass copies from one side to the other, and closes both ends when one is closed.
func (g *gate) pass(to, from net.Conn) {
	defer to.Close()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		g.passing.RLock()
		_, failed := to.Write(buffer[:n])
		g.passing.RUnlock()
		if err != nil || failed != nil {
			return
		}
	}
}
