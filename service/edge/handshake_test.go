package edge

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"filings/index/limit"
)

// hellos are handshakes of which the first one to be computed waits until it may go on.
type hellos struct {
	*handshakes
	first chan struct{} // receives when it waits
	goOn  chan struct{}
	mu    sync.Mutex
	order []string // the addresses of the others
}

// newHellos accepts connections on all addresses of the loopback interface, and has one slot.
func newHellos(t *testing.T) *hellos {
	t.Helper()
	plain, err := net.Listen("tcp4", ":0")
	if err != nil {
		t.Fatal(err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	certificate := &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	g := &hellos{first: make(chan struct{}), goOn: make(chan struct{})}
	var once sync.Once
	g.handshakes = TLS(plain, &tls.Config{GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
		address := network(hello.Conn.RemoteAddr())
		once.Do(func() {
			g.first <- struct{}{}
			<-g.goOn
			address = "first"
		})
		g.mu.Lock()
		defer g.mu.Unlock()
		g.order = append(g.order, address)
		return certificate, nil
	}}).(*handshakes)
	g.turns = limit.New(1, time.Now)
	l := Listen(g, 1000)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				_ = c.(*tlsConn).Handshake() // what comes of it, the client sees
				_, _ = c.Read(make([]byte, 1))
				_ = c.Close()
			}()
		}
	}()
	return g
}

// dial opens a connection from an address.
func (g *hellos) dial(t *testing.T, from string) net.Conn {
	t.Helper()
	_, port, _ := net.SplitHostPort(g.Addr().String())
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	c, err := d.DialContext(t.Context(), "tcp4", "127.0.0.1:"+port)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// shake begins a handshake from an address, and returns its end.
func (g *hellos) shake(t *testing.T, from string) <-chan error {
	t.Helper()
	ended, c := make(chan error, 1), tls.Client(g.dial(t, from), &tls.Config{InsecureSkipVerify: true})
	go func() { ended <- c.HandshakeContext(context.WithoutCancel(t.Context())) }()
	return ended
}

// TestHandshakes_Turns: however many handshakes of one address wait, that of another address is
// computed after at most two of them.
func TestHandshakes_Turns(t *testing.T) {
	t.Parallel()
	g := newHellos(t)
	ends := []<-chan error{g.shake(t, "127.0.0.1")}
	<-g.first
	for range 30 {
		ends = append(ends, g.shake(t, "127.0.0.1"))
	}
	g.until(t, 30, g.turns.Waiting)
	ends = append(ends, g.shake(t, "127.0.0.2"))
	g.until(t, 31, g.turns.Waiting)
	close(g.goOn)
	for _, end := range ends {
		if err := <-end; err != nil {
			t.Error(err)
		}
	}
	if i := slices.Index(g.order, "127.0.0.2"); len(g.order) != 32 || i < 1 || i > 2 {
		t.Errorf("computed in the order %v", g.order)
	}
}

// TestHandshakes_SlowClients: clients that send nothing, or do not go on after the server's part, hold no slot.
func TestHandshakes_SlowClients(t *testing.T) {
	t.Parallel()
	g := newHellos(t)
	close(g.goOn)
	go func() { <-g.first }()
	g.dial(t, "127.0.0.1") // sends nothing
	half := tls.Client(deaf{g.dial(t, "127.0.0.1")}, &tls.Config{InsecureSkipVerify: true})
	if err := half.HandshakeContext(t.Context()); err == nil {
		t.Error("a client that reads nothing has shaken hands")
	}
	if err := <-g.shake(t, "127.0.0.1"); err != nil {
		t.Error(err)
	}
	g.until(t, 0, g.turns.InProgress) // the server's side of the last one may end after its client's
}

// deaf is a connection that sends, and never receives.
type deaf struct{ net.Conn }

func (deaf) Read([]byte) (int, error) { return 0, net.ErrClosed }

// TestHandshakes_NoTurn: a handshake that has no turn in time ends with an error, and holds nothing.
func TestHandshakes_NoTurn(t *testing.T) {
	t.Parallel()
	g := newHellos(t)
	g.time = 20 * time.Millisecond
	first := g.shake(t, "127.0.0.1")
	<-g.first
	second := g.shake(t, "127.0.0.1")
	if err := <-second; err == nil {
		t.Error("no error")
	}
	close(g.goOn)
	if err := <-first; err != nil {
		t.Error(err)
	}
	g.until(t, 0, func() int { return g.turns.InProgress() + g.turns.Waiting() })
}

// until waits until so many handshakes are counted.
func (*hellos) until(t *testing.T, want int, count func() int) {
	t.Helper()
	tooLate := time.After(5 * time.Second)
	for count() != want {
		select {
		case <-tooLate:
			t.Fatalf("%d handshakes are counted, want %d", count(), want)
		case <-time.After(time.Millisecond):
		}
	}
}

// TestHandshakes_Network: a client has one turn for all IPv6 addresses of its network.
func TestHandshakes_Network(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"192.0.2.7":              "192.0.2.7",
		"::ffff:192.0.2.7":       "192.0.2.7",
		"2001:db8:1:2:3:4:5:6":   "2001:db8:1:2::/64",
		"2001:db8:1:2:ff:ff:0:1": "2001:db8:1:2::/64",
	} {
		if got := network(&net.TCPAddr{IP: net.ParseIP(address), Port: 1}); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}
