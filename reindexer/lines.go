package reindexer

import (
	"bufio"
	"bytes"
	"io"
)

// maxLine is the longest line that is read, in bytes: four times what a record with all fields at their limits can
// need. Longer ones are rejected without ever being held.
const maxLine = 16 << 20

// shownOfLong is how much of a line that is too long is kept, to be shown.
const shownOfLong = 1000

// line is a line of text without its end, LF or CRLF.
type line struct {
	text  []byte // valid until the next line is read
	ended bool   // by a line end, not by the end of the text
	long  bool   // longer than maxLine: text is its beginning
}

// blank tells whether there is nothing but white space.
func (l line) blank() bool { return !l.long && len(bytes.TrimSpace(l.text)) == 0 }

// lines cuts a stream into lines.
type lines struct {
	r      *bufio.Reader
	buf    []byte
	number int // of the last line, from 1
}

// next returns the next line, or io.EOF when there is none.
func (l *lines) next() (line, error) {
	piece, err := l.r.ReadSlice('\n')
	if len(piece) == 0 && err == io.EOF {
		return line{}, io.EOF
	}
	l.number++
	if err == nil || err == io.EOF {
		return whole(piece), nil
	}
	if err != bufio.ErrBufferFull {
		return line{}, err
	}
	return l.collect(piece)
}

// collect reads on a line that does not fit into the reader's buffer.
func (l *lines) collect(piece []byte) (line, error) {
	l.buf = append(l.buf[:0], piece...)
	err := error(bufio.ErrBufferFull)
	long := false
	for err == bufio.ErrBufferFull {
		piece, err = l.r.ReadSlice('\n')
		if long = long || len(l.buf)+len(piece) > maxLine; !long {
			l.buf = append(l.buf, piece...)
		}
	}
	if err != nil && err != io.EOF {
		return line{}, err
	}
	if long {
		return line{text: l.buf[:shownOfLong], ended: err == nil, long: true}, nil
	}
	return whole(l.buf), nil
}

func whole(text []byte) line {
	text, ended := bytes.CutSuffix(text, []byte{'\n'})
	if ended {
		text = bytes.TrimSuffix(text, []byte{'\r'})
	}
	return line{text: text, ended: ended}
}
