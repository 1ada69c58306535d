package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"time"
)

// body is the body of a response. Its end is the end that the server announced, by Content-Length,
// the last chunk or the end of an HTTP/2 stream; anything else is ErrBroken.
type body struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	body   io.ReadCloser
	length int64 // -1: not announced
	got    int64
	c      *Client
	stall  *time.Timer // runs while a read does
	slow   bool        // it ends with the time of the source
}

func newBody(ctx context.Context, cancel context.CancelCauseFunc, response *http.Response, c *Client) *body {
	b := &body{ctx: ctx, cancel: cancel, body: response.Body, length: response.ContentLength, c: c}
	b.stall = time.AfterFunc(math.MaxInt64, func() {
		err := fmt.Errorf("%w: no byte came for %v", ErrBroken, c.Stall)
		if b.slow {
			err = c.slow()
		}
		cancel(err)
	})
	b.stall.Stop()
	return b
}

func (b *body) Read(p []byte) (int, error) {
	left := b.c.left()
	b.slow = left <= b.c.Stall
	begun := time.Now()
	b.stall.Reset(min(left, b.c.Stall))
	n, err := b.body.Read(p)
	b.stall.Stop()
	b.c.waited.Add(int64(time.Since(begun)))
	b.got += int64(n)
	if err == nil || err == io.EOF {
		return n, err
	}
	return n, b.broken(err)
}

// broken says why err ended the transfer.
func (b *body) broken(err error) error {
	if cause := context.Cause(b.ctx); errors.Is(cause, ErrBroken) || errors.Is(cause, ErrSlow) {
		return cause
	}
	if b.ctx.Err() != nil {
		return b.ctx.Err()
	}
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) && b.length >= 0:
		return fmt.Errorf("%w after %d of %d bytes", ErrBroken, b.got, b.length)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w after %d bytes, before the last chunk", ErrBroken, b.got)
	}
	return fmt.Errorf("%w after %d bytes: %v", ErrBroken, b.got, err)
}

func (b *body) Close() error {
	b.stall.Stop()
	b.cancel(nil)
	return b.body.Close()
}
