package client

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"filings/cmd/testservers/servers"
	"filings/index/elastic/elastictest"
)

// TestClient_CancelsInElasticsearch: when the time of a request is over, its connection ends, and Elasticsearch cancels
// what it was doing. It cancels searches in the same way, but has none here that takes long:
// waiting for nodes that never come does.
func TestClient_CancelsInElasticsearch(t *testing.T) {
	t.Parallel()
	if servers.OpenSearch(t) {
		t.Skip("left out: OpenSearch cancels searches, and goes on to wait for nodes")
	}
	mark := "cancel-" + strconv.FormatUint(rand.Uint64(), 36)
	addresses := servers.ElasticsearchNodes(t)
	plain, err1 := Open(Config{Addresses: addresses})
	marked, err2 := Open(Config{Addresses: addresses, Wrap: func(next http.RoundTripper) http.RoundTripper {
		return elastictest.RoundTrip(func(r *http.Request) (*http.Response, error) {
			r.Header.Set("X-Opaque-Id", mark)
			return next.RoundTrip(r)
		})
	}})
	if err := errors.Join(err1, err2); err != nil {
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
		if err := plain.Write(t.Context(), &all, esapi.TasksListRequest{}); err != nil {
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
	for _, way := range []struct {
		name string
		send func(context.Context, any, esapi.Request) error
		stop func() (context.Context, func())
	}{
		{"a load's", marked.Write, func() (context.Context, func()) {
			ctx, cancel := context.WithCancelCause(t.Context())
			return ctx, func() { cancel(context.DeadlineExceeded) }
		}},
		{"a query's, which only keeps to its deadline", marked.Read, func() (context.Context, func()) {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			t.Cleanup(cancel)
			return ctx, func() {}
		}},
	} {
		ctx, stop := way.stop()
		ended := make(chan error, 1)
		go func() {
			err := way.send(ctx, nil, esapi.ClusterHealthRequest{WaitForNodes: "ge(99)", Timeout: 2 * time.Minute})
			ended <- err
		}()
		within(way.name+" beginning", task)
		stop()
		if err := <-ended; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", way.name, err)
		}
		within(way.name+" end", func() bool { return !task() })
	}
}
