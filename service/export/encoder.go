package export

import (
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"filings/index"
)

// NewEncoder returns the encoder of a file in f with these fields, in the order of the record.
// resumed leaves out the part before the first row.
func NewEncoder(f Format, fields []index.Field, resumed bool) (Encoder, error) {
	switch f {
	case NDJSON:
		return newNDJSON(fields), nil
	case CSV:
		return &csvEncoder{fields: fields, headed: resumed}, nil
	case Parquet:
		return newParquet(fields)
	case GeoJSON:
		return &geoJSON{ndjson: newNDJSON(fields)}, nil
	}
	return nil, fmt.Errorf("export: unknown format %q", f)
}

// EscapeFormulas makes e write a ' before each text that a spreadsheet would take for a formula, as
// OWASP has it for CSV. It reports whether e does: only CSV is read by programs with formulas. It
// comes before the first Append.
func EscapeFormulas(e Encoder) bool {
	c, ok := e.(*csvEncoder)
	if ok {
		c.escapes = true
	}
	return ok
}

// zstdWindow is how far back zstd looks: records resemble their neighbors, and more would be memory.
const zstdWindow = 512 << 10

// Compress returns an encoder that compresses e by a content coding, gzip or zstd; "": none.
func Compress(e Encoder, coding string) (Encoder, error) {
	output := &appender{}
	switch coding {
	case "gzip":
		w, err := gzip.NewWriterLevel(output, gzip.BestSpeed)
		return &compressed{inner: e, output: output, w: w}, err
	case "zstd":
		w, err := zstd.NewWriter(output, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
			zstd.WithWindowSize(zstdWindow), zstd.WithLowerEncoderMem(true))
		return &compressed{inner: e, output: output, w: w}, err
	}
	return e, nil
}

type compressed struct {
	inner  Encoder
	plain  []byte
	output *appender
	w      io.WriteCloser
}

func (c *compressed) Append(dst []byte, records []index.Record) (_ []byte, err error) {
	if c.plain, err = c.inner.Append(c.plain[:0], records); err != nil {
		return dst, err
	}
	return c.write(dst)
}

func (c *compressed) Close(dst []byte) (_ []byte, err error) {
	if c.plain, err = c.inner.Close(c.plain[:0]); err != nil {
		return dst, err
	}
	if dst, err = c.write(dst); err != nil {
		return dst, err
	}
	c.output.b = dst
	err = c.w.Close()
	return c.output.b, err
}

func (c *compressed) write(dst []byte) ([]byte, error) {
	c.output.b = dst
	_, err := c.w.Write(c.plain)
	return c.output.b, err
}

// appender is a slice of bytes as an io.Writer.
type appender struct{ b []byte }

func (a *appender) Write(b []byte) (int, error) {
	a.b = append(a.b, b...)
	return len(b), nil
}
