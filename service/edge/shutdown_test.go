package edge

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// lingering opens a connection on which a request was answered, and one without any, reads from
// both as the server does, and shuts l down.
func lingering(t *testing.T, l *Listener) (servers, clients []net.Conn, read, down chan error) {
	t.Helper()
	read, down = make(chan error, 2), make(chan error, 1)
	for i := range 2 {
		server, client := open(t, l)
		if i == 0 {
			says(t, server, client, "GET")
			server.(*conn).answered()
		}
		_ = server.SetReadDeadline(time.Now().Add(time.Minute))
		go func() {
			_, err := server.Read(make([]byte, headBytes))
			read <- err
		}()
		servers, clients = append(servers, server), append(clients, client)
	}
	synctest.Wait()
	go func() { down <- l.Shutdown(context.Background()) }()
	synctest.Wait()
	return servers, clients, read, down
}

// TestShutdown: connections on which nothing comes are closed after a second and a last look, whatever deadline the
// server gives them.
func TestShutdown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		servers, _, read, down := lingering(t, newPipes(2))
		for range servers {
			if err := <-read; !errors.Is(err, io.ErrClosedPipe) {
				t.Error(err)
			}
		}
		if took := time.Since(began); took != lingerTime {
			t.Errorf("waited %s", took)
		}
		if err := <-down; err != nil {
			t.Error(err)
		}
	})
}

// TestShutdown_LastRequest: a request that comes while a connection lingers is read, with the
// deadline that the server gave it, and so is one that comes after a response which began before.
// The listener has shut down when they are closed.
func TestShutdown_LastRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		servers, clients, read, down := lingering(t, newPipes(2))
		time.Sleep(time.Second)
		for _, client := range clients {
			go func() { _, _ = io.WriteString(client, "GET") }()
			if err := <-read; err != nil {
				t.Error(err)
			}
		}
		began := time.Now()
		if _, err := servers[0].Read(make([]byte, headBytes-3)); !errors.Is(err, os.ErrDeadlineExceeded) ||
			time.Since(began) < 58*time.Second {
			t.Errorf("the rest of the request was waited for %s: %v", time.Since(began), err)
		}
		answer(t, servers[1], clients[1])
		time.Sleep(time.Second)
		go func() { _, _ = io.WriteString(clients[1], "GET") }()
		synctest.Wait()
		if servers[1].(*conn).answered() == nil {
			t.Error("the next request is not answered")
		}
		if len(down) > 0 {
			t.Error("shut down before the connections were closed")
		}
		for _, server := range servers {
			_ = server.Close()
		}
		if err := <-down; err != nil {
			t.Error(err)
		}
	})
}

// TestShutdown_Ends: with its context, while a request is answered.
func TestShutdown_Ends(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newPipes(1)
		server, client := open(t, l)
		says(t, server, client, "GET")
		server.(*conn).answered()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := l.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		_ = server.Close()
	})
}
