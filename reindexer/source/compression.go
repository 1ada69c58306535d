package source

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"filings/reindexer/web"
)

// maxWindow is the largest zstd window that is decoded: that of `zstd --long`, which zstd itself
// decodes by default.
const maxWindow = 128 << 20

// unsupported are the first bytes of formats that would else be reported as many bad records.
var unsupported = []struct {
	start string
	name  string
}{
	{"BZh", "bzip2"}, {"\xfd7zXZ\x00", "xz"}, {"7z\xbc\xaf", "7-Zip"}, {"\x04\x22\x4d\x18", "lz4"},
}

// decompressed returns the plain bytes of raw, decompressed by the first of them, and the function
// that frees the decoder.
func decompressed(raw *bufio.Reader) (plain io.Reader, free func(), err error) {
	free = func() {}
	start, err := raw.Peek(6)
	if err != nil && err != io.EOF {
		return nil, free, err
	}
	for _, u := range unsupported {
		if bytes.HasPrefix(start, []byte(u.start)) {
			return nil, free, fmt.Errorf("it is compressed with %s; gzip, zstd, zip and plain text are understood", u.name)
		}
	}
	switch {
	case bytes.HasPrefix(start, []byte{0x1f, 0x8b}):
		r, err := gzip.NewReader(raw)
		return &compressed{&members{r, raw}, "gzip"}, free, explain("gzip", err)
	case isZstd(start):
		r, err := zstd.NewReader(raw, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, free, explain("zstd", err)
		}
		return &compressed{r, "zstd"}, r.Close, nil
	}
	return raw, free, nil
}

// members reads the members of a gzip file. Zeros and line ends may follow them: programs that copy
// blocks or texts add these.
type members struct {
	*gzip.Reader
	raw *bufio.Reader
}

func (m *members) Read(p []byte) (int, error) {
	m.Multistream(false)
	n, err := m.Reader.Read(p)
	switch {
	case err != io.EOF:
		return n, err
	case n > 0:
		return n, nil // and the end next time
	}
	next := byte(0)
	for err = nil; err == nil && strings.IndexByte("\x00\r\n", next) >= 0; {
		next, err = m.raw.ReadByte()
	}
	if err == nil {
		err = errors.Join(m.raw.UnreadByte(), m.Reset(m.raw))
	}
	return 0, err
}

// isZstd knows frames, and the skippable frames that parallel compressors begin with.
func isZstd(start []byte) bool {
	return bytes.HasPrefix(start, []byte{0x28, 0xb5, 0x2f, 0xfd}) ||
		len(start) >= 4 && start[0]&0xf0 == 0x50 && bytes.Equal(start[1:4], []byte{0x2a, 0x4d, 0x18})
}

// compressed is a stream whose errors say how it is compressed.
type compressed struct {
	r    io.Reader
	kind string
}

func (a *compressed) Read(p []byte) (int, error) {
	n, err := a.r.Read(p)
	return n, explain(a.kind, err)
}

func explain(kind string, err error) error {
	switch {
	case err == nil, err == io.EOF, errors.Is(err, web.ErrBroken), errors.Is(err, web.ErrChanged),
		errors.Is(err, web.ErrSlow),
		errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("the %s stream is cut off", kind)
	}
	return fmt.Errorf("the %s stream cannot be decompressed: %w", kind, err)
}
