// Package client sends requests to Elasticsearch and owns the responses: whatever is not a whole
// and successful response is an error of a known kind here, never a smaller result. It owns
// addresses, TLS, credentials, the errors, and repetitions. It refuses to know any index, document
// or query: requests are esapi's, bodies are their callers'.
//
// # Design: one client, two transports
//
// A Client is go-elasticsearch's transport (addresses in turn, authentication) under esapi's
// request types. The client type of that library is left out: it would add 860 packages of typed
// requests to be compiled, and nothing that is used.
//
// Below it, loads go by net/http, which ends a request as soon as its context does, in requests of
// megabytes and minutes. Queries go by fasthttp (transport.go): with net/http, two goroutines of
// each connection wake each other up for every response, which took two thirds of the CPU of a
// query. Its lacks do no harm here: a query always has a deadline, at which its connection is
// closed and Elasticsearch ends the search.
//
// # Measured
//
// esapi.SearchRequest costs 1.7 µs and 2.5 kB a search, a request put together by hand 1.2 µs and
// 1.8 kB (AMD EPYC; `go test -run '^$' -bench Search ./index/elastic/client` measures it, with the
// look at a response's head). That is less than a hundredth of the service's cost of a page of 20,
// so that the hot path goes by esapi too.
//
// Responses are read by go-json-experiment (Decode): the 5,000 buckets for a deep page in 1.3 ms,
// where a reader of our own took 0.9 and encoding/json 2.7, once for each filter and order, for
// which Elasticsearch takes 26 to 154 ms. Records alone are cut out of a page (package document).
package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"filings/index"
)

// Client sends requests to one cluster. It is safe for concurrent use.
type Client struct {
	loads    esapi.Transport // for requests that change something, and may take minutes
	queries  esapi.Transport // for those that only read
	retryFor time.Duration
	log      *slog.Logger
}

// Write sends a request that changes something, once, and reads the response into v as Read does. A
// status of 400 and more is an *Error; so is a response that is incomplete (timed out, failed
// shards). No response at all is index.ErrUnavailable. An ended context stays visible in the error.
func (c *Client) Write(ctx context.Context, v any, r esapi.Request) error {
	return send(ctx, v, r, c.loads)
}

// Read is Write for a request that changes nothing. It is sent again once if its connection broke,
// or if the shard that it was queued on had just moved or gone. v gets the response as Decode reads
// it, or as bytes if it is a *[]byte; nil gets nothing.
func (c *Client) Read(ctx context.Context, v any, r esapi.Request) error {
	return send(ctx, v, r, c.queries)
}

func send(ctx context.Context, v any, r esapi.Request, t esapi.Transport) error {
	res, err := r.Do(ctx, t)
	if err != nil || v == nil {
		return err
	}
	response := res.Body.(*content).bytes
	if raw, ok := v.(*[]byte); ok {
		*raw = response
		return nil
	}
	return Decode(response, v)
}

// whole is a transport each of whose responses is whole and successful. All else is an error.
type whole struct {
	next  esapi.Transport
	reads bool // requests change nothing, and may be sent twice
}

// content is the body of a response that was read already.
type content struct {
	*bytes.Reader
	bytes []byte
}

func newContent(text []byte) *content { return &content{bytes.NewReader(text), text} }

func (c *content) Close() error { return nil }

// Perform implements esapi.Transport.
func (w whole) Perform(req *http.Request) (*http.Response, error) {
	path := req.URL.Path // which the transport below may put an address's own path before
	res, err := w.once(req)
	if !w.reads || !errors.Is(err, index.ErrUnavailable) || !isPassing(err) || req.Context().Err() != nil {
		return res, err
	}
	req.URL.Path = path
	if req.GetBody != nil {
		if req.Body, err = req.GetBody(); err != nil {
			return nil, err
		}
	}
	return w.once(req)
}

func (w whole) once(req *http.Request) (*http.Response, error) {
	res, err := w.next.Perform(req)
	if err != nil {
		return nil, transportError(req.Context(), err)
	}
	defer res.Body.Close()
	body, err := readAll(res)
	if err != nil {
		return nil, transportError(req.Context(), err)
	}
	if res.StatusCode >= http.StatusBadRequest {
		return nil, newError(res.StatusCode, body)
	}
	if err := checkWhole(body); err != nil {
		return nil, err
	}
	res.Body = newContent(body)
	return res, nil
}

// readAll reads the body at once into memory of the announced length, unless it was read already.
func readAll(res *http.Response) ([]byte, error) {
	if read, ok := res.Body.(*content); ok {
		return read.bytes, nil
	}
	if res.ContentLength > 0 && res.ContentLength <= maxPrealloc {
		b := make([]byte, res.ContentLength)
		_, err := io.ReadFull(res.Body, b)
		return b, err
	}
	return io.ReadAll(res.Body)
}

// maxPrealloc is the most memory that a Content-Length alone allocates. A page of 100 filings is
// about 150 kB.
const maxPrealloc = 64 << 20

// trusting reads Elasticsearch's own JSON: it neither looks for repeated names nor checks UTF-8.
var trusting = json.JoinOptions(
	jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), json.MatchCaseInsensitiveNames(true),
)

// Decode reads a response into v, as go-json-experiment's Unmarshal does; names match in any case.
// A response of another form is ErrResponse.
func Decode(response []byte, v any) error {
	if err := json.Unmarshal(response, v, trusting); err != nil {
		return fmt.Errorf("%w: %w", ErrResponse, err)
	}
	return nil
}

// checkWhole finds the marks of a partial response. They stand before the results, so only the head
// is read, and the last character. Every request that is sent here has an object for a response.
func checkWhole(response []byte) error {
	d := jsontext.NewDecoder(bytes.NewBuffer(response), trusting)
	if open, err := d.ReadToken(); err != nil || open.Kind() != '{' ||
		!bytes.HasSuffix(bytes.TrimRight(response, " \r\n\t"), []byte{'}'}) {
		return ErrResponse
	}
	for d.PeekKind() == '"' {
		token, err := d.ReadToken()
		if err != nil {
			return ErrResponse
		}
		name, next := token.String(), d.PeekKind()
		if name != "_shards" && (next == '{' || next == '[') {
			return nil
		}
		value, err := d.ReadValue()
		switch {
		case err != nil:
			return ErrResponse
		case name == "timed_out" && string(value) == "true":
			return &Error{Status: partial, Kind: "timed_out", Reason: "the search ran out of time"}
		case name == "_shards":
			if err := checkShards(value); err != nil {
				return err
			}
		}
	}
	if end, err := d.ReadToken(); err != nil || end.Kind() != '}' {
		return ErrResponse
	}
	return nil
}

// checkShards reads the member _shards of a response.
func checkShards(text []byte) error {
	if bytes.HasSuffix(text, []byte(`"failed":0}`)) {
		return nil // as nearly always
	}
	var shards struct {
		Total, Failed int
		Failures      []struct {
			Reason struct{ Type, Reason string }
		}
	}
	if err := Decode(text, &shards); err != nil || shards.Failed == 0 {
		return err
	}
	e := &Error{Status: partial, Kind: "shard_failure"}
	e.Reason = fmt.Sprintf("%d of %d shards failed", shards.Failed, shards.Total)
	if len(shards.Failures) > 0 {
		e.Kind, e.Reason = shards.Failures[0].Reason.Type, e.Reason+": "+shards.Failures[0].Reason.Reason
	}
	return e
}
