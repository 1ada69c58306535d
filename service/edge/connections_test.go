package edge

import (
	"errors"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener whose connections are in memory.
type pipes struct {
	net.Listener
	accepted chan net.Conn
}

func (p pipes) Accept() (net.Conn, error) { return <-p.accepted, nil }
func (p pipes) Close() error              { return nil }

// open returns both ends of a connection of l.
func open(t *testing.T, l *Listener) (server, client net.Conn) {
	t.Helper()
	ours, client := net.Pipe()
	l.Listener.(pipes).accepted <- ours
	server, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	return server, client
}

func newPipes(most int) *Listener { return Listen(pipes{accepted: make(chan net.Conn, 1)}, most) }

// TestConnections_Stuck: however many clients do not read, no more than maxStuck are waited for
// longer than stuckTime, and a client that reads gets its response.
func TestConnections_Stuck(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newPipes(1000)
		const clients = maxStuck + 50
		ended := make(chan error, clients)
		var stuck []net.Conn
		for range clients {
			server, client := open(t, l)
			stuck = append(stuck, client)
			go func() {
				_, err := server.Write([]byte("a response"))
				ended <- err
			}()
			time.Sleep(time.Millisecond)
		}
		synctest.Wait()
		if len(ended) > 0 {
			t.Errorf("%d connections closed before %s were over", len(ended), stuckTime)
		}
		time.Sleep(stuckTime)
		server, client := open(t, l)
		got := make(chan []byte, 1)
		go func() {
			all, _ := io.ReadAll(client)
			got <- all
		}()
		if _, err := server.Write([]byte("a response")); err != nil {
			t.Error(err)
		}
		if err := errors.Join(server.Close(), <-ended); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("a client that does not read: %v", err)
		}
		if all := <-got; string(all) != "a response" {
			t.Errorf("a client that reads got %q", all)
		}
		synctest.Wait()
		if closed := len(ended) + 1; closed != clients-maxStuck+1 || len(l.writing) != maxStuck-1 {
			t.Errorf("%d of %d closed, %d stuck; want %d stuck", closed, clients, len(l.writing), maxStuck-1)
		}
		for _, client := range stuck {
			_ = client.Close()
		}
	})
}

// TestConnections_Silent: a listener that is closed closes the connections on which nothing came,
// those that are accepted meanwhile too, and no other.
func TestConnections_Silent(t *testing.T) {
	t.Parallel()
	l := newPipes(1000)
	silent, silentClient := open(t, l)
	begun, begunClient := open(t, l)
	go func() { _, _ = io.WriteString(begunClient, "GET /") }()
	if n, err := begun.Read(make([]byte, 10)); n != 5 || err != nil {
		t.Fatal(n, err)
	}
	gone, goneClient := open(t, l)
	_, _ = gone.Close(), goneClient.Close()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := silentClient.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("silent: %v, want the end", err)
	}
	if _, err := silent.Read(make([]byte, 1)); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("silent: %v, want closed", err)
	}
	go func() { _, _ = io.WriteString(begunClient, "v1/me") }()
	if n, err := begun.Read(make([]byte, 10)); n != 5 || err != nil {
		t.Errorf("begun: %v", err)
	}
	if silent.Close(); l.Figures().Open != 1 {
		t.Errorf("%d connections are kept", l.Figures().Open)
	}
	ours, _ := net.Pipe()
	l.Listener.(pipes).accepted <- ours
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("accepted after the close: %v", err)
	}
}

// racing is a connection whose listener closes between the arrival of bytes and the moment at which that is noted.
type racing struct {
	net.Conn
	close func() error
}

func (r racing) Read(b []byte) (int, error) {
	n, err := r.Conn.Read(b)
	return n, errors.Join(err, r.close())
}

// TestConnections_ClosedAsARequestComes: a request on a connection that was closed as silent is not read: it would be
// counted, and its response would not arrive.
func TestConnections_ClosedAsARequestComes(t *testing.T) {
	t.Parallel()
	l := newPipes(1000)
	ours, client := net.Pipe()
	l.Listener.(pipes).accepted <- racing{ours, l.Close}
	server, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = client.Write([]byte("GET")) }()
	if n, err := server.Read(make([]byte, 10)); n != 0 || !errors.Is(err, net.ErrClosed) {
		t.Errorf("read %d bytes, %v, want none and %v", n, err, net.ErrClosed)
	}
}
