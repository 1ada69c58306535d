package edge

import "bytes"

// headBytes bounds request line and headers together.
const headBytes = 16 << 10

// note keeps where the last line ended that has no CR.
func (c *conn) note(b []byte) {
	for end := len(b); end > 0; {
		end = bytes.LastIndexByte(b[:end], '\n')
		if end > 0 && b[end-1] != '\r' || end == 0 && c.last != '\r' {
			c.bare = c.read + int64(end) + 1
			break
		}
	}
	if c.read += int64(len(b)); len(b) > 0 {
		c.last = b[len(b)-1]
	}
}

// inBareHead reports whether the server has the beginning of a head with a bare LF in it, and wants to have more of it,
// into so many bytes. It would wait for an end with CRs, which may never come. What it holds of a head that is not whole
// stays at the beginning of its buffer; for everything else it has the whole buffer free, or a larger one.
func (c *conn) inBareHead(free int) bool {
	begun := int64(headBytes - free)
	return 0 < begun && begun <= c.read && c.bare > c.read-begun
}
