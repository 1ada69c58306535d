package apitest

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"

	"filings/service/access"
	"filings/service/edge"
)

// countedWrites is a listener whose connections count their writes.
type countedWrites struct {
	net.Listener
	n atomic.Int64
}

func (l *countedWrites) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return countedConn{c, &l.n}, err
}

type countedConn struct {
	net.Conn
	n *atomic.Int64
}

func (c countedConn) Write(b []byte) (int, error) {
	c.n.Add(1)
	return c.Conn.Write(b)
}

// TestX8_Writes: an export is written in pieces of nearly 16 KiB, and all of it arrives; so does what comes behind it on the
// connection.
func TestX8_Writes(t *testing.T) {
	t.Parallel()
	const total = 5000
	s := newSite(t, repeated(total, nil))
	plain, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &countedWrites{Listener: plain}
	served := make(chan error, 1)
	go func() { served <- s.App.Listener(edge.Listen(l, 1000)) }()
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	get := func(path string) []byte {
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+plain.Addr().String()+path, http.NoBody)
		req.Header.Set("X-API-Key", s.Keys[access.Pro])
		res, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d, %v", path, res.StatusCode, err)
		}
		return body
	}
	for range 2 {
		before := l.n.Load()
		body := get("/v1/filings/export")
		if rows := len(lines(string(body))); rows != total {
			t.Errorf("%d rows of %d", rows, total)
		}
		if writes := l.n.Load() - before; writes > int64(len(body))/(12<<10)+3 {
			t.Errorf("%d writes for %d bytes", writes, len(body))
		}
		get("/v1/filings?limit=1") // on the same connection
	}
	client.CloseIdleConnections()
	if err := s.App.ShutdownWithContext(context.Background()); err != nil {
		t.Error(err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}
