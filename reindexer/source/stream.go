package source

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync/atomic"
)

// open reads records in a form from bytes that may be compressed. It closes stream with the Reader,
// or when it fails.
func open(ctx context.Context, stream io.ReadCloser, f Form, read *atomic.Int64) (*Reader, error) {
	raw := bufio.NewReaderSize(&counted{ctx: ctx, r: stream, n: read}, bufferSize)
	done := func() { _ = stream.Close() } // only read from: there is nothing that closing could lose
	var r *Reader
	start, err := raw.Peek(4)
	switch zipped := string(start) == "PK\x03\x04" || string(start) == "PK\x05\x06"; {
	case err != nil && err != io.EOF:
	case zipped && (f.Format != XLSX || f.Member != ""): // a sheet is an archive, too
		r, err = openMember(ctx, raw, f, done)
	case f.Format == Zip || f.Member != "":
		err = errors.New("it is not a zip archive")
	default:
		r, err = openForm(ctx, raw, f, done)
	}
	if err != nil {
		done()
		return nil, err
	}
	return r, nil
}

func isPage(text *bufio.Reader) bool {
	start, _ := text.Peek(1) // an error comes again with the first record
	if len(start) == 0 || !strings.Contains("< \r\n\t", string(start)) {
		return false
	}
	start, _ = text.Peek(512)
	return html.Match(start)
}

// html matches the beginning of a page.
var html = regexp.MustCompile(`(?i)^\s*(<\?xml[^>]*>\s*)?(<!--.*-->\s*)?` +
	`<(!doctype html|html|head|body|meta|style|table)\b`)

// openForm reads records in a form from bytes that may be compressed. The Reader ends with done.
func openForm(ctx context.Context, raw *bufio.Reader, f Form, done func()) (*Reader, error) {
	plain, free, err := decompressed(raw)
	if err != nil {
		return nil, err
	}
	lines := &ends{r: plain}
	if f.Format == CSV || f.Format == NDJSON {
		plain = lines
	}
	r, err := recordsOf(ctx, plain, f, func() {
		free()
		done()
	})
	if err != nil {
		free()
		return nil, err
	}
	r.ends = lines // none where it was not read
	return r, nil
}

// ends looks at the line ends of a text in any encoding that is read on.
type ends struct {
	r     io.Reader
	lines bool // there is one
	ended bool // nothing but blanks follows the last
}

func (e *ends) Read(p []byte) (int, error) {
	n, err := e.r.Read(p)
	last := bytes.TrimRight(p[:n], " \t\x00")
	if len(last) > 0 {
		e.ended = bytes.IndexByte([]byte("\n\r"+endOfFile), last[len(last)-1]) >= 0
	}
	e.lines = e.lines || bytes.ContainsAny(p[:n], "\n\r")
	return n, err
}

// recordsOf reads records in a form from plain bytes.
func recordsOf(ctx context.Context, plain io.Reader, f Form, done func()) (*Reader, error) {
	switch f.Format {
	case XLSX, Parquet:
		return openTable(ctx, plain, f, done)
	}
	text, err := f.text(plain)
	if err != nil {
		return nil, err
	}
	if isPage(text) {
		return nil, fmt.Errorf("it is an HTML page, not %s: what was saved may be a page that says why there is no "+
			"file, or one that links to it; a table is read once a spreadsheet program has saved it as XLSX", f.Format)
	}
	switch f.Format {
	case CSV:
		return openRows(text, f, done)
	case JSON:
		d, err := openDocument(ctx, text, f, maxDocument)
		return &Reader{Format: JSON, records: d, close: done}, err
	}
	if start, _ := text.Peek(1); string(start) == "[" { // an error comes again with the first line
		return nil, errors.New("it is one JSON array; it has to be one record a line, or --format json with --path '.[]'")
	}
	return &Reader{Format: NDJSON, records: &ndjson{&lines{r: text}, newJSONRows(f)}, close: done}, nil
}

// text returns plain as UTF-8 without a byte-order mark.
func (f Form) text(plain io.Reader) (*bufio.Reader, error) {
	raw := bufio.NewReaderSize(plain, bufferSize)
	start, err := raw.Peek(3)
	if err != nil && err != io.EOF {
		return nil, err
	}
	decoded, err := f.utf8Of(raw, start)
	if err != nil {
		return nil, err
	}
	text := raw
	if decoded != io.Reader(raw) {
		text = bufio.NewReaderSize(decoded, bufferSize)
	}
	if start, _ = text.Peek(3); string(start) == "\xef\xbb\xbf" {
		_, _ = text.Discard(3) // just peeked at
	}
	return text, nil
}

// counted counts the bytes that are read and ends with its context.
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

// pipeSize is how much a pipe has at once.
const pipeSize = 64 << 10

// interruptible reads from a terminal or a pipe, which may block for ever, until its context ends.
// The read that blocks then has a buffer of its own.
type interruptible struct {
	ctx context.Context
	io.ReadCloser
}

func (i interruptible) Read(dst []byte) (int, error) {
	buf := make([]byte, min(len(dst), pipeSize))
	n, err := interruptibly(i.ctx, func() (int, error) { return i.ReadCloser.Read(buf) }, func(int) {})
	return copy(dst, buf[:n]), err
}

// interruptibly calls do, which may block for ever, and returns early when ctx ends: late then
// receives the result of do, to release it.
func interruptibly[T any](ctx context.Context, do func() (T, error), late func(T)) (value T, err error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result)
	go func() {
		value, err := do()
		select {
		case done <- result{value, err}:
		case <-ctx.Done():
			if err == nil {
				late(value)
			}
		}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		return value, ctx.Err()
	}
}
