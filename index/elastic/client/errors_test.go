package client

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"filings/index"
	"filings/index/elastic/elastictest"
)

func TestError_Kinds(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		status   int
		response string
		kind     error // nil: none of ours
		text     string
	}{
		{"deleted index", 404, `{"error":{"root_cause":[{"type":"index_not_found_exception","reason":"no such index [a]"}],"type":"x","reason":"y"},"status":404}`,
			index.ErrGone, "elasticsearch responded 404 index_not_found_exception: no such index [a]"},
		{"unknown document", 404, `{"_index":"a","_id":"1","found":false}`,
			index.ErrNotFound, "elasticsearch responded 404"},
		{"unknown alias", 404, `{"error":"alias [a] missing","status":404}`,
			index.ErrNotFound, "elasticsearch responded 404: alias [a] missing"},
		{"no shard", 503, `{"error":{"root_cause":[],"type":"search_phase_execution_exception","reason":"all shards failed"},"status":503}`,
			index.ErrUnavailable, "elasticsearch responded 503 search_phase_execution_exception: all shards failed"},
		{"too many requests", 429, `{"error":{"type":"circuit_breaking_exception","reason":"Data too large"}}`,
			index.ErrUnavailable, "elasticsearch responded 429 circuit_breaking_exception: Data too large"},
		{"a proxy's page", 502, `<html>`, index.ErrUnavailable, "elasticsearch responded 502"},
		{"a proxy's page that looks like a response", 404, `<html>`, index.ErrUnavailable, "elasticsearch responded 404"},
		{"wrong request", 400, `{"error":{"root_cause":[{"type":"parsing_exception","reason":"[a]"}]},"status":400}`,
			nil, "elasticsearch responded 400 parsing_exception: [a]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			err := newError(test.status, []byte(test.response))
			if err.Error() != test.text {
				t.Errorf("text %q, want %q", err, test.text)
			}
			for _, kind := range []error{index.ErrGone, index.ErrNotFound, index.ErrUnavailable} {
				if got, want := errors.Is(err, kind), kind == test.kind; got != want {
					t.Errorf("is %q: %v, want %v", kind, got, want)
				}
			}
		})
	}
}

// A response that lacks something is never taken for a smaller result.
func TestCheckWhole(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, response, text string
	}{
		{"whole", `{"took":1,"timed_out":false,"_shards":{"total":1,"successful":1,"failed":0},"hits":{}}`, ""},
		{"no search", `{"_index":"a","found":true,"_source":{"timed_out":true}}`, ""},
		{"with blanks around it", " {\"hits\":{}}\n", ""},
		{"not an object", `[]`, "something else than was requested"},
		{"a page", `<html>`, "something else than was requested"},
		{"nothing", ``, "something else than was requested"},
		{"cut off", `{"took":1`, "something else than was requested"},
		{"timed out", `{"took":1,"timed_out":true,"hits":{}}`, "the search ran out of time"},
		{"a shard failed", `{"took":1,"timed_out":false,"num_reduce_phases":2,"_shards":{"total":3,"failed":1,"failures":[{"reason":{"type":"t","reason":"r"}}]},"hits":{}}`,
			"t: 1 of 3 shards failed: r"},
		{"a shard failed without a reason", `{"_shards":{"total":3,"failed":1}}`, "1 of 3 shards failed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			err := checkWhole([]byte(test.response))
			if test.text == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if !errors.Is(err, index.ErrUnavailable) || !strings.HasSuffix(err.Error(), test.text) {
				t.Errorf("%v; want unavailable: %s", err, test.text)
			}
		})
	}
}

