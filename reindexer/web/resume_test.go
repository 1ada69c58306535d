package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// breaking sends a text, and breaks the connection off after so many bytes of each response.
type breaking struct {
	text   string
	etag   func(request int) string
	parts  string // Content-Range of a part, in place of the right one
	whole  bool   // it sends no parts
	chunks bool   // the length is not announced
	pieces int
	status int // of the second request and those after; 0: as it should be

	requests atomic.Int64
}

func (b *breaking) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := int(b.requests.Add(1))
	from, etag := 0, b.etag(n)
	if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from); err == nil && b.whole {
		from = 0
	}
	w.Header().Set("ETag", etag)
	switch match := r.Header.Get("If-Match"); {
	case n > 1 && b.status != 0:
		w.WriteHeader(b.status)
		return
	case match != "" && match != etag && b.parts == "":
		w.WriteHeader(http.StatusPreconditionFailed)
		return
	}
	if !b.chunks {
		w.Header().Set("Content-Length", strconv.Itoa(len(b.text)-from))
	}
	if r.Header.Get("Range") != "" && !b.whole {
		part := fmt.Sprintf("bytes %d-%d/%d", from, len(b.text)-1, len(b.text))
		if b.parts != "" {
			part = b.parts
		}
		w.Header().Set("Content-Range", part)
		w.WriteHeader(http.StatusPartialContent)
	}
	end := min(from+b.pieces, len(b.text))
	_, _ = io.WriteString(w, b.text[from:end])
	w.(http.Flusher).Flush()
	if end < len(b.text) {
		panic(http.ErrAbortHandler)
	}
}

// TestX45_Resumed: a response that breaks off is read on, as long as it is of one state and the
// server sends the right rest; else it is an error. Where nothing names the state, it is one at once.
func TestX45_Resumed(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("0123456789", 100)
	strong := func(int) string { return `"1"` }
	third := func(n int) string { return fmt.Sprintf(`"%d"`, n/3) }
	for name, test := range map[string]struct {
		server   *breaking
		want     error // nil: it is read
		requests int64
	}{
		"whole":                {&breaking{etag: strong, pieces: 1000}, nil, 1},
		"in parts":             {&breaking{etag: strong, pieces: 90}, nil, 12},
		"in parts, of chunks":  {&breaking{etag: strong, pieces: 90, chunks: true}, nil, 12},
		"not a byte":           {&breaking{etag: strong, pieces: 0}, ErrBroken, 10},
		"without ETag":         {&breaking{etag: func(int) string { return "" }, pieces: 90}, ErrBroken, 1},
		"a weak ETag":          {&breaking{etag: func(int) string { return `W/"1"` }, pieces: 90}, ErrBroken, 1},
		"changed":              {&breaking{etag: third, pieces: 90}, ErrChanged, 3},
		"changed, and sent":    {&breaking{etag: third, pieces: 90, parts: "bytes 90-999/1000"}, ErrChanged, 3},
		"gone":                 {&breaking{etag: strong, pieces: 90, status: http.StatusNotFound}, ErrChanged, 2},
		"refused":              {&breaking{etag: strong, pieces: 90, status: http.StatusForbidden}, ErrBroken, 2},
		"refused for now":      {&breaking{etag: strong, pieces: 90, status: http.StatusServiceUnavailable}, ErrBroken, 10},
		"no parts":             {&breaking{etag: strong, pieces: 90, whole: true}, ErrBroken, 2},
		"another part":         {&breaking{etag: strong, pieces: 90, parts: "bytes 80-999/1000"}, ErrBroken, 2},
		"a part that is short": {&breaking{etag: strong, pieces: 90, parts: "bytes 90-100/1000"}, ErrBroken, 2},
		"of another size":      {&breaking{etag: strong, pieces: 90, parts: "bytes 90-1099/1100"}, ErrBroken, 2},
		"no part":              {&breaking{etag: strong, pieces: 90, parts: "bytes */1000"}, ErrBroken, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.server.text = text
			c := New(nil, "")
			c.Sleep = func(context.Context, time.Duration) error { return nil }
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, serve(t, "127.0.0.1", test.server.ServeHTTP), nil)
			if err != nil {
				t.Fatal(err)
			}
			response, err := c.Follow(r, 1)
			if err != nil {
				t.Fatal(err)
			}
			body := c.Resumed(response)
			defer body.Close()
			got, err := io.ReadAll(body)
			if !errors.Is(err, test.want) || (err == nil) != (test.want == nil) || test.server.requests.Load() != test.requests {
				t.Errorf("error %v after %d requests, want %v after %d", err, test.server.requests.Load(), test.want, test.requests)
			}
			if !strings.HasPrefix(text, string(got)) || err == nil && len(got) != len(text) {
				t.Errorf("%d bytes that are not those of the server", len(got))
			}
		})
	}
}

// TestX74_Resumed: a server that breaks off after each byte is waited for as long as a source may take
// in all, however many bytes have come.
func TestX74_Resumed(t *testing.T) {
	t.Parallel()
	server := &breaking{text: strings.Repeat("x", 1000), etag: func(int) string { return `"1"` }, pieces: 1}
	c := New(nil, "")
	c.Timeout, c.Sleep = 100*time.Second, func(context.Context, time.Duration) error { return nil }
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, serve(t, "127.0.0.1", server.ServeHTTP), nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := c.Send(r)
	if err != nil {
		t.Fatal(err)
	}
	body := c.Resumed(response)
	defer body.Close()
	got, err := io.ReadAll(body)
	if !errors.Is(err, ErrSlow) || len(got) < 90 || len(got) > 100 {
		t.Errorf("error %v after %d bytes", err, len(got))
	}
}
