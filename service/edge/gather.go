package edge

import "net"

// gatherBytes fills a TLS record: one system call, and no more overhead than there must be.
const gatherBytes = 16 << 10

// Gather makes the bytes for a connection of a Listener wait until they fill a record: the HTTP
// server writes a stream in chunks of 4 KiB, each by a system call of its own. The caller must call
// flush after the last write but the end: it sends the waiting bytes, and makes later writes go out
// at once. Other connections stay as they are. Without it, an export takes 15 % more CPU.
func Gather(c net.Conn) (flush func() error) {
	g, ok := c.(interface{ gather() func() error })
	if !ok {
		return func() error { return nil }
	}
	return g.gather()
}

func (c *conn) gather() (flush func() error) {
	c.gathers = true
	return func() error {
		c.gathers = false
		err := c.flush()
		c.held = nil
		return err
	}
}

func (c *conn) Write(b []byte) (int, error) {
	if !c.gathers {
		return c.send(b)
	}
	if len(c.held)+len(b) > gatherBytes {
		if err := c.flush(); err != nil {
			return 0, err
		}
	}
	c.held = append(c.held, b...)
	return len(b), nil
}

func (c *conn) flush() error {
	if len(c.held) == 0 {
		return nil
	}
	_, err := c.send(c.held)
	c.held = c.held[:0]
	return err
}
