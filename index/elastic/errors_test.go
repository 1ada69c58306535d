package elastic

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"filings/index"
)

func TestAnswerError_Kinds(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		status int
		answer string
		kind   error // nil: none of ours
		text   string
	}{
		{"deleted index", 404, `{"error":{"root_cause":[{"type":"index_not_found_exception","reason":"no such index [a]"}],"type":"x","reason":"y"},"status":404}`,
			index.ErrGone, "elasticsearch answered 404 index_not_found_exception: no such index [a]"},
		{"unknown document", 404, `{"_index":"a","_id":"1","found":false}`,
			index.ErrNotFound, "elasticsearch answered 404"},
		{"unknown alias", 404, `{"error":"alias [a] missing","status":404}`,
			index.ErrNotFound, "elasticsearch answered 404: alias [a] missing"},
		{"no shard", 503, `{"error":{"root_cause":[],"type":"search_phase_execution_exception","reason":"all shards failed"},"status":503}`,
			index.ErrUnavailable, "elasticsearch answered 503 search_phase_execution_exception: all shards failed"},
		{"too many requests", 429, `{"error":{"type":"circuit_breaking_exception","reason":"Data too large"}}`,
			index.ErrUnavailable, "elasticsearch answered 429 circuit_breaking_exception: Data too large"},
		{"a proxy's page", 502, `<html>`, index.ErrUnavailable, "elasticsearch answered 502"},
		{"a proxy's page that looks like an answer", 404, `<html>`, index.ErrUnavailable, "elasticsearch answered 404"},
		{"wrong request", 400, `{"error":{"root_cause":[{"type":"parsing_exception","reason":"[a]"}]},"status":400}`,
			nil, "elasticsearch answered 400 parsing_exception: [a]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			err := newAnswerError(test.status, []byte(test.answer))
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

// An answer that lacks something is never taken for a smaller result.
func TestCheckWhole(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, answer, text string
	}{
		{"whole", `{"took":1,"timed_out":false,"_shards":{"total":1,"successful":1,"failed":0},"hits":{}}`, ""},
		{"no search", `{"_index":"a","found":true,"_source":{"timed_out":true}}`, ""},
		{"with blanks around it", " {\"hits\":{}}\n", ""},
		{"not an object", `[]`, "something else than was asked for"},
		{"a page", `<html>`, "something else than was asked for"},
		{"nothing", ``, "something else than was asked for"},
		{"cut off", `{"took":1`, "something else than was asked for"},
		{"timed out", `{"took":1,"timed_out":true,"hits":{}}`, "the search ran out of time"},
		{"a shard failed", `{"took":1,"timed_out":false,"num_reduce_phases":2,"_shards":{"total":3,"failed":1,"failures":[{"reason":{"type":"t","reason":"r"}}]},"hits":{}}`,
			"t: 1 of 3 shards failed: r"},
		{"a shard failed without a reason", `{"_shards":{"total":3,"failed":1}}`, "1 of 3 shards failed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			err := checkWhole([]byte(test.answer))
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

// roundTrip is a transport that a test makes up.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func clientOver(t *testing.T, rt roundTrip) *client {
	t.Helper()
	c, err := newClient(Config{Addresses: []string{"http://search.example:9200"}, Index: "filings", Shards: 1},
		func(http.RoundTripper) http.RoundTripper { return rt })
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func answering(status int, body string) *http.Response {
	return &http.Response{
		StatusCode: status, ContentLength: -1, Body: io.NopCloser(strings.NewReader(body)),
		Header: http.Header{"X-Elastic-Product": {"Elasticsearch"}},
	}
}

// A read is repeated once, and only where that may help.
func TestClientRead_RepeatsOnce(t *testing.T) {
	t.Parallel()
	reset := func(*http.Request) (*http.Response, error) { return nil, io.EOF }
	status := func(status int, body string) roundTrip {
		return func(*http.Request) (*http.Response, error) { return answering(status, body), nil }
	}
	for _, test := range []struct {
		name  string
		first roundTrip
		asked int32
	}{
		{"connection closed", reset, 2},
		{"no shard available", status(503, `{"error":{"root_cause":[{"type":"no_shard_available_action_exception"}]}}`), 2},
		{"a shard failed", status(200, `{"_shards":{"total":2,"failed":1}}`), 2},
		{"overloaded", status(429, `{}`), 1},
		{"deleted", status(404, `{"error":{"root_cause":[{"type":"index_not_found_exception"}]}}`), 1},
		{"answered", status(200, `{}`), 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int32
			c := clientOver(t, func(r *http.Request) (*http.Response, error) {
				if asked.Add(1) == 1 {
					return test.first(r)
				}
				return answering(200, `{"second":1}`), nil
			})
			answer, err := c.read(t.Context(), http.MethodPost, "/i/_search", nil, []byte(`{}`))
			if asked.Load() != test.asked {
				t.Errorf("asked %d times, want %d", asked.Load(), test.asked)
			}
			if test.asked == 2 && (err != nil || string(answer) != `{"second":1}`) {
				t.Errorf("%s, %v", answer, err)
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
	_, err := clientOver(t, refused).read(t.Context(), http.MethodGet, "/i/_doc/1", nil, nil)
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
			_, err := clientOver(t, silent).read(test.ctx, http.MethodGet, "/i/_doc/1", nil, nil)
			if !errors.Is(err, test.cause) || errors.Is(err, index.ErrUnavailable) != test.outage {
				t.Errorf("%v; want %v, outage %v", err, test.cause, test.outage)
			}
		})
	}
}
