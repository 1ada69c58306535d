package elastic

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"filings/index"
	"filings/index/elastic/client"
	"filings/index/elastic/elastictest"
	"filings/index/generation"
	"filings/index/sidecar"
	"filings/mappings"
)

func TestBulk_FaultsLoseAndDoubleNothing(t *testing.T) {
	t.Parallel()
	refused := elastictest.Respond(http.StatusTooManyRequests, `{"error":{"type":"es_rejected_execution_exception"}}`)
	cutShort := elastictest.Rewrite(func(response []byte) []byte { return response[:len(response)/2] })
	tests := []struct {
		name   string
		faults []elastictest.Fault
	}{
		{"connection cut before", []elastictest.Fault{elastictest.CutBefore, elastictest.CutBefore, elastictest.CutBefore}},
		{"connection cut after", []elastictest.Fault{elastictest.CutAfter, elastictest.CutAfter, elastictest.CutAfter}},
		{"queue full", []elastictest.Fault{refused, refused}},
		{"no master", []elastictest.Fault{elastictest.Respond(http.StatusServiceUnavailable, `{"error":{"type":"cluster_block_exception"}}`)}},
		{"proxy's page", []elastictest.Fault{elastictest.Respond(http.StatusBadGateway, "<html>"), elastictest.Respond(http.StatusGatewayTimeout, "")}},
		{"garbage for a response", []elastictest.Fault{elastictest.Respond(http.StatusOK, "<html>"), cutShort}},
		{"a response about too few", []elastictest.Fault{elastictest.Rewrite(oneItem), elastictest.Rewrite(oneItem)}},
		{"items refused", []elastictest.Fault{refuseEveryOther, refuseEveryOther, refuseEveryOther}},
		{"items refused, then cut", []elastictest.Fault{refuseEveryOther, elastictest.CutAfter, refuseEveryOther, elastictest.CutBefore}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			const filings = 60
			s := newTestStore(t)
			net := &elastictest.Faults{}
			broken := s.through(t, net)
			broken.batchBytes = 10_000 // some ten filings
			l := broken.lock(t)
			net.On("/_bulk", test.faults...)
			name := sealedWith(t, l, "A", filings)
			if n := net.Left(); n != 0 {
				t.Errorf("%d faults did not happen", n)
			}
			if n := net.Requests("_bulk"); n < 4+len(test.faults) {
				t.Errorf("only %d bulk requests: this test tests too little", n)
			}
			if diff := cmp.Diff(sameOwner("A", filings), s.owners(t, name)); diff != "" {
				t.Errorf("filings (-want +got):\n%s", diff)
			}
		})
	}
}

func oneItem([]byte) []byte {
	return []byte(`{"errors":false,"items":[{"index":{"_id":"1","status":201}}]}`)
}

// refuseEveryOther lets Elasticsearch have every other filing of a bulk request, and refuses the rest as a shard does
// whose queue is full.
func refuseEveryOther(req *http.Request, send func() (*http.Response, error)) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	lines := bytes.SplitAfter(body, []byte("\n"))
	var some []byte
	var ids []string
	for i := 0; i+1 < len(lines); i += 2 {
		ids = append(ids, strings.Split(string(lines[i]), `"`)[5])
		if i%4 == 0 {
			some = append(append(some, lines[i]...), lines[i+1]...)
		}
	}
	req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(some)), int64(len(some))
	res, err := send()
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	var items []string
	for i, id := range ids {
		item := `{"index":{"_id":"` + id + `","status":201}}`
		if i%2 == 1 {
			item = `{"index":{"_id":"` + id + `","status":429,"error":{"type":"es_rejected_execution_exception"}}}`
		}
		items = append(items, item)
	}
	return elastictest.Response(req, res.StatusCode, []byte(`{"errors":true,"items":[`+strings.Join(items, ",")+`]}`)), nil
}

