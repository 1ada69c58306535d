package web

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// resumed is the body of a response that is read on after it broke off.
type resumed struct {
	retrier
	io.ReadCloser // of the response that came last
	first         *http.Response
	tag           string // the ETag of all parts
	read          int64
}

// Resumed returns the body of a response to a GET. Where that breaks off, it requests the rest of
// the state that the request's If-Match names, or else the response's ETag: another state is
// ErrChanged. Without either, or of a server that sends no parts, the break is ErrBroken.
func (c *Client) Resumed(response *http.Response) io.ReadCloser {
	tag := cmp.Or(response.Request.Header.Get("If-Match"), response.Header.Get("ETag"))
	if !strings.HasPrefix(tag, `"`) { // a weak one may be that of two states
		return response.Body
	}
	return &resumed{retrier: retrier{Client: c}, ReadCloser: response.Body, first: response, tag: tag}
}

func (b *resumed) Read(p []byte) (int, error) {
	for {
		n, err := b.ReadCloser.Read(p)
		if b.read += int64(n); n > 0 {
			b.failed = 0
		}
		if errors.Is(err, ErrBroken) {
			err = b.resume(err)
		}
		if n > 0 || err != nil || len(p) == 0 {
			return n, err
		}
	}
}

// resume requests the rest of a body that broke off.
func (b *resumed) resume(broken error) error {
	r := b.first.Request.Clone(b.first.Request.Context())
	if err := b.pause(r.Context(), broken, ""); err != nil {
		return err
	}
	b.ReadCloser.Close()
	r.Header.Set("If-Match", b.tag)
	r.Header.Set("Range", fmt.Sprintf("bytes=%d-", b.read))
	rest, err := b.RoundTrip(r)
	if err != nil {
		return fmt.Errorf("%w; for the rest %w", broken, err)
	}
	b.ReadCloser = rest.Body
	etag := func(r *http.Response) string { return strings.TrimPrefix(r.Header.Get("ETag"), "W/") }
	var first, last, size int64
	part, length := rest.Header.Get("Content-Range"), b.first.ContentLength
	_, malformed := fmt.Sscanf(part, "bytes %d-%d/%d", &first, &last, &size)
	switch status := rest.StatusCode; {
	case status == http.StatusPreconditionFailed, status == http.StatusNotFound,
		status == http.StatusPartialContent && etag(rest) != etag(b.first):
		return ErrChanged
	case status != http.StatusPartialContent:
		return fmt.Errorf("%w; for the rest %w", broken, Status(rest))
	case malformed != nil, first != b.read, last != size-1, length >= 0 && length != size:
		return fmt.Errorf("%w; the server does not send the rest from byte %d on, but %.200q", broken, b.read, part)
	}
	return nil
}
