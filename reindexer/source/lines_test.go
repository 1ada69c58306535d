package source

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestLines_EveryLength(t *testing.T) {
	t.Parallel()
	for _, length := range []int{0, 1, bufferSize - 2, bufferSize - 1, bufferSize, bufferSize + 1, MaxLine - 1, MaxLine} {
		text := strings.Repeat("x", length)
		var count atomic.Int64
		r, err := stdinSource(strings.NewReader(text+"\r\n"+"end"), Form{Format: NDJSON}).Open(context.Background(), &count)
		if err != nil {
			t.Fatal(err)
		}
		l := r.records.(*ndjson).lines
		got, err := l.next()
		long := length+2 > MaxLine // line ends count
		if err != nil || got.long != long || !long && string(got.text) != text || !got.ended {
			t.Errorf("length %d: long %v, ended %v, %d bytes, error %v", length, got.long, got.ended, len(got.text), err)
		}
		if got, err = l.next(); string(got.text) != "end" || got.ended || l.number != 2 || err != nil {
			t.Errorf("length %d: the next line is %q, number %d", length, got.text, l.number)
		}
		if _, err = l.next(); err != io.EOF {
			t.Errorf("length %d: error %v at the end", length, err)
		}
		if count.Load() != int64(length+5) {
			t.Errorf("length %d: %d bytes counted", length, count.Load())
		}
	}
}

// TestStream_EndsWithItsContext reads from a pipe that never gets a byte.
func TestStream_EndsWithItsContext(t *testing.T) {
	t.Parallel()
	silent, writer := io.Pipe()
	defer writer.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	_, err := stdinSource(silent, Form{Format: NDJSON}).Open(ctx, new(atomic.Int64))
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want that of the context", err)
	}
}
