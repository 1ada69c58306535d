package edge

import (
	"bytes"
	"errors"
	"net"
	"testing"
)

// writes is a connection that keeps what is written to it, and fails when it is told to.
type writes struct {
	net.Conn
	sizes []int
	all   bytes.Buffer
	err   error
}

func (w *writes) Write(b []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	w.sizes = append(w.sizes, len(b))
	return w.all.Write(b)
}

// TestX8_Gather: chunks are written a record at a time, in order, and nothing waits behind flush.
func TestX8_Gather(t *testing.T) {
	t.Parallel()
	to, want := &writes{}, bytes.Buffer{}
	var c net.Conn = &tlsConn{conn: &conn{Conn: to, listener: Listen(nil, 1)}}
	write := func(size int) {
		t.Helper()
		b := bytes.Repeat([]byte{byte(size)}, size)
		want.Write(b)
		if n, err := c.Write(b); n != size || err != nil {
			t.Fatalf("wrote %d of %d, %v", n, size, err)
		}
	}
	write(10)
	flush := Gather(c)
	for range 10 {
		write(4095)
	}
	write(gatherBytes + 1)
	write(7)
	if err := flush(); err != nil {
		t.Fatal(err)
	}
	write(5)
	if !bytes.Equal(to.all.Bytes(), want.Bytes()) {
		t.Errorf("%d bytes arrived of %d, or others", to.all.Len(), want.Len())
	}
	if len(to.sizes) != 7 || to.sizes[1] != 4*4095 {
		t.Errorf("writes of %v bytes", to.sizes)
	}
}

// TestX8_GatherFails: an error of the connection comes with the next write or flush.
func TestX8_GatherFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	c := &conn{Conn: &writes{err: broken}, listener: Listen(nil, 1)}
	flush := Gather(c)
	if _, err := c.Write(make([]byte, gatherBytes)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Write([]byte{1}); !errors.Is(err, broken) {
		t.Errorf("write: %v", err)
	}
	if err := flush(); err != nil {
		t.Errorf("flush of nothing: %v", err)
	}
	flush = Gather(c)
	_, _ = c.Write([]byte{1})
	if err := flush(); !errors.Is(err, broken) {
		t.Errorf("flush: %v", err)
	}
}
