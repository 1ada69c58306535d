package edge_test

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/gofiber/fiber/v2"

	"filings/service/edge"
)

// counted is a listener that counts what its connections write.
type counted struct {
	net.Listener
	writes *atomic.Int64
}

func (c counted) Accept() (net.Conn, error) {
	accepted, err := c.Listener.Accept()
	return countedConn{accepted, c.writes}, err
}

type countedConn struct {
	net.Conn
	writes *atomic.Int64
}

func (c countedConn) Write(b []byte) (int, error) {
	c.writes.Add(1)
	return c.Conn.Write(b)
}

// TestNew_OneWrite: head and body of a page of 20 filings, about 13 kB, are one write, and so one
// TLS record, one system call and one packet on its way to the client.
func TestNew_OneWrite(t *testing.T) {
	t.Parallel()
	page := bytes.Repeat([]byte("0123456789abc"), 1000)
	app := edge.New(nil, edge.APIBody)
	app.Get("/", func(c *fiber.Ctx) error { return c.Send(page) })
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var writes atomic.Int64
	served := make(chan error, 1)
	go func() { served <- app.Listener(counted{socket, &writes}) }()
	client, err := net.Dial("tcp", socket.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if _, err := io.WriteString(client, "GET / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(client), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, err := io.ReadAll(res.Body); err != nil || !bytes.Equal(body, page) {
		t.Errorf("%d bytes, %v", len(body), err)
	}
	if n := writes.Load(); n != 1 {
		t.Errorf("%d writes", n)
	}
	if err := app.Shutdown(); err != nil {
		t.Error(err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}
