package edge

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/netip"
	"runtime"
	"sync/atomic"
	"time"

	"filings/index/limit"
)

// handshakeTime bounds a handshake. It waits for its turn for half of that, which is as long as the
// server waits for a client's bytes.
const handshakeTime = 20 * time.Second

// handshakes are a listener by TLS. A handshake is by far the longest computation that a client can
// have the service do before it shows a key: a flood of connections would keep every processor from
// the requests of others. So half of the processors, at least one, compute handshakes, and the
// addresses of clients take turns. A client that is slow to send its part, or sends none, takes no
// slot.
type handshakes struct {
	net.Listener
	config *tls.Config
	turns  *limit.Limit
	time   time.Duration // handshakeTime
}

// TLS returns a listener whose connections are TLS servers with that config, on connections of l.
func TLS(l net.Listener, config *tls.Config) net.Listener {
	h := &handshakes{l, config.Clone(), limit.New(runtime.GOMAXPROCS(0)/2, time.Now), handshakeTime}
	h.config.GetConfigForClient = h.wait
	return h
}

// Accept implements net.Listener.
func (h *handshakes) Accept() (net.Conn, error) {
	c, err := h.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return tls.Server(&handshaking{Conn: c}, h.config), nil
}

// wait is called when a client's hello has come, and before anything is computed. It changes nothing of the config.
func (h *handshakes) wait(hello *tls.ClientHelloInfo) (unchanged *tls.Config, err error) {
	ctx, cancel := context.WithTimeout(hello.Context(), h.time)
	defer cancel()
	address := network(hello.Conn.RemoteAddr())
	slot, err := h.turns.Acquire(ctx, address, "", nil)
	if err != nil {
		return nil, fmt.Errorf("handshake: %w", err)
	}
	computed := slot.Release
	hello.Conn.(*handshaking).computed.Store(&computed)
	return nil, nil
}

// network is whose turn it is: the client's address, or for IPv6, of which one client has very
// many, the 64 bits of its network.
func network(a net.Addr) string {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return a.String()
	}
	ip := tcp.AddrPort().Addr().Unmap()
	if ip.Is4() {
		return ip.String()
	}
	return netip.PrefixFrom(ip.WithZone(""), 64).Masked().String()
}

// handshaking is a connection below TLS. The server computes its part of a handshake as a whole and
// then writes it: its first write releases the slot.
type handshaking struct {
	net.Conn
	computed atomic.Pointer[func()]
}

func (c *handshaking) Write(b []byte) (int, error) {
	c.release()
	return c.Conn.Write(b)
}

func (c *handshaking) Close() error {
	c.release()
	return c.Conn.Close()
}

func (c *handshaking) release() {
	if computed := c.computed.Swap(nil); computed != nil {
		(*computed)()
	}
}
