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
		got, ended, err := l.next()
		blank, long := length == 0, length+2 > MaxLine // line ends count
		if long != (err == errLong) || !long && !blank && (string(got) != text || !ended) || long && l.number != 1 {
			t.Errorf("length %d: ended %v, %d bytes, error %v", length, ended, len(got), err)
		}
		if long {
			continue
		}
		if !blank {
			got, ended, err = l.next()
		}
		if string(got) != "end" || ended || l.number != 2 || err != nil {
			t.Errorf("length %d: the next line is %q, number %d", length, got, l.number)
		}
		if _, _, err = l.next(); err != io.EOF {
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
