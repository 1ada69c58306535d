package elastic

import (
	"bytes"
	"strconv"
)

// cursor walks over JSON without decoding it, once, from the front. After the first thing that is not JSON, or not what
// was asked for, bad is set and every method answers as at the end. It checks no more than it needs to find its way:
// what it hands out comes from Elasticsearch.
type cursor struct {
	b   []byte
	i   int
	bad bool
}

// peek returns the first byte of the next token, 0 at the end.
func (c *cursor) peek() byte {
	for ; c.i < len(c.b); c.i++ {
		switch c.b[c.i] {
		case ' ', '\t', '\n', '\r':
		default:
			return c.b[c.i]
		}
	}
	return 0
}

// enter steps over an opening brace or bracket, and reports whether it stood there.
func (c *cursor) enter(open byte) bool {
	if c.bad || c.peek() != open {
		c.bad = true
		return false
	}
	c.i++
	return true
}

// next steps to the next member of the object or array that is being walked over. At its end it steps over the closing
// brace or bracket and returns false.
func (c *cursor) next(end byte) bool {
	if c.bad {
		return false
	}
	switch c.peek() {
	case 0:
		c.bad = true
		return false
	case end:
		c.i++
		return false
	case ',':
		c.i++
	}
	return true
}

// key steps over a member's name and its colon, and returns the name as it is written between its quotes.
func (c *cursor) key() []byte {
	name := c.str()
	if !c.enter(':') {
		return nil
	}
	return name
}

// str steps over a string and returns what is between its quotes, escapes and all.
func (c *cursor) str() []byte {
	if !c.enter('"') {
		return nil
	}
	start := c.i
	for {
		quote := bytes.IndexByte(c.b[c.i:], '"')
		if quote < 0 {
			c.bad = true
			return nil
		}
		c.i += quote + 1
		if !escaped(c.b[start : c.i-1]) {
			return c.b[start : c.i-1]
		}
	}
}

// escaped reports whether what follows s is escaped: whether s ends in an odd number of backslashes.
func escaped(s []byte) bool {
	n := len(s)
	for n > 0 && s[n-1] == '\\' {
		n--
	}
	return (len(s)-n)%2 == 1
}

// skip steps over any value and returns its text.
func (c *cursor) skip() []byte {
	if c.bad {
		return nil
	}
	first := c.peek()
	start := c.i
	switch first {
	case '"':
		c.str()
	case '{', '[':
		c.nested()
	default:
		c.scalar()
	}
	if c.bad {
		return nil
	}
	return c.b[start:c.i]
}

// nested steps over an object or array with all that it holds. It counts braces and brackets alike.
func (c *cursor) nested() {
	for depth := 0; c.i < len(c.b); {
		switch c.b[c.i] {
		case '"':
			if c.str(); c.bad {
				return
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if c.i++; depth == 0 {
			return
		}
	}
	c.bad = true
}

// scalar steps over a number, true, false or null.
func (c *cursor) scalar() {
	start := c.i
	for c.i < len(c.b) && bytes.IndexByte(scalarEnd, c.b[c.i]) < 0 {
		c.i++
	}
	if c.i == start {
		c.bad = true
	}
}

var scalarEnd = []byte(" \t\r\n,:]}[{\"")

// find enters an object and steps to the value of its member name.
func (c *cursor) find(name string) bool {
	return c.enter('{') && c.seek(name)
}

// seek steps to the value of a later member of the object that is being walked over.
func (c *cursor) seek(name string) bool {
	for c.next('}') {
		if string(c.key()) == name {
			return !c.bad
		}
		c.skip()
	}
	c.bad = true
	return false
}

// leave steps over the rest of the object that is being walked over.
func (c *cursor) leave() {
	for c.next('}') {
		c.key()
		c.skip()
	}
}

// integer steps over a whole number and returns it.
func (c *cursor) integer() int64 {
	n, err := strconv.ParseInt(string(c.skip()), 10, 64)
	if err != nil {
		c.bad = true
	}
	return n
}
