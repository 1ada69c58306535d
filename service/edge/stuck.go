package edge

import "time"

// A client that does not read its response holds it, and the service has no use for it. So many
// connections may wait for their clients to read; past that number the one that has waited longest
// is closed, if it has for stuckTime, which no client needs that reads at all. A response of 100
// filings is up to 150 kB.
const (
	maxStuck  = 256
	stuckTime = time.Second
)

func (c *conn) send(b []byte) (int, error) {
	c.listener.begin(c)
	defer c.listener.end(c)
	return c.Conn.Write(b)
}

// begin notes that c begins to write, after it has closed those that are stuck if there are too many.
func (l *Listener) begin(c *conn) {
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.writing) >= maxStuck && l.closeStuck(now) {
	}
	l.writing[c] = now
}

// closeStuck closes the connection that has been writing longest, and reports whether there was one to close.
func (l *Listener) closeStuck(now time.Time) bool {
	var oldest *conn
	earliest := now
	for c, began := range l.writing {
		if began.Before(earliest) {
			oldest, earliest = c, began
		}
	}
	if now.Sub(earliest) < stuckTime {
		return false
	}
	delete(l.writing, oldest)
	_ = oldest.Conn.Close()
	return true
}

func (l *Listener) end(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.writing, c)
}