func TestBulk_ARefusedFilingFailsTheLoad(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	b, err := s.lock(t).Begin(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	put(t, b, filing(1, "A"))
	wrong := filing(4711, "A")
	wrong.SetNumber(index.FilingAmount, math.Inf(1)) // which the reindexer would have rejected
	put(t, b, wrong)
	put(t, b, filing(3, "A"))
	_, err = b.Seal(t.Context(), nil)
	if err == nil || !strings.Contains(err.Error(), "filing 4711") || !strings.Contains(err.Error(), "parsing_exception") {
		t.Fatalf("got %v, want an error that names filing 4711 and the reason", err)
	}
	if err := s.Swap(t.Context(), "", b.Generation()); !errors.Is(err, index.ErrNotFound) {
		t.Errorf("swapping to it: got %v, want %v", err, index.ErrNotFound)
	}
	if err := b.Put(t.Context(), filing(5, "A")); err == nil {
		t.Error("the load goes on")
	}
	if err := b.Abort(t.Context()); err != nil {
		t.Error(err)
	}
}

// With several requests in progress, the last action of an id wins, whatever order they arrive in.
func TestL5_TheLastActionOfAnIDWins(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	net := &elastictest.Faults{}
	s.reopen(t, net)
	s.batchBytes = 1 // a request for each action
	l := s.lock(t)
	first := sealedWith(t, l, "A", 6)
	b, err := l.Begin(t.Context(), first)
	if err != nil {
		t.Fatal(err)
	}
	net.On("/_bulk", elastictest.CutAfter, elastictest.CutBefore, elastictest.CutBefore)
	want := map[int64]string{}
	for i := range 60 {
		id := int64(i%6 + 1)
		owner := fmt.Sprint("B", i)
		put(t, b, filing(id, owner))
		want[id] = owner
		if i%7 == 0 {
			if err := b.Remove(t.Context(), id); err != nil {
				t.Fatal(err)
			}
			delete(want, id)
		}
	}
	seal(t, b)
	if diff := cmp.Diff(want, s.owners(t, b.Generation())); diff != "" {
		t.Errorf("filings (-want +got):\n%s", diff)
	}
}

// A request that was given up, and is carried out after its repetition and after a later action of the same id.
func TestBulk_RequestsThatComeLate(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	net := &elastictest.Faults{}
	s.reopen(t, net)
	s.batchBytes = 1
	w, err := s.Create(t.Context(), generation.Name(s.alias, s.clock.Now(), mappings.Version), "")
	if err != nil {
		t.Fatal(err)
	}
	b := w.(*build)
	var late [][]byte
	keep := func(req *http.Request, _ func() (*http.Response, error)) (*http.Response, error) {
		body, err := io.ReadAll(req.Body)
		late = append(late, body)
		return nil, errors.Join(err, io.EOF)
	}
	for _, action := range []func(){
		func() { write(t, b, filing(7, "OLD")) },
		func() { write(t, b, filing(8, "OLD")) },
		func() { write(t, b, filing(7, "NEW")) },
		func() {
			if err := b.Remove(t.Context(), 8); err != nil {
				t.Fatal(err)
			}
		},
	} {
		if len(late) < 2 {
			net.On("/_bulk", keep)
		}
		action()
		drain(t, b.bulk)
	}
	for _, body := range late {
		must(t, s.c, http.MethodPost, "/"+buildAlias(b.name)+"/_bulk", nil, body)
	}
	if _, err := b.Seal(t.Context(), false, nil, nothing, unchecked); err != nil {
		t.Fatal(err)
	}
	r, err := s.Reader(t.Context(), b.name, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[int64]string{7: "NEW"}, ownersOf(t, r)); len(late) != 2 || diff != "" {
		t.Errorf("filings after %d late requests (-want +got):\n%s", len(late), diff)
	}
}

// drain waits until no request of b is in progress.
func drain(t testing.TB, b *bulk) {
	t.Helper()
	for range cap(b.inFlight) {
		select {
		case b.inFlight <- struct{}{}:
		case <-time.After(time.Minute):
			t.Fatal("requests do not end")
		}
	}
	for range cap(b.inFlight) {
		<-b.inFlight
	}
}

func TestBulk_GivesUpAfterAWhile(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	net := &elastictest.Faults{}
	broken := s
	broken.Store = s.with(t, client.Config{Wrap: net.Wrap, RetryFor: 4 * client.FirstPause})
	l := broken.lock(t)
	b, err := l.Begin(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	net.Always("/_bulk", elastictest.CutBefore)
	put(t, b, filing(1, "A"))
	if _, err := b.Seal(t.Context(), nil); !errors.Is(err, index.ErrUnavailable) {
		t.Errorf("got %v, want %v", err, index.ErrUnavailable)
	}
	if n := net.Requests("_bulk"); n < 2 {
		t.Errorf("gave up after %d requests", n)
	}
	if _, err := s.Open(t.Context(), b.Generation()); !errors.Is(err, index.ErrNotFound) {
		t.Errorf("the generation counts as sealed: %v", err)
	}
}

// While Elasticsearch takes nothing, Put waits instead of filling memory, and ends with its context.
func TestBulk_MemoryIsBounded(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	net := &elastictest.Faults{}
	s.reopen(t, net)
	s.batchBytes = 1
	l := s.lock(t)
	b, err := l.Begin(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var arrived sync.WaitGroup
	arrived.Add(writers)
	net.Always("/_bulk", func(req *http.Request, _ func() (*http.Response, error)) (*http.Response, error) {
		arrived.Done()
		<-req.Context().Done()
		return nil, req.Context().Err()
	})
	accepted, blocked := 0, make(chan error)
	go func() {
		for {
			if err := b.Put(ctx, filing(int64(accepted+1), "A")); err != nil {
				blocked <- err
				return
			}
			accepted++
		}
	}()
	arrived.Wait() // all writers have a request in progress
	cancel()
	if err := <-blocked; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	if accepted < writers || accepted > writers+1 {
		t.Errorf("%d batches were taken, want at most %d", accepted, writers+1)
	}
	if err := b.Abort(t.Context()); err != nil { // ends the requests in progress, too
		t.Error(err)
	}
}

func nothing(context.Context, sidecar.Sink) error { return nil }

func unchecked(context.Context, index.Reader) (int64, error) { return 0, nil }
