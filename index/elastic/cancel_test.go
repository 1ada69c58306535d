package elastic

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"testing"
	"time"
)

// TestClient_CancelsInElasticsearch: when the time of a request is over, Elasticsearch hears of it, by the end of the
// connection, and cancels what it was doing. It cancels searches in the same way, but has none here that takes long:
// waiting for nodes that never come does.
func TestClient_CancelsInElasticsearch(t *testing.T) {
	t.Parallel()
	mark := "cancel-" + strconv.FormatUint(rand.Uint64(), 36)
	plain := testClient(t)
	marked, err := newClient(newTestStore(t).cfg, func(next http.RoundTripper) http.RoundTripper {
		return roundTrip(func(r *http.Request) (*http.Response, error) {
			r.Header.Set("X-Opaque-Id", mark)
			return next.RoundTrip(r)
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	task := func() (runs bool) {
		var all struct {
			Nodes map[string]struct {
				Tasks map[string]struct {
					Cancelled bool
					Headers   map[string]string
				}
			}
		}
		if err := json.Unmarshal(must(t, plain, http.MethodGet, "/_tasks", nil, nil), &all); err != nil {
			t.Fatal(err)
		}
		for _, node := range all.Nodes {
			for _, task := range node.Tasks {
				if task.Headers["X-Opaque-Id"] == mark && !task.Cancelled {
					runs = true
				}
			}
		}
		return runs
	}
	within := func(what string, good func() bool) {
		t.Helper()
		for end := time.Now().Add(time.Minute); !good(); {
			if time.Now().After(end) {
				t.Fatalf("%s: not within a minute", what)
			}
		}
	}
	for _, road := range []struct {
		name string
		send func(ctx context.Context, method, path string, query url.Values, body []byte) ([]byte, error)
		stop func() (context.Context, func())
	}{
		{"a load's", marked.do, func() (context.Context, func()) {
			ctx, cancel := context.WithCancelCause(t.Context())
			return ctx, func() { cancel(context.DeadlineExceeded) }
		}},
		{"a query's, which only keeps to its deadline", marked.read, func() (context.Context, func()) {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			t.Cleanup(cancel)
			return ctx, func() {}
		}},
	} {
		ctx, stop := road.stop()
		ended := make(chan error, 1)
		go func() {
			_, err := road.send(ctx, http.MethodGet, "/_cluster/health", url.Values{"wait_for_nodes": {"ge(99)"}, "timeout": {"2m"}}, nil)
			ended <- err
		}()
		within(road.name+" beginning", task)
		stop()
		if err := <-ended; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", road.name, err)
		}
		within(road.name+" end", func() bool { return !task() })
	}
}
