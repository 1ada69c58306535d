package source

import (
	"bufio"
	"bytes"
	"io"
)

const (
	// MaxLine is the longest record that is read, in bytes: four times the largest size of a record
	// with all fields at their limits.
	MaxLine = 16 << 20
	// bufferSize is large enough that reading costs few system calls, and small beside the rest of a
	// load's memory.
	bufferSize = 256 << 10
)

// endOfFile is the character that programs of DOS write after a text.
const endOfFile = "\x1a"

// lines cuts a stream into lines.
type lines struct {
	r      *bufio.Reader
	buf    []byte
	number int // of the last line, from 1
}

// Line is the number of the last line.
func (l *lines) Line() int { return l.number }

// next returns the next line that is not blank, which is good until the next call, without its end,
// LF or CRLF, and whether it has one; io.EOF when there is none.
func (l *lines) next() (text []byte, ended bool, err error) {
	for {
		text, err = l.r.ReadSlice('\n')
		if len(text) == 0 && err == io.EOF {
			return nil, false, io.EOF
		}
		l.number++
		if err == bufio.ErrBufferFull {
			text, err = l.collect(text)
		}
		if err != nil && err != io.EOF {
			return nil, false, err
		}
		if len(bytes.TrimSpace(bytes.TrimRight(text, endOfFile))) > 0 {
			break
		}
	}
	if text, ended = bytes.CutSuffix(text, []byte{'\n'}); ended {
		text = bytes.TrimSuffix(text, []byte{'\r'})
	}
	return text, ended, nil
}

// collect reads on a line that does not fit into the reader's buffer.
func (l *lines) collect(piece []byte) (_ []byte, err error) {
	l.buf = append(l.buf[:0], piece...)
	for err = bufio.ErrBufferFull; err == bufio.ErrBufferFull; {
		piece, err = l.r.ReadSlice('\n')
		if len(l.buf)+len(piece) > MaxLine {
			return nil, errLong
		}
		l.buf = append(l.buf, piece...)
	}
	return l.buf, err
}

// ndjson takes every line for a record.
type ndjson struct {
	*lines
	rows jsonRows
}

func (n *ndjson) Next() (Row, error) {
	text, ended, err := n.next()
	if err != nil {
		return Row{}, err
	}
	return n.rows.row(string(text), n.number, !ended)
}
