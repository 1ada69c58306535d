package source

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"sync/atomic"
)

// openText reads records in a format from what may be compressed. It closes from with the Reader, or when it fails.
func openText(ctx context.Context, from io.ReadCloser, format string, regular bool, read *atomic.Int64) (*Reader, error) {
	var stored io.Reader = from
	if !regular {
		stored = &interruptible{ctx: ctx, r: from}
	}
	plain, free, err := decompressed(bufio.NewReaderSize(&counted{ctx: ctx, r: stored, n: read}, bufferSize))
	done := func() {
		free()
		_ = from.Close() // only read from: there is nothing that closing could lose
	}
	text := bufio.NewReaderSize(plain, bufferSize)
	if err == nil {
		err = skipMark(text)
	}
	var r *Reader
	if err == nil {
		r, err = newText(text, format, done)
	}
	if err != nil {
		done()
	}
	return r, err
}

// skipMark skips the byte-order mark of UTF-8.
func skipMark(text *bufio.Reader) error {
	start, err := text.Peek(3)
	if err != nil && err != io.EOF {
		return err
	}
	switch {
	case bytes.Equal(start, []byte("\xef\xbb\xbf")):
		_, _ = text.Discard(3) // just peeked at
	case bytes.HasPrefix(start, []byte("\xff\xfe")), bytes.HasPrefix(start, []byte("\xfe\xff")):
		return errors.New("its text is UTF-16; it has to be UTF-8")
	}
	return nil
}

// newText returns a Reader of plain text in a format.
func newText(text *bufio.Reader, format string, close func()) (*Reader, error) {
	l := &lines{r: text}
	if format != CSV {
		if start, _ := text.Peek(1); string(start) == "[" { // an error comes again with the first line
			return nil, errors.New("it is one JSON array; it has to be one record a line, as `jq -c '.[]'` makes of it")
		}
		return &Reader{Format: NDJSON, records: &ndjson{l}, close: close}, nil
	}
	rows := &rows{lines: l}
	header, err := rows.header()
	return &Reader{Format: CSV, Header: header, records: rows, close: close}, err
}

// ndjson takes every line for a record.
type ndjson struct{ *lines }

func (n *ndjson) Next() (Record, error) {
	l, err := n.nextFull()
	return Record{Text: string(l.text), Line: n.number, Last: !l.ended, Long: l.long}, err
}

// counted counts what is read and ends with its context.
type counted struct {
	ctx context.Context
	r   io.Reader
	n   *atomic.Int64
}

func (c *counted) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// interruptible reads from what may block for ever, such as a terminal, and gives up when its context ends. The read that
// blocks then is left behind with a buffer of its own.
type interruptible struct {
	ctx context.Context
	r   io.Reader
	buf []byte
}

func (i *interruptible) Read(dst []byte) (int, error) {
	type result struct {
		n   int
		err error
	}
	if i.buf == nil {
		i.buf = make([]byte, bufferSize)
	}
	buf, done := i.buf[:min(len(dst), len(i.buf))], make(chan result, 1)
	go func() {
		n, err := i.r.Read(buf)
		done <- result{n, err}
	}()
	select {
	case got := <-done:
		return copy(dst, buf[:got.n]), got.err
	case <-i.ctx.Done():
		return 0, i.ctx.Err()
	}
}
