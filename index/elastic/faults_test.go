package elastic

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"
)

// faults is a network that breaks. It stands between the client and the real Elasticsearch: a fault decides whether
// Elasticsearch gets a request, and what the client hears.
type faults struct {
	next http.RoundTripper

	mu      sync.Mutex
	planned []fault
	seen    map[string]int // requests by the last part of their path
}

// fault treats a request whose path contains part.
type fault struct {
	part  string
	treat treatment
	stays bool
}

// treatment stands in for a request; send is what would have happened to it.
type treatment func(req *http.Request, send func() (*http.Response, error)) (*http.Response, error)

// on makes the next requests go wrong whose path contains part, in turn.
func (f *faults) on(part string, treat ...treatment) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, t := range treat {
		f.planned = append(f.planned, fault{part, t, false})
	}
}

// always makes every further request go wrong whose path contains part.
func (f *faults) always(part string, treat treatment) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.planned = append(f.planned, fault{part, treat, true})
}

// left returns how many faults have not happened yet.
func (f *faults) left() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.planned)
}

// requests returns how many requests there were of whose path part is the end.
func (f *faults) requests(part string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.seen[part]
}

func (f *faults) RoundTrip(req *http.Request) (*http.Response, error) {
	send := func() (*http.Response, error) { return f.next.RoundTrip(req) }
	if treat := f.take(req.URL.Path); treat != nil {
		return treat(req, send)
	}
	return send()
}

func (f *faults) take(path string) treatment {
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
		return p.treat
	}
	return nil
}

// cutBefore breaks the connection before Elasticsearch gets the request.
func cutBefore(*http.Request, func() (*http.Response, error)) (*http.Response, error) {
	return nil, io.EOF
}

// cutAfter lets Elasticsearch carry the request out, and loses the answer.
func cutAfter(_ *http.Request, send func() (*http.Response, error)) (*http.Response, error) {
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

// respond gives an answer that Elasticsearch never gave. The request is not sent.
func respond(status int, body string) treatment {
	return func(req *http.Request, _ func() (*http.Response, error)) (*http.Response, error) {
		return response(req, status, []byte(body)), nil
	}
}

// rewrite sends the request and changes the answer.
func rewrite(change func([]byte) []byte) treatment {
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
		return response(req, res.StatusCode, change(body)), nil
	}
}

// first does something before the request is sent.
func first(do func()) treatment {
	return func(_ *http.Request, send func() (*http.Response, error)) (*http.Response, error) {
		do()
		return send()
	}
}

func response(req *http.Request, status int, body []byte) *http.Response {
	return &http.Response{
		StatusCode:    status,
		Header:        http.Header{"X-Elastic-Product": {"Elasticsearch"}},
		Body:          io.NopCloser(bytes.NewReader(body)),
		ContentLength: int64(len(body)),
		Request:       req,
	}
}
