package client

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"filings/index"
)

// TestX60_Lingers: of a call that nobody waits for, the client returns when the server has ended
// it, though its time is over; of others, when their time is over. Both are out of time.
func TestX60_Lingers(t *testing.T) {
	t.Parallel()
	for name, detached := range map[string]bool{"detached": true, "awaited": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			over, ended := make(chan struct{}), make(chan struct{})
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if detached {
					<-over
					close(ended)
					_, _ = w.Write([]byte("{}"))
					return
				}
				<-ended
			}))
			defer server.Close()
			c, err := Open(Config{Addresses: []string{server.URL}})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			go func() { <-ctx.Done(); close(over) }()
			if detached {
				err = c.Read(index.Detach(ctx), nil, document())
				select {
				case <-ended:
				default:
					t.Error("returned before the server had ended it")
				}
			} else {
				err = c.Read(ctx, nil, document())
				close(ended)
			}
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%v", err)
			}
		})
	}
}
