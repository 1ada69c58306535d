package elastictest

import (
	"bytes"
	"context"
	"net/http"
	"net/url"

	"github.com/elastic/go-elasticsearch/v8/esapi"
)

// Request is an esapi.Request in its raw form: for requests that the program never sends.
type Request struct {
	Method, Path string
	Query        url.Values
	Body         []byte // a body that ends with a line feed is NDJSON
}

// Do implements esapi.Request.
func (r Request) Do(ctx context.Context, t esapi.Transport) (*esapi.Response, error) {
	req, err := http.NewRequestWithContext(ctx, r.Method, r.Path, bytes.NewReader(r.Body))
	if err != nil {
		return nil, err
	}
	req.URL.RawQuery = r.Query.Encode()
	if len(r.Body) > 0 {
		req.Header.Set("Content-Type", "application/json")
	}
	if bytes.HasSuffix(r.Body, []byte{'\n'}) {
		req.Header.Set("Content-Type", "application/x-ndjson")
	}
	res, err := t.Perform(req)
	if err != nil {
		return nil, err
	}
	return &esapi.Response{StatusCode: res.StatusCode, Body: res.Body, Header: res.Header}, nil
}

// RoundTrip is a network that a test makes up.
type RoundTrip func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f RoundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Over returns a Config.Wrap of the client that sends requests to f alone.
func (f RoundTrip) Over() func(http.RoundTripper) http.RoundTripper {
	return func(http.RoundTripper) http.RoundTripper { return f }
}

// Responding is a network that gives every request this response.
func Responding(status int, body string) RoundTrip {
	return func(r *http.Request) (*http.Response, error) { return Response(r, status, []byte(body)), nil }
}
