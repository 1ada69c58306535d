package reindexer

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

const (
	// bufferSize is large enough that reading costs few system calls, and small against everything else.
	bufferSize = 256 << 10
	// maxWindow is the largest zstd window that is decoded: that of `zstd --long`, which zstd itself decodes unasked.
	maxWindow = 128 << 20
)

// stream is the plain text of an input.
type stream struct {
	*bufio.Reader
	format string
	close  []func() error
}

// openStream opens in and decompresses it by its first bytes. Bytes read from in itself are added to count. The stream
// ends with ctx, even if the input blocks for ever.
func openStream(ctx context.Context, in input, count *atomic.Int64) (*stream, error) {
	file, err := in.open(ctx)
	if err != nil {
		return nil, err
	}
	var source io.Reader = file
	if _, regular := in.size(); !regular {
		source = &patient{ctx: ctx, r: file}
	}
	s := &stream{format: file.format, close: []func() error{file.Close}}
	raw := bufio.NewReaderSize(&counted{ctx: ctx, r: source, n: count}, bufferSize)
	plain, err := s.decompressed(raw)
	if err != nil {
		s.Close()
		return nil, err
	}
	s.Reader = bufio.NewReaderSize(plain, bufferSize)
	if err := s.skipMark(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Close closes the input.
func (s *stream) Close() {
	for _, closer := range s.close {
		_ = closer() // only read from: there is nothing that closing could lose
	}
}

// unsupported are the first bytes of formats that would otherwise be reported as a very long list of bad records.
var unsupported = []struct {
	start string
	what  string
}{
	{"BZh", "bzip2"}, {"\xfd7zXZ\x00", "xz"}, {"PK\x03\x04", "zip"}, {"7z\xbc\xaf", "7-Zip"}, {"\x04\x22\x4d\x18", "lz4"},
}

func (s *stream) decompressed(raw *bufio.Reader) (io.Reader, error) {
	start, err := raw.Peek(6)
	if err != nil && err != io.EOF {
		return nil, err
	}
	for _, u := range unsupported {
		if bytes.HasPrefix(start, []byte(u.start)) {
			return nil, fmt.Errorf("it is compressed with %s; gzip, zstd and plain text are understood", u.what)
		}
	}
	switch {
	case bytes.HasPrefix(start, []byte{0x1f, 0x8b}):
		r, err := gzip.NewReader(raw)
		if err != nil {
			return nil, explain("gzip", err)
		}
		return &archive{r, "gzip"}, nil
	case isZstd(start):
		r, err := zstd.NewReader(raw, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, explain("zstd", err)
		}
		s.close = append(s.close, func() error { r.Close(); return nil })
		return &archive{r, "zstd"}, nil
	}
	return raw, nil
}

// isZstd knows frames, and the skippable frames that parallel compressors begin with.
func isZstd(start []byte) bool {
	if len(start) < 4 {
		return false
	}
	return bytes.HasPrefix(start, []byte{0x28, 0xb5, 0x2f, 0xfd}) ||
		start[0]&0xf0 == 0x50 && bytes.Equal(start[1:4], []byte{0x2a, 0x4d, 0x18})
}

// skipMark skips the byte-order mark of UTF-8.
func (s *stream) skipMark() error {
	start, err := s.Peek(3)
	if err != nil && err != io.EOF {
		return err
	}
	switch {
	case bytes.Equal(start, []byte("\xef\xbb\xbf")):
		_, _ = s.Discard(3) // just peeked at
	case bytes.HasPrefix(start, []byte("\xff\xfe")), bytes.HasPrefix(start, []byte("\xfe\xff")):
		return errors.New("its text is UTF-16; it has to be UTF-8")
	}
	return nil
}

// archive says in its errors what is wrong with the compressed stream.
type archive struct {
	r    io.Reader
	kind string
}

func (a *archive) Read(p []byte) (int, error) {
	n, err := a.r.Read(p)
	return n, explain(a.kind, err)
}

func explain(kind string, err error) error {
	switch {
	case err == nil, err == io.EOF, errors.Is(err, errBroken),
		errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("the %s stream is cut off", kind)
	}
	return fmt.Errorf("the %s stream cannot be decompressed: %w", kind, err)
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

// patient reads from what may block for ever, such as a terminal, and gives up when its context ends. The read that
// blocks then is left behind with a buffer of its own.
type patient struct {
	ctx context.Context
	r   io.Reader
	buf []byte
}

func (p *patient) Read(dst []byte) (int, error) {
	type result struct {
		n   int
		err error
	}
	if p.buf == nil {
		p.buf = make([]byte, bufferSize)
	}
	buf, done := p.buf[:min(len(dst), len(p.buf))], make(chan result, 1)
	go func() {
		n, err := p.r.Read(buf)
		done <- result{n, err}
	}()
	select {
	case got := <-done:
		return copy(dst, buf[:got.n]), got.err
	case <-p.ctx.Done():
		return 0, p.ctx.Err()
	}
}
