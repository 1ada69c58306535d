// Package elastictest is for tests of the Elasticsearch engine. It owns a network between a client
// and Elasticsearch there: a network that breaks, responses that are made up, requests in their raw
// form; and the filings of these tests. It refuses to import the engine, so that every package of
// the engine can use it.
package elastictest

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"
)

// Faults is a network that breaks. It stands between the client and the real Elasticsearch: a fault
// decides whether Elasticsearch gets a request, and which response the client gets.
type Faults struct {
	mu      sync.Mutex
	planned []planned
	seen    map[string]int // requests by the last part of their path
}

// Wrap puts f before next, as the client's Config.Wrap. A nil f is a network without faults.
func (f *Faults) Wrap(next http.RoundTripper) http.RoundTripper {
	if f == nil {
		return next
	}
	return &wrapped{f, next}
}

// wrapped is one transport with the faults before it; a client has two.
type wrapped struct {
	faults *Faults
	next   http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (w *wrapped) RoundTrip(req *http.Request) (*http.Response, error) {
	send := func() (*http.Response, error) { return w.next.RoundTrip(req) }
	if fault := w.faults.next(req.URL.Path); fault != nil {
		return fault(req, send)
	}
	return send()
}

// planned is a fault of requests whose path contains part.
type planned struct {
	part  string
	fault Fault
	stays bool
}

// Fault stands in for a request; send is its usual course.
type Fault func(req *http.Request, send func() (*http.Response, error)) (*http.Response, error)

// On makes the next requests go wrong whose path contains part, in turn.
func (f *Faults) On(part string, faults ...Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, fault := range faults {
		f.planned = append(f.planned, planned{part, fault, false})
	}
}

// Always makes every further request go wrong whose path contains part.
func (f *Faults) Always(part string, fault Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.planned = append(f.planned, planned{part, fault, true})
}

// Left returns how many faults have not happened yet.
func (f *Faults) Left() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.planned)
}

// Requests returns how many requests there were whose path ends in part.
func (f *Faults) Requests(part string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.seen[part]
}

func (f *Faults) next(path string) Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.seen == nil {
		f.seen = map[string]int{}
	}
	f.seen[path[strings.LastIndexByte(path, '/')+1:]]++
	for i, p := range f.planned {
		if !strings.Contains(path, p.part) {
			continue
		}
		if !p.stays {
			f.planned = append(f.planned[:i:i], f.planned[i+1:]...)
		}
		return p.fault
	}
	return nil
}

// CutBefore breaks the connection before Elasticsearch gets the request.
func CutBefore(*http.Request, func() (*http.Response, error)) (*http.Response, error) {
	return nil, io.EOF
}

// CutAfter lets Elasticsearch carry the request out, and loses the response.
func CutAfter(_ *http.Request, send func() (*http.Response, error)) (*http.Response, error) {
	res, err := send()
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		return nil, err
	}
	return nil, io.ErrUnexpectedEOF
}

// Respond gives a response that Elasticsearch never gave. The request is not sent.
func Respond(status int, body string) Fault {
	return func(req *http.Request, _ func() (*http.Response, error)) (*http.Response, error) {
		return Response(req, status, []byte(body)), nil
	}
}

// Rewrite sends the request and changes the body of its response.
func Rewrite(change func([]byte) []byte) Fault {
	return func(req *http.Request, send func() (*http.Response, error)) (*http.Response, error) {
		res, err := send()
		if err != nil {
			return nil, err
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			return nil, err
		}
		return Response(req, res.StatusCode, change(body)), nil
	}
}

// First does something before the request is sent.
func First(do func()) Fault {
	return func(_ *http.Request, send func() (*http.Response, error)) (*http.Response, error) {
		do()
		return send()
	}
}

// Response returns a response as Elasticsearch gives them.
func Response(req *http.Request, status int, body []byte) *http.Response {
	return &http.Response{
		StatusCode:    status,
		Header:        http.Header{"X-Elastic-Product": {"Elasticsearch"}},
		Body:          io.NopCloser(bytes.NewReader(body)),
		ContentLength: int64(len(body)),
		Request:       req,
	}
}
