package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// recorder is a proxy to Elasticsearch that records the requests that pass through it.
type recorder struct {
	server *httptest.Server
	silent atomic.Bool // a search finds nothing, without Elasticsearch

	mu       sync.Mutex
	file     *os.File // bodies, one after the other: those of a load are too large to hold
	size     int64
	requests []recorded
}

// recorded is a request; its body is a part of the recorder's file.
type recorded struct {
	method, uri, contentType string
	at, length               int64
}

func newRecorder(elasticsearch, dir string) (*recorder, error) {
	target, err := url.Parse(elasticsearch)
	if err != nil {
		return nil, err
	}
	file, err := os.CreateTemp(dir, "requests-")
	if err != nil {
		return nil, err
	}
	r := &recorder{file: file}
	proxy := httputil.NewSingleHostReverseProxy(target)
	r.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if err := r.record(req); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		if r.silent.Load() && strings.HasSuffix(req.URL.Path, "/_search") {
			w.Header().Set("X-Elastic-Product", "Elasticsearch")
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, nothingFound)
			return
		}
		proxy.ServeHTTP(w, req)
	}))
	return r, nil
}

const nothingFound = `{"took":1,"timed_out":false,"_shards":{"total":1,"successful":1,"skipped":0,"failed":0},` +
	`"hits":{"total":{"value":0,"relation":"eq"},"max_score":null,"hits":[]}}`

// isSearch reports whether q is a search.
func (q recorded) isSearch() bool {
	path, _, _ := strings.Cut(q.uri, "?")
	return strings.HasSuffix(path, "/_search")
}

// record appends the request, and leaves its body to be read again.
func (r *recorder) record(req *http.Request) error {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return err
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, err := r.file.WriteAt(body, r.size); err != nil {
		return err
	}
	r.requests = append(r.requests, recorded{
		req.Method, req.URL.RequestURI(), req.Header.Get("Content-Type"), r.size, int64(len(body)),
	})
	r.size += int64(len(body))
	return nil
}

func (r *recorder) close() error {
	r.server.Close()
	return r.file.Close()
}

// drain returns the requests that were recorded since its last call.
func (r *recorder) drain() []recorded {
	r.mu.Lock()
	defer r.mu.Unlock()
	kept := r.requests
	r.requests = nil
	return kept
}

func (r *recorder) body(q recorded) ([]byte, error) {
	b := make([]byte, q.length)
	_, err := r.file.ReadAt(b, q.at)
	return b, err
}

// replayWriters is how many bulk requests a replay has in flight, as the load has.
const replayWriters = 4

// replayLoad sends the writes of a load once more, into an index of another name, and returns how
// long that took: the index's creation, every bulk request byte for byte, block, refresh, merge and
// settings. Nothing is read back.
func (r *recorder) replayLoad(ctx context.Context, elasticsearch, generation string) (time.Duration, error) {
	var bulks, others []recorded
	for _, q := range r.drain() {
		path, _, _ := strings.Cut(q.uri, "?")
		switch {
		case strings.HasSuffix(path, "/_bulk"):
			bulks = append(bulks, q)
		case strings.HasPrefix(path, "/"+generation) && q.method != http.MethodGet && !strings.HasSuffix(path, "/_search"):
			others = append(others, q)
		}
	}
	if len(others) == 0 || len(bulks) == 0 {
		return 0, fmt.Errorf("no load of %s was recorded", generation)
	}
	other := "bare-" + generation
	send := func(ctx context.Context, q recorded) error {
		body, err := r.body(q)
		if err != nil {
			return err
		}
		if q.method == http.MethodPut {
			body = bytes.ReplaceAll(body, []byte(generation), []byte(other))
		}
		return exchange(ctx, q.method, elasticsearch+strings.ReplaceAll(q.uri, generation, other), q.contentType, body)
	}
	defer func() {
		_ = exchange(context.WithoutCancel(ctx), http.MethodDelete, elasticsearch+"/"+other, "", nil)
	}()
	start := time.Now()
	if err := send(ctx, others[0]); err != nil { // creates the index
		return 0, err
	}
	g, writing := errgroup.WithContext(ctx)
	g.SetLimit(replayWriters)
	for _, q := range bulks {
		g.Go(func() error { return send(writing, q) })
	}
	if err := g.Wait(); err != nil {
		return 0, err
	}
	for _, q := range others[1:] {
		if err := send(ctx, q); err != nil {
			return 0, err
		}
	}
	return time.Since(start), nil
}

// exchange sends a request and reads the response to its end. A bulk response with errors is an error.
func exchange(ctx context.Context, method, address, contentType string, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	head, err := bufio.NewReader(res.Body).Peek(200)
	if err != nil && err != io.EOF {
		return err
	}
	if res.StatusCode >= 300 || bytes.Contains(head, []byte(`"errors":true`)) {
		return fmt.Errorf("%s %s: %s", method, req.URL.Path, res.Status)
	}
	_, err = io.Copy(io.Discard, res.Body)
	return err
}

// lastSearch returns the last recorded search for hits, which is the one for the page, and its body.
func (r *recorder) lastSearch() (q recorded, body []byte, err error) {
	return r.last(func(size int, _ json.RawMessage) bool { return size > 0 })
}

// aggregation returns the last recorded search that aggregates, and its body.
func (r *recorder) aggregation() (q recorded, body []byte, err error) {
	return r.last(func(_ int, aggs json.RawMessage) bool { return len(aggs) > 0 })
}

// last returns the last recorded search whose size and aggregations satisfy is.
func (r *recorder) last(is func(size int, aggs json.RawMessage) bool) (q recorded, body []byte, err error) {
	for _, kept := range r.drain() {
		if !kept.isSearch() {
			continue
		}
		text, err := r.body(kept)
		if err != nil {
			return q, nil, err
		}
		var search struct {
			Size int
			Aggs json.RawMessage
		}
		if err := json.Unmarshal(text, &search); err != nil {
			return q, nil, err
		}
		if is(search.Size, search.Aggs) {
			q, body = kept, text
		}
	}
	if body == nil {
		return q, nil, fmt.Errorf("no such search was recorded")
	}
	return q, body, nil
}

// deleteIndices deletes the bench's indices. Names are listed first: a cluster may refuse deletion
// by pattern.
func (b *bench) deleteIndices(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	res, err := http.Get(b.elasticsearch + "/" + benchIndex + "-*/_alias?expand_wildcards=all")
	if err != nil {
		return err
	}
	defer res.Body.Close()
	var indices map[string]json.RawMessage
	if err := json.NewDecoder(res.Body).Decode(&indices); err != nil {
		return err
	}
	for name := range indices {
		if err := exchange(ctx, http.MethodDelete, b.elasticsearch+"/"+name, "", nil); err != nil {
			return err
		}
	}
	return nil
}
