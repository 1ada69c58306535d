package edge

import "net"

// HungUp reports whether the client of a connection of a Listener has closed it, or its own side of
// it, even with unread bytes before that. It asks the system, and takes nothing from the
// connection, as Watch does, which waits. It is false where the system does not say, for
// connections of others, and for a client whose network has gone without a word.
func HungUp(c net.Conn) bool {
	h, ok := c.(interface{ hungUp() bool })
	return ok && h.hungUp()
}

func (c *conn) hungUp() (gone bool) {
	if c.socket == nil {
		return false
	}
	raw, err := c.socket.SyscallConn()
	if err == nil {
		err = raw.Control(func(socket uintptr) { gone = hungUp(socket) })
	}
	return gone || err != nil // it is closed here
}
