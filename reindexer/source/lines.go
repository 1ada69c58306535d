package source

import (
	"bufio"
	"bytes"
	"io"
)

const (
	// MaxLine is the longest record that is read whole, in bytes: four times what a record with all fields at their limits
	// can need. Longer ones are never held in memory.
	MaxLine = 16 << 20
	// shownOfLong is how much of a record that is too long is kept, to be shown.
	shownOfLong = 1000
	// bufferSize is large enough that reading costs few system calls, and small against everything else.
	bufferSize = 256 << 10
)

// line is a line of text without its end, LF or CRLF.
type line struct {
	text  []byte // valid until the next line is read
	ended bool   // by a line end, not by the end of the text
	long  bool   // longer than MaxLine: text is its beginning
}

// blank reports whether l has nothing but white space.
func (l line) blank() bool { return !l.long && len(bytes.TrimSpace(l.text)) == 0 }

// lines cuts a stream into lines.
type lines struct {
	r      *bufio.Reader
	buf    []byte
	number int // of the last line, from 1
}

// Line is the number of the last line.
func (l *lines) Line() int { return l.number }

// nextFull returns the next line that is not blank, or io.EOF when there is none.
func (l *lines) nextFull() (line, error) {
	next, err := l.next()
	for err == nil && next.blank() {
		next, err = l.next()
	}
	return next, err
}

// next returns the next line, or io.EOF when there is none.
func (l *lines) next() (line, error) {
	text, err := l.r.ReadSlice('\n')
	if len(text) == 0 && err == io.EOF {
		return line{}, io.EOF
	}
	l.number++
	long := false
	if err == bufio.ErrBufferFull {
		text, long, err = l.collect(text)
	}
	if err != nil && err != io.EOF {
		return line{}, err
	}
	text, ended := bytes.CutSuffix(text, []byte{'\n'})
	if ended {
		text = bytes.TrimSuffix(text, []byte{'\r'})
	}
	return line{text: text, ended: err == nil, long: long}, nil
}

// collect reads on a line that does not fit into the reader's buffer. Of one that is too long it keeps the beginning.
func (l *lines) collect(piece []byte) (text []byte, long bool, err error) {
	l.buf = append(l.buf[:0], piece...)
	for err = bufio.ErrBufferFull; err == bufio.ErrBufferFull; {
		piece, err = l.r.ReadSlice('\n')
		if long = long || len(l.buf)+len(piece) > MaxLine; !long {
			l.buf = append(l.buf, piece...)
		}
	}
	if long {
		return l.buf[:shownOfLong], true, err
	}
	return l.buf, false, err
}