func clientOver(t testing.TB, network elastictest.RoundTrip) *Client {
	t.Helper()
	c, err := Open(Config{Addresses: []string{"http://search.example:9200/base"}, Wrap: network.Over()})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// document is a request of one document.
func document() esapi.Request { return esapi.GetRequest{Index: "i", DocumentID: "1"} }

// A read is repeated once, and only where that may help.
func TestRead_RepeatsOnce(t *testing.T) {
	t.Parallel()
	reset := func(*http.Request) (*http.Response, error) { return nil, io.EOF }
	status := elastictest.Responding
	for _, test := range []struct {
		name  string
		first elastictest.RoundTrip
		sent  int32
	}{
		{"connection closed", reset, 2},
		{"no shard available", status(503, `{"error":{"root_cause":[{"type":"no_shard_available_action_exception"}]}}`), 2},
		{"a shard failed", status(200, `{"_shards":{"total":2,"failed":1}}`), 2},
		{"overloaded", status(429, `{}`), 1},
		{"deleted", status(404, `{"error":{"root_cause":[{"type":"index_not_found_exception"}]}}`), 1},
		{"a response", status(200, `{}`), 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var sent atomic.Int32
			c := clientOver(t, func(r *http.Request) (*http.Response, error) {
				if body, err := io.ReadAll(r.Body); string(body) != `{"size":0}` || err != nil || r.URL.Path != "/base/i/_search" {
					t.Errorf("%s %s, %v", r.URL.Path, body, err)
				}
				if sent.Add(1) == 1 {
					return test.first(r)
				}
				return elastictest.Response(r, 200, []byte(`{"second":1}`)), nil
			})
			var response []byte
			err := c.Read(t.Context(), &response, esapi.SearchRequest{Index: []string{"i"}, Body: strings.NewReader(`{"size":0}`)})
			if sent.Load() != test.sent {
				t.Errorf("sent %d times, want %d", sent.Load(), test.sent)
			}
			if test.sent == 2 && (err != nil || string(response) != `{"second":1}`) {
				t.Errorf("%s, %v", response, err)
			}
		})
	}
}

func TestClient_OutagesShowNoAddress(t *testing.T) {
	t.Parallel()
	refused := func(*http.Request) (*http.Response, error) {
		_, err := net.DialTimeout("tcp", "127.0.0.1:1", time.Second)
		return nil, err
	}
	err := clientOver(t, refused).Read(t.Context(), nil, document())
	if !errors.Is(err, index.ErrUnavailable) {
		t.Errorf("%v is no index.ErrUnavailable", err)
	}
	for _, part := range []string{"127.0.0.1", "search.example", "9200"} {
		if strings.Contains(err.Error(), part) {
			t.Errorf("%q shows %s", err, part)
		}
	}
}

// A caller who goes away is not an outage; a server that is too slow for the caller's deadline is.
func TestClient_EndedContexts(t *testing.T) {
	t.Parallel()
	silent := func(r *http.Request) (*http.Response, error) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancelLate := context.WithDeadline(t.Context(), time.Now().Add(time.Millisecond))
	defer cancelLate()
	for _, test := range []struct {
		name   string
		ctx    context.Context
		cause  error
		outage bool
	}{
		{"cancelled", cancelled, context.Canceled, false},
		{"deadline", late, context.DeadlineExceeded, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := clientOver(t, silent).Read(test.ctx, nil, document())
			if !errors.Is(err, test.cause) || errors.Is(err, index.ErrUnavailable) != test.outage {
				t.Errorf("%v; want %v, outage %v", err, test.cause, test.outage)
			}
		})
	}
}

// BenchmarkSearch measures what esapi, errors and the look at a response's head cost a search, without a network.
func BenchmarkSearch(b *testing.B) {
	c := &Client{queries: whole{next: instant{}, reads: true}}
	body := []byte(strings.Repeat("x", 300))
	partial := false
	b.ReportAllocs()
	for b.Loop() {
		err := c.Read(b.Context(), nil, esapi.SearchRequest{
			Index: []string{"filings-20260101-000000.000000-v1"}, Body: bytes.NewReader(body), AllowPartialSearchResults: &partial,
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// instant is a transport that responds to every request at once.
type instant struct{}

func (instant) Perform(req *http.Request) (*http.Response, error) {
	const head = `{"took":1,"timed_out":false,"_shards":{"total":1,"successful":1,"skipped":0,"failed":0},"hits":{"hits":[]}}`
	return elastictest.Response(req, 200, []byte(head)), nil
}
