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
	task := func() (runs, cancelled bool) {
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
				if task.Headers["X-Opaque-Id"] == mark {
					runs, cancelled = true, cancelled || task.Cancelled
				}
			}
		}
		return runs, cancelled
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	ended := make(chan error, 1)
	go func() {
		_, err := marked.do(ctx, http.MethodGet, "/_cluster/health", url.Values{"wait_for_nodes": {"ge(99)"}, "timeout": {"2m"}}, nil)
		ended <- err
	}()
	within := func(what string, good func() bool) {
		t.Helper()
		for end := time.Now().Add(time.Minute); !good(); {
			if time.Now().After(end) {
				t.Fatalf("%s: not within a minute", what)
			}
		}
	}
	within("its beginning", func() bool { runs, _ := task(); return runs })
	cancel(context.DeadlineExceeded)
	if err := <-ended; !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	within("its end", func() bool { runs, cancelled := task(); return cancelled || !runs })
}
