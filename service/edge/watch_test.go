package edge

import (
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"
)

// TestX8_Watch: the watch ends when the client hangs up. What the client sends meanwhile is read after it, once.
func TestX8_Watch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server, client := open(t, newPipes(1000))
		ctx, stop := Watch(t.Context(), server)
		<-time.After(time.Hour)
		if ctx.Err() != nil {
			t.Error("ended while the client waits")
		}
		stop()
		if ctx.Err() == nil {
			t.Error("not ended by stop")
		}

		ctx, stop = Watch(t.Context(), server)
		go func() { _, _ = client.Write([]byte("next")) }()
		synctest.Wait()
		if ctx.Err() != nil {
			t.Error("ended by what the client sends")
		}
		stop()
		b := make([]byte, 4)
		if _, err := io.ReadFull(server, b); string(b) != "next" {
			t.Errorf("%q, %v", b, err)
		}

		ctx, stop = Watch(t.Context(), server)
		_ = client.Close()
		<-ctx.Done()
		stop()
		_ = server.Close()

		other, cancel := context.WithCancel(t.Context())
		defer cancel()
		if ctx, stop := Watch(other, nil); ctx != other {
			t.Error("another connection is watched")
		} else {
			stop()
		}
	})
}
