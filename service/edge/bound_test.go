package edge

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// ended reports whether the service has closed a connection: then a read of its client ends.
func ended(t *testing.T, client net.Conn) bool {
	t.Helper()
	_ = client.SetReadDeadline(time.Now().Add(time.Millisecond)) // an error is that of the read, too
	_, err := client.Read(make([]byte, 1))
	return !errors.Is(err, os.ErrDeadlineExceeded)
}

// says makes what a client sends come to the server.
func says(t *testing.T, server, client net.Conn, text string) {
	t.Helper()
	go func() { _, _ = io.WriteString(client, text) }()
	if n, err := server.Read(make([]byte, headBytes)); n != len(text) || err != nil {
		t.Fatal(n, err)
	}
}

// answer is the server's part of a request that came.
func answer(t *testing.T, server, client net.Conn) {
	t.Helper()
	if server.(*conn).answered() == nil {
		t.Fatal("the connection was closed")
	}
	go func() { _, _ = server.Write([]byte("a response")) }()
	if n, err := client.Read(make([]byte, 100)); n != 10 || err != nil {
		t.Fatal(n, err)
	}
	go func() { _, _ = server.Read(make([]byte, headBytes)) }() // the next request
	synctest.Wait()
}

// TestBound: at the bound a new connection takes the slot of the one that has waited longest for its client, before a
// request or after one. What began and did not end waits, too; what is being answered does not.
func TestBound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newPipes(4)
		busy, busyClient := open(t, l)
		says(t, busy, busyClient, "GET")
		busy.(*conn).answered()
		half, halfClient := open(t, l)
		says(t, half, halfClient, "GE")
		kept, keptClient := open(t, l)
		says(t, kept, keptClient, "GET")
		time.Sleep(time.Minute)
		answer(t, kept, keptClient)
		time.Sleep(time.Millisecond)
		_, silentClient := open(t, l)
		if ended(t, keptClient) || ended(t, halfClient) {
			t.Error("closed below the bound")
		}
		_, first := open(t, l)
		if !ended(t, halfClient) || ended(t, keptClient) {
			t.Error("half a head, a minute old, is not what was closed")
		}
		_, second := open(t, l)
		if !ended(t, keptClient) || ended(t, silentClient) || ended(t, first) {
			t.Error("the connection that was answered before the others came is not the one that was closed")
		}
		answer(t, busy, busyClient)
		_, third := open(t, l)
		if !ended(t, silentClient) || ended(t, busyClient) || ended(t, second) || ended(t, third) {
			t.Error("a connection that was just answered was closed")
		}
		if got, want := l.Figures(), (Figures{Open: 4, MadeRoom: 3}); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
		if half.(*conn).answered() != nil {
			t.Error("a request on a connection that was closed would be answered")
		}
		closeAll(l)
	})
}

// closeAll ends a test.
func closeAll(l *Listener) {
	_ = l.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	for e := l.waiting.Front(); e != nil; e = l.waiting.Front() {
		l.drop(e.Value.(*conn))
	}
}

// TestBound_Busy: while all connections are busy a new one waits, until one of them waits for its client or ends.
func TestBound_Busy(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newPipes(1)
		for _, frees := range []func(server, client net.Conn){
			func(server, client net.Conn) { answer(t, server, client) },
			func(server, _ net.Conn) { _ = server.Close() },
		} {
			busy, client := open(t, l)
			says(t, busy, client, "GET")
			busy.(*conn).answered()
			entered := make(chan net.Conn, 1)
			go func() {
				next, _ := open(t, l)
				entered <- next
			}()
			synctest.Wait()
			if len(entered) > 0 {
				t.Error("more connections than the bound")
			}
			frees(busy, client)
			_ = (<-entered).Close()
		}
		if got, want := l.Figures(), (Figures{MadeRoom: 1, Waited: 2}); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
		busy, client := open(t, l)
		says(t, busy, client, "GET")
		busy.(*conn).answered()
		accepted := make(chan error, 1)
		go func() {
			ours, _ := net.Pipe()
			l.Listener.(pipes).accepted <- ours
			_, err := l.Accept()
			accepted <- err
		}()
		synctest.Wait()
		_ = l.Close()
		if err := <-accepted; !errors.Is(err, net.ErrClosed) {
			t.Errorf("waiting while the listener closes: %v", err)
		}
	})
}

// failing is a listener whose first calls fail.
type failing struct {
	pipes
	errs *[]error
}

func (f failing) Accept() (net.Conn, error) {
	if len(*f.errs) == 0 {
		return f.pipes.Accept()
	}
	err := (*f.errs)[0]
	*f.errs = (*f.errs)[1:]
	return nil, err
}

// TestAccept: what the system lacks for a moment is waited out, with pauses that grow from 5 ms to a second, and not
// beyond the end of the listener. Any other error ends it.
func TestAccept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var errs []error
		for range 5 {
			for _, one := range []error{syscall.EMFILE, syscall.ENFILE, syscall.ECONNABORTED, syscall.ENOBUFS, syscall.ENOMEM} {
				errs = append(errs, &net.OpError{Op: "accept", Err: os.NewSyscallError("accept4", one)})
			}
		}
		l := Listen(failing{pipes{accepted: make(chan net.Conn, 1)}, &errs}, 1)
		ours, _ := net.Pipe()
		l.Listener.(failing).accepted <- ours
		began := time.Now()
		c, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		// 5, 10, … 640 ms, and 17 s
		if took := time.Since(began); took != 1275*time.Millisecond+17*time.Second || l.Figures().Refused != 25 {
			t.Errorf("%d pauses took %s", l.Figures().Refused, took)
		}
		_ = c.Close()
		errs = []error{syscall.EMFILE, syscall.EMFILE, syscall.EMFILE}
		time.AfterFunc(7*time.Millisecond, func() { _ = l.Close() })
		if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) || len(errs) != 1 {
			t.Errorf("closed meanwhile: %v", err)
		}
		errs = []error{syscall.EBADF}
		if _, err := l.Accept(); !errors.Is(err, syscall.EBADF) {
			t.Errorf("another error: %v", err)
		}
	})
}
