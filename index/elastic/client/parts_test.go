package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// TestX8_Parts: of a response that is larger than a part, no more than a part is read, whether or not its length is
// announced; it is no outage, and its node is used again. Other requests have responses of any size.
func TestX8_Parts(t *testing.T) {
	t.Parallel()
	for _, chunked := range []bool{false, true} {
		size, written, requests := 0, make(chan int, 1), atomic.Int64{}
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			requests.Add(1)
			if !chunked {
				w.Header().Set("Content-Length", fmt.Sprint(size))
			}
			n, _ := io.Copy(w, io.LimitReader(strings.NewReader(`{"a":"`+strings.Repeat("a", size-8)+`"}`), int64(size)))
			written <- int(n)
		}))
		defer server.Close()
		c, err := Open(Config{Addresses: []string{server.URL, server.URL + "/other"}})
		if err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			ctx  context.Context
			size int
			want error
		}{
			{InParts(t.Context()), LargestPart, nil},
			{InParts(t.Context()), LargestPart + 1, ErrTooLarge},
			{InParts(t.Context()), 64 << 20, ErrTooLarge},
			{InParts(t.Context()), LargestPart, nil},
			{t.Context(), LargestPart + 1, nil},
		} {
			size = tt.size
			var response []byte
			err := c.Read(tt.ctx, &response, document())
			if !errors.Is(err, tt.want) || err == nil && len(response) != tt.size {
				t.Errorf("%d bytes, chunked %t: %d, %v, want %v", tt.size, chunked, len(response), err, tt.want)
			}
			if n := <-written; tt.size > 32<<20 && n == tt.size {
				t.Errorf("chunked %t: all %d bytes were taken", chunked, n)
			}
		}
		if n := requests.Load(); n != 5 {
			t.Errorf("%d requests, want 5: each once", n)
		}
	}
}
